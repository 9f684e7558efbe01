"""Links to Binder and Colab: there when the repository has an address, and not otherwise."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
from conftest import ROOT
from links import repository
from sphinx.errors import ExtensionError

# a chapter is known by its file's name; that there is reStructuredText in it saves the time that myst_nb takes
CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "book")!r})
extensions, master_doc, html_theme = ["links"], "index", "basic"
source_suffix = {{".rst": "restructuredtext", ".ipynb": "restructuredtext"}}
"""


def build(folder: Path, **environment: str) -> None:
    """A book of a home page and one chapter."""
    source = folder / "source"
    (source / "chapters").mkdir(parents=True)
    (source / "conf.py").write_text(CONF, encoding="utf-8")
    (source / "index.rst").write_text("Home\n====\n\n.. toctree::\n\n   chapters/one\n", encoding="utf-8")
    (source / "chapters/one.ipynb").write_text("A chapter\n=========\n\nIts text.\n", encoding="utf-8")
    settings = {name: value for name, value in os.environ.items() if not name.startswith("RAGCORE_")} | environment
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", source, folder / "site"], env=settings, check=True)


def links(folder: Path, page: str) -> list[str]:
    html = (folder / "site" / page).read_text(encoding="utf-8")
    return re.findall(r'href="(https?://(?:mybinder|colab)[^"]*)"', html)


def test_with_an_address_a_chapter_links_to_itself_on_binder_and_colab(tmp_path):
    build(tmp_path, RAGCORE_REPOSITORY="https://github.com/some-one/the.book.git", RAGCORE_BRANCH="next/one")
    binder, colab = links(tmp_path, "chapters/one.html")
    assert binder.startswith("https://mybinder.org/v2/gh/some-one/the.book/next%2Fone?urlpath=")
    assert unquote(binder.partition("urlpath=")[2]) == "lab/tree/chapters/one.ipynb"
    assert colab == "https://colab.research.google.com/github/some-one/the.book/blob/next/one/chapters/one.ipynb"
    text = (tmp_path / "site/chapters/one.html").read_text(encoding="utf-8")
    assert "%pip install &quot;ragcore[figures] @ git+https://github.com/some-one/the.book@next/one&quot;" in text
    assert text.index("</h1>") < text.index(colab) < text.index("Its text.")
    assert links(tmp_path, "index.html") == []  # no notebook


def test_without_an_address_no_page_has_such_a_link(tmp_path):
    build(tmp_path)
    assert links(tmp_path, "chapters/one.html") == []
    assert "elsewhere" not in (tmp_path / "site/chapters/one.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("address", ["https://gitlab.com/some-one/book", "github.com/a/b", "https://github.com/a"])
def test_an_address_that_neither_can_open_is_named(monkeypatch, address):
    monkeypatch.setenv("RAGCORE_REPOSITORY", address)
    with pytest.raises(
        ExtensionError, match="should be like https://github.com/OWNER/NAME, not '" + re.escape(address)
    ):
        repository()


def test_what_binder_installs_is_the_package_itself_on_a_python_that_it_runs_on():
    lines = (ROOT / ".binder/requirements.txt").read_text(encoding="utf-8").splitlines()
    needs = [line for line in lines if not line.startswith("#")]
    assert needs[0] == ".[figures]"
    pinned = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert all(need in pinned for need in needs[1:])  # the same versions as the book's
    assert (ROOT / ".binder/runtime.txt").read_text(encoding="utf-8") == "python-3.12\n"
