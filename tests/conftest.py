from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

collect_ignore_glob = ["plugins/*"]

PLUGINS = Path(__file__).parent / "plugins"

Sources = Mapping[str, str] | Path
Install = Callable[..., Path]


@contextmanager
def installing(folder: Path) -> Iterator[Install]:
    """A block in which distributions can be installed into a folder, and after which they are gone.

    ``install(distribution, namespace, sources)`` takes a package folder to copy, or the text of
    every file by its path below the package, which is then called like the namespace. The
    manifest is ``<package>.plugin`` unless `manifest` names another; `version` is ``1.0``.
    """
    made: list[Path] = []

    def install(
        distribution: str,
        namespace: str,
        sources: Sources,
        *,
        manifest: str | None = None,
        version: str = "1.0",
    ) -> Path:
        site = folder / f"site-{distribution}"
        package = site / (sources.name if isinstance(sources, Path) else namespace)
        if isinstance(sources, Path):
            shutil.copytree(sources, package, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            for name, text in sources.items():
                file = package / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
        describe(site, distribution, namespace, manifest or f"{package.name}.plugin", version)
        path.syspath_prepend(site)
        importlib.invalidate_caches()
        made.append(site)
        return site

    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as path:
        yield install
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and any(Path(file).is_relative_to(site) for site in made):
            del sys.modules[name]


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Install]:
    """Install a distribution the way pip leaves it: a package and its ``.dist-info``."""
    with installing(tmp_path) as install:
        yield install


@pytest.fixture(scope="class")
def install_for_class(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Install]:
    """The same, for all tests of a class."""
    with installing(tmp_path_factory.mktemp("class")) as install:
        yield install


@pytest.fixture
def mylab(install: Install) -> Path:
    """The plugin ``mylab`` of the folder ``plugins``, installed."""
    return install("valor-mylab", "mylab", PLUGINS / "mylab")


def describe(site: Path, distribution: str, namespace: str, manifest: str, version: str) -> None:
    """Write the metadata that the registry finds a distribution by."""
    info = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
    )
    (info / "entry_points.txt").write_text(f"[valor.plugins]\n{namespace} = {manifest}\n")
