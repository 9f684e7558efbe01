"""What the pages weigh, counted in a real browser, and that nothing is missing that was not shipped."""

import gzip
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from conftest import PAGES, ROOT, SITE
from fontTools.ttLib import TTFont
from weight import BUDGET, BUDGETS, ICONS, first_view, prune

pytestmark = pytest.mark.xdist_group("weight")  # one process, which reads the site once

WEIGHTS = {page: sum(first_view(SITE, SITE / page).values()) for page in PAGES}
HEAVIEST = max(WEIGHTS, key=WEIGHTS.__getitem__)
FORMULAS = max(PAGES, key=lambda page: (SITE / page).read_text(encoding="utf-8").count('class="math'))
opened = pytest.mark.parametrize("page", sorted({"index.html", "search.html", HEAVIEST, FORMULAS}))


def compressed(path: Path) -> int:
    content = path.read_bytes()
    return len(content) if path.suffix == ".woff" else len(gzip.compress(content, 6))


@pytest.mark.parametrize("page", WEIGHTS)
def test_a_page_keeps_to_its_budget(page):
    assert WEIGHTS[page] <= BUDGETS.get(page, BUDGET)


@opened
def test_a_first_view_transfers_no_more_than_the_build_has_reckoned(open_page, page):
    tab = open_page(page)
    tab.wait_for_load_state("networkidle")
    asked = tab.evaluate("[location.href, ...performance.getEntriesByType('resource').map(entry => entry.name)]")
    files = {urlsplit(url).path.lstrip("/") for url in asked if urlsplit(url).scheme == "http"}
    assert {page, "_static/book.css"} <= files
    assert files <= set(first_view(SITE, SITE / page))
    assert sum(compressed(SITE / path) for path in files) <= WEIGHTS[page]


# every character that a rule puts before or after something, with the font that it is set in
GENERATED = """() => [...document.querySelectorAll("*")].flatMap(node => ["::before", "::after"].flatMap(which => {
    const style = getComputedStyle(node, which);
    return /[\\ue000-\\uf8ff]/.test(style.content) ? [[style.content, style.fontFamily]] : [];
}))"""


@opened
def test_every_icon_that_a_page_shows_is_in_the_font(open_page, page):
    tab = open_page(page)
    glyphs = TTFont(SITE / ICONS).getBestCmap()
    shown = tab.evaluate(GENERATED)
    assert shown
    assert {family for _, family in shown} == {'"Font Awesome 6 Free"'}
    assert {character for content, _ in shown for character in content.strip('"')} <= set(map(chr, glyphs))
    assert tab.evaluate("document.fonts.check('900 16px \"Font Awesome 6 Free\"', '\\uf002')")


def test_of_megabytes_of_icons_kilobytes_are_shipped():
    assert (SITE / ICONS).stat().st_size < 10_000
    shipped = {path.name for path in SITE.glob("_static/**/*")}
    assert not shipped & {"fontawesome.js", "fa-solid-900.woff2", "design-tabs.js", "sphinx-thebe.js", "locales"}
    assert not [name for name in shipped if name.endswith(".map")]


@pytest.mark.parametrize("width", [1440, 360])
def test_menus_theme_search_copying_and_solutions_still_work(open_page, width):
    tab = open_page("chapters/05-bm25-by-hand.html", viewport={"width": width, "height": 900})
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    themes = set()
    for _ in range(3):
        tab.locator("button.theme-switch-button:visible").first.click()
        mode = "[document.documentElement.dataset.mode, getComputedStyle(document.body).backgroundColor]"
        themes.add(tuple(tab.evaluate(mode)))
    assert {mode for mode, _ in themes} == {"light", "dark", "auto"}
    assert len({colour for _, colour in themes}) == 2
    tab.keyboard.press("Escape")  # a tooltip may cover what comes next
    tab.locator("button.primary-toggle:visible").first.click()
    tab.wait_for_timeout(500)
    link = tab.locator(".bd-sidebar-primary a, #pst-primary-sidebar-modal a", has_text="Cutting documents").first
    assert link.is_visible() == (width == 360)  # on a phone it opens, on a wide screen it closes
    if width == 360:
        tab.keyboard.press("Escape")
    solution = tab.locator(".solution.dropdown").first
    before = solution.bounding_box()["height"]
    solution.locator("button").first.click()
    assert solution.bounding_box()["height"] > before
    tab.locator("div.highlight").first.hover()
    tab.locator("button.copybtn").first.click()
    tab.wait_for_function("navigator.clipboard.readText().then(text => text.startsWith('from ragcore import'))")
    tab.keyboard.press("Control+k")
    tab.locator("#pst-search-dialog input").fill("saturation")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#search-results li a")
    assert "search.html" in tab.url


