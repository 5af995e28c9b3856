"""Search for the items with the most errors, and their gallery in a folder.

The reader reads the data once to rank the items and again to draw the worst of them, so items are
not kept in memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.errors import (
    BrokenPluginError,
    ConfigError,
    MissingExtraError,
    ParameterError,
    ReportError,
    SchemaError,
    ValorError,
    did_you_mean,
)
from valor_core.evaluation import Evaluation
from valor_core.parameters import NoParameters, parameters_from, parameters_of
from valor_core.parameters.declaration import relocate
from valor_core.readers import Partition, Reader
from valor_core.results.files import check_writable, write_text
from valor_core.results.item_tables import ItemTable
from valor_core.schemas import Batch, Uid, natural_order
from valor_core.schemas.columns import natural
from valor_core.specs import GallerySpec, Registry
from valor_report.gallery import gallery_page
from valor_report.gallery.drawn_items import keep_drawn
from valor_report.gallery.gallery_page import GalleryItem
from valor_report.gallery.parameters import INDEX, NOT_DRAWN, GalleryParameters
from valor_report.gallery.pictures import Gallery, MarkedTexts, Picture
from valor_report.output_files import SHOW_TRACEBACK, bug_message


@frozen
class Found:
    """Item with errors, and its position in the data.

    Parameters
    ----------
    uid : str or int
        Uid of the item.
    errors : float
        Errors that the gallery reports; more than 0.
    partition : int
        Index of the partition.
    place : int
        Index of the item in the filtered partition.
    """

    uid: Uid
    errors: float
    partition: int
    place: int


@frozen
class PlannedGallery:
    """Gallery with its output folder.

    Parameters
    ----------
    gallery : Gallery or None
        Gallery that draws the items; None if its code cannot be imported.
    folder : Path
        Output folder. It is created if missing.
    most : int
        Maximum number of items to draw.
    parameters : type
        Class of the gallery's parameters.
    missing : str
        Why there is no gallery.
    """

    gallery: Gallery | None
    folder: Path
    most: int = 20
    parameters: type = NoParameters
    missing: str = ""

    @property
    def page(self) -> Path:
        """The page that `draw` writes."""
        return self.folder / INDEX

    @property
    def shows(self) -> str | None:
        """Full name of the metric whose item rows the gallery uses, if any."""
        shown: str | None = getattr(self.gallery, "shows", None)
        return shown

    def check(self, evaluation: Evaluation, place: str = "") -> None:
        """Raise a `ConfigError` if the run does not compute the metric that the gallery uses.

        Parameters
        ----------
        evaluation : Evaluation
            The run.
        place : str
            Beginning of error messages, such as ``"config.yaml: "``.
        """
        if self.shows is None:
            return
        chosen = [metric.spec.name for metric in evaluation.plan.metrics]
        found = chosen.count(self.shows)
        if found != 1:
            raise ConfigError(
                f"{place}gallery.by: expected one metric {self.shows} in the run, found "
                f"{found or 'none'}",
                f"Write it as: metrics: [{self.shows}]"
                if not found
                else "Choose it once; use separate runs for other parameters.",
            )

    def draw(
        self,
        evaluation: Evaluation,
        reader: Reader,
        items: Iterable[ItemTable] = (),
    ) -> tuple[str, ...]:
        """Draw the worst items and write their page; return warnings about what cannot be drawn.

        The variable ``VALOR_TRACEBACK`` lets errors pass that are not a `ValorError`.

        Parameters
        ----------
        evaluation : Evaluation
            Run, which filters items and maps labels.
        reader : Reader
            Reader of the data. All partitions are read, and those with worst items twice.
        items : iterable of ItemTable
            Item rows of the run's metrics. Galleries use them, and pages of reports with these
            rows contain the drawn items.

        Returns
        -------
        tuple of str
            A warning if there are no pictures, or not all.

        Raises
        ------
        ReportError
            If the folder is not writable.
        """
        if self.gallery is None:
            return (f"{NOT_DRAWN}{self.missing}",)
        try:
            return self._draw(self.gallery, evaluation, reader, tuple(items))
        except ReportError:
            raise
        except Exception as error:
            return (f"{NOT_DRAWN}{_reason(error)}",)

    def _draw(
        self,
        gallery: Gallery,
        evaluation: Evaluation,
        reader: Reader,
        items: tuple[ItemTable, ...],
    ) -> tuple[str, ...]:
        for table in items:
            if table.metric.partition("@")[0] == self.shows:
                gallery.take(table.rows)  # type: ignore[attr-defined]
        partitions = list(reader.partitions())
        starts, found = self._found(gallery, evaluation, reader, partitions)
        entries: dict[Found, GalleryItem] = {}
        undrawn: list[str] = []
        with self._written():
            self.folder.mkdir(parents=True, exist_ok=True)
            _clear(self.folder)
        for each, item in _items(evaluation, reader, partitions, starts, found):
            picture = _picture(gallery, each.uid, item, undrawn)
            with self._written():
                entries[each] = self._save(found.index(each) + 1, each.uid, picture)
        shown = [entries[each] for each in found]
        text = gallery_page.html(shown, gallery.legend, evaluation.task)
        write_text(self.page, text, private=bool(evaluation.resources))
        keep_drawn(items, shown, gallery.legend)
        if not undrawn:
            return ()
        return (f"gallery: {len(undrawn)} of {len(found)} items not drawn, {undrawn[0]}",)

    @contextmanager
    def _written(self) -> Iterator[None]:
        """Context that converts errors of writing to the folder."""
        try:
            yield
        except OSError as error:
            raise ReportError(f"{self.folder}: cannot be written, {error.strerror}") from error

    def _found(
        self,
        gallery: Gallery,
        evaluation: Evaluation,
        reader: Reader,
        partitions: Sequence[Partition],
    ) -> tuple[list[int], list[Found]]:
        """Number of items before each partition, and the worst items, most errors first."""
        worst: list[Found] = []
        starts = [0]
        for number, partition in enumerate(partitions):
            read = place = 0
            for batch, size in _batches(evaluation, reader, partition, starts[-1]):
                more = self._worst(gallery, batch, number, place)
                worst = sorted([*worst, *more], key=_order)[: self.most]
                place += len(batch)
                read += size
            starts.append(starts[-1] + read)
        return starts, worst

    def _worst(self, gallery: Gallery, batch: Batch, partition: int, place: int) -> Iterator[Found]:
        """Worst items of a batch."""
        errors = np.asarray(gallery.errors(batch), dtype=np.float64)
        if errors.shape != (len(batch),):
            raise SchemaError(
                f"{type(gallery).__name__}: expected a number for each of {len(batch):,} "
                f"items, got shape {errors.shape}"
            )
        by_name = np.empty(len(batch), np.int64)
        by_name[natural_order(batch.datums.uids)] = np.arange(len(batch))
        for position in np.lexsort((by_name, -errors))[: self.most].tolist():
            if errors[position] > 0:
                uid = batch.datums.at(position).uid
                yield Found(uid, float(errors[position]), partition, place + position)

    def _save(self, rank: int, uid: Uid, picture: Picture | MarkedTexts) -> GalleryItem:
        if isinstance(picture, MarkedTexts):
            return GalleryItem(None, uid, picture)
        name = f"{rank:03}-{re.sub(r'[^A-Za-z0-9_-]+', '_', str(uid))[:60]}"
        name = _written_to_new_file(self.folder, name, picture.image)
        return GalleryItem(name, uid, picture)


def _items(
    evaluation: Evaluation,
    reader: Reader,
    partitions: Sequence[Partition],
    starts: Sequence[int],
    found: Iterable[Found],
) -> Iterator[tuple[Found, Batch]]:
    """Yield the worst items, in the order of the data, with their batches of one item."""
    by_partition: dict[int, dict[int, Found]] = {}
    for each in found:
        by_partition.setdefault(each.partition, {})[each.place] = each
    for number, wanted in sorted(by_partition.items()):
        place = 0
        for batch, _ in _batches(evaluation, reader, partitions[number], starts[number]):
            for position in range(len(batch)) if wanted else ():
                if place + position in wanted:
                    yield wanted.pop(place + position), batch.select(np.array([position]))
            place += len(batch)
            if not wanted:
                break


def _picture(gallery: Gallery, uid: Uid, item: Batch, undrawn: list[str]) -> Picture | MarkedTexts:
    """Draw an item. If that fails, add the reason to `undrawn` and return it as a note."""
    try:
        return gallery.draw(item)
    except Exception as error:
        reason = _reason(error)
        undrawn.append(f"the first is {uid!r}: {reason}")
        return MarkedTexts({}, {}, notes=[f"not drawn, {reason}"])


def _reason(error: Exception) -> str:
    """Return an error as a part of a warning; raise it if the user wants tracebacks of bugs."""
    if isinstance(error, ValorError):
        return error.one_line
    if os.environ.get("VALOR_TRACEBACK"):
        raise error
    return f"{bug_message(error)}, {SHOW_TRACEBACK[:1].lower()}{SHOW_TRACEBACK[1:]}"


def _written_to_new_file(folder: Path, stem: str, image: bytes) -> str:
    """Write a picture to a file with an unused name; return the name."""
    for number in count(1):
        name = f"{stem}.png" if number == 1 else f"{stem}-{number}.png"
        try:
            with (folder / name).open("xb") as stream:
                stream.write(image)
        except FileExistsError:
            continue
        break
    return name


def plan(
    section: Mapping[str, Any],
    task: str,
    registry: Registry,
    folder: Path | None = None,
    place: str = "",
) -> PlannedGallery:
    """Validate a config section and create its gallery, before the run.

    Parameters
    ----------
    section : mapping
        Values of `GalleryParameters` and parameters of the gallery.
    task : str
        Task of the data.
    registry : Registry
        Registry used to resolve the gallery.
    folder : Path, optional
        Base of relative paths in the section.
    place : str
        Beginning of error messages, such as ``"config.yaml: "``.

    Raises
    ------
    ConfigError
        If the task has no gallery, or the folder is not writable or has another ``index.html``.
    ParameterError
        If a key is unknown or a value is invalid.
    """
    shared = {
        name for each in parameters_of(GalleryParameters) for name in (each.name, *each.aliases)
    }
    common = {key: value for key, value in section.items() if key in shared}
    rest = {key: value for key, value in section.items() if key not in shared}
    chosen: GalleryParameters = parameters_from(GalleryParameters, common, f"{place}gallery.")
    spec = _spec(chosen.name, task, registry, place)
    names = {
        name for one in parameters_of(spec.parameter_class) for name in (one.name, *one.aliases)
    }
    for key in rest:
        if key not in names and (remedy := did_you_mean(str(key), sorted(names | shared))):
            raise ParameterError(f"{key}: unknown key", remedy, f"{place}gallery.")
    parameters: Any = parameters_from(spec.parameter_class, rest, f"{place}gallery.")
    if folder is not None:
        chosen, parameters = (
            relocate(each, lambda path: folder / path) for each in (chosen, parameters)
        )
    _check_folder(chosen.folder, place)
    gallery, missing = None, ""
    try:
        gallery = spec.load()(parameters)
    except (MissingExtraError, BrokenPluginError) as error:
        missing = _reason(error)
    return PlannedGallery(gallery, chosen.folder, chosen.most, spec.parameter_class, missing)


def _spec(name: str, task: str, registry: Registry, place: str) -> GallerySpec:
    names = [spec.name for spec in registry.all(GallerySpec) if spec.task == task]
    if not names:
        raise ConfigError(
            f"{place}gallery: no installed plugin draws items of {task}", "Remove the gallery."
        )
    spec = registry.find(GallerySpec, name, task)
    if spec.task != task:
        raise ConfigError(
            f"{place}gallery.name: expected a gallery for {task}, got {spec.name!r}",
            f"Galleries of the task: {', '.join(names)}.",
        )
    return spec


def _check_folder(folder: Path, place: str) -> None:
    """Raise a `ConfigError` if the folder is not writable or has a page that is not a gallery."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{place}gallery.folder: expected a folder, {folder} is a file")
    page = folder / INDEX
    if page.exists() and not gallery_page.is_gallery_page(page):
        raise ConfigError(
            f"{place}gallery.folder: {folder} has an {INDEX} that is not a gallery",
            "Choose another folder.",
        )
    existing = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    try:
        check_writable(existing / f"{INDEX}.new")
    except OSError as error:
        raise ConfigError(
            f"{place}gallery.folder: {folder} cannot be written, {error.strerror}",
            "Choose another folder.",
        ) from error


def _clear(folder: Path) -> None:
    """Remove the pictures of a previous gallery."""
    page = folder / INDEX
    if page.exists():
        for name in gallery_page.pictures(page):
            (folder / name).unlink(missing_ok=True)


def _batches(
    evaluation: Evaluation, reader: Reader, partition: Partition, start: int
) -> Iterator[tuple[Batch, int]]:
    """Filtered batches of a partition, each with its number of items before the filter."""
    for batch in reader.read(partition):
        yield evaluation.taking_part(batch, start), len(batch)
        start += len(batch)


def _order(found: Found) -> tuple[Any, ...]:
    return (-found.errors, *natural(found.uid))
