# SPDX-License-Identifier: MIT
"""A build backend that needs a C compiler and nothing from an index (PEP 517, PEP 660).

The library is the library that pkg-config finds, or the library of a build tree:
MCPHOST_BUILD, or `build` at the top of the sources.  A build tree wins if it exists, and
the module then finds the library there, unless this file installs the package.  Run as a
program, this file builds the module in place, or installs the package into the directory
that is its argument.
"""
from __future__ import annotations

import base64
import glob
import hashlib
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from typing import Any

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOP = os.path.dirname(os.path.dirname(HERE))
MODULE = "_core.abi3.so"
DATE = (1980, 1, 1, 0, 0, 0)


def find_version(includes: list[str]) -> str:
    """Returns the version of the headers."""
    for directory in includes + ["/usr/include", "/usr/local/include"]:
        path = os.path.join(directory, "mcphost", "version.h")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            return ".".join(re.search(rf"MCPHOST_VERSION_{part}\s+(\d+)", text).group(1)
                            for part in ("MAJOR", "MINOR", "PATCH"))
    raise SystemExit("the headers of libmcphost are missing")


def find_library(stays: bool = True) -> tuple[list[str], list[str], list[str]]:
    """Returns directories of headers, flags of the compiler, and flags of the linker.

    If the library of a build tree stays there, the module finds it by a run path.
    """
    build = os.environ.get("MCPHOST_BUILD", os.path.join(TOP, "build"))
    lib = os.path.join(os.path.realpath(build), "lib")
    if os.path.exists(os.path.join(lib, "libmcphost.so")):
        include = os.path.join(TOP, "include")
        run_path = ["-Wl,-rpath," + lib] if stays else []
        return [include], ["-I" + include], ["-L" + lib, "-lmcphost", *run_path]

    def ask(*options: str) -> list[str]:
        return shlex.split(subprocess.run(["pkg-config", *options, "libmcphost"],
                                          check=True, capture_output=True, text=True).stdout)

    flags = ask("--cflags")
    return [f[2:] for f in flags if f.startswith("-I")], flags, ask("--libs")


def compile_module(target: str, stays: bool = True) -> str:
    """Compiles the extension module.  Returns the version of the library."""
    includes, cflags, libs = find_library(stays)
    command = shlex.split(os.environ.get("CC", "cc"))
    command += shlex.split(os.environ.get("CFLAGS", "-O2 -g"))
    command += shlex.split(os.environ.get("CPPFLAGS", ""))
    command += ["-std=c11", "-D_GNU_SOURCE", "-fPIC", "-shared", "-fvisibility=hidden",
                "-I" + sysconfig.get_path("include"), *cflags]
    command += ["-o", target, *sorted(glob.glob(os.path.join(HERE, "src", "*.c")))]
    command += shlex.split(os.environ.get("LDFLAGS", "")) + libs
    print(shlex.join(command))
    subprocess.run(command, check=True)
    return find_version(includes)


def metadata(version: str) -> str:
    """Returns the text of METADATA."""
    return ("Metadata-Version: 2.1\nName: mcphost\n"
            f"Version: {version}\n"
            "Summary: Host MCP servers: the Python binding of libmcphost\n"
            "License: MIT\nRequires-Python: >=3.11\n")


def wheel_tag() -> str:
    """Returns the tag of the wheel."""
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"cp311-abi3-{platform}"


class Wheel:
    """A wheel that is written."""

    def __init__(self, directory: str, version: str) -> None:
        self.name = f"mcphost-{version}-{wheel_tag()}.whl"
        self.info = f"mcphost-{version}.dist-info"
        self.records: list[str] = []
        self.zip = zipfile.ZipFile(os.path.join(directory, self.name), "w",
                                   zipfile.ZIP_DEFLATED)
        self.add(f"{self.info}/METADATA", metadata(version).encode())
        self.add(f"{self.info}/WHEEL", (
            "Wheel-Version: 1.0\nGenerator: mcphost\nRoot-Is-Purelib: false\n"
            f"Tag: {wheel_tag()}\n").encode())

    def add(self, name: str, data: bytes) -> None:
        """Adds a file."""
        info = zipfile.ZipInfo(name, DATE)
        info.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
        self.records.append(f"{name},sha256={digest.decode()},{len(data)}")

    def close(self) -> str:
        """Writes the record.  Returns the name of the wheel."""
        record = "\n".join(self.records + [f"{self.info}/RECORD,,"]) + "\n"
        self.zip.writestr(zipfile.ZipInfo(f"{self.info}/RECORD", DATE), record)
        self.zip.close()
        return self.name


def read(path: str) -> bytes:
    """Reads a file."""
    with open(path, "rb") as file:
        return file.read()


def sources() -> list[str]:
    """Returns the files of the typed layer."""
    return sorted(p for pattern in ("*.py", "*.pyi", "py.typed")
                  for p in glob.glob(os.path.join(HERE, "mcphost", pattern)))


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Nothing."""
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel
get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Any = None,
                metadata_directory: Any = None) -> str:
    """Builds the wheel."""
    with tempfile.TemporaryDirectory() as temporary:
        module = os.path.join(temporary, MODULE)
        wheel = Wheel(wheel_directory, compile_module(module))
        for path in sources():
            wheel.add("mcphost/" + os.path.basename(path), read(path))
        wheel.add("mcphost/" + MODULE, read(module))
        return wheel.close()


def build_editable(wheel_directory: str, config_settings: Any = None,
                   metadata_directory: Any = None) -> str:
    """Builds the module in place, and a wheel that leads here."""
    version = compile_module(os.path.join(HERE, "mcphost", MODULE))
    wheel = Wheel(wheel_directory, version)
    wheel.add("mcphost.pth", (HERE + "\n").encode())
    return wheel.close()


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Packs the sources; they need an installed library."""
    version = find_version(find_library()[0])
    name = f"mcphost-{version}"
    with tarfile.open(os.path.join(sdist_directory, name + ".tar.gz"), "w:gz",
                      format=tarfile.PAX_FORMAT) as tar:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(metadata(version))
            file.flush()
            tar.add(file.name, f"{name}/PKG-INFO")
        for pattern in ("pyproject.toml", "README.md", "build_backend/*.py", "src/*",
                        "mcphost/*.py", "mcphost/*.pyi", "mcphost/py.typed", "tests/*.py"):
            for path in sorted(glob.glob(os.path.join(HERE, pattern))):
                tar.add(path, f"{name}/{os.path.relpath(path, HERE)}")
    return name + ".tar.gz"


def install(directory: str) -> None:
    """Installs the package for a library that is installed, too."""
    package = os.path.join(directory, "mcphost")
    os.makedirs(package, exist_ok=True)
    module = os.path.join(package, MODULE)
    version = compile_module(module, stays=False)
    os.chmod(module, 0o755)
    info = os.path.join(directory, f"mcphost-{version}.dist-info")
    os.makedirs(info, exist_ok=True)
    texts = {os.path.join(info, "METADATA"): metadata(version).encode()}
    for path in sources():
        texts[os.path.join(package, os.path.basename(path))] = read(path)
    for path, text in texts.items():
        with open(path, "wb") as file:
            file.write(text)
        os.chmod(path, 0o644)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        install(sys.argv[1])
    else:
        compile_module(os.path.join(HERE, "mcphost", MODULE))
