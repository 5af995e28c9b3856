"""Parameters of the metric and the resource."""

from pathlib import Path

from valor_core.parameters import parameter, parameters


@parameters
class ExactMatchParameters:
    """Parameters of ExactMatch."""

    ignore_case: bool = parameter(default=False, help="Whether case counts.")


@parameters
class DictionaryParameters:
    """Parameters of the dictionary."""

    words: tuple[str, ...] = parameter(default=("a", "the"), help="The words it has.")
    log: Path | None = parameter(
        default=None, help="Where openings, look-ups and closings are recorded."
    )
    broken: bool = parameter(default=False, help="Whether opening it fails.")
