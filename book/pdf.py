"""The book on paper: `python book/pdf.py` prints the built site into dist/the-right-information.pdf.

Chromium prints one document: a title page, the contents, every chapter in order. A figure stands there in its
default state with its sentence. The site's own rules for paper (at the end of book.css) hold here too: solutions
and answers are open, and what works on a screen only is left out, as is the folded code of the figures. Links
between chapters lead to their pages, and the headings are the PDF's bookmarks. It is printed twice, since only the
first time shows on which page a chapter begins.
"""

import re
import sys
import threading
from collections.abc import Sequence
from html import escape
from pathlib import Path

from browser import find
from playwright.sync_api import Browser, Page, sync_playwright
from pypdf import PdfReader
from serve import server

ROOT = Path(__file__).parent.parent
SITE = ROOT / "_build" / "html"
TARGET = ROOT / "dist" / "the-right-information.pdf"
STYLE = ROOT / "book" / "pdf.css"
NOT_ON_PAPER = ("genindex.html",)  # an index of links has no page numbers

FRAME = """<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<title>The Right Information</title></head><body>
<section class="title-page"><p class="title">The Right Information</p>
<p>How to give a language model the right information</p>
<p class="imprint">Figures are shown in the state in which they open; on the web, they move. Text and corpus
CC BY 4.0, code MIT.</p></section>
<nav class="paper-contents"><h1>Contents</h1></nav>
<div class="bd-content"><div class="bd-article-container"></div></div></body></html>"""

# fetches the pages and joins their articles; ids of the third page begin with «p2-», so that none occurs twice
JOIN = """async pages => {
    const addresses = pages.map(page => new URL(page, location.href).pathname);
    const sheets = new Set();
    for (const [i, page] of pages.entries()) {
        const source = new DOMParser().parseFromString(await (await fetch(page)).text(), "text/html");
        for (const sheet of source.querySelectorAll("link[rel=stylesheet]"))
            sheets.add(new URL(sheet.getAttribute("href"), new URL(page, location.href)).href);
        const article = document.importNode(source.querySelector("article.bd-article"), true);
        article.querySelectorAll("script, form, .headerlink").forEach(node => node.remove());
        article.querySelectorAll(".explore-ask").forEach(box => box.replaceWith("On the web, a box stands here."));
        for (const node of article.querySelectorAll("*")) for (const attribute of node.attributes) {
            const { name, value } = attribute;
            if (["id", "for", "aria-labelledby", "aria-describedby"].includes(name))
                attribute.value = value.split(" ").map(id => `p${i}-${id}`).join(" ");
            else if (value.includes("url(#")) attribute.value = value.replaceAll("url(#", `url(#p${i}-`);
            else if (name === "href" || name === "xlink:href") {
                const target = new URL(value, new URL(page, location.href)), j = addresses.indexOf(target.pathname);
                if (target.origin !== location.origin) continue;
                if (j < 0) node.removeAttribute(name); // not on paper
                else attribute.value = `#p${j}${target.hash && target.hash.replace("#", "-")}`;
            }
        }
        article.id = `p${i}`;
        article.style.page = `p${i}`;
        document.querySelector(".bd-article-container").append(article);
    }
    for (const href of sheets) {
        const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
        const loaded = new Promise((done, failed) => { link.onload = done; link.onerror = failed; });
        document.head.append(link);
        await loaded;
    }
    return [...document.querySelectorAll("article h1")].map(heading => heading.textContent);
}"""

# sets the formulas, without the second copy for screen readers that would be printed into the text
SET_FORMULAS = """async script => {
    window.MathJax = { options: { enableAssistiveMml: false }, startup: { typeset: false } };
    await new Promise((done, failed) => document.head.append(Object.assign(
        document.createElement("script"), { src: script, onload: done, onerror: failed })));
    await MathJax.startup.promise;
    await MathJax.typesetPromise([...document.querySelectorAll(".math, .text_latex")]);
    await document.fonts.ready;
}"""


def in_order(site: Path) -> list[tuple[str, list[str]]]:
    """The parts of the book as the home page lists them, each with its pages."""
    home = (site / "index.html").read_text(encoding="utf-8")
    nav = home[home.index('<nav class="bd-links bd-docs-nav"') :]
    nav = nav[: nav.index("</nav>")]
    parts: list[tuple[str, list[str]]] = [("", ["index.html"])]
    for caption, page in re.findall(
        r'class="caption-text">([^<]*)<|<a class="reference internal" href="([^"#]+)"', nav
    ):
        if caption:
            parts.append((caption, []))
        elif page not in NOT_ON_PAPER:
            parts[-1][1].append(page)
    return parts


