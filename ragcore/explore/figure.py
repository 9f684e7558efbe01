"""An interactive figure: one object, two faces.

    Figure("saturation", draw, [Slider("f", range(11), default=3), Slider("k1", [0, 0.6, 1.2, 2])])

`draw(f=3, k1=1.2)` gives a `State`: a sentence that says what is shown, and a picture, a body (a table, text),
or both. In a live notebook the sliders are ipywidgets and every move draws anew (`live`). On the published page
there is no Python: there `draw` has run beforehand for every point of the grid, the differences between the
states are part of the page (`page`, `svgdiff`), and a small script plays them (`player.js`).

Which face shows is decided by the environment variable RAGCORE_FIGURES: `page` for whatever executes notebooks
to keep their outputs; anything else, or nothing, is a live kernel.

What it does not do: nothing is drawn while the page is read, so a control needs a list of values, not a range
of real numbers; and every combination has to be drawn, so their number is limited.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

from .controls import Control
from .html import tag
from .live import widget
from .page import page_html
from .svgdiff import svg_tree
from .theme import style

if TYPE_CHECKING:
    import matplotlib.figure


@dataclass(frozen=True)
class State:
    """What a figure shows at one point of its grid.

    sentence: what is to be seen, with its numbers; it is the picture's alternative text too.
    picture: a matplotlib figure with fixed limits and ticks, or None.
    body: an element made with `tag` or `table`, or None.
    """

    sentence: str
    picture: matplotlib.figure.Figure | None = None
    body: Element | None = None


class Figure:
    """A figure with controls; evaluating it in a notebook shows it.

    name: small letters, digits and hyphens, unique on its page; its anchor, and its key in the page's address.
    draw: one keyword argument per control -> `State`. A ValueError that it raises marks an impossible
        combination (overlap ≥ size): its message becomes the sentence of that state.
    caption: what to look for, in a sentence that holds in every state.
    """

    def __init__(self, name: str, draw: Callable[..., State], controls: Sequence[Control] = (), caption: str = ""):
        if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
            raise ValueError(f"figure name {name!r}: use small letters, digits and hyphens, a letter first")
        names = [control.name for control in controls]
        if len(set(names)) < len(names):
            raise ValueError(f"figure {name!r} has two controls of one name: {names}")
        self.name, self.draw, self.controls, self.caption = name, draw, list(controls), caption

    @property
    def grid(self) -> list[dict[str, Any]]:
        """The arguments of every state; the last control varies fastest."""
        names = [control.name for control in self.controls]
        return [dict(zip(names, values, strict=True)) for values in product(*(c.values for c in self.controls))]

    @property
    def default(self) -> dict[str, Any]:
        """The arguments of the state in which the figure starts."""
        return {control.name: control.default for control in self.controls}

    def state(self, **arguments: Any) -> State:
        """What `draw` gives, drawn in the book's style. A ValueError means that the combination is impossible."""
        with style():
            state = self.draw(**arguments)
        if not isinstance(state, State) or not isinstance(state.sentence, str):
            raise TypeError(f"figure {self.name!r}: draw must return a State with a sentence, not {state!r}")
        return state

    def view(self, **arguments: Any) -> Element:
        """One state as an HTML tree: picture, body, sentence."""
        return self.tree(self.state(**arguments))

    def tree(self, state: State) -> Element:
        sentence_id = f"{self.name}-sentence"
        picture = None
        if state.picture is not None:
            tree = svg_tree(state.picture, f"{self.name}.svg")
            picture = tag("div", tree, class_="explore-picture", role="img", aria_labelledby=sentence_id)
        body = None if state.body is None else tag("div", state.body, class_="explore-body")
        sentence = tag("p", state.sentence, class_="explore-sentence", id=sentence_id, aria_live="polite")
        return tag("div", picture, body, sentence, class_="explore-view")

    @cached_property
    def html(self) -> str:
        """The face on a page without Python: the default state, the controls, and all other states."""
        return page_html(self)

    def widget(self) -> Any:
        """The face in a live kernel."""
        return widget(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if os.environ.get("RAGCORE_FIGURES") == "page":
            return {"text/html": self.html, "text/plain": repr(self)}
        bundle: dict[str, Any] = self.widget()._repr_mimebundle_()
        return bundle

    def __repr__(self) -> str:
        controls = ", ".join(f"{c.name} ({len(c.values)} values)" for c in self.controls)
        return f"Figure {self.name}: {controls or 'no controls'}"