# -------------------------------------------------------------------------- the extension on books of a page or two

CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "book")!r})
extensions, master_doc, html_theme, html_static_path = ["weight"], "index", "sphinx_book_theme", ["_static"]
"""


def build(folder: Path, **pages: str) -> subprocess.CompletedProcess:
    """A book of these pages, each a piece of HTML; built by the theme and the extension."""
    source = folder / "source"
    (source / "_static").mkdir(parents=True, exist_ok=True)
    (source / "conf.py").write_text(CONF, encoding="utf-8")
    for name, html in pages.items():
        text = f":orphan:\n\n{name}\n{'=' * len(name)}\n\n.. raw:: html\n\n   {html}\n"
        (source / f"{name}.rst").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", source, folder / "site"]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_a_page_over_its_budget_fails_the_build_which_names_it_and_what_is_heaviest(tmp_path):
    (tmp_path / "source/_static").mkdir(parents=True)
    (tmp_path / "source/_static/photograph.png").write_bytes(bytes(600_000))
    built = build(tmp_path, index="<p>light</p>", heavy='<img src="_static/photograph.png" alt="">')
    assert built.returncode != 0
    sentence = (
        r"heavy\.html: its first view weighs \d+ kB gzipped, 500 are allowed \(_static/photograph\.png 600 kB, "
    )
    assert re.search(sentence, built.stderr)


def test_an_icon_that_is_not_in_the_font_fails_the_build_which_names_it_and_its_page(tmp_path):
    built = build(tmp_path, index='<i class="fa-solid fa-nonesuch fa-lg"></i><i class="fa-solid fa-rocket"></i>')
    assert built.returncode != 0
    assert "fa-nonesuch on index.html" in built.stderr
    assert "rocket" not in built.stderr


def test_a_second_edition_asks_for_its_own_style_sheets_and_they_hold_the_rules_that_it_needs(tmp_path):
    sheets, rules = [], []
    for html in ("<p>first</p>", '<p class="fst-italic">second</p><i class="fa-solid fa-rocket"></i>'):
        assert build(tmp_path, index=html).returncode == 0  # the second is built over the first
        page = (tmp_path / "site/index.html").read_text(encoding="utf-8")
        sheets.append(re.search(r'href="(_static/styles/pydata-sphinx-theme\.css\?v=\w+)"', page)[1])
        css = (tmp_path / "site" / sheets[-1].partition("?")[0]).read_text(encoding="utf-8")
        glyphs = TTFont(tmp_path / "site" / ICONS).getBestCmap()
        rules.append((".fst-italic" in css, "fa-rocket" in css, ord("\uf135") in glyphs))
    assert sheets[0] != sheets[1]
    assert rules == [(False, False, False), (True, True, True)]


@pytest.mark.parametrize(
    ("css", "left"),
    [
        (".a, .b > p { top: 0 }", ".a{ top: 0 }"),
        ("@media print { .b { top: 0 } }", ""),
        ("@media print { .a { top: 0 } }", "@media print {.a{ top: 0 }}"),
        (
            "p:not(.b) { top: 0 } #b { top: 0 } p::after { content: ',.b' }",
            "p:not(.b){ top: 0 }\np::after{ content: ',.b' }",
        ),
        ("p:is(.b, .a) { top: 0 }", "p:is(.b, .a){ top: 0 }"),
        ("@font-face { src: url(x) } /* gone */ /*! kept */", "@font-face { src: url(x) }\n/*! kept */"),
        (r".sm\:x { top: 0 } .a\:b { top: 0 }", r".a\:b{ top: 0 }"),
    ],
)
def test_a_rule_goes_when_it_asks_for_a_class_that_nobody_has(css, left):
    assert prune(css, {"a", "a:b"}).replace('"', "'") == left
