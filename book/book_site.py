"""The book's Sphinx extension: what the pages need comes from the site itself, and pages stay light.

* MathJax is copied out of the installed `django-static-mathjax` (its script and the fonts that it names).
* A page with an interactive figure gets the player's script and style, once.
* A page whose figures weigh more than the budget fails the build, and the message names the heaviest.
* A page with a box for the reader's own question gets its script, and the site the Python that answers; a chapter
  gets a button that opens it as a live notebook. Without Pyodide both are left out, and one line says so.
"""

from __future__ import annotations

import importlib.util
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import live
import pyodide
import runtime
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from ragcore.explore import check_page

MATHJAX = "mathjax/tex-chtml.js"
# MathJax in one file: as published it brings a menu and other input too, a hundred kilobytes more
PARTS = ("startup", "core", "input/tex", "output/chtml", "output/chtml/fonts/tex", "a11y/assistive-mml")


def copy_mathjax(app: Sphinx) -> None:
    spec = importlib.util.find_spec("mathjax")
    if spec is None or spec.origin is None:
        raise ExtensionError("MathJax is missing: pip install django-static-mathjax==3.2.2.1")
    es5 = Path(spec.origin).parent / "static/mathjax/es5"
    target = Path(app.outdir) / "mathjax"
    target.mkdir(parents=True, exist_ok=True)
    script = "\n".join((es5 / f"{part}.js").read_text(encoding="utf-8") for part in PARTS)
    (Path(app.outdir) / MATHJAX).write_text(script, encoding="utf-8")
    fonts = "output/chtml/fonts/woff-v2"
    shutil.copytree(es5 / fonts, target / fonts, dirs_exist_ok=True)


def add_player(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document) -> None:
    body = context.get("body", "")
    if 'class="explore"' not in body:
        return
    try:
        check_page(body)
    except ValueError as error:
        raise ExtensionError(f"{page}: {error}") from None
    app.add_css_file("player.css")
    app.add_js_file("player.js", loading_method="defer")


@cache
def python_in(site: str) -> runtime.Runtime | None:
    """Python for the site, put there when the first page that can use it is written."""
    try:
        return runtime.install(Path(site))
    except pyodide.PyodideError as error:
        print(f"The box «Type your own question» and the live chapters are left out: {error}")
        return None


def add_box(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document) -> None:
    body = context.get("body", "")
    if not runtime.BOX.search(body):
        return
    python = python_in(str(app.outdir))
    if python is None:
        context["body"] = runtime.BOX.sub("", body)
        return
    context["body"] = runtime.connect(body, context["pathto"](python.worker, 1), python.megabytes)
    app.add_css_file("player.css")
    app.add_js_file("ask.js", loading_method="defer")


@cache
def live_in(site: str, chapters: tuple[str, ...]) -> live.Live | None:
    """The live notebooks of the site, put there when the first chapter's page is written."""
    python = python_in(site)
    return python and live.install(Path(site), python, chapters)


def add_live(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document) -> None:
    chapters = tuple(sorted(name for name in app.env.found_docs if live.notebook(name).exists()))
    if page not in chapters or (chapter := live_in(str(app.outdir), chapters)) is None:
        return
    address = context["pathto"](chapter.address(page), 1)
    button = live.button(address, chapter.storage, chapter.megabytes)
    context["body"] = context["body"].replace("</h1>", f"</h1>{button}", 1)
    app.add_js_file("live.js", loading_method="defer")


def drop_thebe(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document) -> None:
    """Jupyter Book loads thebe twice on every page, switched off or not; its address is another site's."""
    for files in ("script_files", "css_files"):
        context[files] = [
            file for file in context[files] if "thebe" not in f"{file.filename} {file.attributes}".lower()
        ]


def setup(app: Sphinx) -> dict[str, Any]:
    explore = importlib.util.find_spec("ragcore.explore")
    assert explore is not None
    assert explore.origin is not None
    folder = Path(explore.origin).parent
    app.config.mathjax_path = f"../{MATHJAX}"  # Sphinx counts from _static
    app.connect(
        "config-inited",
        lambda app, config: config.html_static_path.extend(
            str(folder / name) for name in ("player.js", "player.css", "ask.js")
        ),
    )
    app.connect("builder-inited", copy_mathjax)
    app.connect("html-page-context", add_player)
    app.connect("html-page-context", add_box)
    app.connect("html-page-context", add_live)
    app.connect("html-page-context", drop_thebe, priority=900)
    app.add_css_file("book.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
