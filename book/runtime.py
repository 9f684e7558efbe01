"""What the box «Type your own question» needs in the built site: Python, in a folder beside the pages.

    site/pyodide/   Pyodide's core, numpy, ragcore as a wheel, the list of both (the lock file), ask-worker.js
    page            <figure class="explore explore-ask" data-worker="…/ask-worker.js?v=…" data-megabytes="…" …>

The wheel's name carries a hash of its content, and the worker's address one of everything, so that no browser takes
an old file for a new one.
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

import pyodide

ROOT = Path(__file__).parent.parent
WORKER = ROOT / "ragcore/explore/ask-worker.js"
WHEELS = ROOT / "_build/wheels"
IN_THE_WHEEL = ("ragcore", "data/corpus", "data/questions", "pyproject.toml", "README.md", "LICENSE")
OPENING = '<figure class="explore explore-ask"'
BOX = re.compile(rf"{OPENING}.*?</figure>", re.S)


@dataclass(frozen=True)
class Runtime:
    """Python in a site: where its worker is, counted from the site's root, and what a reader downloads."""

    worker: str
    megabytes: int


def install(site: Path) -> Runtime:
    """Put Python into a site. Raises PyodideError if it is not in the cache or the wheel cannot be built."""
    cache = pyodide.cached()
    if cache is None:
        raise pyodide.PyodideError(f"it is not in {pyodide.cache()}: python book/pyodide.py fetches it")
    folder = site / "pyodide"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in pyodide.listed("box"):
        shutil.copy(cache / name, folder)
    wheel = Path(shutil.copy(build_wheel(), folder))
    lock = json.loads(pyodide.lean_lock((cache / pyodide.LOCK).read_bytes(), pyodide.listed("box")))
    lock["packages"]["ragcore"] = {
        "name": "ragcore", "version": wheel.name.split("-")[1], "file_name": wheel.name, "sha256": _digest(wheel),
        "package_type": "package", "install_dir": "site", "imports": ["ragcore"], "depends": ["numpy"],
        "unvendored_tests": False,
    }  # fmt: skip
    (folder / pyodide.LOCK).write_text(json.dumps(lock), encoding="utf-8")
    shutil.copy(WORKER, folder)
    files = sorted(folder.iterdir())
    version = hashlib.sha256("".join(map(_digest, files)).encode()).hexdigest()[:10]
    size = sum(file.stat().st_size for file in files)
    return Runtime(f"{folder.name}/{WORKER.name}?v={version}", round(size / 1e6))


def connect(body: str, worker: str, megabytes: int) -> str:
    """A page's HTML in which every box knows the address of its worker, and how much starting it downloads."""
    return body.replace(OPENING, f'{OPENING} data-worker="{worker}" data-megabytes="{megabytes}"')


def build_wheel() -> Path:
    """The package as a wheel, with articles and questions as its only data; built if its content is a new one.

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
