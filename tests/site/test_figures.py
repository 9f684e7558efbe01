"""Every interactive figure of every chapter, moved through all of its positions in a real browser.

After each move the whole state on the page (picture, table, sentence) must equal what `ragcore` draws and computes
for these values now: not the stored states, a fresh drawing.
"""

import re
from functools import cache
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from ragcore.explore import Figure
from ragcore.explore.html import write

NOTEBOOKS = [ROOT / "index.ipynb", *sorted((ROOT / "chapters").glob("*.ipynb"))]


def page_of(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix(".html").as_posix()


def names_in(path: Path) -> list[str]:
    return re.findall(r'<figure class=\\"explore\\" id=\\"([a-z0-9-]+)\\"', path.read_text(encoding="utf-8"))


@cache
def figures_of(path: Path) -> dict[str, Figure]:
    """The figures that a notebook shows, made by running its cells here."""
    InteractiveShell.clear_instance()
    shell, found = InteractiveShell.instance(), {}
    with capture_output():
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                result = shell.run_cell(cell.source)
                result.raise_error()
                if isinstance(result.result, Figure):
                    found[result.result.name] = result.result
    return found


FIGURES = [pytest.param(path, name, id=f"{path.stem}-{name}") for path in NOTEBOOKS for name in names_in(path)]
every_figure = pytest.mark.parametrize(("path", "name"), FIGURES)

# what a state is: every element's tag, attributes and own texts; path data as numbers
READ = """view => [view, ...view.querySelectorAll("*")].map(e => [
    e.tagName.toLowerCase(),
    Object.fromEntries([...e.attributes].map(a => [a.name, a.value])),
    [...e.childNodes].filter(n => n.nodeType == Node.TEXT_NODE).map(n => n.data).filter(Boolean),
])"""
ALL_STATES = f"""figure => {{
    const inputs = [...figure.querySelectorAll("input, select")], view = figure.querySelector(".explore-view");
    const read = {READ}, states = [];
    const walk = i => {{
        if (i == inputs.length) {{ states.push(read(view)); return; }}
        const last = inputs[i].options ? inputs[i].options.length - 1 : Number(inputs[i].max);
        for (let value = 0; value <= last; value++) {{
            inputs[i].value = value;
            inputs[i].dispatchEvent(new Event("input", {{ bubbles: true }}));
            walk(i + 1);
        }}
    }};
    walk(0);
    return states;
}}"""


def plain(nodes: list) -> list:
    """Path data as numbers, so that « .5» and « 0.5» are the same."""
    for _, attributes, _ in nodes:
        if "d" in attributes:
            numbers = re.findall(r"[a-z]|-?(?:\d+\.?\d*|\.\d+)", attributes["d"])
            attributes["d"] = [number if number.isalpha() else float(number) for number in numbers]
    return nodes


def view_or_refusal(figure: Figure, arguments: dict) -> tuple[str, str]:
    try:
        return write(figure.view(**arguments)), ""
    except ValueError as error:
        return "", str(error)


@every_figure
def test_every_position_shows_what_ragcore_computes_now(open_page, path, name):
    figure = figures_of(path)[name]
    tab = open_page(page_of(path))
    shown = tab.eval_on_selector(f"#{name}", ALL_STATES)
    scratch = open_page("genindex.html")  # parses the expected HTML as the page's own was parsed
    assert len(shown) == len(figure.grid)
    for arguments, nodes in zip(figure.grid, shown, strict=True):
        expected, refusal = view_or_refusal(figure, arguments)
        if refusal:
            assert [refusal] in [texts for _, _, texts in nodes], arguments
            assert "explore-invalid" in nodes[0][1]["class"]
            continue
        fresh = scratch.evaluate(f"html => {{ const d = document.createElement('div'); d.innerHTML = html;"
                                 f" return ({READ})(d.firstElementChild); }}", expected)  # fmt: skip
        assert plain(nodes) == plain(fresh), arguments


def sentence(tab, name: str) -> str:
    return tab.locator(f"#{name} .explore-sentence").inner_text()


def shown(tab, name: str) -> str:
    return tab.locator(f"#{name} .explore-view").inner_html()


@every_figure
def test_the_keyboard_moves_it_and_the_address_brings_the_state_back(open_page, path, name):
    figure = figures_of(path)[name]
    if not figure.controls:
        pytest.skip("has nothing to move")
    tab = open_page(page_of(path))
    before = shown(tab, name)
    field = tab.locator(f"#{name} :is(input, select)").last
    start = figure.controls[-1].start
    field.focus()
    tab.keyboard.press("End")
    if start == len(figure.controls[-1].values) - 1:
        tab.keyboard.press("Home")
    after = shown(tab, name)
    assert after != before
    tab.wait_for_function(f"location.search.includes('{name}.{figure.controls[-1].name}=')")
    link = tab.url.split("/", 3)[3]
    assert link.endswith(f"#{name}")
    assert shown(open_page(link), name) == after
    tab.locator(f"#{name} .explore-reset").click()
    assert shown(tab, name) == before
    tab.wait_for_function("!location.search")


@every_figure
def test_without_scripts_the_default_state_shows_and_no_dead_control(open_page, path, name):
    tab = open_page(page_of(path), java_script_enabled=False)
    figure = tab.locator(f"#{name}")
    assert figure.locator(".explore-sentence").inner_text()
    assert figure.locator("form").is_hidden()
    html = (ROOT / "_build/html" / page_of(path)).read_text(encoding="utf-8")
    assert html.count("player.js") == 1


def test_mouse_and_finger_move_a_slider(open_page):
    tab = open_page("chapters/05-bm25-by-hand.html", has_touch=True)
    slider = tab.locator("#saturation input").first
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    tab.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2, steps=5)
    tab.mouse.up()
    assert sentence(tab, "saturation").startswith("10 occurrences")
    tab.touchscreen.tap(box["x"] + 3, box["y"] + box["height"] / 2)
    assert sentence(tab, "saturation").startswith("0 occurrences")


def test_the_worked_example_is_12_33_to_the_digit_live(open_page):
    tab = open_page("chapters/05-bm25-by-hand.html")
    rows = tab.eval_on_selector_all(
        "#worked-example tr", "all => all.map(r => [...r.cells].map(c => c.textContent))"
    )
    assert [row[:1] + row[4:] for row in rows[1:]] == [
        ["co", "0.0000"], ["dělá", "0.0000"], ["momen", "7.1689"], ["v", "1.0397"], ["gradi", "0.0000"],
        ["sestu", "4.1262"], ["total", "12.3348"]]  # fmt: skip
    tab.locator("#worked-example input").first.fill("0")
    assert tab.locator("#worked-example tfoot td").last.inner_text() == "8.2180"


def test_an_unknown_value_in_the_address_is_ignored(open_page):
    tab = open_page("chapters/05-bm25-by-hand.html?worked-example.k1=lots&other=1#worked-example")
    assert "k₁ = 1.2" in sentence(tab, "worked-example")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_follows_the_pages_theme(open_page, scheme):
    tab = open_page("chapters/05-bm25-by-hand.html", color_scheme=scheme)
    ink = tab.eval_on_selector("#saturation svg text", "t => getComputedStyle(t).fill")
    paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    light = [sum(map(int, re.findall(r"\d+", colour)[:3])) > 382 for colour in (ink, paper)]
    assert light == ([False, True] if scheme == "light" else [True, False])
