"""Many drawings of one figure as a single drawing and its differences.

    frames[0], frames[1], …  ─►  (one tree, [what changes: node, attribute, its values, which frame has which])

A figure is drawn once for every point of its sliders' grid. Neighbouring drawings are nearly equal: the same
nodes with other coordinates, other numbers. So the trees of all frames are walked in parallel, one is kept,
and for every attribute or text that differs, its distinct values are stored once. 121 drawings of two lines
with 100 points each shrink from 2.4 MB to some 15 kB gzipped.

Inside a picture all frames must have the same nodes: axes limits and ticks have to be fixed. Outside
(tables, text) a node whose children differ is stored whole, under the name `#html`.
"""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from .html import inner_html
from .theme import COLOURS, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
_COMMAND = re.compile(r"([MLCQZz])([^MLCQZz]*)")  # matplotlib writes no others
_TOKEN = re.compile(r"[a-z]|[ -][\d.]+")


@dataclass(frozen=True)
class Change:
    """One attribute (or `#text`, `#html`) of one node: frame i has `values[frames[i]]`; None is «not there».

    template: for path data of which only numbers differ: the path with `~` in their places. The values are
    then those numbers in tenths, each as its difference from the one before: 3, 5, 4 is stored as `3 2-1`.
    A smooth line over fixed positions becomes a run of very small numbers.
    """

    node: int
    attribute: str
    values: list[str | None]
    frames: list[int]
    template: str | None = None


# ---------------------------------------------------------------- one drawing


def svg_tree(figure: Figure, prefix: str = "x") -> Element:
    """A matplotlib figure as a small, theme-aware SVG tree whose ids are `prefix-0`, `prefix-1`, … in order of use.

    Dates, names of machines and matplotlib's global style element are left out; coordinates are rounded to
    0.1 point; fonts and ink come from the page. Raises ValueError for a colour that is not one of the theme's,
    since it could not follow the page into the dark.
    """
    file = io.BytesIO()
    with style():
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    root = ET.fromstring(file.getvalue())
    for node in root.iter():
        node.tag = node.tag.split("}")[-1]
        node.attrib = {name.split("}")[-1]: value for name, value in node.attrib.items()}
    _drop(root, {"metadata", "style"})
    _renumber_ids(root, prefix)
    for node in root.iter():
        node.tail = None
        if node.text is not None and not node.text.strip():
            node.text = None
        _tidy(node)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    return root


def _drop(node: Element, tags: set[str]) -> None:
    """Remove the named elements, and groups and definitions that are left with nothing in them."""
    for child in list(node):
        _drop(child, tags)
        empty = child.tag in {"defs", "g"} and not len(child)
        unseen = child.tag == "path" and child.get("style") == "fill: none"  # a transparent background
        if child.tag in tags or empty or unseen:
            node.remove(child)


_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_REFERENCE = re.compile(r"(?<=url\(#)[^)]+|(?<=^#).+")


def _renumber_ids(root: Element, prefix: str) -> None:
    """Ids that something refers to become prefix-0, prefix-1, … in document order; the others go."""
    used = {m.group() for node in root.iter() for value in node.attrib.values() for m in _REFERENCE.finditer(value)}
    number: dict[str, str] = {}
    for node in root.iter():
        if (name := node.attrib.pop("id", None)) in used and name is not None:
            node.set("id", number.setdefault(name, f"{prefix}-{len(number)}"))
    for node in root.iter():
        for name, value in node.attrib.items():
            node.set(name, _REFERENCE.sub(lambda m: number.get(m.group(), m.group()), value))


def _tidy(node: Element) -> None:
    if "d" in node.attrib:
        node.set("d", relative_path(node.get("d", "")))
    if "style" in node.attrib:
        parts = (part.strip() for part in node.get("style", "").split(";"))
        text = "; ".join(part for part in parts if part and not part.startswith("font-family"))
        for meaning, colour in COLOURS.items():
            text = text.replace(colour, "currentColor" if meaning == "ink" else f"var(--explore-{meaning})")
        if strange := _COLOUR.findall(text):
            raise ValueError(f"the colour {strange[0]} is none of the theme's: use those of ragcore.explore.theme")
        node.set("style", text)
    if node.tag == "text":
        if "fill" not in node.get("style", ""):
            node.set("fill", "currentColor")
        if node.get("transform", "").startswith("rotate(-0 "):
            del node.attrib["transform"]
    for name in ("x", "y", "width", "height", "transform"):
        if name in node.attrib and "matrix" not in node.get(name, "") and "scale" not in node.get(name, ""):
            node.set(name, _NUMBER.sub(lambda m: _short(float(m.group())), node.get(name, "")))


