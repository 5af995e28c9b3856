"""Loaded modules: instances made by executing a script, which compute with a fixed seed."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import logging
import os
import random
import re
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import cached_property, lru_cache
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any

from attrs import frozen

from valor_core.errors import MissingExtraError, ParameterError, ValorError, did_you_mean
from valor_core.packages import import_extra
from valor_evaluate.modules.script import Script, cached, local, not_found

_LOCK = RLock()
"""Held while third-party code runs, since it uses global random generators and standard output."""


@frozen(eq=False, slots=False)
class LoadedModule:
    """Module of `evaluate`, ready to compute.

    Parameters
    ----------
    script : Script
        Location of its code.
    module : evaluate.EvaluationModule
        Instance of the module.
    """

    script: Script
    module: Any

    @property
    def name(self) -> str:
        """Name of the module."""
        return self.script.name

    @property
    def features(self) -> tuple[Mapping[str, Any], ...]:
        """Columns and their types; several such tables if the module accepts alternatives."""
        declared = self.module.features
        return tuple(declared) if isinstance(declared, (list, tuple)) else (declared,)

    @property
    def wants_arrays(self) -> bool:
        """True if the module expects NumPy arrays instead of lists."""
        return bool(self.module.format == "numpy")

    @cached_property
    def arguments(self) -> Mapping[str, inspect.Parameter]:
        """Arguments of ``_compute``: columns and options."""
        return inspect.signature(self.module._compute).parameters

    @cached_property
    def options(self) -> tuple[str, ...]:
        """Names of the options."""
        columns = {name for table in self.features for name in table}
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return tuple(
            name
            for name, argument in self.arguments.items()
            if argument.kind in named and name not in columns
        )

    def needs(self, name: str) -> bool:
        """Return True if an option has no default."""
        return self.arguments[name].default is inspect.Parameter.empty

    def singles_out_a_class(self, given: Mapping[str, Any]) -> bool:
        """Return True if, with these options, a code identifies the positive one of two classes."""
        return "pos_label" in self.options and given.get("average", "binary") == "binary"

    def check_options(self, given: Mapping[str, Any], fed: Collection[str]) -> None:
        """Reject unknown options and missing required ones.

        Parameters
        ----------
        given : mapping of str to object
            Options.
        fed : collection of str
            Names of options that come from the items.

        Raises
        ------
        ParameterError
            With the names of the options.
        """
        takes_any = any(a.kind is inspect.Parameter.VAR_KEYWORD for a in self.arguments.values())
        listed = ", ".join(self.options) or "none"
        for name in () if takes_any else given:
            if name not in self.options:
                raise ParameterError(
                    f"options: expected options of {self.name}, got {name!r}",
                    did_you_mean(name, self.options) or f"It takes: {listed}.",
                )
        for name in self.options:
            if self.needs(name) and name not in given and name not in fed:
                raise ParameterError(
                    f"options: expected {name}, which {self.name} needs, found none",
                    f"Write it under options: {{{name}: …}}, or name the field that has it under "
                    f"columns: {{{name}: …}}",
                )

    def compute(self, seed: int, columns: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
        """Compute the output of the module with seeded random generators.

        Parameters
        ----------
        seed : int
            Seed of `random`, NumPy and, if it is imported, PyTorch. Their states are restored
            afterwards.
        columns : mapping of str to list or ndarray
            Data.
        options : mapping of str to object
            Options.

        Raises
        ------
        ValorError
            If the module raises; contains its message.
        """
        try:
            with _seeded(seed), redirect_stdout(sys.stderr):
                return self.module._compute(**columns, **options)
        except ModuleNotFoundError as error:
            raise _missing(self.script, (_top(error),), error) from error
        except (Exception, SystemExit) as error:
            raise ValorError(f"{self.name} failed, {_summary(error)}", _remedy(error)) from error


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    import numpy as np
    from datasets.utils.py_utils import temp_seed

    with _LOCK:
        before = random.getstate(), np.random.get_state()
        random.seed(seed)
        try:
            with temp_seed(seed, set_pytorch="torch" in sys.modules):
                yield
        finally:
            random.setstate(before[0])
            np.random.set_state(before[1])


def find(module: Path, revision: str | None) -> Script:
    """Find the script of a folder, a file, or a name in the cache or on the hub; do not execute it.

    Parameters
    ----------
    module : Path
        Folder of the script, the script itself, or a name.
    revision : str or None
        Version on the hub.

    Raises
    ------
    MissingExtraError
        If `evaluate` is not installed.
    ParameterError
        If the module is not found.
    """
    doing = f"hf.Module: the module {module.as_posix()}"
    import_extra("evaluate", doing, "valor-evaluate")
    return local(module) or _cached_or_fetched(module.as_posix(), revision)


def load(script: Script, config_name: str | None) -> LoadedModule:
    """Return the module that a script defines. Its code is executed once per version.

    Parameters
    ----------
    script : Script
        Location of the code.
    config_name : str or None
        Configuration.

    Raises
    ------
    MissingExtraError
        If a package that the script imports is not installed.
    ParameterError
        If its code fails, or does not define a module.
    """
    with _LOCK, redirect_stdout(sys.stderr):
        return _loaded(script, script.digest, config_name)


@lru_cache(maxsize=64)
def _loaded(script: Script, digest: str, config_name: str | None) -> LoadedModule:
    return LoadedModule(script, _made(script, config_name))


def _cached_or_fetched(name: str, revision: str | None) -> Script:
    from evaluate import config

    modules = Path(config.HF_MODULES_CACHE)
    if Path(name).is_absolute() or name.count("/") > 1 or name.startswith("."):
        raise not_found(name, modules)
    found = cached(name, modules) if revision is None else None
    if found is not None:
        return found
    if config.HF_EVALUATE_OFFLINE:
        raise not_found(name, modules, "HF_EVALUATE_OFFLINE forbids to ask the hub")
    try:
        return _fetched(name, revision, _writable(modules))
    except ValorError:
        raise
    except (FileNotFoundError, ConnectionError) as error:
        why = "the hub does not have it or cannot be reached"
        raise not_found(name, modules, why) from error
    except Exception as error:
        raise not_found(name, modules, f"asking the hub failed, {_summary(error)}") from error


def _fetched(name: str, revision: str | None, modules: Path) -> Script:
    """Download the script of a module from the hub to the cache of `evaluate`.

    Raises
    ------
    OSError
        If the hub does not return it.
    """
    from datasets import DownloadConfig
    from evaluate import config
    from evaluate.loading import evaluation_module_factory, init_dynamic_modules

    noisy, counts = logging.getLogger("evaluate"), config.HF_UPDATE_DOWNLOAD_COUNTS
    try:
        noisy.disabled, config.HF_UPDATE_DOWNLOAD_COUNTS = True, False
        location = evaluation_module_factory(
            name,
            revision=revision,
            download_config=DownloadConfig(cache_dir=modules / "downloads"),
            dynamic_modules_path=init_dynamic_modules(hf_modules_cache=modules),
        ).module_path
    except ImportError as error:  # evaluate has written the script by then
        script = cached(name, modules)
        if script is None or not script.missing:
            raise ParameterError(f"module: {name} cannot be loaded, {_summary(error)}") from error
        raise _missing(script, script.missing, error) from error
    finally:
        noisy.disabled, config.HF_UPDATE_DOWNLOAD_COUNTS = False, counts
    return Script(modules.joinpath(*location.split(".")).with_suffix(".py"))


def _made(script: Script, config_name: str | None) -> Any:
    """Return an instance of the class that a script defines."""
    try:
        cls = _module_class(_imported(script), script)
        return _prepared(cls, config_name)
    except ValorError:
        raise
    except ImportError as error:
        missing = script.missing or ((_top(error),) if error.name else ())
        if script.missing_files:
            files = " and ".join(script.missing_files)
            raise ParameterError(
                f"module: {script.name} needs {files} in {script.path.parent}, which is not there",
                "Copy it from the source in the comment after its import.",
            ) from error
        if missing:
            raise _missing(script, missing, error) from error
        raise ParameterError(
            f"module: {script.name} cannot be loaded, {_summary(error)}"
        ) from error
    except (Exception, SystemExit) as error:
        remedy = None if config_name else "If it asks for a configuration, name one: config_name: …"
        raise ParameterError(
            f"module: {script.name} cannot be loaded, {_summary(error)}", _remedy(error) or remedy
        ) from error


def _imported(script: Script) -> ModuleType:
    """Import a script as part of a package whose name depends on its path and its code."""
    location = hashlib.sha256(str(script.path).encode()).hexdigest()[:12]
    package = f"_valor_evaluate_{location}_{script.digest}"
    if package not in sys.modules:
        made = ModuleType(package)
        made.__path__ = [str(script.path.parent)]
        sys.modules[package] = made
    importlib.invalidate_caches()
    with _without_bytecode():
        return importlib.import_module(f"{package}.{script.name}")


@contextmanager
def _without_bytecode() -> Iterator[None]:
    """Context in which Python compiles imported modules without writing bytecode.

    Python detects stale bytecode by size and modification time in seconds of the source, which two
    versions of a script may share.
    """
    before = sys.dont_write_bytecode, sys.pycache_prefix
    sys.dont_write_bytecode, sys.pycache_prefix = True, os.devnull
    try:
        yield
    finally:
        sys.dont_write_bytecode, sys.pycache_prefix = before


def _module_class(code: ModuleType, script: Script) -> type:
    from evaluate import EvaluationModule

    classes = [
        value
        for value in vars(code).values()
        if isinstance(value, type)
        and issubclass(value, EvaluationModule)
        and value.__module__ == code.__name__
    ]
    if not classes:
        raise ParameterError(
            f"module: expected a class of evaluate.EvaluationModule in {script.path}, found none",
            "Name the script of a module of evaluate: module: FOLDER/SCRIPT.py",
        )
    return classes[0]


class _Description(str):
    """Description that can be added to a docstring removed by ``python -OO``."""

    def __radd__(self, docstring: str | None) -> str:
        return f"{docstring or ''}{self!s}"


def _prepared(cls: Any, config_name: str | None) -> Any:
    """Return an instance after it has downloaded its data."""
    from evaluate import config

    def info(self: Any) -> Any:
        described = cls._info(self)
        described.inputs_description = _Description(described.inputs_description or "")
        return described

    described = type(cls.__name__, (cls,), {"_info": info, "__module__": cls.__module__})
    module = described(config_name=config_name, cache_dir=str(_writable(config.HF_METRICS_CACHE)))
    module.download_and_prepare()
    return module


def _writable(folder: Path) -> Path:
    """Return a folder of `evaluate`, or a temporary one if it is not writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(_temporary_folder().name)


@lru_cache(maxsize=1)
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a temporary folder for files of modules, removed at the end of the process."""
    return tempfile.TemporaryDirectory(prefix="valor-evaluate-")


def _missing(script: Script, packages: tuple[str, ...], error: ImportError) -> MissingExtraError:
    named = " and ".join(packages)
    are = "are" if len(packages) > 1 else "is"
    return MissingExtraError(
        f"hf.Module: the module {script.name} needs {named}, which {are} not installed",
        f"Install it with: {script.installing(packages)}",
    )


def _top(error: ImportError) -> str:
    return (error.name or "").partition(".")[0]


def _summary(error: BaseException) -> str:
    """Return the type and the first non-empty line of an exception."""
    lines = (line.strip(" *\t") for line in str(error).splitlines())
    first = next((line for line in lines if line), "")
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


_NLTK_DATA = re.compile(r"nltk\.download\('(\w+)'\)")


def _remedy(error: BaseException) -> str | None:
    """Return the remedy for an exception of third-party code, if known."""
    data = _NLTK_DATA.search(str(error)) if isinstance(error, LookupError) else None
    return f"Download it with: python -m nltk.downloader {data[1]}" if data else None
