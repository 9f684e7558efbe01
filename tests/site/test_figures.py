"""Every interactive figure of every chapter, moved in a real browser.

That a page stores what `ragcore` draws now, state by state, is what nbval proves: it draws all of them anew and
compares the HTML. Here the player is put to the proof: after a move the whole state on the page (picture, table,
sentence) must equal a fresh drawing. A figure of up to eight states is moved through all, a larger one through
a sample in which every value of every control occurs.
"""

import re
from functools import cache
from itertools import product
from math import prod
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT, opener
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from ragcore.explore import Figure, Slider, State
from ragcore.explore.controls import Control
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
    shell.display_formatter.mimebundle_formatter.enabled = False  # shown to nobody, so no state need be drawn
    with capture_output():
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                result = shell.run_cell(cell.source)
                result.raise_error()
                if isinstance(result.result, Figure):
                    found[result.result.name] = result.result
    return found


def parameters(path: Path, *names: str):
    """A chapter's tests run one after the other in one process: it runs the cells once and opens one window."""
    return pytest.param(path, *names, id="-".join([path.stem, *names]), marks=pytest.mark.xdist_group(path.stem))


FIGURES = [parameters(path, name) for path in NOTEBOOKS for name in names_in(path)]
every_figure = pytest.mark.parametrize(("path", "name"), FIGURES)
every_page = pytest.mark.parametrize("path", [parameters(path) for path in NOTEBOOKS if names_in(path)])


@pytest.fixture(scope="module")
def page(browser, address):
    """A function that gives a notebook's page, in a window that the tests of all its figures share."""
    with opener(browser, address) as open_:
        yield cache(lambda path: open_(page_of(path)))


MAX_ALL = 8


def sample(figure: Figure) -> list[list[int]]:
    """Which states to look at, each as the places of its controls; in a sample every place occurs."""
    sizes = [len(control.values) for control in figure.controls]
    if prod(sizes) <= MAX_ALL:
        return [list(places) for places in product(*map(range, sizes))]
    steps = range(max(MAX_ALL, *sizes))  # each control runs round and round, and is shifted after every round
    return [[(step + i * (step // size)) % size for i, size in enumerate(sizes)] for step in steps]


def test_in_a_sample_every_value_of_every_control_occurs():
    for sizes in [(25,), (2, 13), (3, 4, 5, 6), (2, 2, 2, 2, 2), (60, 18), (8, 9)]:
        controls = [Slider(f"c{i}", range(size)) for i, size in enumerate(sizes)]
        seen = sample(Figure("f", State, controls))
        assert [{places[i] for places in seen} for i in range(len(sizes))] == [set(range(size)) for size in sizes]


# what a state is: every element's tag, attributes and own texts; path data as numbers. Whether its table can be
# focused depends on the window
READ = """view => [view, ...view.querySelectorAll("*")].map(e => [
    e.tagName.toLowerCase(),
    Object.fromEntries([...e.attributes].map(a => [a.name, a.value]).filter(([name]) => name != "tabindex")),
    [...e.childNodes].filter(n => n.nodeType == Node.TEXT_NODE).map(n => n.data).filter(Boolean),
])"""
MOVE = f"""(figure, states) => {{
    const inputs = [...figure.querySelectorAll("input, select")], view = figure.querySelector(".explore-view");
    const read = {READ};
    return states.map(places => {{
        places.forEach((place, i) => {{ inputs[i].value = place; }});
        inputs.at(-1)?.dispatchEvent(new Event("input", {{ bubbles: true }}));
        return read(view);
    }});
}}"""
# HTML as this browser parses it
PARSE = f"""htmls => htmls.map(html => {{
    const scratch = document.createElement("div");
    scratch.innerHTML = html;
    return html && ({READ})(scratch.firstElementChild);
}})"""


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
def test_a_position_shows_what_ragcore_computes_now(page, path, name):
    figure, tab = figures_of(path)[name], page(path)
    states = sample(figure)
    before = shown(tab, name)
    moved = tab.eval_on_selector(f"#{name}", MOVE, states)
    arguments = [{c.name: c.values[i] for c, i in zip(figure.controls, state, strict=True)} for state in states]
    expected, refusals = zip(*(view_or_refusal(figure, chosen) for chosen in arguments), strict=True)
    parsed = tab.evaluate(PARSE, expected)
    for chosen, nodes, fresh, refusal in zip(arguments, moved, parsed, refusals, strict=True):
        if refusal:
            assert [refusal] in [texts for _, _, texts in nodes], chosen
            assert "explore-invalid" in nodes[0][1]["class"]
        else:
            assert plain(nodes) == plain(fresh), chosen
    if figure.controls:
        reset(tab, name)
    assert shown(tab, name) == before


def sentence(tab, name: str) -> str:
    return tab.locator(f"#{name} .explore-sentence").inner_text()


def shown(tab, name: str) -> list:
    return plain(tab.eval_on_selector(f"#{name} .explore-view", READ))


def reset(tab, name: str) -> None:
    tab.locator(f"#{name} .explore-reset").click()
    tab.wait_for_function("!location.search")


def last_that_shows(figure: Figure) -> tuple[Control, str]:
    """The last control that changes the view when it goes to its end (or its start), and the key that does it."""
    now = view_or_refusal(figure, figure.default)
    for control in reversed(figure.controls):
        at_end = control.default == control.values[-1]
        key, value = ("Home", control.values[0]) if at_end else ("End", control.values[-1])
        if view_or_refusal(figure, figure.default | {control.name: value}) != now:
            return control, key
    raise AssertionError(f"no control of {figure.name} changes anything")


@every_figure
def test_the_keyboard_moves_it_and_the_address_brings_the_state_back(page, open_page, path, name):
    figure = figures_of(path)[name]
    if not figure.controls:
        pytest.skip("has nothing to move")
    control, end = last_that_shows(figure)
    tab = page(path)
    view = f"#{name} .explore-view"
    before, html = shown(tab, name), tab.inner_html(view)
    tab.locator(f"#{name} :is(input, select)").nth(figure.controls.index(control)).press(end)
    moved = "([view, html]) => document.querySelector(view).innerHTML != html"
    tab.wait_for_function(moved, arg=[view, html])  # the key may arrive a moment later
    after = shown(tab, name)
    tab.wait_for_function(f"location.search.includes('{name}.{control.name}=')")
    link = tab.url.split("/", 3)[3]
    assert link.endswith(f"#{name}")
    assert shown(open_page(link), name) == after
    reset(tab, name)
    assert shown(tab, name) == before


@every_page
def test_without_scripts_the_default_state_shows_and_no_dead_control(open_page, path):
    tab = open_page(page_of(path), java_script_enabled=False)
    for name in names_in(path):
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
