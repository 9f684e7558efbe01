"""Where else a chapter runs: links to Binder and Colab, if the book's repository has an address.

    RAGCORE_REPOSITORY=https://github.com/OWNER/NAME   the repository; without it, no page has such a link
    RAGCORE_BRANCH=main                                the branch, if it isn't main

Binder makes its machine from .binder/, with the package in it. Colab opens the bare notebook, so the package must
be installed there first: the line says how.
"""

from __future__ import annotations

import os
import re
from html import escape
from typing import Any
from urllib.parse import quote

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def repository() -> tuple[str, str] | None:
    """Owner/name and branch of the book's repository, if they are configured.

    Raises ExtensionError for an address that neither Binder nor Colab could open.
    """
    address = os.environ.get("RAGCORE_REPOSITORY", "").strip()
    if not address:
        return None
    found = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", address)
    if found is None:
        raise ExtensionError(f"RAGCORE_REPOSITORY should be like https://github.com/OWNER/NAME, not {address!r}")
    return found[1], os.environ.get("RAGCORE_BRANCH", "").strip() or "main"


def elsewhere(notebook: str, name: str, branch: str) -> str:
    """The line under a chapter's title."""
    path, tree = quote(notebook), quote(branch, safe="/")
    binder = (
        f"https://mybinder.org/v2/gh/{name}/{quote(branch, safe='')}?urlpath={quote(f'lab/tree/{path}', safe='')}"
    )
    colab = f"https://colab.research.google.com/github/{name}/blob/{tree}/{path}"
    install = escape(f'%pip install "ragcore[figures] @ git+https://github.com/{name}@{branch}"')
    return (
        f'<details class="elsewhere"><summary>Run it on another machine</summary>'
        f'<p><a href="{binder}">Open in Binder</a>: a minute or two until it starts, nothing to install.</p>'
        f'<p><a href="{colab}">Open in Colab</a>: run this in a new cell at the top: <code>{install}</code></p>'
        "</details>"
    )


def add_links(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    configured = repository()
    if configured is None or doctree is None or not app.env.doc2path(page).endswith(".ipynb"):
        return
    line = elsewhere(app.env.doc2path(page, base=False), *configured)
    context["body"] = context["body"].replace("</h1>", f"</h1>\n{line}", 1)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", add_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
