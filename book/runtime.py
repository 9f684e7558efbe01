"""Python in the built site: what the box «Type your own question» and the live chapters need, beside the pages.

    site/pyodide/   Pyodide, its packages, ragcore as a wheel with the book's data, ask-worker.js, and two lists of
                    packages: pyodide-lock.json for the live chapters, box-lock.json for the box
    page            <figure class="explore explore-ask" data-worker="…/ask-worker.js?v=…" data-megabytes="…" …>

Whatever both need is downloaded once. The wheel's name carries a hash of its content, and the addresses of the
worker and of the lists one of everything, so that no browser takes an old file for a new one.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyodide

ROOT = Path(__file__).parent.parent
WORKER = ROOT / "ragcore/explore/ask-worker.js"
WHEELS = ROOT / "_build/wheels"
IN_THE_WHEEL = ("ragcore", "data", "pyproject.toml", "README.md", "LICENSE")
BOX_LOCK = "box-lock.json"
OPENING = '<figure class="explore explore-ask"'
BOX = re.compile(rf"{OPENING}.*?</figure>", re.S)

# what a chapter needs besides what its cells import, and what the widgets need: loaded when a cell imports ragcore
FOR_CHAPTERS = ["numpy", "matplotlib", "ipywidgets"]
FOR_WIDGETS = {"comm": ["traitlets"], "ipywidgets": ["comm", "ipython", "traitlets"]}


@dataclass(frozen=True)
class Runtime:
    """Python in a site: where the worker of the boxes is, and what a box downloads; what a live chapter does."""

    worker: str
    megabytes: int
    version: str
    chapter_megabytes: int


def install(site: Path) -> Runtime:
    """Put Python into a site. Raises PyodideError if it is not in the cache or the wheel cannot be built."""
    cache = pyodide.cached()
    if cache is None:
        raise pyodide.PyodideError(f"it is not in {pyodide.cache()}: python book/pyodide.py fetches it")
    folder = site / "pyodide"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in pyodide.listed():
        shutil.copy(cache / name, folder)
    wheel = Path(shutil.copy(build_wheel(), folder))
    shutil.copy(WORKER, folder)

    whole = (folder / pyodide.LOCK).read_bytes()
    box = json.loads(pyodide.lean_lock(whole, pyodide.listed("box")))
    box["packages"]["ragcore"] = _entry(wheel, ["numpy"])
    (folder / BOX_LOCK).write_text(json.dumps(box), encoding="utf-8")
    chapters = json.loads(whole)
    for name in pyodide.listed("wheels"):
        package = name.split("-")[0]
        chapters["packages"][package] = _entry(folder / name, FOR_WIDGETS[package])
    chapters["packages"]["ragcore"] = _entry(wheel, FOR_CHAPTERS)
    (folder / pyodide.LOCK).write_text(json.dumps(chapters), encoding="utf-8")

    files = sorted(folder.iterdir())
    version = hashlib.sha256("".join(map(_digest, files)).encode()).hexdigest()[:10]
    in_the_box = [folder / name for name in pyodide.listed("box") if name != pyodide.LOCK]
    in_the_box += [wheel, folder / BOX_LOCK, folder / WORKER.name]
    return Runtime(
        worker=f"{folder.name}/{WORKER.name}?v={version}",
        megabytes=_megabytes(in_the_box),
        version=version,
        chapter_megabytes=_megabytes([file for file in files if file.name not in (BOX_LOCK, WORKER.name)]),
    )


def _entry(wheel: Path, depends: list[str]) -> dict[str, Any]:
    """A pure-Python wheel in a list of packages."""
    name, version = wheel.name.split("-")[:2]
    return {
        "name": name, "version": version, "file_name": wheel.name, "sha256": _digest(wheel), "depends": depends,
        "package_type": "package", "install_dir": "site", "imports": [name], "unvendored_tests": False,
    }  # fmt: skip


def _megabytes(files: list[Path]) -> int:
    return round(sum(file.stat().st_size for file in files) / 1e6)


def connect(body: str, worker: str, megabytes: int) -> str:
    """A page's HTML in which every box knows the address of its worker, and how much starting it downloads."""
    return body.replace(OPENING, f'{OPENING} data-worker="{worker}" data-megabytes="{megabytes}"')


def build_wheel() -> Path:
    """The package with the book's data as a wheel; built if its content is a new one.

    Raises PyodideError if pip cannot build it.
    """
    with tempfile.TemporaryDirectory() as temporary:
        checkout = Path(temporary) / "checkout"
        for name in IN_THE_WHEEL:
            copy = checkout / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, copy, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / name, copy)
        files = sorted(path for path in checkout.rglob("*") if path.is_file())
        content = "".join(f"{file.relative_to(checkout)} {_digest(file)}\n" for file in files)
        tag = f"0{hashlib.sha256(content.encode()).hexdigest()[:10]}"  # a build tag begins with a digit
        if known := next(WHEELS.glob(f"ragcore-*-{tag}-py3-none-any.whl"), None):
            return known
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
        try:
            subprocess.run([*pip, "--wheel-dir", temporary, checkout], check=True, capture_output=True)
        except subprocess.CalledProcessError:
            raise pyodide.PyodideError("pip could not build the wheel of ragcore") from None
        built = next(Path(temporary).glob("*.whl"))
        WHEELS.mkdir(parents=True, exist_ok=True)
        for old in WHEELS.glob("*.whl"):
            old.unlink(missing_ok=True)
        return Path(shutil.move(built, WHEELS / built.name.replace("-py3-", f"-{tag}-py3-")))


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
