"""Laws of manifests: valid declarations, and no imports of implementation code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Collection, Iterable

from attrs import frozen

from valor_core.specs import MetricSpec, Registry, ResourceSpec
from valor_core.specs.spec import KINDS
from valor_testing.law import Breach, law

_FREE = frozenset({"__mp_main__", "attr", "attrs", "numpy", "pluggy", "valor_core"})
"""Modules besides the standard library that a manifest may import; multiprocessing, which core
imports, calls the main module ``__mp_main__``."""

_SCRIPT = """
import json, sys
sys.path[:], choose, namespace = json.loads(sys.stdin.read())
import attrs, numpy, pluggy
from valor_core.specs import (Registry)
registry = Registry(choose)
before = set(sys.modules)
try:
    registry.manifest(namespace)
except Exception as error:
    sys.exit(str(error))
print(json.dumps(sorted(set(sys.modules) - before)))
"""


@frozen
class Plugin:
    """Namespace of a plugin and the registry that declares it.

    Parameters
    ----------
    name : str
        The namespace.
    registry : Registry
        Registry used to resolve the namespace.
    """

    name: str
    registry: Registry

    @property
    def module(self) -> str | None:
        """Manifest module; None if the plugin was registered in this process."""
        claims = self.registry.claims.get(self.name, ())
        owner = self.registry.manifest(self.name).distribution
        return next((claim.module for claim in claims if claim.distribution == owner), None)


@law
def manifest_declares(plugin: Plugin) -> None:
    """The manifest declares components, and all resources that its metrics use."""
    manifest = plugin.registry.manifest(plugin.name)
    if not any(manifest.all()):
        raise Breach(f"expected {', '.join(KINDS).replace('_', ' ')}, found none")
    declared = {spec.name for spec in manifest.of(ResourceSpec)}
    for metric in manifest.of(MetricSpec):
        for name in metric.resources:
            if "." not in name and f"{plugin.name}.{name}" not in declared:
                raise Breach(f"{metric.name} uses the resource {name!r}, which is not declared")


@law
def manifest_is_light(plugin: Plugin) -> None:
    """Reading the manifest in a new interpreter imports neither implementations nor packages."""
    module = plugin.module
    if module is None:
        return
    request = [sys.path, dict(plugin.registry.choose), plugin.name]
    run = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        reason = (run.stderr.strip().splitlines() or [f"exit code {run.returncode}"])[0]
        raise Breach(f"cannot be read in a clean interpreter: {reason}")
    plugins = {
        claim.module.partition(".")[0]
        for claims in plugin.registry.claims.values()
        for claim in claims
    }
    forbidden = _forbidden(json.loads(run.stdout.splitlines()[-1]), module, plugins)
    if forbidden:
        raise Breach(
            f"reading it imports {', '.join(forbidden)}; name code by its import string, and keep "
            "parameter classes in a module parameters.py"
        )


def _forbidden(imported: Iterable[str], manifest: str, plugins: Collection[str] = ()) -> list[str]:
    """Return imported modules that are not allowed; parameter modules of all plugins are.

    Examples
    --------
    >>> _forbidden(["json", "mylab", "mylab.parameters", "mylab.f1", "shapely.ops"], "mylab.plugin")
    ['mylab.f1', 'shapely']
    >>> _forbidden(["mylab.reader_parameters", "mylab.parameters.f1"], "mylab.plugin")
    []
    >>> _forbidden(["other", "other.parameters", "other.f1"], "mylab.plugin", {"mylab", "other"})
    ['other.f1']
    """
    package = manifest.partition(".")[0]
    parents = {manifest[:i] for i, letter in enumerate(manifest) if letter == "."}
    forbidden = []
    for name in imported:
        root = name.partition(".")[0]
        if root in _FREE or root in sys.stdlib_module_names or name in {manifest, *parents}:
            continue
        if root != package and root not in plugins:
            forbidden.append(root)
        elif name != root and not _has_parameters(name):
            forbidden.append(name)
    return list(dict.fromkeys(forbidden))


def _has_parameters(module: str) -> bool:
    return any(re.fullmatch(r"(\w+_)?parameters", part) for part in module.split("."))
