"""Every page of the built book, as a reader meets it: no other host, no fault, readable on a phone and by ear."""

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import BOOK_PAGES, PAGES, SITE, opener


def once(page: str):
    """The tests of a page run on one after the other in one process, so that it is opened once for all of them."""
    return pytest.param(page, id=page, marks=pytest.mark.xdist_group(page))


every_page = pytest.mark.parametrize("page", [once(page) for page in PAGES], indirect=True, scope="module")
every_book_page = pytest.mark.parametrize(
    "page", [once(page) for page in BOOK_PAGES], indirect=True, scope="module"
)


@pytest.fixture(scope="module")
def page(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def desktop(browser, address, page):
    """The page in a wide window. Tests look at it and leave it as it is."""
    with opener(browser, address) as open_:
        tab = open_(page)
        tab.wait_for_load_state("networkidle")
        yield tab


@pytest.fixture(scope="module")
def phone(browser, address, page):
    """The page in a narrow window, in the dark."""
    with opener(browser, address) as open_:
        tab = open_(page, viewport={"width": 360, "height": 800}, color_scheme="dark")
        tab.wait_for_load_state("networkidle")
        yield tab


@every_page
def test_a_page_opens_without_a_fault_and_asks_no_other_host(open_page, page):
    tab = open_page(page)
    tab.evaluate("scrollTo(0, document.body.scrollHeight)")
    tab.wait_for_load_state("networkidle")
    assert tab.title()


def test_no_page_even_names_a_script_style_font_or_frame_of_another_host():
    for page in PAGES:
        html = (SITE / page).read_text(encoding="utf-8")
        loads = re.findall(r'<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)="(https?://[^"]+)"', html)
        assert not loads, (page, loads)


@every_book_page
def test_formulas_are_set_with_the_sites_own_mathjax(desktop):
    count = desktop.locator("span.math, div.math").count()
    if count:
        desktop.wait_for_selector("mjx-container")
        assert desktop.locator("mjx-container").count() == count
        assert not desktop.locator("mjx-merror").count()


@every_book_page
def test_headings_go_down_one_step_at_a_time_from_one_h1(desktop):
    levels = desktop.eval_on_selector_all("article h1, article h2, article h3, article h4, article h5",
                                          "all => all.map(h => Number(h.tagName[1]))")  # fmt: skip
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels


@every_book_page
def test_pictures_have_an_alternative_text_and_the_page_names_its_language(desktop):
    assert desktop.evaluate("document.documentElement.lang") == "en"
    assert desktop.evaluate("[...document.images].filter(i => !i.hasAttribute('alt')).map(i => i.src)") == []
    unnamed = """[...document.querySelectorAll("article [role=img]:not([aria-hidden=true])")].filter(i => {
        const label = document.getElementById(i.getAttribute("aria-labelledby"));
        return !i.getAttribute("aria-label") && !(label && label.textContent.trim()); }).length"""
    assert desktop.evaluate(unnamed) == 0


@every_book_page
def test_every_link_inside_the_book_leads_somewhere(desktop, page):
    for href in desktop.eval_on_selector_all("article a[href], nav a[href]", "all => all.map(a => a.href)"):
        target, anchor = urldefrag(href)
        if not target.startswith("http://127.0.0.1"):
            continue
        path = SITE / (unquote(target.split("/", 3)[3].split("?")[0]) or "index.html")
        assert path.exists(), f"{page} -> {href}"
        if anchor and path.suffix == ".html":
            assert unquote(anchor) in anchors(path), f"{page} -> {href}"


@cache
def anchors(path: Path) -> set[str]:
    return set(re.findall(r'\b(?:id|name)="([^"]+)"', path.read_text(encoding="utf-8")))


@every_book_page
@pytest.mark.parametrize("device", ["desktop", "phone"])
def test_nothing_sticks_out_sideways(request, page, device):
    tab = request.getfixturevalue(device)
    wide = """[...document.querySelectorAll("article *")].filter(e => {
        const box = e.getBoundingClientRect();
        let scrolls = false;
        for (let p = e; p && p.tagName != "ARTICLE"; p = p.parentElement)
            scrolls ||= ["auto", "scroll", "hidden"].includes(getComputedStyle(p).overflowX);
        return box.width && !scrolls && !e.closest("mjx-container") && box.right > innerWidth + 1;
    }).slice(0, 5).map(e => e.outerHTML.slice(0, 120))"""
    assert tab.evaluate(wide) == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= tab.viewport_size["width"]


@every_book_page
@pytest.mark.parametrize("device", ["desktop", "phone"])
def test_axe_finds_no_barrier_in_the_article(request, page, device):
    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "preload": False}
    scope = {"include": ["article"], "exclude": [".citation-list"]}  # docutils gives its entries a retired role
    found = Axe().run(request.getfixturevalue(device), context=scope, options=options).response["violations"]
    assert [(v["id"], [node["html"][:200] for node in v["nodes"]][:4]) for v in found] == []


def test_the_book_can_be_searched(open_page):
    tab = open_page("search.html?q=saturation")
    tab.wait_for_selector("#search-results li")
    assert tab.locator("#search-results li a", has_text="BM25").count()
