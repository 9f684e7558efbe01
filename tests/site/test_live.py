"""Every chapter as a live notebook in a real browser: run whole, it prints what the book prints; a slider moves."""

import re
import threading

import live
import nbformat
import pytest
from conftest import ROOT, SITE
from runtime import Runtime
from serve import server

CHAPTERS = sorted(
    path for path in (ROOT / "chapters").glob("*.ipynb") if (SITE / "chapters" / f"{path.stem}.html").exists()
)
every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
NOTEBOOK = "jupyterapp.shell.currentWidget"
READY = f"window.jupyterapp && {NOTEBOOK}?.context?.isReady"

AT_ITS_END = "c => c.ariaValueNow ? c.ariaValueNow == c.ariaValueMax : c.selectedIndex == c.length - 1"


def opened(page, kernel: bool = True):
    """The tab that a chapter's button opens, with its notebook in it."""
    button = page.locator(".run-chapter a")
    if not button.count():
        pytest.skip("PYODIDE IS MISSING, so the live chapters are NOT tested")
    with page.context.expect_page() as opening:
        button.click()
    tab = opening.value
    tab.set_default_timeout(240_000)
    tab.wait_for_function(READY)
    if kernel:
        tab.wait_for_function(f"{NOTEBOOK}.sessionContext.session?.kernel?.status == 'idle'")
    return tab


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
def test_run_whole_in_the_browser_it_prints_what_the_book_prints_and_a_slider_moves(open_page, path):
    page, loaded = open_page(f"chapters/{path.stem}.html"), {}
    page.context.on("response", lambda r: loaded.update({r.url: int(r.headers.get("content-length", 0))}))
    tab = opened(page)
    tab.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
    tab.wait_for_function(f"{NOTEBOOK}.sessionContext.session.kernel.status == 'idle'")
    ran = tab.evaluate(f"{NOTEBOOK}.content.model.toJSON()")["cells"]
    expected = nbformat.read(path, as_version=4)["cells"]
    assert [cell["id"] for cell in ran] == [cell["id"] for cell in expected]
    for cell, saved in zip(ran, expected, strict=True):
        if cell["cell_type"] == "code":
            assert cell["execution_count"]
            assert texts(cell) == texts(saved), cell["id"]

    said = int(re.search(r"about (\d+) MB", page.locator(".run-chapter").inner_text())[1])
    assert 0.8 * said < sum(loaded.values()) / 1e6 < said + 1  # the most: not every chapter imports pandas

    figure = next(cell for cell in expected if "explore-controls" in str(cell.get("outputs")))
    place = next(i for i, cell in enumerate(expected) if cell["id"] == figure["id"])
    tab.evaluate(f"place => {NOTEBOOK}.content.scrollToItem(place, 'start')", place)
    cell = f".jp-Cell[data-windowed-list-index='{place}']"
    tab.wait_for_selector(f"{cell} .explore")
    before = tab.inner_html(f"{cell} .explore")
    control = tab.locator(f"{cell} :is(.noUi-handle, select)").first
    control.focus()
    tab.keyboard.press("Home" if control.evaluate(AT_ITS_END) else "End")
    tab.wait_for_function(
        "([shown, before]) => document.querySelector(shown).innerHTML != before", arg=[f"{cell} .explore", before]
    )


FIRST_CELL = f"{NOTEBOOK}.content.model.cells.get(0).sharedModel"


def change(tab, text: str) -> None:
    """A reader changes the first cell and saves."""
    tab.evaluate(f"text => {{ {FIRST_CELL}.source = text; return {NOTEBOOK}.context.save(); }}", text)


def first_cell(tab) -> str:
    return tab.evaluate(f"{FIRST_CELL}.source")


def test_what_a_reader_changed_is_there_again_and_one_button_brings_the_book_back(open_page):
    page = open_page(f"chapters/{CHAPTERS[0].stem}.html")
    button = page.locator(".run-chapter button")
    tab = opened(page, kernel=False)
    assert button.is_hidden()
    as_published = first_cell(tab)
    change(tab, "# Mine")
    tab.close()
    tab = opened(page, kernel=False)
    assert first_cell(tab) == "# Mine"
    tab.close()
    page.reload()
    button.click()
    page.wait_for_selector(".run-chapter [role=status]:has-text('Done')")
    assert button.is_hidden()
    assert first_cell(opened(page, kernel=False)) == as_published


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_live_chapter_is_light_or_dark_as_the_readers_system_is(open_page, scheme):
    tab = opened(open_page(f"chapters/{CHAPTERS[0].stem}.html", color_scheme=scheme), kernel=False)
    tab.wait_for_function(f"document.body.dataset.jpThemeLight == '{str(scheme == 'light').lower()}'")
    paper = tab.eval_on_selector(".jp-Notebook", "n => getComputedStyle(n).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", paper)[:3])) > 382) == (scheme == "light")


def test_an_old_copy_never_hides_a_new_edition(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(live, "BUILT", tmp_path / "built")
    monkeypatch.setattr(live, "notebook", lambda page: tmp_path / f"{page}.ipynb")
    site = server(str(tmp_path / "site"))
    threading.Thread(target=site.serve_forever, daemon=True).start()
    context = browser.new_context()  # one reader, who comes back
    for edition in ("# One", "# Two"):
        cells = [nbformat.v4.new_markdown_cell(edition)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "page.ipynb")
        address = live.install(tmp_path / "site", Runtime("", 0, "", 0), ["page"]).address("page")
        tab = context.new_page()
        tab.goto(f"http://127.0.0.1:{site.server_port}/{address}")
        tab.wait_for_function(READY, timeout=60_000)
        assert first_cell(tab) == edition
        change(tab, "# Mine")
    context.close()
    site.shutdown()
    site.server_close()
