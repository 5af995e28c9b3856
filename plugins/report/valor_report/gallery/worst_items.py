"""Exhibition: the worst items of some data, found, drawn and hung in a folder.

The data are read again. Nothing is kept of an item but how wrong it is, until it is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.errors import ConfigError, ReportError, SchemaError
from valor_core.evaluation import Evaluation
from valor_core.parameters import NoParameters, build, declared, relocate
from valor_core.readers import Partition, Reader
from valor_core.results import ItemTable, write_text
from valor_core.schemas import Batch, Uid, natural, natural_order
from valor_core.specs import GallerySpec, Registry, implementation
from valor_report.gallery import wall
from valor_report.gallery.parameters import INDEX, GalleryParameters
from valor_report.gallery.pictures import Gallery, MarkedTexts, Picture
from valor_report.gallery.wall import Exhibit


@frozen
class Found:
    """An item that something is wrong with, and where it was read.

    Parameters
    ----------
    uid : str or int
        Its name.
    errors : float
        How wrong it is.
    partition : int
        Position of its partition.
    place : int
        Its position among the items of the partition that take part.
    """

    uid: Uid
    errors: float
    partition: int
    place: int


@frozen
class Exhibition:
    """A gallery and where its pictures go.

    Parameters
    ----------
    gallery : Gallery
        What draws.
    folder : Path
        Where the pictures go; made if it is not there.
    most : int
        Most items that are drawn.
    parameters : type
        Class of the gallery's own parameters.
    """

    gallery: Gallery
    folder: Path
    most: int = 20
    parameters: type = NoParameters

    @property
    def shows(self) -> str | None:
        """Full name of the metric of the run whose rows the gallery shows, if it shows any."""
        shown: str | None = getattr(self.gallery, "shows", None)
        return shown

    def check(self, evaluation: Evaluation, place: str = "") -> None:
        """Raise a `ConfigError` if the run has no rows of what the gallery shows.

        Parameters
        ----------
        evaluation : Evaluation
            The run.
        place : str
            Where the section stands, for errors: ``"config.yaml: "``.
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
                else "Choose it once, and otherwise in a run of its own.",
            )

    def hang(self, evaluation: Evaluation, reader: Reader, items: Iterable[ItemTable] = ()) -> Path:
        """Draw the worst items and make a page of them.

        Parameters
        ----------
        evaluation : Evaluation
            Which items take part, and how their labels are renamed.
        reader : Reader
            Where they come from; read once to find them and, in parts, once more to draw them.
        items : iterable of ItemTable
            The rows of the run's metrics, where the gallery shows some.

        Returns
        -------
        Path
            The page.

        Raises
        ------
        ReportError
            If the folder cannot be written to.
        """
        for table in items:
            if table.metric.partition("@")[0] == self.shows:
                self.gallery.take(table.rows)  # type: ignore[attr-defined]
        partitions = list(reader.partitions())
        starts, found = self._found(evaluation, reader, partitions)
        exhibits: dict[Found, Exhibit] = {}
        with self._written():
            self.folder.mkdir(parents=True, exist_ok=True)
            _clear(self.folder)
        for each, picture in self._drawn(evaluation, reader, partitions, starts, found):
            with self._written():
                exhibits[each] = self._hung(found.index(each) + 1, each.uid, picture)
        hung = [exhibits[each] for each in found]
        text = wall.html(hung, self.gallery.legend, evaluation.task)
        page = self.folder / INDEX
        write_text(page, text, private=bool(evaluation.resources))
        return page

    @contextmanager
    def _written(self) -> Iterator[None]:
        """A block that writes to the folder."""
        try:
            yield
        except OSError as error:
            raise ReportError(f"{self.folder}: cannot be written, {error.strerror}") from error

    def _found(
        self, evaluation: Evaluation, reader: Reader, partitions: Sequence[Partition]
    ) -> tuple[list[int], list[Found]]:
        """The worst items, worst first, and how many items stand before each partition."""
        worst: list[Found] = []
        starts = [0]
        for number, partition in enumerate(partitions):
            read = place = 0
            for batch, size in _batches(evaluation, reader, partition, starts[-1]):
                more = self._worst(batch, number, place)
                worst = sorted([*worst, *more], key=_order)[: self.most]
                place += len(batch)
                read += size
            starts.append(starts[-1] + read)
        return starts, worst

    def _worst(self, batch: Batch, partition: int, place: int) -> Iterator[Found]:
        """The worst items of a batch."""
        errors = np.asarray(self.gallery.errors(batch), dtype=np.float64)
        if errors.shape != (len(batch),):
            raise SchemaError(
                f"{type(self.gallery).__name__}: expected a number for each of {len(batch):,} "
                f"items, got shape {errors.shape}"
            )
        by_name = np.empty(len(batch), np.int64)
        by_name[natural_order(batch.datums.uids)] = np.arange(len(batch))
        for position in np.lexsort((by_name, -errors))[: self.most].tolist():
            if errors[position] > 0:
                uid = batch.datums.at(position).uid
                yield Found(uid, float(errors[position]), partition, place + position)

    def _drawn(
        self,
        evaluation: Evaluation,
        reader: Reader,
        partitions: Sequence[Partition],
        starts: Sequence[int],
        found: Iterable[Found],
    ) -> Iterator[tuple[Found, Picture | MarkedTexts]]:
        """Pictures or texts, in the order in which their items are read."""
        by_partition: dict[int, dict[int, Found]] = {}
        for each in found:
            by_partition.setdefault(each.partition, {})[each.place] = each
        for number, wanted in sorted(by_partition.items()):
            place = 0
            for batch, _ in _batches(evaluation, reader, partitions[number], starts[number]):
                for position in range(len(batch)) if wanted else ():
                    if place + position in wanted:
                        one = batch.select(np.array([position]))
                        yield wanted.pop(place + position), self.gallery.draw(one)
                place += len(batch)
                if not wanted:
                    break

    def _hung(self, rank: int, uid: Uid, picture: Picture | MarkedTexts) -> Exhibit:
        if isinstance(picture, MarkedTexts):
            return Exhibit(None, uid, picture)
        name = f"{rank:03}-{re.sub(r'[^A-Za-z0-9_-]+', '_', str(uid))[:60]}"
        name = _written_to_new_file(self.folder, name, picture.image)
        return Exhibit(name, uid, picture)


