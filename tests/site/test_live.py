"""Every chapter as a live notebook in a real browser: run whole, it prints what the book prints; a slider moves."""

import re
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT, SITE

CHAPTERS = sorted(
    path for path in (ROOT / "chapters").glob("*.ipynb") if (SITE / "chapters" / f"{path.stem}.html").exists()
)
every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
NOTEBOOK = "jupyterapp.shell.currentWidget"


@pytest.fixture
def live(open_page):
    """A function that opens a chapter by its button, and gives the tab in which its notebook is."""

    def open_(path: Path, **options):
        page = open_page(f"chapters/{path.stem}.html", **options)
        button = page.locator(".run-chapter a")
        if not button.count():
            pytest.skip("PYODIDE IS MISSING, so the live chapters are NOT tested")
        with page.context.expect_page() as opened:
            button.click()
        tab = opened.value
        tab.set_default_timeout(240_000)
        tab.wait_for_function(f"window.jupyterapp && {NOTEBOOK}?.content?.model?.cells?.length")
        tab.wait_for_function(f"{NOTEBOOK}.sessionContext.session?.kernel?.status == 'idle'")
        return tab

    return open_


def texts(cell: dict) -> list[str]:
    """What a cell prints and shows as text or HTML, without the two faces of an interactive figure."""
    found = []
    for output in cell.get("outputs", []):
        if output["output_type"] == "stream":
            found.append("".join(output["text"]))
        elif output["output_type"] == "error":
            found.append(f"{output['ename']}: {output['evalue']}")
        elif not re.match(r'\s*<figure class="explore', html := "".join(output["data"].get("text/html", ""))):
            found += [html] if "application/vnd.jupyter.widget-view+json" not in output["data"] else []
    return found


@every_chapter
def test_run_whole_in_the_browser_it_prints_what_the_book_prints_and_a_slider_moves(live, path):
    tab = live(path)
    tab.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
    tab.wait_for_function(f"{NOTEBOOK}.sessionContext.session.kernel.status == 'idle'")
    ran = tab.evaluate(f"{NOTEBOOK}.content.model.toJSON()")["cells"]
    expected = nbformat.read(path, as_version=4)["cells"]
    assert [cell["id"] for cell in ran] == [cell["id"] for cell in expected]
    for cell, saved in zip(ran, expected, strict=True):
        if cell["cell_type"] == "code":
            assert cell["execution_count"]
            assert texts(cell) == texts(saved), cell["id"]

    figure = next(cell for cell in expected if "explore-controls" in str(cell.get("outputs")))
    place = next(i for i, cell in enumerate(expected) if cell["id"] == figure["id"])
    tab.evaluate(f"place => {NOTEBOOK}.content.scrollToItem(place, 'start')", place)
    shown = tab.locator(".jp-OutputArea .explore").first
    shown.wait_for()
    before = shown.inner_html()
    tab.locator(".jp-OutputArea :is(.noUi-handle, select)").first.focus()
    tab.keyboard.press("End")
    tab.wait_for_function(
        "before => document.querySelector('.jp-OutputArea .explore').innerHTML != before", arg=before
    )
