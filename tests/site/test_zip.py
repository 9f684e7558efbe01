"""The book as one zip, unpacked into a folder below a server's root and read there."""

import importlib.util
import io
import re
import threading
from pathlib import Path
from zipfile import ZipFile

import pytest
from conftest import PAGES, ROOT, SITE
from serve import server

pytestmark = pytest.mark.xdist_group("zip")  # one process: they share the archive

loaded = importlib.util.spec_from_file_location("book_zip", ROOT / "book/zip.py")  # not by a name that Python has
book_zip = importlib.util.module_from_spec(loaded)
loaded.loader.exec_module(book_zip)

CHAPTER = "chapters/05-bm25-by-hand.html"


@pytest.fixture(scope="module")
def packed() -> bytes:
    return book_zip.pack(SITE)


@pytest.fixture(scope="module")
def root(packed, tmp_path_factory) -> Path:
    """The root of a server, with the book unpacked deep below it."""
    folder = tmp_path_factory.mktemp("root")
    ZipFile(io.BytesIO(packed)).extractall(folder / "deep/er")
    return folder


@pytest.fixture(scope="module")
def address(root):
    """In place of the book's: the address of the unpacked copy."""
    site = server(str(root))
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{site.server_port}/deep/er/{book_zip.NAME}"
    site.shutdown()
    site.server_close()


def test_unpacked_below_the_root_a_slider_moves_and_no_request_leaves_the_folder(open_page):
    tab = open_page(CHAPTER)  # which fails for a request outside the folder, and for a missing file
    figure = tab.locator("figure.explore:not(.explore-ask)").first
    before = figure.locator(".explore-view").inner_html()
    figure.locator("input, select").first.focus()
    tab.keyboard.press("ArrowRight")
    assert figure.locator(".explore-view").inner_html() != before
    tab.wait_for_selector("mjx-container")
    tab.locator(".next-page, a.right-next").first.click()
    assert tab.url.rpartition("/")[2] != CHAPTER.rpartition("/")[2]
    assert "/deep/er/" in tab.url


def test_every_page_is_there_and_every_link_of_it_leads_somewhere(root):
    book = root / "deep/er" / book_zip.NAME
    missing = set()
    for page in PAGES:
        for link in re.findall(r'(?:href|src)="([^"#?:]+)[#?"]', (book / page).read_text(encoding="utf-8")):
            if not (book / page).parent.joinpath(link).exists():
                missing.add(f"{page}: {link}")
    assert missing == set()


def test_what_only_the_build_needs_stays_out(packed):
    names = {name.removeprefix(f"{book_zip.NAME}/") for name in ZipFile(io.BytesIO(packed)).namelist()}
    assert "START-HERE.txt" in names
    assert not {
        name for name in names if name.startswith(".") or name.endswith((".doctree", ".map", "objects.inv"))
    }
    assert {name for name in names if name.endswith(".html")} >= set(PAGES)
    offered = {name for name in names if name.startswith("_sources/")}
    pages = "".join((SITE / page).read_text(encoding="utf-8") for page in PAGES)
    assert offered == {name for name in offered if f'{name}"' in pages}


def test_the_same_site_gives_the_same_bytes_under_a_name_that_another_does_not_get(tmp_path):
    names = set()
    for edition, text in (("first", "a"), ("again", "a"), ("second", "b")):
        site = tmp_path / edition
        (site / "chapters").mkdir(parents=True)
        (site / "index.html").write_text(text)
        (site / "chapters/one.html").write_text("one")
        (site / ".buildinfo").write_text(edition)
        made = book_zip.write(site, tmp_path / "dist")
        names.add(made.name)
        assert [path.name for path in (tmp_path / "dist").iterdir()] == [made.name]
    assert len(names) == 2
