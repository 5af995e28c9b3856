"""Loaded modules: the code of a script, executed, and its computing under a fixed seed."""

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
from valor_evaluate.modules.script import Script, cached, local, nowhere

_ALONE = RLock()
"""Held while foreign code runs: the state of random numbers and standard output are global."""


@frozen(eq=False, slots=False)
class LoadedModule:
    """A module of `evaluate` that is ready to compute.

    Parameters
    ----------
    script : Script
        Where its code is.
    module : evaluate.EvaluationModule
        The module itself.
    """

    script: Script
    module: Any

    @property
    def name(self) -> str:
        """What it is called."""
        return self.script.name

    @property
    def features(self) -> tuple[Mapping[str, Any], ...]:
        """The columns that it takes, each with its type; or several such tables to choose from."""
        declared = self.module.features
        return tuple(declared) if isinstance(declared, (list, tuple)) else (declared,)

    @property
    def wants_arrays(self) -> bool:
        """Whether it is given NumPy's arrays in place of lists."""
        return bool(self.module.format == "numpy")

    @cached_property
    def arguments(self) -> Mapping[str, inspect.Parameter]:
        """What its ``_compute`` takes, columns and options."""
        return inspect.signature(self.module._compute).parameters

    @cached_property
    def options(self) -> tuple[str, ...]:
        """Names of the options that it takes."""
        columns = {name for table in self.features for name in table}
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return tuple(
            name
            for name, argument in self.arguments.items()
            if argument.kind in named and name not in columns
        )

    def needs(self, name: str) -> bool:
        """Whether it cannot compute without an option."""
        return self.arguments[name].default is inspect.Parameter.empty

    def singles_out_a_class(self, given: Mapping[str, Any]) -> bool:
        """Whether, under some options, one of two classes is the positive one by its number."""
        return "pos_label" in self.options and given.get("average", "binary") == "binary"

    def check_options(self, given: Mapping[str, Any], fed: Collection[str]) -> None:
        """Refuse options that it does not take, and the lack of one that it needs.

        Parameters
        ----------
        given : mapping of str to object
            The options.
        fed : collection of str
            Names of those that the items feed.

        Raises
        ------
        ParameterError
            With what it takes.
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
        """What the module computes, its random numbers drawn from a seed.

        Parameters
        ----------
        seed : int
            Seed of `random`, NumPy and, if it is loaded, PyTorch, which all go on afterwards as if
            nothing had been drawn.
        columns : mapping of str to list or ndarray
            The data.
        options : mapping of str to object
            Everything else.

        Raises
        ------
        ValorError
            If the module raises; with what it says.
        """
        try:
            with _seeded(seed), redirect_stdout(sys.stderr):
                return self.module._compute(**columns, **options)
        except ModuleNotFoundError as error:
            raise _missing(self.script, (_top(error),), error) from error
        except (Exception, SystemExit) as error:
            raise ValorError(f"{self.name} failed, {_told(error)}", _remedy(error)) from error


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    import numpy as np
    from datasets.utils.py_utils import temp_seed

    with _ALONE:
        before = random.getstate(), np.random.get_state()
        random.seed(seed)
        try:
            with temp_seed(seed, set_pytorch="torch" in sys.modules):
                yield
        finally:
            random.setstate(before[0])
            np.random.set_state(before[1])


def find(module: Path, revision: str | None) -> Script:
    """The script of a folder, of a name in the cache or of one on the hub; executes none of it.

    Parameters
    ----------
    module : Path
        The folder of its script, the script, or a name.
    revision : str or None
        Version of it on the hub.

    Raises
    ------
    MissingExtraError
        If `evaluate` is not installed.
    ParameterError
        If there is no such module.
    """
    doing = f"hf.Module: the module {module.as_posix()}"
    import_extra("evaluate", doing, "valor-evaluate")
    return local(module) or _cached_or_fetched(module.as_posix(), revision)


def load(script: Script, config_name: str | None) -> LoadedModule:
    """The module that a script defines; executes its code, once for each version of it.

    Parameters
    ----------
    script : Script
        Where it is.
    config_name : str or None
        Which of its configurations.

    Raises
    ------
    MissingExtraError
        If a package that the script imports is not installed.
    ParameterError
        If its code fails, or defines no module.
    """
    with _ALONE, redirect_stdout(sys.stderr):
        return _loaded(script, script.digest, config_name)


@lru_cache(maxsize=64)
def _loaded(script: Script, digest: str, config_name: str | None) -> LoadedModule:
    return LoadedModule(script, _made(script, config_name))


def _cached_or_fetched(name: str, revision: str | None) -> Script:
    from evaluate import config

    modules = Path(config.HF_MODULES_CACHE)
    if Path(name).is_absolute() or name.count("/") > 1 or name.startswith("."):
        raise nowhere(name, modules)
    found = cached(name, modules) if revision is None else None
    if found is not None:
        return found
    if config.HF_EVALUATE_OFFLINE:
        raise nowhere(name, modules, "HF_EVALUATE_OFFLINE forbids to ask the hub")
    try:
        return _fetched(name, revision, _writable(modules))
    except ValorError:
        raise
    except (FileNotFoundError, ConnectionError) as error:
        why = "the hub does not have it or cannot be reached"
        raise nowhere(name, modules, why) from error
    except Exception as error:
        raise nowhere(name, modules, f"asking the hub failed, {_told(error)}") from error


def _fetched(name: str, revision: str | None, modules: Path) -> Script:
    """The script of a module on the hub, which `evaluate` puts beside the others in its cache.

    Raises
    ------
    OSError
        If the hub does not answer with it.
    """
    from datasets import DownloadConfig
    from evaluate import config
    from evaluate.loading import evaluation_module_factory, init_dynamic_modules

    noisy, counts = logging.getLogger("evaluate"), config.HF_UPDATE_DOWNLOAD_COUNTS
    try:
        noisy.disabled, config.HF_UPDATE_DOWNLOAD_COUNTS = True, False
        place = evaluation_module_factory(
            name,
            revision=revision,
            download_config=DownloadConfig(cache_dir=modules / "downloads"),
            dynamic_modules_path=init_dynamic_modules(hf_modules_cache=modules),
        ).module_path
    except ImportError as error:  # it has been written by then
        script = cached(name, modules)
        if script is None or not script.missing:
            raise ParameterError(f"module: {name} cannot be loaded, {_told(error)}") from error
        raise _missing(script, script.missing, error) from error
    finally:
        noisy.disabled, config.HF_UPDATE_DOWNLOAD_COUNTS = False, counts
    return Script(modules.joinpath(*place.split(".")).with_suffix(".py"))


def _made(script: Script, config_name: str | None) -> Any:
    """An instance of the class that a script defines."""
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
                "Put it there, from where the comment behind its import says.",
            ) from error
        if missing:
            raise _missing(script, missing, error) from error
        raise ParameterError(f"module: {script.name} cannot be loaded, {_told(error)}") from error
    except (Exception, SystemExit) as error:
        remedy = None if config_name else "If it asks for a configuration, name one: config_name: …"
        raise ParameterError(
            f"module: {script.name} cannot be loaded, {_told(error)}", _remedy(error) or remedy
        ) from error


def _imported(script: Script) -> ModuleType:
    """The script, imported as part of a package whose name stands for its place and its code."""
    place = hashlib.sha256(str(script.path).encode()).hexdigest()[:12]
    package = f"_valor_evaluate_{place}_{script.digest}"
    if package not in sys.modules:
        made = ModuleType(package)
        made.__path__ = [str(script.path.parent)]
        sys.modules[package] = made
    importlib.invalidate_caches()
    with _without_bytecode():
        return importlib.import_module(f"{package}.{script.name}")


@contextmanager
def _without_bytecode() -> Iterator[None]:
    """A block in which Python compiles what it imports, and leaves nothing beside it.

    It tells compiled code that is stale by the source's size and the second of its change, which
    two versions of a script may share.
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
    """A description that can be added to a docstring where ``python -OO`` has removed that."""

    def __radd__(self, docstring: str | None) -> str:
        return f"{docstring or ''}{self!s}"


