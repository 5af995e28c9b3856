"""Manifest: what a plugin may import when all that is asked is what it declares."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Collection, Iterable

from attrs import frozen

from valor_core.specs import KINDS, MetricSpec, Registry, ResourceSpec
from valor_testing.law import Breach, law

FREE = frozenset({"attr", "attrs", "numpy", "pluggy", "valor_core"})
"""What a manifest may import besides the standard library."""

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
    """A namespace in a registry, for the laws of a plugin as a whole.

    Parameters
    ----------
    name : str
        The namespace.
    registry : Registry
        Where it is declared.
    """

    name: str
    registry: Registry

    @property
    def module(self) -> str | None:
        """Its manifest module; None where it was registered in this process."""
        claims = self.registry.claims.get(self.name, ())
        owner = self.registry.manifest(self.name).distribution
        return next((claim.module for claim in claims if claim.distribution == owner), None)


@law
def manifest_declares(plugin: Plugin) -> None:
    """The manifest can be read and declares something."""
    manifest = plugin.registry.manifest(plugin.name)
    if not any(manifest.all()):
        raise Breach(f"expected {', '.join(KINDS).replace('_', ' ')}, found none")
    declared = {spec.name for spec in manifest.of(ResourceSpec)}
    for metric in manifest.of(MetricSpec):
        for name in metric.resources:
            if "." not in name and f"{plugin.name}.{name}" not in declared:
                raise Breach(f"{metric.name} asks for the resource {name!r}, which is not declared")


@law
def manifest_is_light(plugin: Plugin) -> None:
    """Reading the manifest in a clean interpreter imports no code and no other package."""
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
    heavy = _heavy(json.loads(run.stdout.splitlines()[-1]), module, plugins)
    if heavy:
        raise Breach(
            f"reading it imports {', '.join(heavy)}; name code by its import string, and keep "
            "parameter classes in a module parameters.py"
        )


def _heavy(imported: Iterable[str], manifest: str, plugins: Collection[str] = ()) -> list[str]:
    """Modules that a manifest may not import; parameters are those of any plugin.

    Examples
    --------
    >>> _heavy(["json", "mylab", "mylab.parameters", "mylab.f1", "shapely.ops"], "mylab.plugin")
    ['mylab.f1', 'shapely']
    >>> _heavy(["mylab.reader_parameters", "mylab.parameters.f1"], "mylab.plugin")
    []
    >>> _heavy(["other", "other.parameters", "other.f1"], "mylab.plugin", {"mylab", "other"})
    ['other.f1']
    """
    own = manifest.partition(".")[0]
    parents = {manifest[:i] for i, letter in enumerate(manifest) if letter == "."}
    heavy = []
    for name in imported:
        root = name.partition(".")[0]
        if root in FREE or root in sys.stdlib_module_names or name in {manifest, *parents}:
            continue
        if root != own and root not in plugins:
            heavy.append(root)
        elif name != root and not _has_parameters(name):
            heavy.append(name)
    return list(dict.fromkeys(heavy))


def _has_parameters(module: str) -> bool:
    return any(re.fullmatch(r"(\w+_)?parameters", part) for part in module.split("."))
