from pathlib import Path

from valor_core.parameters import parameter, parameters


@parameters
class Listed:
    file: Path = parameter(help="File with uids, or the name of a list.")
    higher_is_better: bool | None = parameter(default=None, help="Direction.")
