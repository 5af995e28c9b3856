"""Build the kernels: a shared library without Python's headers, in one wheel for every Python.

The library is optional: without a compiler, the package installs without it and NumPy is used.
"""

import sys
from pathlib import Path
from zlib import crc32

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext


def checksum(folder: Path) -> int:
    """Return the checksum by which `valor_core.kernels.load_kernels` detects a stale library."""
    found = 0
    for path in sorted(folder.glob("*.[ch]")):
        found = crc32(path.name.encode() + path.read_bytes(), found)
    return found


class BuildKernels(build_ext):
    """Compile the kernels; define the checksum of their sources."""

    def build_extension(self, ext: Extension) -> None:
        """Compile one library."""
        sources = checksum(Path(ext.sources[0]).parent)
        ext.define_macros.append(("KERNELS_SOURCES", f"0x{sources:08x}u"))
        super().build_extension(ext)

    def get_ext_filename(self, fullname: str) -> str:
        """Return the path of a library, in which no Python version appears."""
        return fullname.replace(".", "/") + (".dll" if sys.platform == "win32" else ".so")

    def get_export_symbols(self, ext: Extension) -> list[str]:
        """Return no symbols: the sources mark their exports, and there is no `PyInit`."""
        return []


class KernelsWheel(bdist_wheel):
    """Tag the wheel for every Python on this platform."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the tag of the wheel."""
        return "py3", "none", super().get_tag()[2]


setup(cmdclass={"build_ext": BuildKernels, "bdist_wheel": KernelsWheel})
