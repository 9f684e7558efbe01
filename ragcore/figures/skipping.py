"""Pictures of «What a search engine doesn't read»: strong and weak terms, what was read, what that costs.

    t_1 … t_s | t_{s+1} … t_m      by bound, strongest first;   Σ_{j > s} bound(t_j) < θ

The terms in front of the bar are read through; those behind it are looked up in the few chunks that need it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log10
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

import numpy as np

from ..explore.html import Part, tag
from ..explore.theme import BUDGET, INK, OTHER, RELEVANT, axes
from ..fast.maxscore import Postings, Pruned

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROWS = 8  # terms that a picture has room for
BLOCKS = 10
LEFT = "text-align: left; padding: 0.3em 0.4em 0.3em 0"
RIGHT = "text-align: right; padding: 0.3em 0.4em"  # narrow, and heads may wrap: four columns on a phone


# ------------------------------------------------------------------ the bar


def strong_terms(bounds: Sequence[float], threshold: float) -> int:
    """How many terms are strong: the first so many, such that the bounds of all others add up to less than θ.

    bounds: strongest first. At least 1, as long as there are terms: somebody has to bring the candidates.

    >>> [strong_terms([5.0, 3.0, 0.5], threshold) for threshold in (0.2, 1, 4, 9)]
    [3, 2, 1, 1]
    """
    for strong in range(1, len(bounds)):
        if sum(bounds[strong:]) < threshold:
            return strong
    return len(bounds)


def bar_table(terms: Sequence[Postings], threshold: float) -> Element:
    """The terms, strongest first; what each and all below it can add together; which of them are weak."""
    bounds = [term.bound for term in terms]
    strong = strong_terms(bounds, threshold)
    head = ["word", "postings", "adds at most", "with all below"]
    rows = [
        tag("tr", tag("th", term.term, tag("small", " (weak)") if place >= strong else None,
                      scope="row", style=LEFT),
            *(tag("td", text, style=RIGHT) for text in
              (f"{len(term):,}", f"{term.bound:.2f}", f"{sum(bounds[place:]):.2f}")))
        for place, term in enumerate(terms)
    ]  # fmt: skip
    cells: list[Part] = [tag("th", text, scope="col", style=RIGHT if i else LEFT) for i, text in enumerate(head)]
    return tag("table", tag("thead", tag("tr", *cells)), tag("tbody", *rows))


def bar_sentence(terms: Sequence[Postings], threshold: float) -> str:
    """How many terms are weak at a threshold, and how many postings they hold."""
    strong = strong_terms([term.bound for term in terms], threshold)
    weak = terms[strong:]
    held, everything = sum(map(len, weak)), sum(map(len, terms))
    if not weak:
        return f"At θ = {threshold:g} no word is weak: all {everything:,} postings have to be read through."
    names = _listed([term.term for term in weak])
    adds = sum(term.bound for term in weak)
    verb, whose = ("adds", "Its") if len(weak) == 1 else ("add together", "Their")
    return (
        f"At θ = {threshold:g}: {names} {verb} at most {adds:.2f}. {whose} {held:,} of {everything:,} postings "
        f"({100 * held / everything:.0f} %) need not be read through."
    )


def _listed(words: Sequence[str]) -> str:
    quoted = [f"«{word}»" for word in words]
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}" if len(quoted) > 1 else quoted[0]


# ------------------------------------------------------------------ what was read


def by_block(found: Pruned, term: int) -> tuple[list[int], list[int], list[bool]]:
    """For one of `found.terms`, block by block: its postings, those that were read, and whether it was strong."""
    entry = found.terms[term]
    edges = [0, *(step.chunks.stop for step in found.steps)]
    places = np.searchsorted(entry.docs, edges)
    spans = [slice(start, stop) for start, stop in pairwise(places)]
    return (
        [int(span.stop - span.start) for span in spans],
        [int(entry.seen[span].sum()) for span in spans],
        [term < step.strong for step in found.steps],
    )


def reading(found: Pruned) -> Figure:
    """Above, a row a term and a bar a block: its postings, those read through, those looked up; below, θ by block.

    The lower scale is a share of the best score: θ before each block, what the weak terms can add, and the hits.
    Raises ValueError for more than eight terms or another number than ten blocks.
    """
    if not 1 <= len(found.terms) <= ROWS or len(found.steps) != BLOCKS:
        raise ValueError(f"there is room for {ROWS} terms and {BLOCKS} blocks, not {len(found.terms)} and "
                         f"{len(found.steps)}")  # fmt: skip
    figure, ax = axes(height=5.4)
    ax.remove()
    figure.set_layout_engine("none")
    top, bottom = figure.add_axes((0.24, 0.42, 0.45, 0.52)), figure.add_axes((0.24, 0.095, 0.45, 0.27))
    _rows(top, found)
    _staircase(bottom, found)
    return figure


def _rows(ax: Axes, found: Pruned) -> None:
    sizes = [len(step.chunks) for step in found.steps]
    ax.text(-0.04, -0.75, "word", transform=ax.get_yaxis_transform(), ha="right", color=OTHER, fontsize=9)
    ax.text(1.03, -0.75, "adds ≤", transform=ax.get_yaxis_transform(), ha="left", color=OTHER, fontsize=9)
    ax.text(1.66, -0.75, "read / all", transform=ax.get_yaxis_transform(), ha="right", color=OTHER, fontsize=9)
    for row in range(ROWS):
        there = row < len(found.terms)
        held, read, strong = by_block(found, row) if there else ([0] * BLOCKS, [0] * BLOCKS, [False] * BLOCKS)
        shares = [count / size for count, size in zip(held, sizes, strict=True)]
        through = [count / size if yes else 0 for count, size, yes in zip(read, sizes, strong, strict=True)]
        looked = [0 if yes else count / size for count, size, yes in zip(read, sizes, strong, strict=True)]
        ax.plot([0, BLOCKS if there else 0], [row + 0.4] * 2, color=OTHER, linewidth=0.5)
        for heights, colour, alpha in ((shares, OTHER, 0.3), (through, RELEVANT, 1.0), (looked, BUDGET, 1.0)):
            ax.fill(*_steps(heights, row + 0.4), color=colour, alpha=alpha, linewidth=0)
        term = found.terms[row] if there else None
        colour = RELEVANT if all(strong) else BUDGET
        say = ax.get_yaxis_transform()
        ax.text(-0.04, row + 0.1, term.term if term else " ", transform=say, ha="right", va="center",
                color=colour, fontsize=10)  # fmt: skip
        ax.text(1.03, row + 0.1, f"{term.bound:.2f}" if term else " ", transform=say, ha="left", va="center",
                color=INK, fontsize=9)  # fmt: skip
        ax.text(1.66, row + 0.1, f"{term.read} / {len(term)}" if term else " ", transform=say, ha="right",
                va="center", color=INK, fontsize=9)  # fmt: skip
    ax.set(xlim=(0, BLOCKS), ylim=(ROWS - 0.5, -0.6))
    ax.set_xticks(range(BLOCKS + 1), [""] * (BLOCKS + 1))
    ax.set_yticks([])
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="x", length=0)


def _steps(heights: Sequence[float], base: float) -> tuple[list[float], list[float]]:
    """The outline of bars that stand side by side on a base; 1 is eight tenths of a row high."""
    x, y = [0.0], [base]
    for place, height in enumerate(heights):
        x += [place + 0.06, place + 0.06, place + 0.94, place + 0.94]
        y += [base, base - 0.8 * height, base - 0.8 * height, base]
    return [*x, float(BLOCKS)], [*y, base]


def _staircase(ax: Axes, found: Pruned) -> None:
    best = found.best[0][1]
    theta = [step.threshold / best for step in found.steps]
    weak = [sum(term.bound for term in found.terms[step.strong :]) / best for step in found.steps]
    edges = [x for place in range(BLOCKS) for x in (place, place + 1)]
    ax.plot(edges, [share for share in theta for _ in range(2)], color=INK, linewidth=2)
    ax.plot(
        edges, [share for share in weak for _ in range(2)], color=BUDGET, linewidth=1.6, linestyle=(0, (3, 1.2))
    )
    chunks = found.steps[-1].chunks.stop
    x = [BLOCKS * chunk / chunks for chunk, _ in found.best for _ in range(3)]
    y = [place for _, score in found.best for place in (score / best - 0.02, score / best + 0.02, float("nan"))]
    ax.plot(x, y, color=RELEVANT, linewidth=2.5)
    end, low = theta[-1], weak[-1]
    ax.text(1.03, 1.0, "hits", transform=ax.get_yaxis_transform(), color=RELEVANT, va="center", fontsize=9)
    ax.text(1.03, end, "θ", transform=ax.get_yaxis_transform(), color=INK, va="center", fontsize=10)
    aside = 1.03 + 0.1 * (abs(end - low) < 0.12)
    ax.text(aside, low, "weak words", transform=ax.get_yaxis_transform(), color=BUDGET, va="center", fontsize=9)
    ax.set(xlim=(0, BLOCKS), ylim=(0, 1.05), xlabel="blocks of passages", ylabel="share of the best score")
    ax.set_xticks([place + 0.5 for place in range(BLOCKS)], [str(place + 1) for place in range(BLOCKS)])
    ax.set_yticks([0, 0.5, 1], ["0", "50 %", "100 %"])


def reading_sentence(found: Pruned) -> str:
    """How many postings were read, and which words were read through, through in part, or only looked up."""
    k, never = len(found.best), found.postings - found.read
    first, last = found.steps[0], found.steps[-1]
    theta = f"The threshold θ stays at {first.threshold:.2f} until the last block"
    if last.threshold > first.threshold:
        theta = f"The threshold θ rises from {first.threshold:.2f} to {last.threshold:.2f} before the last block"
    looked = [term.term for term in found.terms[first.strong :]]
    later = [term.term for term in found.terms[last.strong : first.strong]]
    said = f"only looked up: {_listed(looked)}" if looked else "in the first block every word is read through"
    if later:
        said += f"{', ' if looked else '; only looked up '}later{' also' * bool(looked)} {_listed(later)}"
    passages = f"{k} best passages" if k > 1 else "best passage"
    return (
        f"For the {passages} {found.read:,} of {found.postings:,} postings are read, {never:,} "
        f"({100 * never / found.postings:.0f} %) never. {theta}; {said}."
    )


# ------------------------------------------------------------------ how it grows

Row = Mapping[str, float]  # of skipping.csv: chunks, postings, read, touched, never, low, high


def growth(rows: Sequence[Row]) -> Figure:
    """Above, the share of postings never read, by the number of chunks, median and range; below, numbers touched.

    rows: one a size, smallest first. Numbers touched are per posting, on a scale of powers of ten: at 1 it is as
    many as reading everything. A size that was not measured is left out.
    """
    figure, ax = axes(height=4.6)
    ax.remove()
    figure.set_layout_engine("none")
    top, bottom = figure.add_axes((0.2, 0.56, 0.76, 0.4)), figure.add_axes((0.2, 0.12, 0.76, 0.33))
    x = [log10(row["chunks"]) for row in rows]
    pad = 4 - len(rows)  # every state draws as many points
    top.fill([*x, *[x[-1]] * 2 * pad, *x[::-1]],
             [*(row["low"] for row in rows), *[rows[-1]["low"]] * pad, *[rows[-1]["high"]] * pad,
              *(row["high"] for row in rows[::-1])],
             color=RELEVANT, alpha=0.2, linewidth=0)  # fmt: skip
    top.plot([*x, *[x[-1]] * pad], [*(row["never"] for row in rows), *[rows[-1]["never"]] * pad], color=RELEVANT)
    costs = [log10(row["touched"] / row["postings"]) for row in rows]
    bottom.plot([*x, *[x[-1]] * pad], [*costs, *[costs[-1]] * pad], color=BUDGET)
    bottom.plot([2.5, 6], [0, 0], color=INK, linewidth=0.8, linestyle=(0, (1, 1.5)))
    bottom.text(5.95, -0.42, "1: as many as reading everything", color=INK, ha="right", fontsize=9)
    top.set(xlim=(2.5, 6), ylim=(0, 1), ylabel="never read")
    top.set_yticks([0, 0.5, 1], ["0", "50 %", "100 %"])
    bottom.set(xlim=(2.5, 6), ylim=(-2, 2), xlabel="passages", ylabel="numbers looked at\nper posting")
    bottom.set_yticks([-2, -1, 0, 1, 2], ["0.01", "0.1", "1", "10", "100"])
    for part in (top, bottom):
        part.set_xticks([3, 4, 5, 6], ["1,000", "10,000", "100,000", "10⁶"])
    return figure


def growth_sentence(rows: Sequence[Row]) -> str:
    """The smallest and the largest size: the median share never read, and numbers touched per posting."""
    parts = []
    for row in (rows[0], rows[-1]):
        low, never, high = (
            "over 99" if row[name] > 0.99 else f"{100 * row[name]:.0f}" for name in ("low", "never", "high")
        )
        parts.append(
            f"{int(row['chunks']):,} passages: {never} % of a question's postings are never read, in the median "
            f"({low} to {high} %); {row['touched'] / row['postings']:.2f} numbers are looked at for each posting"
        )
    return ". ".join(parts) + "."