def _short(number: float) -> str:
    text = f"{number:.1f}"
    return "0" if text == "-0.0" else text.removesuffix(".0")


def relative_path(d: str) -> str:
    """SVG path data in relative coordinates, rounded to a tenth; every number begins with a space or a minus.

    Every point is rounded where it stands, then the differences are taken: errors do not add up.

    >>> relative_path("M 10 20 L 10.04 20.26 L 30 20 z")
    'm 10 20l 0 .3 20-.3z'
    """
    out: list[str] = []
    here = start = (0, 0)  # in tenths
    last = ""
    for command, rest in _COMMAND.findall(d):
        letter = command.lower()
        if letter == "z":
            here = start
            out.append(letter)
        else:
            points = [round(float(number) * 10) for number in _NUMBER.findall(rest)]
            relative = [n - here[i % 2] for i, n in enumerate(points)]
            here = (points[-2], points[-1])
            start = here if letter == "m" else start
            out.append(("" if letter == last == "l" else letter) + "".join(map(_tenths, relative)))
        last = letter
    return "".join(out)


def _tenths(n: int) -> str:
    whole, tenth = divmod(abs(n), 10)
    digits = f"{whole or ''}.{tenth}" if tenth else f"{whole}"
    return f"{'-' if n < 0 else ' '}{digits}"


# ---------------------------------------------------------------- many drawings


def differences(frames: Sequence[Element], names: Callable[[int], str]) -> list[Change]:
    """What changes between trees: each change with its distinct values, in order of first use.

    A node is addressed by its place in document order of `frames[0]`, the root being 0 (the order of
    `querySelectorAll("*")`). `names(i)` describes frame i in the error that is raised when a picture's
    nodes differ between frames.
    """
    return list(_walk(list(frames), [0], names, in_picture=False))


def _walk(
    nodes: list[Element], position: list[int], names: Callable[[int], str], in_picture: bool
) -> Iterator[Change]:
    first, place = nodes[0], position[0]
    position[0] += 1
    in_picture = in_picture or first.tag == "svg"
    for i, node in enumerate(nodes):
        if in_picture and (node.tag != first.tag or len(node) != len(first)):
            raise ValueError(
                f"the picture at {names(i)} has other nodes than at {names(0)} (below <{first.tag}>: "
                f"{[c.tag for c in node]} and {[c.tag for c in first]}): fix the axes' limits and ticks, and draw "
                "the same lines and texts in every state"
            )
    for attribute in dict.fromkeys(name for node in nodes for name in node.attrib):
        yield from _change(place, attribute, [node.get(attribute) for node in nodes])
    shapes = {tuple(child.tag for child in node) for node in nodes}
    mixed = any(len(node) and (node.text or any(child.tail for child in node)) for node in nodes)
    if len(shapes) > 1 or (mixed and len({inner_html(node) for node in nodes}) > 1):
        yield from _change(place, "#html", [inner_html(node) for node in nodes])
        position[0] += sum(1 for _ in first.iter()) - 1
        return
    if not len(first):
        yield from _change(place, "#text", [node.text or "" for node in nodes])
    for children in zip(*nodes, strict=True):
        yield from _walk(list(children), position, names, in_picture)


def _change(node: int, attribute: str, values: Sequence[str | None]) -> Iterator[Change]:
    distinct = {value: i for i, value in enumerate(dict.fromkeys(values))}
    if len(distinct) < 2:
        return
    stored, template = list(distinct), None
    if attribute == "d" and None not in distinct:
        paths = [_TOKEN.findall(value or "") for value in distinct]
        if len({tuple(len(token) == 1 and token.isalpha() and token for token in path) for path in paths}) == 1:
            moves = [len(set(column)) > 1 for column in zip(*paths, strict=True)]
            template = "".join("~" if moving else token for token, moving in zip(paths[0], moves, strict=True))
            stored = [_steps([t for t, moving in zip(path, moves, strict=True) if moving]) for path in paths]
    yield Change(node, attribute, stored, [distinct[value] for value in values], template)


def _steps(numbers: list[str]) -> str:
    tenths = [0, *(round(float(number) * 10) for number in numbers)]
    steps = (after - before for before, after in pairwise(tenths))
    return "".join(str(step) if step < 0 else f" {step}" for step in steps).lstrip()
