"""Generator of the sections of the docs that are derived from the code.

``python docs/generate.py`` rewrites every section between the comments ``generated: …`` and
``end``; ``--check`` writes nothing and fails if a section is out of date.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import click
from valor_cli.config.schema import RunConfig
from valor_cli.program.program import COMMANDS, program
from valor_report.gallery.parameters import GalleryParameters
from valor_report.tables.text_table import escaped

from valor_core.parameters import Parameter, parameters_of
from valor_core.parameters.declaration import plain_value
from valor_core.specs import (
    EngineSpec,
    GallerySpec,
    MetricSpec,
    ReaderSpec,
    Registry,
    Spec,
    TaskSpec,
)
from valor_core.specs.names import in_config

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"

_SECTION = re.compile(
    r"(?P<indent> *)(?P<open><!-- |# )generated: (?P<what>[^\n]*?)(?P<close> -->|)\n"
    r"(?:.*?\n)??"
    r" *(?P=open)end(?P=close)(?=\n|$)",
    re.DOTALL,
)
_STUB = """\
<!-- generated: metric {name} -->
<!-- end -->

## Definition

## Example

## Edge cases

## Other programs
"""
_LONG = 6
_ACRONYM = 3


def namespaces() -> dict[str, str]:
    """Return the namespaces of this repository's plugins, with the plugins' folders."""
    found = {}
    for path in sorted((ROOT / "plugins").glob("*/pyproject.toml")):
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        for namespace in project.get("entry-points", {}).get("valor.plugins", ()):
            found[namespace] = path.parent.name
    return found


def metrics(registry: Registry) -> Iterator[MetricSpec]:
    """Yield the metrics of this repository, by namespace, in the order of their manifests."""
    for namespace in namespaces():
        yield from registry.manifest(namespace).of(MetricSpec)


def page_of(spec: Spec) -> Path:
    """Return the page of a metric."""
    return DOCS / "metrics" / spec.namespace / f"{spec.short_name}.md"


def pages() -> list[Path]:
    """Return all files that may have generated sections."""
    readmes = sorted(ROOT.glob("plugins/*/README.md"))
    return [ROOT / "README.md", ROOT / "mkdocs.yml", *sorted(DOCS.rglob("*.md")), *readmes]


def renewed(text: str, registry: Registry) -> str:
    """Return a text with all generated sections rewritten."""

    def section(match: re.Match[str]) -> str:
        kind, _, argument = match["what"].partition(" ")
        head = f"{match['indent']}{match['open']}generated: {match['what']}{match['close']}"
        foot = f"{match['indent']}{match['open']}end{match['close']}"
        blank = "\n" if match["close"] else ""
        content = _KINDS[kind](registry, argument)
        return f"{head}\n{blank}{content.rstrip()}\n{blank}{foot}"

    return _SECTION.sub(section, text)


def stale(registry: Registry) -> Iterator[tuple[Path, str, str]]:
    """Yield the path, the current text and the expected text of every outdated file."""
    for spec in metrics(registry):
        if not page_of(spec).exists():
            yield page_of(spec), "", renewed(_STUB.format(name=spec.name), registry)
    for path in pages():
        old = path.read_text(encoding="utf-8")
        new = renewed(old, registry)
        if new != old:
            yield path, old, new


def main(arguments: list[str]) -> int:
    """Write the sections, or check them."""
    found = list(stale(Registry()))
    for path, old, new in found:
        name = path.relative_to(ROOT).as_posix()
        if "--check" in arguments:
            state = "is stale" if old else "is missing"
            print(f"{name}: {state}, expected what the code says", file=sys.stderr)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(new, encoding="utf-8", newline="\n")
        print(f"wrote {name}")
    if found and "--check" in arguments:
        print("Write it with: python docs/generate.py", file=sys.stderr)
        return 1
    return 0


def _metric(registry: Registry, name: str) -> str:
    spec = registry.metric(name)
    direction = {True: "higher", False: "lower", None: "neither"}[spec.higher_is_better]
    named = f"`{spec.name}`"
    if spec.namespace in {task.short_name for task in registry.all(TaskSpec)}:
        named += f", or `{spec.short_name}` where the task is {spec.namespace}"
    if spec.name_parameter:
        named += f", or `{spec.namespace}.<{spec.name_parameter}>`"
    facts = [
        ("also called", ", ".join(f"`{alias}`" for alias in spec.aliases)),
        ("known as", _known_as(spec)),
        ("task", ", ".join(spec.tasks)),
        ("requires", _fields_read(spec)),
        ("range", str(spec.range)),
        ("better", direction),
        ("version", str(spec.version)),
        ("needs the extra", f"`{spec.extra}`" if spec.extra else ""),
    ]
    parts = [
        f"# {spec.short_name}",
        f"{spec.summary}.",
        _table(["name", named], [fact for fact in facts if fact[1]]),
        "**Parameters**",
        _parameters(spec.parameter_class),
        "**References**",
        "\n".join(f"- {escaped(str(reference))}" for reference in spec.references),
    ]
    return "\n\n".join(parts)


def _fields_read(spec: MetricSpec) -> str:
    optional = (f"`{name}` (optional)" for name in spec.uses)
    return ", ".join([*(f"`{name}`" for name in spec.requires), *optional])


def _known_as(spec: MetricSpec) -> str:
    """Return the aliases that imply parameters, grouped by these parameters."""
    groups: dict[str, list[str]] = {}
    for alias in spec.parameter_aliases:
        groups.setdefault(in_config(alias.parameters), []).append(f"`{alias.name}`")
    return "; ".join(f"{', '.join(names)} for `{values}`" for values, names in groups.items())


def _metrics(registry: Registry, namespace: str) -> str:
    directions = {True: "higher", False: "lower", None: ""}
    rows = [
        (
            f"[{spec.short_name}]({spec.namespace}/{spec.short_name}.md)",
            escaped(spec.summary),
            directions[spec.higher_is_better],
            str(spec.range),
        )
        for spec in registry.manifest(namespace).of(MetricSpec)
    ]
    return _table(["metric", "description", "better", "range"], rows)


def _nav(registry: Registry, _: str) -> str:
    lines = []
    for namespace in namespaces():
        specs = registry.manifest(namespace).of(MetricSpec)
        lines += [f"      - {_title(namespace)}:"] if specs else []
        lines += [
            f"          - {spec.short_name}: {page_of(spec).relative_to(DOCS).as_posix()}"
            for spec in specs
        ]
    return "\n".join(lines)


def _title(namespace: str) -> str:
    """Return the title of a namespace, such as ``Detection`` or ``RGB``."""
    return namespace.upper() if len(namespace) <= _ACRONYM else namespace.capitalize()


def _gallery(registry: Registry, namespace: str) -> str:
    parts = []
    for spec in registry.manifest(namespace).of(GallerySpec):
        parts += [f"### {spec.name}", f"{spec.summary}.", _parameters(spec.parameter_class)]
    return "\n\n".join(parts)


def _galleries(registry: Registry, _: str) -> str:
    return _parameters(GalleryParameters, "key")


def _readers(registry: Registry, namespace: str) -> str:
    parts = []
    for spec in registry.manifest(namespace).of(ReaderSpec):
        parts += [f"### {spec.name}", f"{spec.summary}.", _parameters(spec.parameter_class)]
    return "\n\n".join(parts)


def _config(registry: Registry, _: str) -> str:
    return _parameters(RunConfig, "key")


def _engine(registry: Registry, name: str) -> str:
    return _parameters(registry.find(EngineSpec, name).parameter_class)


def _output(registry: Registry, what: str) -> str:
    """Return the first lines of a command's output as a code block."""
    count, _, command = what.partition(" ")
    run = subprocess.run(
        [sys.executable, "-c", "from valor_cli import main; main()", *command.split()[1:]],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    lines = run.stdout.rstrip().split("\n")
    shown = [*lines[: int(count)], "..."] if len(lines) > int(count) else lines
    return "\n".join(["```console", f"$ {command}", *shown, "```"])


def _python(registry: Registry, package: str) -> str:
    face = importlib.import_module(package or "valor_core")
    rows = [(f"`{name}`", _published(face, name)) for name in sorted(face.__all__)]
    return _table(["name", "description"], rows)


def _module(registry: Registry, name: str) -> str:
    module = importlib.import_module(name)
    found = {
        each: one
        for each, one in vars(module).items()
        if not each.startswith("_") and getattr(one, "__module__", None) == name
    }
    rows = [(f"`{each}`", _summary(one)) for each, one in sorted(found.items())]
    return _table(["name", "description"], rows)


def _published(face: ModuleType, name: str) -> str:
    """Return the summary of a name: its docstring's first line, or the text below a constant."""
    found = getattr(face, name)
    stub = Path(str(face.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
    homes = re.findall(r"^from (\S+) import (\([^)]*\)|[^\n]+)", stub, re.MULTILINE)
    home = next((m for m, names in homes if name in re.findall(r"\w+", names)), face.__name__)
    source = ast.parse(Path(str(importlib.import_module(home).__file__)).read_text("utf-8"))
    for one, below in pairwise(source.body):
        targets = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
        defined = {each.id for t in targets if t for each in ast.walk(t) if type(each) is ast.Name}
        match below:
            case ast.Expr(value=ast.Constant(value=str(text))) if name in defined:
                return _line(text)
    if inspect.isclass(found) or callable(found):
        return _summary(found)
    raise LookupError(f"{home}.{name}: no docstring describes it")


def _commands(registry: Registry, _: str) -> str:
    context = click.Context(program, info_name="valor")
    parts = []
    for names in COMMANDS.values():
        for name in names:
            command = program.get_command(context, name)
            if command is None:
                raise LookupError(f"valor {name}: no such command")
            parts += _command(name, command)
    return "\n\n".join(parts)


def _command(name: str, command: click.Command) -> Iterator[str]:
    yield f"## valor {name}"
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    words = ["valor", name, *(["[OPTIONS]"] if options else []), *map(_argument, arguments)]
    yield f"```text\n{' '.join(words)}\n```"
    yield _prose(command.help or "")
    if options:
        rows = [(_option(option), escaped(option.help or "")) for option in options]
        yield _table(["option", "meaning"], rows)


def _prose(text: str) -> str:
    """Return a help text as Markdown; a backspace marks paragraphs whose lines click keeps."""
    paragraphs = []
    for paragraph in text.replace("\r", "").strip().split("\n\n"):
        if paragraph.lstrip().startswith("\b"):
            lines = paragraph.replace("\b", "").strip("\n")
            paragraphs.append(f"```text\n{lines}\n```")
        else:
            paragraphs.append(escaped(" ".join(paragraph.split())))
    return "\n\n".join(paragraphs)


def _argument(argument: click.Argument) -> str:
    word = argument.metavar or (argument.name or "").upper()
    if argument.nargs == -1 and not word.endswith("..."):
        word += "..."
    return word if argument.required or word.startswith("[") else f"[{word}]"


def _option(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag or option.count:
        return names
    is_number = isinstance(option.type, (click.IntRange, click.FloatRange))
    word = option.metavar or ("NUMBER" if is_number else option.type.name.upper())
    return f"{names} {escaped(word)}"


def _parameters(cls: type, title: str = "parameter") -> str:
    rows = [
        (
            _named(parameter),
            escaped(parameter.kind.words),
            _default(parameter),
            escaped(parameter.range),
            escaped(parameter.help),
        )
        for parameter in parameters_of(cls)
    ]
    if not rows:
        return "It takes none."
    return _table([title, "type", "default", "range", "meaning"], rows)


def _named(parameter: Parameter) -> str:
    aliases = "".join(f", also `{alias}`" for alias in parameter.aliases)
    return f"`{parameter.name}`{aliases}"


def _default(parameter: Parameter) -> str:
    return "required" if parameter.required else f"`{_brief(plain_value(parameter.default))}`"


def _brief(value: Any) -> str:
    if isinstance(value, list) and len(value) > _LONG:
        first, second, *_, last = map(_brief, value)
        return f"[{first}, {second}, …, {last}]"
    return json.dumps(value, ensure_ascii=False)


def _summary(thing: object) -> str:
    """Return the first line of a docstring as Markdown."""
    return _line(thing.__doc__ or "")


def _line(docstring: str) -> str:
    line = docstring.strip().partition("\n")[0]
    parts = re.split(r"``?([^`]+)``?", line)
    return "".join(f"`{part}`" if i % 2 else escaped(part) for i, part in enumerate(parts))


def _table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = list(titles)
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _structure(registry: Registry, argument: str) -> str:
    """Return the numbers of rooms, floors, arrows and cycles of the families."""
    return str(_beside("structure").table())


def _install(registry: Registry, stems: str) -> str:
    return str(_beside("addresses").installation(*stems.split()))


def _workflow(registry: Registry, _: str) -> str:
    return str(_beside("addresses").workflow())


def _beside(name: str) -> ModuleType:
    """Import another module of this folder."""
    if str(DOCS) not in sys.path:
        sys.path.insert(0, str(DOCS))
    return importlib.import_module(name)


_KINDS: Mapping[str, Any] = {
    "metric": _metric,
    "metrics": _metrics,
    "nav": _nav,
    "readers": _readers,
    "gallery": _gallery,
    "galleries": _galleries,
    "config": _config,
    "engine": _engine,
    "output": _output,
    "module": _module,
    "python": _python,
    "commands": _commands,
    "install": _install,
    "structure": _structure,
    "workflow": _workflow,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