def _written_to_new_file(folder: Path, stem: str, image: bytes) -> str:
    """Write a picture under a name that no file of the folder has, and return the name."""
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
) -> Exhibition:
    """The exhibition that a config section asks for, checked before any work is done.

    Parameters
    ----------
    section : mapping
        The keys of `GalleryParameters` and the parameters of the gallery.
    task : str
        Task of the data.
    registry : Registry
        Where the gallery is declared.
    folder : Path, optional
        What relative paths in the section are relative to.
    place : str
        Where the section stands, for errors: ``"config.yaml: "``.

    Raises
    ------
    ConfigError
        If no installed plugin draws items of the task, or the folder is no place for pictures.
    ParameterError
        If a key is unknown or a value does not fit.
    """
    shared = {name for each in declared(GalleryParameters) for name in (each.name, *each.aliases)}
    own = {key: value for key, value in section.items() if key in shared}
    rest = {key: value for key, value in section.items() if key not in shared}
    chosen: GalleryParameters = build(GalleryParameters, own, f"{place}gallery.")
    spec = _spec(chosen.name, task, registry, place)
    parameters: Any = build(spec.parameter_class, rest, f"{place}gallery.")
    if folder is not None:
        chosen, parameters = (
            relocate(each, lambda path: folder / path) for each in (chosen, parameters)
        )
    _check_folder(chosen.folder, place)
    gallery = implementation(spec)(parameters)
    return Exhibition(gallery, chosen.folder, chosen.most, spec.parameter_class)


def _spec(name: str, task: str, registry: Registry, place: str) -> GallerySpec:
    known = [spec.name for spec in registry.all(GallerySpec) if spec.task == task]
    if not known:
        raise ConfigError(
            f"{place}gallery: no installed plugin draws items of {task}", "Leave the gallery out."
        )
    spec = registry.find(GallerySpec, name, task)
    if spec.task != task:
        raise ConfigError(
            f"{place}gallery.name: expected a gallery for {task}, got {spec.name!r}",
            f"There is: {', '.join(known)}.",
        )
    return spec


def _check_folder(folder: Path, place: str) -> None:
    """A run of hours must not end with a folder that is no place for pictures."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{place}gallery.folder: expected a folder, {folder} is a file")
    page = folder / INDEX
    if page.exists() and not wall.is_catalog(page):
        raise ConfigError(
            f"{place}gallery.folder: {folder} has an {INDEX} that is no gallery's",
            "Name another folder.",
        )


def _clear(folder: Path) -> None:
    """Remove the pictures of the exhibition before."""
    page = folder / INDEX
    if page.exists():
        for name in wall.pictures(page):
            (folder / name).unlink(missing_ok=True)


def _batches(
    evaluation: Evaluation, reader: Reader, partition: Partition, start: int
) -> Iterator[tuple[Batch, int]]:
    """What takes part of each batch, and how many items the batch had."""
    for batch in reader.read(partition):
        yield evaluation.taking_part(batch, start), len(batch)
        start += len(batch)


def _order(found: Found) -> tuple[Any, ...]:
    return (-found.errors, *natural(found.uid))
