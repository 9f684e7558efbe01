"""The book's second Sphinx extension: what a page weighs. Nothing is shipped that nothing uses.

At the end of a build, in this order:

* a page loses the scripts and style sheets that it has no use for (NEEDS);
* the theme's style sheets lose every rule about a class or an id that no page and no script has;
* of the theme's two megabytes of icons a font of those remains that the style sheets still name;
* every script and style sheet is asked for with a hash of its content, so that a reader's browser never takes those
  of an older edition;
* what then lies in _static and is named by no page and no style sheet is removed;
* a page whose first view weighs more than its budget fails the build, and the message names the heaviest files.

A first view is all that a browser asks for when a page is opened: the page with all its figures, style sheets,
scripts, pictures and fonts, each compressed on its own as a server does it.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import tinycss2
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

BUDGETS = {"index.html": 300_000}
BUDGET = 500_000  # bytes, of every other page

# a script or style sheet, and what a page must have for it to be loaded there: nowhere, if it is None
CODE, CARDS = 'class="highlight', r'class="[^"]*\bsd-'
FOLD = r'class="[^"]*(?<![\w-])(toggle(?![\w-])|dropdown admonition|admonition [^"]*dropdown)'
SEARCH = 'id="search-results"'
NEEDS = {
    "fontawesome.js": None,  # the icons come from the font
    "searchindex.js": SEARCH,
    "searchtools.js": SEARCH,
    "language_data.js": SEARCH,
    "tex-chtml.js": 'class="math',
    "clipboard.min.js": CODE,
    "copybutton.js": CODE,
    "copybutton.css": CODE,
    "togglebutton.js": FOLD,
    "togglebutton.css": FOLD,
    "design-tabs.js": r'class="[^"]*\bsd-tab-set\b',
    "sphinx-design.min.css": CARDS,
    "exercise.css": r'class="[^"]*\b(exercise|solution)\b',
}
THEMES = ("pydata-sphinx-theme.css", "sphinx-book-theme.css", "basic.css", "sphinx-design.min.css", "mystnb.*.css")
BUILT = {"bs-tooltip-auto"}  # classes that Bootstrap puts together out of pieces

TAG = re.compile(
    r'(?P<start><(?:script|link)\b[^>]*?\b(?:src|href)=)"(?P<url>[^"?]+\.(?:js|css))(?:\?[^"]*)?"(?P<end>[^>]*>(?:</script>)?\n?)'
)
NAMED = re.compile(r"""(?:url\(|@import )["']?(?!data:)([^"')?#;]+)""")  # by a style sheet
IMPORT = re.compile(r'(?P<start>@import )"(?P<url>[^"?]+\.css)(?:\?[^"]*)?"(?P<end>;)')
PICTURE = re.compile(
    r'<img\b(?![^>]*loading="lazy")[^>]*?\bsrc="(?!data:)([^"?#]+)|<link rel="icon" href="([^"?#]+)'
)
NAMES = re.compile(r'\b(?:class|id)=\\?["\']([^"\'\\]*)')  # in a figure's JSON the quotes are escaped
PRIVATE = re.compile("[\ue000-\uf8ff]")

ICONS = "_static/icons.woff"
FACE = '@font-face{font-family:"Font Awesome 6 Free";font-weight:900;font-display:block;src:url("%s")}'
SOLID = "_static/vendor/fontawesome/webfonts/fa-solid-900.ttf"
FORMULAS = (
    "Zero",
    "Main-Regular",
    "Math-Italic",
    "Size1-Regular",
    "Size2-Regular",
    "Size3-Regular",
    "Size4-Regular",
)


def slim(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir).resolve()
    pages = [
        page for name in [*app.env.found_docs, "genindex", "search"] if (page := site / f"{name}.html").exists()
    ]
    for page in pages:
        write(page, drop_unused(page.read_text(encoding="utf-8")))
    used = BUILT | names(site, pages)
    sheets = {sheet for page in pages for sheet in linked(page, ".css")}
    for sheet in sheets:
        if any(sheet.match(theme) for theme in THEMES):
            write(sheet, prune(sheet.read_text(encoding="utf-8"), used))
    draw_icons(site, pages, sheets)
    for sheet in sheets:
        write(sheet, IMPORT.sub(partial(with_version, sheet), sheet.read_text(encoding="utf-8")))
    for page in pages:
        write(page, TAG.sub(partial(with_version, page), page.read_text(encoding="utf-8")))
    remove_unnamed(site, pages)
    for page in pages:
        check(site, page)


# ---------------------------------------------------------------------------------------------- what a page loads


def write(path: Path, text: str) -> None:
    if path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def drop_unused(html: str) -> str:
    """A page without the scripts and style sheets that it has no use for."""

    def keep(tag: re.Match[str]) -> str:
        name = tag["url"].rpartition("/")[2]
        needed = name not in NEEDS or (NEEDS[name] is not None and re.search(NEEDS[name], html))
        return tag[0] if needed else ""

    return TAG.sub(keep, html)


def with_version(source: Path, tag: re.Match[str]) -> str:
    """What names a script or style sheet: its address, followed by a hash of what the file holds."""
    file = (source.parent / tag["url"]).resolve()
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
    return f'{tag["start"]}"{tag["url"]}?v={digest}"{tag["end"]}'


def linked(page: Path, suffix: str) -> Iterator[Path]:
    """The files with this ending that a page loads, and those that a style sheet imports; each once."""
    text = page.read_text(encoding="utf-8")
    urls = [tag["url"] for tag in TAG.finditer(text)] + [first or last for first, last in PICTURE.findall(text)]
    todo, seen = [page.parent / url for url in urls], set()
    while todo:
        file = todo.pop().resolve()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        if file.suffix == ".css":
            todo += [file.parent / url for url in NAMED.findall(file.read_text(encoding="utf-8"))]
        if file.name.endswith(suffix):
            yield file


def names(site: Path, pages: Iterable[Path]) -> set[str]:
    """Every class and id of the pages, and every word of their scripts, which may set any."""
    found: set[str] = set()
    scripts: set[Path] = set()
    for page in pages:
        for value in NAMES.findall(page.read_text(encoding="utf-8")):
            found.update(value.split())
        scripts.update(linked(page, ".js"))
    for script in scripts:
        if script.parent != site / "mathjax" and script.name != "searchindex.js":  # which holds the book's words
            found.update(re.findall(r"[\w-]+", script.read_text(encoding="utf-8")))
    return found


# ---------------------------------------------------------------------------------------------- style sheets, icons


def prune(css: str, used: set[str]) -> str:
    """A style sheet without the rules about classes and ids that nobody has.

    >>> prune(".a, .b > p { top: 0 } @media print { .b { top: 0 } } p:not(.b) { top: 1px }", {"a"})
    '.a{ top: 0 }\\np:not(.b) { top: 1px }'
    """
    return "\n".join(kept(tinycss2.parse_stylesheet(css, skip_whitespace=True), used))


def kept(rules: Iterable[Any], used: set[str]) -> Iterator[str]:
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [one for one in split(rule.prelude) if wanted(one) <= used]
            if selectors:
                prelude = ",".join(tinycss2.serialize(one).strip() for one in selectors)
                yield f"{prelude}{{{tinycss2.serialize(rule.content)}}}"
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            inside = "".join(kept(tinycss2.parse_rule_list(rule.content, skip_whitespace=True), used))
            if inside:
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inside}}}"
        elif rule.type == "at-rule" or (rule.type == "comment" and rule.value.startswith("!")):  # a licence
            yield rule.serialize()


