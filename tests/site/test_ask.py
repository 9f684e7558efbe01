"""The box for the reader's own question in a real browser: Python itself runs in the page.

It is tried on a page that is built here, in a folder below the root, and on each page of the book that has a box.
"""

import os
import re
import statistics
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pyodide
import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import PAGES, ROOT, SITE
from serve import server

from ragcore.analysis import ANALYZERS
from ragcore.corpus import load_questions
from ragcore.explore import Ask
from ragcore.figures.asking import answer

OWN_PAGE = "book/chapters/page.html"
BOOK_PAGES = [page for page in PAGES if "explore-ask" in (SITE / page).read_text(encoding="utf-8")]
CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "book")!r})
extensions, master_doc, html_theme = ["book_site"], "chapters/page", "basic"
html_favicon, html_static_path = {str(ROOT / "book/logo.svg")!r}, [{str(ROOT / "book/static")!r}]
"""
# what a theme does besides: the page's colours, and its width on a phone
THEME = (
    ":root { color-scheme: light dark } body { background: canvas; color: canvastext } div.body { min-width: 0 }"
)

# asks, and gives the milliseconds until the answer stands there
ASK = """([question, analyzer, language]) => new Promise(done => {
    const box = document.querySelector(".explore-ask"), form = box.querySelector("form");
    Object.entries({question, analyzer, language}).forEach(([name, value]) => form.elements[name].value = value);
    new MutationObserver((_, observer) => { observer.disconnect(); done(performance.now() - start); })
        .observe(box.querySelector(".explore-body"), {childList: true});
    const start = performance.now();
    form.requestSubmit();
})"""
# HTML as the browser writes it
AS_WRITTEN = "html => { const div = document.createElement('div'); div.innerHTML = html; return div.innerHTML; }"
ODD = {
    "unknown": "qwertz xyzzy",
    "emoji": "🤔🎉",
    "an emoji and a word": "🎉 důkaz 👩‍👩‍👧",
    "half an emoji": "důkaz \ud83e",
    "Hebrew": "מהי אינדוקציה?",
    "ten thousand characters": "důkaz indukcí " * 715,
    "one word of ten thousand letters": "a" * 10_000,
    "markup": "<script>document.title = 'x'</script><img src=x onerror=\"document.title='x'\"> důkaz",
    "nothing": "   ",
}


def build_site(folder: Path, **environment: str) -> str:
    """A book of one page with a box, made by the book's own extension; gives what the build prints."""
    source = folder / "source"
    (source / "chapters").mkdir(parents=True)
    (source / "conf.py").write_text(CONF, encoding="utf-8")
    page = f"Page\n====\n\n.. raw:: html\n\n   {Ask('own-question').html}\n"
    (source / "chapters/page.rst").write_text(page, encoding="utf-8")
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", source, folder / "site/book"]
    return subprocess.run(sphinx, env=os.environ | environment, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def own_site(tmp_path_factory) -> Path:
    try:
        pyodide.fetch()
    except pyodide.PyodideError as error:
        pytest.skip(f"PYODIDE IS MISSING, so the box «Type your own question» is NOT tested: {error}")
    folder = tmp_path_factory.mktemp("own")
    assert build_site(folder) == ""
    return folder / "site"


@pytest.fixture(scope="module")
def page(request) -> str:
    return getattr(request, "param", OWN_PAGE)


@pytest.fixture(scope="module")
def address(request, page):
    """In place of the book's: the address of the site that the page is in."""
    site = server(str(SITE if page in BOOK_PAGES else request.getfixturevalue("own_site")))
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{site.server_port}"
    site.shutdown()
    site.server_close()


pytestmark = pytest.mark.xdist_group("ask")  # one process: they share a site
every_page = pytest.mark.parametrize("page", [OWN_PAGE, *BOOK_PAGES], indirect=True)


@contextmanager
def window(browser):
    """A tab whose faults are no fault of the test's."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def wait_for(tab, words: str) -> str:
    """The sentence of the box, as soon as these words stand in it."""
    says = "words => document.querySelector('.explore-status').textContent.includes(words)"
    tab.wait_for_function(says, arg=words, timeout=60_000)
    return tab.locator(".explore-status").inner_text()


def start(tab) -> str:
    tab.locator(".explore-ask button").click()
    return wait_for(tab, "Python has started")


def shows(tab, question: str, analyzer: str = "stems", language: str = "cs") -> bool:
    """Whether the box shows, tag for tag, what Python here answers."""
    expected = tab.evaluate(AS_WRITTEN, answer(question, language, analyzer))
    return tab.locator(".explore-ask .explore-body").inner_html() == expected


@every_page
def test_with_the_keyboard_alone_python_is_started_and_answers_and_all_of_it_comes_from_the_site(
    open_page, page, address
):
    tab = open_page(page)  # which fails for a request to another host
    loaded = {}
    tab.on("response", lambda r: loaded.update({urlsplit(r.url).path: int(r.headers["content-length"])}))
    label = tab.locator(".explore-ask button").inner_text()
    tab.wait_for_load_state("networkidle")
    assert not [path for path in loaded if "/pyodide/" in path]
    tab.locator(".explore-ask input").focus()
    tab.keyboard.type("Jak funguje gradientní sestup?")
    for _ in range(3):
        tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == label
    tab.keyboard.press("Enter")
    wait_for(tab, "Answered in")
    language = tab.locator(".explore-ask [name=language]").input_value()
    analyzer = tab.locator(".explore-ask [name=analyzer]").input_value()
    assert shows(tab, "Jak funguje gradientní sestup?", analyzer, language)
    other = {"cs": "en", "en": "cs"}[language]
    tab.keyboard.press("Shift+Tab")
    tab.keyboard.press({"cs": "c", "en": "e"}[other])  # Czech or English
    tab.wait_for_function(f"document.querySelector('.explore-ask .explore-body [lang={other}]')")
    assert shows(tab, "Jak funguje gradientní sestup?", analyzer, other)
    assert {Path(path).suffix for path in loaded} >= {".js", ".wasm", ".zip", ".json", ".whl"}  # the worker's too
    megabytes = round(sum(loaded.values()) / 1e6)
    assert label == f"Start Python in this page (about {megabytes} MB, a few seconds)"


@every_page
def test_once_started_an_answer_takes_a_tenth_of_a_second(open_page, page, capsys):
    tab = open_page(page)
    seconds = re.search(r"in ([\d.]+) s", start(tab))[1]
    times = []
    for i, question in enumerate(load_questions("cs")[:10]):
        analyzer = list(ANALYZERS)[i % 3]
        times.append(tab.evaluate(ASK, [question.text, analyzer, "cs"]))
        assert shows(tab, question.text, analyzer)
    median = statistics.median(times)
    with capsys.disabled():
        print(f"\n{page}: Python started in {seconds} s, the median of ten answers took {median:.0f} ms")
    assert median < 1000, times  # a hundred where nothing else runs; a busy machine is no fault


@every_page
def test_whatever_is_typed_the_answer_is_that_of_python_here_and_a_reload_starts_afresh(open_page, page):
    tab = open_page(page)
    title = tab.title()
    start(tab)
    for name, question in ODD.items():
        for analyzer in ANALYZERS:
            tab.evaluate(ASK, [question, analyzer, "cs"])
            assert shows(tab, question, analyzer), name
    assert tab.title() == title
    tab.reload()
    assert tab.locator(".explore-ask button").inner_text().startswith("Start Python")
    start(tab)
    tab.evaluate(ASK, ["gradient", "words", "en"])
    assert shows(tab, "gradient", "words", "en")


def test_of_questions_asked_while_one_is_answered_only_the_last_is_shown(open_page, page):
    tab = open_page(page)
    start(tab)
    changes = tab.evaluate("""() => new Promise(done => {
        const box = document.querySelector(".explore-ask"), form = box.querySelector("form");
        let changes = 0;
        new MutationObserver(() => changes += 1).observe(box.querySelector(".explore-body"), {childList: true});
        for (const question of ["důkaz", "indukce", "sestup"]) {
            form.elements.question.value = question;
            form.requestSubmit();
        }
        setTimeout(() => done(changes), 2000);
    })""")
    assert changes == 1
    assert shows(tab, "sestup")


@pytest.mark.parametrize("file", ["ask-worker.js", "pyodide.js", "pyodide.asm.wasm", "python_stdlib.zip", "numpy"])
def test_a_file_that_cannot_be_had_ends_the_start_with_a_sentence_and_the_button_tries_again(
    browser, address, page, file
):
    with window(browser) as tab:
        tab.route(f"**/pyodide/{file}*", lambda route: route.fulfill(status=404))
        tab.goto(f"{address}/{page}")
        tab.locator(".explore-ask input").fill("důkaz")
        tab.locator(".explore-ask button").click()
        sentence = wait_for(tab, "Python did not start:")
        assert file in sentence or file == "ask-worker.js"
        assert tab.locator(".explore-ask button").inner_text() == "Retry"
        tab.unroute_all()
        tab.locator(".explore-ask button").click()
        wait_for(tab, "Answered in")
        assert shows(tab, "důkaz")
        assert len(tab.workers) == 1  # the one that failed is gone


def test_a_start_that_never_ends_is_given_up_and_says_so(browser, address, page):
    with window(browser) as tab:
        tab.clock.install()
        tab.route("**/pyodide.asm.wasm", lambda route: None)  # neither answered nor refused
        tab.goto(f"{address}/{page}")
        tab.locator(".explore-ask button").click()
        wait_for(tab, "Python is starting")
        tab.clock.fast_forward("05:01")
        assert wait_for(tab, "did not start") == "Python did not start: no answer within 300 seconds."


@every_page
def test_without_scripts_a_sentence_stands_there_and_nothing_dead(open_page, page):
    tab = open_page(page, java_script_enabled=False)
    assert tab.locator(".explore-ask form").is_hidden()
    assert "It needs scripts" in tab.locator(".explore-status").inner_text()


@every_page
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_the_answer_fits_and_axe_finds_no_barrier(open_page, page, theme):
    tab = open_page(page, viewport={"width": 360, "height": 800}, color_scheme=theme)
    tab.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    if page == OWN_PAGE:
        tab.add_style_tag(content=THEME)
    start(tab)
    tab.evaluate(ASK, [f"{'a' * 200} důkaz indukcí", "stems", "cs"])
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "preload": False}
    found = Axe().run(tab, context=".explore-ask", options=options).response["violations"]
    assert [(v["id"], [node["html"][:200] for node in v["nodes"]][:4]) for v in found] == []


def test_without_pyodide_the_build_leaves_the_box_out_and_says_so_in_one_line(tmp_path):
    printed = build_site(tmp_path, RAGCORE_PYODIDE=str(tmp_path / "empty"))
    assert printed.startswith("The box «Type your own question» and the live chapters are left out: ")
    assert printed.count("\n") == 1
    assert "explore-ask" not in (tmp_path / "site" / OWN_PAGE).read_text(encoding="utf-8")
    assert not (tmp_path / "site/book/pyodide").exists()
