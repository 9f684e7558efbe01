"""Every chapter as a live notebook in the browser: JupyterLite, built into the site beside the pages.

    site/live-<edition>/   JupyterLite with the chapters, as they are but without outputs; Python is site/pyodide/
    page                   a button «Run this chapter» that says what it costs, and opens its notebook there

An edition is a hash of all that a live chapter consists of. It is in the folder's name, and in the name under which
the browser keeps what a reader changes: an old copy never hides a new edition, an old file is never taken for a new
one. JupyterLab trusts no saved HTML, so outputs would show as dead pictures: the copies have none.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import nbformat
import runtime
from pybtex.database import BibliographyData, parse_file

ROOT = runtime.ROOT
BUILT = ROOT / "_build/live"
APPS = ("notebooks", "lab")  # a notebook of its own, and JupyterLab around it
LOOKS = {"@jupyterlab/apputils-extension:themes": {"adaptive-theme": True}}  # light or dark, as the reader's system
KERNEL = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}


# what the notebook application itself downloads, in megabytes; a test compares the sum with what a browser loads
APPLICATION = 11


@dataclass(frozen=True)
class Live:
    """The live chapters of a site: their folder, counted from the site's root, and what starting one downloads."""

    folder: str
    storage: str
    megabytes: int

    def address(self, page: str) -> str:
        """Where a page's notebook is open, counted from the site's root."""
        return f"{self.folder}/notebooks/index.html?path={page}.ipynb"


def button(address: str, storage: str, megabytes: int) -> str:
    """«Run this chapter», what it costs, and a way back to the book’s version, shown by `live.js` when needed."""
    return (
        f'<div class="run-chapter" data-storage="{storage}"><a href="{address}" target="_blank" rel="noopener">'
        f"Run this chapter</a> <span>live in a new tab: about {megabytes} MB the first time, some 20 seconds; your "
        "changes stay in this browser</span> "
        '<button type="button" hidden>Back to the book’s version</button> <span role="status"></span></div>'
    )


def notebook(page: str) -> Path:
    """The notebook of a chapter's page, as `chapters/05-bm25-by-hand`."""
    return ROOT / "chapters" / f"{Path(page).name}.ipynb"


def install(site: Path, python: runtime.Runtime, pages: Iterable[str]) -> Live:
    """Build the live chapters into a site that has Python already.

    pages: the chapters' pages. Equal content is built once.
    """
    notebooks = {f"{page}.ipynb": stripped(notebook(page)) for page in pages}
    content = json.dumps([python.version, notebooks, _versions(), Path(__file__).read_text(encoding="utf-8")])
    edition = hashlib.sha256(content.encode()).hexdigest()[:10]
    built = BUILT / f"live-{edition}"
    if not built.exists():
        shutil.rmtree(BUILT, ignore_errors=True)
        BUILT.mkdir(parents=True)
        with tempfile.TemporaryDirectory(dir=BUILT) as temporary:
            build(Path(temporary), notebooks, settings(edition, python)).rename(built)
    for old in site.glob("live-*"):
        shutil.rmtree(old)
    target = Path(shutil.copytree(built, site / built.name))
    return Live(target.name, storage(edition), python.chapter_megabytes + APPLICATION)


def stripped(path: Path) -> str:
    """A notebook without outputs, for the kernel in the browser; solutions and figures' code are folded."""
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["kernelspec"] = KERNEL
    in_solution = False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            opens, closes = "{solution-start}" in cell.source, "{solution-end}" in cell.source
            in_solution = opens or (in_solution and not closes)
            cell.source = readable(cell.source)
        else:
            cell.outputs, cell.execution_count = [], None
            if in_solution or "hide-input" in cell.metadata.get("tags", []):
                cell.metadata["jupyter"] = {"source_hidden": True}
    return nbformat.writes(notebook)


def readable(markdown: str) -> str:
    """What leads to another page becomes what a notebook on its own can show: a term, an author, a title."""
    markdown = re.sub(r"\{term\}`([^`<]*?)\s*(?:<[^`]*>)?`", r"\1", markdown)
    markdown = re.sub(r"\{cite:t\}`([^`]+)`", lambda m: cited(m[1], in_brackets=False), markdown)
    markdown = re.sub(r"\{cite:p\}`([^`]+)`", lambda m: cited(m[1], in_brackets=True), markdown)
    return re.sub(r"\[\]\((\d\d-[a-z0-9-]+)\)", lambda m: f"«{title(m[1])}»", markdown)


def cited(keys: str, in_brackets: bool) -> str:
    """Authors and year, as the book's pages have them.

    >>> cited("robertson2009prf", in_brackets=False)
    'Robertson and Zaragoza (2009)'
    """
    found = []
    for key in keys.split(","):
        if (entry := bibliography().entries.get(key.strip())) is None:
            raise ValueError(f"references.bib has no entry {key.strip()!r}, which a chapter cites")
        names = [" ".join(person.last_names) for person in entry.persons["author"]]
        authors = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
        found.append(f"{authors}, {entry.fields['year']}" if in_brackets else f"{authors} ({entry.fields['year']})")
    return f"({'; '.join(found)})" if in_brackets else " and ".join(found)


@cache
def bibliography() -> BibliographyData:
    return parse_file(str(ROOT / "references.bib"))


@cache
def title(page: str) -> str:
    """The heading of a chapter, notebook or Markdown."""
    (path,) = (ROOT / "chapters").glob(f"{page}.*")
    text = path.read_text(encoding="utf-8")
    source = text if path.suffix == ".md" else "".join(json.loads(text)["cells"][0]["source"])
    return re.search(r"^# (.+)$", source, re.M)[1]


def storage(edition: str) -> str:
    """The name of the database in which a browser keeps the chapters that a reader changed."""
    return f"The Right Information, edition {edition}"


def settings(edition: str, python: runtime.Runtime) -> dict:
    """JupyterLite's own settings: Python comes from the site, nothing from elsewhere."""
    kernel = {
        "pyodideUrl": "./../pyodide/pyodide.js",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {
            "lockFileURL": f"../pyodide/pyodide-lock.json?v={python.version}",
            "packages": ["ssl", "sqlite3", "comm", "ipython", "jedi"],
        },
    }
    return {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "The Right Information",
            "contentsStorageName": storage(edition),
            "settingsStorageName": storage(edition),
            "workspacesStorageName": storage(edition),
            "exposeAppInBrowser": True,  # so that a test can ask the notebook what it holds
            "litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": kernel},
        },
    }


def build(folder: Path, notebooks: dict[str, str], configuration: dict) -> Path:
    """JupyterLite, built in a folder of its own."""
    (folder / "lite").mkdir()
    (folder / "lite/jupyter-lite.json").write_text(json.dumps(configuration), encoding="utf-8")
    (folder / "lite/overrides.json").write_text(json.dumps(LOOKS), encoding="utf-8")
    for name, text in notebooks.items():
        copy = folder / "contents" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--no-sourcemaps"]
    command += ["--lite-dir", folder / "lite", "--contents", folder / "contents", "--output-dir", folder / "site"]
    for app in APPS:
        command += ["--apps", app]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return folder / "site"


def _versions() -> list[str]:
    parts = ("jupyterlite-core", "jupyterlite-pyodide-kernel", "jupyterlab-myst", "jupyterlab_widgets")
    return [version(name) for name in parts]
