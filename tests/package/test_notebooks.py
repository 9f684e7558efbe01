"""The stored notebooks: executed in order, free of this machine, and every number in their prose accounted for."""

import ast
import csv
import re
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = [ROOT / "index.ipynb", *sorted((ROOT / "chapters").glob("*.ipynb"))]
PAGES = [*NOTEBOOKS, *sorted((ROOT / "chapters").glob("*.md"))]
ALLOWED = {"numpy", "pandas", "matplotlib", "ipywidgets", "ragcore"}  # what runs in the browser too
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")

NO_PROSE = r"""
    \$\$.*?\$\$ | \$[^$\n]+\$     # formulas
    | `[^`\n]+` | \]\([^)]*\)     # code, addresses
    | ^:\w+:[^\n]*$ | \{\w+(:\w)?\}  # options and names of directives
    | <[^>]+>                     # tags
    | [^\W\d]+\d[\w.]*           # names with a digit in them, BM25
"""

notebooks = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells(path: Path, kind: str):
    return [
        cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == kind and cell.source.strip()
    ]


@notebooks
def test_every_code_cell_was_executed_in_order_and_without_error(path):
    code = cells(path, "code")
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]


@notebooks
def test_no_cell_is_empty(path):
    assert not [cell.id for cell in nbformat.read(path, as_version=4).cells if not cell.source.strip()]


@notebooks
def test_cells_import_only_what_runs_in_the_browser_too(path):
    for cell in cells(path, "code"):
        for node in ast.walk(ast.parse(cell.source)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] in ALLOWED | sys.stdlib_module_names, f"{path.name} imports {name}"


@notebooks
def test_a_notebook_is_small_and_names_no_machine(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) < 1_000_000
    for trace in (str(ROOT), str(Path.home()), f"{tempfile.gettempdir()}/", "site-packages", "0x7f"):
        assert trace not in text, trace
    assert not re.search(r"(?<![\w.])interact(ive|ive_output)?\(", text), "a bare interact() is dead on the page"
    assert set(nbformat.read(path, as_version=4).metadata) == {"kernelspec", "language_info"}


@notebooks
def test_output_that_is_shown_to_a_reader_is_no_raw_repr(path):
    for cell in cells(path, "code"):
        for output in cell.outputs:
            plain = output.get("text") or output.get("data", {}).get("text/plain", "")
            assert not re.search(r"np\.float64\(|<\w[\w.]* (object )?at 0x|\barray\(", plain), cell.source


def prose(path: Path) -> str:
    """A page's text without code, formulas, addresses and the options of directives."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = "\n\n".join(cell.source for cell in cells(path, "markdown"))
    return re.sub(NO_PROSE, " ", text, flags=re.S | re.M | re.X)


def computed(path: Path) -> str:
    """What a notebook computes or states in code."""
    if path.suffix != ".ipynb":
        return ""
    code = cells(path, "code")
    outputs = [output for cell in code for output in cell.outputs]
    shown = [output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in outputs]
    return "\n".join([*shown, *(cell.source for cell in code)])


def published() -> set[str]:
    """Every decimal number of data/published.json; whole ones could be anything, so they have to be computed."""
    numbers = NUMBER.findall((ROOT / "data/published.json").read_text(encoding="utf-8"))
    return {number for number in numbers if "." in number}


EXCEPTIONS = list(csv.DictReader((ROOT / "tests/cases/prose_numbers.csv").read_text(encoding="utf-8").splitlines()))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_number_in_the_prose_is_computed_published_or_excused(path):
    known = set(NUMBER.findall(computed(path))) | published()
    known |= {row["number"] for row in EXCEPTIONS if row["page"] == path.stem} | {str(i) for i in range(11)}
    unknown = {number for number in NUMBER.findall(prose(path)) if not known & {number, number.replace(",", "")}}
    assert not unknown, f"{path.name}: nothing computes {sorted(unknown)}"


def test_every_excuse_is_needed_and_has_a_reason():
    for row in EXCEPTIONS:
        path = next(page for page in PAGES if page.stem == row["page"])
        assert row["number"] in NUMBER.findall(prose(path)), row
        assert row["reason"], row