def _prepared(cls: Any, config_name: str | None) -> Any:
    """An instance that has downloaded what it needs."""
    from evaluate import config

    def info(self: Any) -> Any:
        told = cls._info(self)
        told.inputs_description = _Description(told.inputs_description or "")
        return told

    described = type(cls.__name__, (cls,), {"_info": info, "__module__": cls.__module__})
    module = described(config_name=config_name, cache_dir=str(_writable(config.HF_METRICS_CACHE)))
    module.download_and_prepare()
    return module


def _writable(folder: Path) -> Path:
    """A folder in which `evaluate` keeps something, or one of this process if nothing can be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(_own_folder().name)


@lru_cache(maxsize=1)
def _own_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for what modules write, until the process ends."""
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


def _told(error: BaseException) -> str:
    """An exception in one line: its type and the first line that says something."""
    lines = (line.strip(" *\t") for line in str(error).splitlines())
    said = next((line for line in lines if line), "")
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


_NLTK_DATA = re.compile(r"nltk\.download\('(\w+)'\)")


def _remedy(error: BaseException) -> str | None:
    """What to do about an exception of somebody else's code, where it is known."""
    data = _NLTK_DATA.search(str(error)) if isinstance(error, LookupError) else None
    return f"Download it with: python -m nltk.downloader {data[1]}" if data else None
