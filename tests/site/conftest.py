"""The built book behind a server on the loopback, and a real Chromium in front of it."""

import os
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
SITE = ROOT / "_build" / "html"
sys.path.insert(0, str(ROOT / "book"))

from browser import find  # noqa: E402
from serve import server  # noqa: E402

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OTHERS = ("_static", "live-")  # what the theme and JupyterLite bring with them
PAGES = sorted(
    page
    for page in (path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
    if not page.startswith(OTHERS)
)
BOOK_PAGES = [page for page in PAGES if page != "search.html"]


@pytest.fixture(scope="session")
def address():
    if not PAGES:
        pytest.fail("there is no built book: run make html first")
    site = server(str(SITE))
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{site.server_port}"
    site.shutdown()
    site.server_close()


@pytest.fixture(scope="session")
def browser():
    path = find()
    if path is None:
        pytest.fail("no Chromium or Chrome found: run python book/browser.py")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@contextmanager
def opener(browser, address):
    """A function that opens a page of the book in a fresh window; every fault it reports is an error at the end."""
    contexts, faults = [], []

    def open_(page: str, **options):
        context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
        contexts.append(context)
        tab = context.new_page()
        tab.on("pageerror", lambda error: faults.append(f"{page}: {error}"))
        tab.on("console", lambda m: faults.append(f"{page}: {m.text}") if m.type == "error" else None)
        tab.on("request", lambda r: None if r.url.startswith((address, "data:", "blob:")) else faults.append(r.url))
        tab.on("response", lambda r: faults.append(f"{r.status} {r.url}") if r.status >= 400 else None)
        tab.goto(f"{address}/{page}", wait_until="load")
        return tab

    yield open_
    for context in contexts:
        context.close()
    assert not faults


@pytest.fixture
def open_page(browser, address):
    """A function that opens a page in a fresh window; every fault of the page fails the test."""
    with opener(browser, address) as open_:
        yield open_


@pytest.fixture(scope="session", autouse=True)
def page_figures():
    os.environ["RAGCORE_FIGURES"] = "page"
