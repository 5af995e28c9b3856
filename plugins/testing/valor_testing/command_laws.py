"""Laws of commands and galleries, which users see."""

from __future__ import annotations

import inspect
import io
import numbers
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.errors import ValorError, short_repr
from valor_core.parameters import parameters_from
from valor_core.schemas import Batch
from valor_core.specs import CommandSpec, GallerySpec
from valor_testing.data_set import Batches
from valor_testing.law import Breach, law

# Commands


@law
def command_can_be_called(spec: CommandSpec) -> None:
    """The command is a click command, or a function of a list of arguments."""
    code: Any = spec.load()
    if _is_click(code):
        return
    if not inspect.isroutine(code):
        raise Breach(f"expected a click command or a function, found {short_repr(code)}")
    try:
        inspect.signature(code).bind([])
    except TypeError as error:
        raise Breach(
            f"expected a function of a list of arguments, {error}; write it as: "
            f"def {code.__name__}(arguments)"
        ) from error


@law
def command_explains_itself(spec: CommandSpec) -> None:
    """``--help`` prints a text and exits with 0, also for subcommands."""
    code: Any = spec.load()
    commands = _commands(spec.short_name, code) if _is_click(code) else [(spec.short_name, code)]
    for name, command in commands:
        output = io.StringIO()
        with redirect_stdout(output), redirect_stderr(output):
            status = _status(command, name)
        if status:
            raise Breach(f"{name} --help: expected the exit code 0, found {status}")
        if not output.getvalue().strip():
            raise Breach(f"{name} --help: expected a text, found none")


def _is_click(code: Any) -> bool:
    click: Any = sys.modules.get("click")  # imported by the code if it is a command
    return click is not None and isinstance(code, click.Command)


def _commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield a click command and its subcommands."""
    yield name, command
    if hasattr(command, "list_commands"):
        context = command.make_context(name, [], resilient_parsing=True)
        for each in command.list_commands(context):
            yield from _commands(f"{name} {each}", command.get_command(context, each))


def _status(command: Any, name: str) -> Any:
    try:
        if not _is_click(command):
            return command(["--help"])
        return command.main(["--help"], prog_name=name, standalone_mode=False)
    except SystemExit as exit:
        return exit.code


# Galleries


@frozen
class Drawing:
    """Gallery under test, with examples of its task."""

    spec: GallerySpec
    examples: Mapping[str, Batches]

    @property
    def name(self) -> str:
        """Name of the gallery."""
        return self.spec.name

    def made(self) -> Any:
        """Return the gallery with default parameters, or None if one is required."""
        code: Any = self.spec.load()
        try:
            given: Any = parameters_from(self.spec.parameter_class, {}, "")
        except ValorError:
            return None
        return code(given)


@law
def gallery_has_its_methods(drawing: Drawing) -> None:
    """The gallery has the attribute `legend` and the methods `errors` and `draw`."""
    code: Any = drawing.spec.load()
    gallery = drawing.made() or code
    for name in ("errors", "draw", *(["take"] if hasattr(code, "shows") else [])):
        _check_method(getattr(gallery, name, None), name, is_bound=gallery is not code)
    if not hasattr(gallery, "legend"):
        raise Breach("expected an attribute legend, colors by word; found none")


def _check_method(method: Any, name: str, is_bound: bool) -> None:
    argument = "rows" if name == "take" else "batch"
    if not callable(method):
        raise Breach(f"expected a method {name}({argument}), found {short_repr(method)}")
    try:
        inspect.signature(method).bind(*([None] * (1 if is_bound else 2)))
    except TypeError as error:
        raise Breach(f"expected {name}({argument}), {error}") from error


@law
def gallery_draws_examples(drawing: Drawing) -> None:
    """Every item has a number of errors, and an item with errors can be drawn."""
    gallery = drawing.made()
    if gallery is None or getattr(gallery, "shows", None) is not None:
        return
    _check_legend(gallery.legend)
    for name, batches in drawing.examples.items():
        with suppress(ValorError):  # not every gallery draws all data of its task
            for batch in batches:
                _check_batch(gallery, batch, name)


def _check_legend(legend: Any) -> None:
    words = legend.items() if isinstance(legend, Mapping) else [(legend, None)]
    if not all(isinstance(one, str) for pair in words for one in pair):
        raise Breach(f"legend: expected colors by word, found {short_repr(legend)}")


def _check_batch(gallery: Any, batch: Batch, name: str) -> None:
    errors = np.asarray(gallery.errors(batch), dtype=np.float64)
    if errors.shape != (len(batch),):
        raise Breach(
            f"errors: expected a number for each of {len(batch)} items, found shape {errors.shape} "
            f"(data set {name!r})"
        )
    if not np.isfinite(errors).all():
        raise Breach(
            f"errors: expected finite numbers, found {short_repr(errors)} (data set {name!r})"
        )
    for position in np.flatnonzero(errors > 0)[:1]:
        drawn = gallery.draw(batch.select(np.array([position])))
        counts = getattr(drawn, "counts", None)
        is_drawn = hasattr(drawn, "texts") or hasattr(drawn, "image")
        if not is_drawn or not isinstance(counts, Mapping):
            raise Breach(
                "draw: expected a Picture or MarkedTexts, "
                f"found {short_repr(drawn)} (data set {name!r})"
            )
        for word, count in counts.items():
            if not isinstance(count, numbers.Real):
                raise Breach(f"draw: expected numbers in counts, {word!r} is {short_repr(count)}")


COMMAND_LAWS: Sequence[Callable[[CommandSpec], None]] = (
    command_can_be_called,
    command_explains_itself,
)
"""Laws of a command, the most informative first."""
GALLERY_LAWS: Sequence[Callable[[Drawing], None]] = (
    gallery_has_its_methods,
    gallery_draws_examples,
)
"""Laws of a gallery, the most informative first."""
