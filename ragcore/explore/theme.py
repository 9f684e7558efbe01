"""How every picture of the book looks: few colours with fixed meanings, ink that follows the page's theme.

A colour is written into the SVG as a CSS variable of its meaning (`var(--explore-question)`), so that
`player.css` can give it one value on a light page and another on a dark one; ink becomes `currentColor`.
"""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# meaning -> its value on a light page (Okabe–Ito, darkened until text in it passes WCAG AA on white)
COLOURS = {
    "ink": "#1b1b1b",
    "question": "#0067a8",
    "relevant": "#007a5a",
    "other": "#6e6e6e",
    "budget": "#b34700",
    "paper": "#fdfdfd",  # text on a filled shape
}
INK, QUESTION, RELEVANT, OTHER, BUDGET, PAPER = COLOURS.values()

# inches; 317 points, so that a phone 360 pixels wide shows a text of 10 points as 10 pixels
WIDTH = 4.4
RC: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "ragcore",
    "font.size": 11,
    "axes.titlesize": 11,
    "axes.labelsize": 11,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.prop_cycle": f"cycler('color', ['{QUESTION}', '{RELEVANT}', '{BUDGET}', '{OTHER}'])",
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "patch.edgecolor": INK,
    "hatch.color": INK,
    "lines.linewidth": 2,
    "axes.linewidth": 0.8,
}


def style() -> AbstractContextManager[Any]:
    """The context in which a picture of the book is drawn and written: matplotlib's defaults, then the theme."""
    try:
        import matplotlib.style
    except ModuleNotFoundError:  # a figure without a picture does not need it
        return nullcontext()
    # where it knows no fonts yet (in a browser: always) it would say among a cell's outputs that it looks for them
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    settings: Any = ["default", RC]
    return matplotlib.style.context(settings)


def axes(height: float = 3.0, width: float = WIDTH) -> tuple[Figure, Axes]:
    """A figure of the book with one pair of axes, in inches; every frame has the same size and layout."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise ModuleNotFoundError("pictures need matplotlib: pip install 'ragcore[figures]'") from None

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()
