"""Builds the kernels; where that fails, the package installs without them and NumPy runs."""

import sysconfig
from pathlib import Path
from zlib import crc32

from setuptools import setup
from setuptools.command.build_ext import build_ext

# One wheel serves every Python, but for the free-threaded ones, which have no stable ABI.
STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")


def checksum(folder: Path) -> int:
    """The checksum by which `valor_core.kernels.kernels` tells whether a library is stale."""
    found = 0
    for path in sorted(folder.glob("*.[ch]")):
        found = crc32(path.name.encode() + path.read_bytes(), found)
    return found


class BuildKernels(build_ext):
    """Compiles the kernels, which learn their sources' checksum."""

    def finalize_options(self) -> None:
        """Completes what `pyproject.toml` says of each library."""
        super().finalize_options()
        for library in self.extensions:
            library.py_limited_api = STABLE
            sources = checksum(Path(library.sources[0]).parent)
            library.define_macros += [
                ("KERNELS_SOURCES", f"0x{sources:08x}u"),
                ("Py_LIMITED_API", "0x030B0000") if STABLE else ("Py_GIL_DISABLED", "1"),
            ]


setup(
    cmdclass={"build_ext": BuildKernels},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {},
)
