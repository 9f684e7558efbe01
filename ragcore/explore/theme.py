"""How every picture of the book looks: few colours with fixed meanings, ink that follows the page's theme.

A colour is written into the SVG as a CSS variable of its meaning (`var(--explore-question)`), so that
`player.css` can give it one value on a light page and another on a dark one; ink becomes `currentColor`.
"""

from __future__ import annotations

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

# points; a picture 360 points wide is still readable when a phone squeezes it to 320 pixels
WIDTH = 5.0
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
    "lines.linewidth": 2,
    "axes.linewidth": 0.8,
}


def style() -> Any:
    """The context in which a picture of the book is drawn and written."""
    import matplotlib

    settings: Any = RC
    return matplotlib.rc_context(settings)


def axes(height: float = 3.0, width: float = WIDTH) -> tuple[Figure, Axes]:
    """A figure of the book with one pair of axes, in inches; every frame has the same size and layout."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()
