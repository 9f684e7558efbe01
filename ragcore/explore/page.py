"""The face on a page without Python: one drawing, the controls, and what changes between the states.

    <figure class="explore" id="name">  form (hidden until the script is there) · view · caption · JSON  </figure>

The JSON: the controls' values, the changes of `svgdiff`, and the patterns («maps») that changes share: which
frame has which of a change's values. `player.js` reads it. Equal numbers give equal bytes.
"""

from __future__ import annotations

import copy
import json
import re
from math import prod
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

from .html import tag, write
from .svgdiff import differences

if TYPE_CHECKING:
    from .figure import Figure

MAX_PICTURES = 200  # states with a picture: 70 ms each when the book is made
MAX_STATES = 2000  # states of tables and text
MAX_FIGURE_BYTES = 500_000  # of HTML before compression; servers gzip it to about a tenth
MAX_PAGE_STATES = 4000
MAX_PAGE_BYTES = 900_000


def page_html(figure: Figure) -> str:
    """A figure as HTML. Raises ValueError for too many states, too many bytes, or a picture whose nodes move."""
    views = _views(figure)
    if len(views) == 1:
        form, data = "", ""
    else:
        form, data = write(_form(figure)), f'<script type="application/json">{_data(figure, views)}</script>'
    caption = write(tag("figcaption", figure.caption)) if figure.caption else ""
    opening = f'<figure class="explore" id="{figure.name}" data-states="{len(figure.grid)}">'
    html = f"{opening}{form}{write(views[0])}{caption}{data}</figure>"
    if (size := len(html.encode())) > MAX_FIGURE_BYTES:
        raise ValueError(
            f"figure {figure.name!r} weighs {size:,} bytes in {len(figure.grid)} states, at most "
            f"{MAX_FIGURE_BYTES:,}: use fewer states, or fewer points in a line"
        )
    return html


def _views(figure: Figure) -> list[Element]:
    """The default state, then the whole grid; an impossible combination is the default, dimmed, and its error."""
    start = figure.view(**figure.default)
    count = prod(len(control.values) for control in figure.controls)
    limit = MAX_STATES if start.find(".//svg") is None else MAX_PICTURES
    if count > limit:
        sizes = " × ".join(f"{len(control.values)} of {control.name}" for control in figure.controls)
        raise ValueError(f"figure {figure.name!r} has {count} states ({sizes}), at most {limit}: use fewer values")
    if not figure.controls:
        return [start]
    views = [start]
    for arguments in figure.grid:
        try:
            state = figure.state(**arguments)
        except ValueError as error:
            invalid = copy.deepcopy(start)
            invalid.set("class", "explore-view explore-invalid")
            invalid[-1].text = str(error)
            views.append(invalid)
        else:
            views.append(figure.tree(state))
    return views


def _data(figure: Figure, views: list[Element]) -> str:
    grid = figure.grid
    maps: dict[tuple[int, ...], int] = {}
    changes: list[list[Any]] = []
    for change in differences(views, lambda i: str(grid[i - 1] if i else figure.default)):
        pattern = maps.setdefault(tuple(change.frames[1:]), len(maps))  # the grid's frames, without the first
        template = [change.template] if change.template else []
        changes.append([change.node, change.attribute, pattern, change.values, *template])
    controls = [
        {"name": c.name, "values": [str(value) for value in c.values], "labels": c.labels, "start": c.start}
        for c in figure.controls
    ]
    nodes = sum(1 for _ in views[0].iter())
    data = {"nodes": nodes, "controls": controls, "changes": changes, "maps": list(maps)}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("</", "<\\/").replace("<!--", "\\u003c!--")  # what would end or open a script element


def _form(figure: Figure) -> Element:
    """The controls, hidden until the script is there to answer them."""
    fields = []
    for control in figure.controls:
        key, labels = f"{figure.name}.{control.name}", control.labels
        field = [tag("label", control.label, for_=key)]
        if control.kind == "menu":
            options = [tag("option", label, value=str(i)) for i, label in enumerate(labels)]
            options[control.start].set("selected", "selected")
            field.append(tag("select", *options, id=key))
        else:
            bounds = {"min": "0", "max": str(len(labels) - 1), "step": "1", "value": str(control.start)}
            text = labels[control.start]
            field.append(tag("input", type="range", id=key, **bounds, aria_valuetext=text))
            field.append(tag("output", text, for_=key))
        fields.append(tag("div", *field, class_="explore-field"))
    reset = tag("button", "Reset", type="button", class_="explore-reset")
    return tag("form", *fields, reset, class_="explore-controls", hidden="hidden", autocomplete="off")


def check_page(html: str) -> None:
    """Raises ValueError if a page's figures together weigh more than its budget, or two have one name."""
    figures = re.findall(r'<figure class="explore" id="([^"]+)" data-states="(\d+)">(.*?)</figure>', html, re.S)
    names = [name for name, _, _ in figures]
    if twice := sorted({name for name in names if html.count(f'id="{name}"') > 1}):
        raise ValueError(f"two things on the page are called {', '.join(twice)}: give the figure another name")
    states = [(int(count), name) for name, count, _ in figures]
    sizes = [(len(body.encode()), name) for name, _, body in figures]
    for what, limit, weights in (("states", MAX_PAGE_STATES, states), ("bytes", MAX_PAGE_BYTES, sizes)):
        if (total := sum(weight for weight, _ in weights)) > limit:
            most, name = max(weights)
            raise ValueError(
                f"the page's figures have {total:,} {what}, at most {limit:,}; "
                f"the heaviest is {name!r} with {most:,}"
            )
