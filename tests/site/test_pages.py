"""Every page of the built book, as a reader meets it: no other host, no fault, readable on a phone and by ear."""

import re
from itertools import pairwise
from urllib.parse import unquote, urldefrag

import pytest
from conftest import BOOK_PAGES, PAGES, SITE

every_page = pytest.mark.parametrize("page", BOOK_PAGES)


@pytest.mark.parametrize("page", PAGES)
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


@every_page
def test_formulas_are_set_with_the_sites_own_mathjax(open_page, page):
    tab = open_page(page)
    count = tab.locator("span.math, div.math").count()
    if count:
        tab.wait_for_selector("mjx-container")
        assert tab.locator("mjx-container").count() == count
        assert not tab.locator("mjx-merror").count()


@every_page
def test_headings_go_down_one_step_at_a_time_from_one_h1(open_page, page):
    tab = open_page(page)
    levels = tab.eval_on_selector_all("article h1, article h2, article h3, article h4, article h5",
                                      "all => all.map(h => Number(h.tagName[1]))")  # fmt: skip
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels


@every_page
def test_pictures_have_an_alternative_text_and_the_page_names_its_language(open_page, page):
    tab = open_page(page)
    assert tab.evaluate("document.documentElement.lang") == "en"
    assert tab.evaluate("[...document.images].filter(i => !i.hasAttribute('alt')).map(i => i.src)") == []
    unnamed = """[...document.querySelectorAll("article [role=img]:not([aria-hidden=true])")].filter(i => {
        const label = document.getElementById(i.getAttribute("aria-labelledby"));
        return !i.getAttribute("aria-label") && !(label && label.textContent.trim()); }).length"""
    assert tab.evaluate(unnamed) == 0


@every_page
def test_every_link_inside_the_book_leads_somewhere(open_page, page):
    tab = open_page(page)
    for href in tab.eval_on_selector_all("article a[href], nav a[href]", "all => all.map(a => a.href)"):
        target, anchor = urldefrag(href)
        if not target.startswith("http://127.0.0.1"):
            continue
        path = SITE / (unquote(target.split("/", 3)[3].split("?")[0]) or "index.html")
        assert path.exists(), f"{page} -> {href}"
        if anchor and path.suffix == ".html":
            ids = set(re.findall(r'\b(?:id|name)="([^"]+)"', path.read_text(encoding="utf-8")))
            assert unquote(anchor) in ids, f"{page} -> {href}"


@every_page
@pytest.mark.parametrize("width", [360, 1440])
def test_nothing_sticks_out_sideways(open_page, page, width):
    tab = open_page(page, viewport={"width": width, "height": 800})
    tab.wait_for_load_state("networkidle")
    wide = """[...document.querySelectorAll("article *")].filter(e => {
        const box = e.getBoundingClientRect();
        let scrolls = false;
        for (let p = e; p && p.tagName != "ARTICLE"; p = p.parentElement)
            scrolls ||= ["auto", "scroll", "hidden"].includes(getComputedStyle(p).overflowX);
        return box.width && !scrolls && !e.closest("mjx-container") && box.right > innerWidth + 1;
    }).slice(0, 5).map(e => e.outerHTML.slice(0, 120))"""
    assert tab.evaluate(wide) == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


@every_page
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier_in_the_article(open_page, page, scheme):
    from axe_playwright_python.sync_playwright import Axe

    tab = open_page(page, color_scheme=scheme)
    tab.wait_for_load_state("networkidle")
    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "preload": False}
    scope = {"include": ["article"], "exclude": [".citation-list"]}  # docutils gives its entries a retired role
    found = Axe().run(tab, context=scope, options=options).response["violations"]
    assert [(v["id"], [node["html"][:200] for node in v["nodes"]][:4]) for v in found] == []


def test_the_book_can_be_searched(open_page):
    tab = open_page("search.html?q=saturation")
    tab.wait_for_selector("#search-results li")
    assert tab.locator("#search-results li a", has_text="BM25").count()
