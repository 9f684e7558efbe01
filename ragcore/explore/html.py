"""Small pieces of HTML as element trees: what is written as text is escaped, always."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from html import escape
from xml.etree.ElementTree import Element

Part = str | Element


def tag(name: str, /, *children: Part | None, **attributes: str) -> Element:
    """An HTML element from its children: texts (escaped when written) and elements; `None` is left out.

    A trailing underscore allows Python's own words (`class_="hit"`).

    >>> write(tag("p", "1 < 2, ", tag("b", "so"), class_="note"))
    '<p class="note">1 &lt; 2, <b>so</b></p>'
    """
    node = Element(name, {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()})
    for child in children:
        if isinstance(child, Element):
            node.append(child)
        elif child is None:
            continue
        elif not isinstance(child, str):
            raise TypeError(f"<{name}> can hold texts and elements, not {child!r}")
        elif len(node):
            node[-1].tail = (node[-1].tail or "") + child
        else:
            node.text = (node.text or "") + child
    return node


def table(head: Sequence[Part], rows: Sequence[Sequence[Part]], foot: Sequence[Part] | None = None) -> Element:
    """A table whose first column names the rows and whose other columns are numbers (set right).

    Raises ValueError for a row that has not as many cells as the head.

    >>> write(table(["term", "f"], [["momen", "3"]]).find("tbody"))
    '<tbody><tr><th scope="row">momen</th><td>3</td></tr></tbody>'
    """
    for row in [*rows, foot or head]:
        if len(row) != len(head):
            raise ValueError(f"the table has {len(head)} columns, so this row is wrong: {row}")

    def cells(row: Sequence[Part]) -> list[Element]:
        return [tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])]

    return tag(
        "table",
        tag("thead", tag("tr", *(tag("th", cell, scope="col") for cell in head))),
        tag("tbody", *(tag("tr", *cells(row)) for row in rows)),
        tag("tfoot", tag("tr", *cells(foot))) if foot else None,
    )


def write(node: Element) -> str:
    """An element as HTML."""
    return ET.tostring(node, encoding="unicode", method="html")


def inner_html(node: Element) -> str:
    """What stands between a node's tags."""
    return escape(node.text or "", quote=False) + "".join(write(child) for child in node)