def split(prelude: list[Any]) -> list[list[Any]]:
    """The selectors of a rule."""
    selectors: list[list[Any]] = [[]]
    for token in prelude:
        if token == ",":
            selectors.append([])
        else:
            selectors[-1].append(token)
    return selectors


def wanted(selector: list[Any]) -> set[str]:
    """The classes and ids that an element must have; what stands inside :is(), :not() and the like is no must."""
    classes = {name.value for dot, name in pairwise(selector) if dot == "." and name.type == "ident"}
    return classes | {token.value for token in selector if token.type == "hash"}


def draw_icons(site: Path, pages: Iterable[Path], sheets: Iterable[Path]) -> None:
    """A font of the icons that the style sheets name, in place of Font Awesome's three.

    Raises ExtensionError for a page with an icon that it would not show.
    """
    texts = {sheet: sheet.read_text(encoding="utf-8") for sheet in sheets}
    if not any("Font Awesome" in text for text in texts.values()):
        return  # another theme
    characters = {character for text in texts.values() for character in PRIVATE.findall(text)}
    font = TTFont(site / SOLID)
    missing = icons_without_glyph(pages, "".join(texts.values()), font.getBestCmap())
    if missing:
        raise ExtensionError(f"icons that are not in Font Awesome's solid font: {', '.join(sorted(missing))}")
    subsetter = Subsetter(Options(name_IDs=[0, 13, 14], notdef_outline=False))  # the copyright and the licence
    subsetter.populate(unicodes=map(ord, characters))
    subsetter.subset(font)
    font["head"].modified = font["head"].created  # the same bytes in every build
    font.flavor = "woff"
    font.recalcTimestamp = False
    font.save(site / ICONS)
    digest = hashlib.sha256((site / ICONS).read_bytes()).hexdigest()[:8]
    for sheet, text in texts.items():
        faces = re.compile(r"@font-face\s*\{[^}]*Font ?Awesome[^}]*\}")
        if faces.search(text):
            face = FACE % f"../icons.woff?v={digest}"
            write(sheet, faces.sub("", text) + face)