def number(page: str) -> str:
    """The number of a chapter, out of its file's name; none for the rest of the book."""
    found = re.match(r"(?:.*/)?0*(\d+)-", page)
    return found[1] if found and int(found[1]) < 90 else ""


def contents(parts: Sequence[tuple[str, list[str]]], titles: Sequence[str], starts: Sequence[int]) -> str:
    """The table of contents in HTML; the numbers of the pages as far as they are known."""
    lines, i = ["<h1>Contents</h1>"], 0
    for caption, pages in parts:
        lines.append(f"<p>{caption}</p>" if caption else "")
        for page in pages:
            name = f'<span>{number(page)}</span><a href="#p{i}">{escape(titles[i])}</a>'
            lines.append(f"<div>{name}<i></i><span>{starts[i] if starts else '000'}</span></div>")
            i += 1
    return "\n".join(lines)


def print_pdf(browser: Browser, site: Path, parts: Sequence[tuple[str, list[str]]], target: Path) -> list[int]:
    """Print these pages of a built site; gives on which page of the PDF each begins."""
    behind = server(str(site))
    threading.Thread(target=behind.serve_forever, daemon=True).start()
    target.parent.mkdir(parents=True, exist_ok=True)
    tab = browser.new_page()
    try:
        return _print(tab, f"http://127.0.0.1:{behind.server_port}/", parts, target)
    finally:
        tab.close()
        behind.shutdown()
        behind.server_close()


def _print(tab: Page, address: str, parts: Sequence[tuple[str, list[str]]], target: Path) -> list[int]:
    tab.set_default_timeout(0)
    tab.route(f"{address}book.html", lambda route: route.fulfill(body=FRAME, content_type="text/html"))
    tab.goto(f"{address}book.html")
    pages = [page for _, some in parts for page in some]
    titles = tab.evaluate(JOIN, pages)
    if len(titles) != len(pages):
        raise ValueError(f"{len(pages)} pages should have one title each, and have {len(titles)}: {titles}")
    tab.add_style_tag(content=STYLE.read_text(encoding="utf-8") + running_heads(pages, titles))
    tab.evaluate(SET_FORMULAS, "mathjax/tex-chtml.js")
    starts: list[int] = []
    for _ in range(2):
        tab.eval_on_selector(
            ".paper-contents", "(nav, html) => { nav.innerHTML = html; }", contents(parts, titles, starts)
        )
        tab.pdf(path=target, prefer_css_page_size=True, print_background=True, tagged=True, outline=True)
        starts = chapter_starts(target)
        if len(starts) != len(pages):
            raise ValueError(f"the PDF's bookmarks name {len(starts)} chapters, {len(pages)} were printed")
    return starts


def running_heads(pages: Sequence[str], titles: Sequence[str]) -> str:
    """Style: at the head of its pages stands a chapter's title, above its heading its number."""
    rules = []
    for i, (page, title) in enumerate(zip(pages, titles, strict=True)):
        quoted = title.replace("\\", "\\\\").replace('"', '\\"')
        rules.append(f'@page p{i} {{ @top-left {{ content: "{quoted}" }} }}')
        if number(page):
            rules.append(f'#p{i} h1::before {{ content: "Chapter {number(page)}" }}')
    return "\n".join(rules)


def chapter_starts(pdf: Path) -> list[int]:
    """On which page, counted from 1, each chapter begins: the bookmarks of the first rank but the contents' own."""
    reader = PdfReader(pdf)
    bookmarks = [mark for mark in reader.outline if not isinstance(mark, list)][1:]
    return [(reader.get_destination_page_number(mark) or 0) + 1 for mark in bookmarks]


if __name__ == "__main__":
    if not (SITE / "index.html").exists():
        sys.exit("There is no built book: run make html first")
    if find() is None:
        sys.exit("The PDF needs Chromium or Chrome: python book/browser.py")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        print_pdf(chromium, SITE, in_order(SITE), TARGET)
        chromium.close()
    print(f"{TARGET.relative_to(ROOT)}: {len(PdfReader(TARGET).pages)} pages, {TARGET.stat().st_size / 1e6:.1f} MB")