def icons_without_glyph(pages: Iterable[Path], css: str, glyphs: dict[int, str]) -> set[str]:
    """Which icons of the pages no rule gives a character, or the font no glyph, with a page for each."""
    drawn = set()
    for selectors, character in re.findall(r'([^{}]*)\{content:"(.)"\}', css):
        if ord(character) in glyphs:
            drawn.update(re.findall(r"\.(fa-[\w-]+):", selectors))
    other = (
        set(re.findall(r"\.(fa-[\w-]+)", css))
        - set(re.findall(r"\.(fa-[\w-]+):", css))
        - {"fa-brands", "fa-regular"}
    )
    missing = set()
    for page in pages:
        for value in NAMES.findall(page.read_text(encoding="utf-8")):
            icons = {name for name in value.split() if name.startswith("fa-") or name in ("fab", "far")}
            missing.update(f"{name} on {page.name}" for name in icons - drawn - other)
    return missing


def remove_unnamed(site: Path, pages: Iterable[Path]) -> None:
    """Leave in _static only what some page or style sheet names, and the licences of it."""
    named = {file for page in pages for file in linked(page, "")}
    for file in (site / "_static").rglob("*"):
        if (
            file.is_file()
            and file not in named
            and file.with_name(file.name.removesuffix(".LICENSE.txt")) not in named
        ):
            file.unlink()
    for folder in sorted((site / "_static").rglob("*"), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


# ---------------------------------------------------------------------------------------------- the budget


def first_view(site: Path, page: Path) -> dict[str, int]:
    """The bytes of each file that opening a page transfers, compressed."""
    site, page = site.resolve(), page.resolve()
    files = {page, *linked(page, "")}
    if any(file.parent == site / "mathjax" for file in files):
        files |= {site / f"mathjax/output/chtml/fonts/woff-v2/MathJax_{name}.woff" for name in FORMULAS}
    return {file.relative_to(site).as_posix(): transferred(file) for file in sorted(files)}


def transferred(file: Path) -> int:
    """What a server sends of a file; fonts and photographs are compressed already."""
    content = file.read_bytes()
    return len(content) if file.suffix in {".woff", ".woff2", ".png"} else len(gzip.compress(content, 6))


def check(site: Path, page: Path) -> None:
    name = page.relative_to(site).as_posix()
    budget, view = BUDGETS.get(name, BUDGET), first_view(site, page)
    if (weight := sum(view.values())) > budget:
        heaviest = sorted(view.items(), key=lambda item: -item[1])[:4]
        parts = ", ".join(f"{file} {size / 1000:.0f} kB" for file, size in heaviest)
        raise ExtensionError(
            f"{name}: its first view weighs {weight / 1000:.0f} kB gzipped, {budget // 1000} are allowed ({parts})"
        )


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", slim)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
