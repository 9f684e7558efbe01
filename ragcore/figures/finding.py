"""Pictures of part II, Finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..bm25 import K1, idf, length_factor, saturation
from ..explore.theme import BUDGET, INK, OTHER, PAPER, QUESTION, RELEVANT, axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_F = 10


def saturation_curve(f: int, length: int, avgdl: float) -> Figure:
    """How much 0 to 10 occurrences count in a chunk of `length` terms, and in one of the mean length."""
    figure, ax = axes(height=3.2)
    counts = np.linspace(0, MAX_F, 101)
    factor = length_factor(length, avgdl)
    ax.plot(counts, saturation(counts, 1.0), color=OTHER, linewidth=1.2, linestyle=(0, (4, 3)))
    ax.plot(counts, saturation(counts, factor), color=QUESTION)
    weight = float(saturation(f, factor))
    ax.plot([f, f], [0, weight], color=QUESTION, linewidth=1)
    ax.plot([f], [weight], "o", color=QUESTION, markersize=7)
    ax.axhline(K1 + 1, color=BUDGET, linewidth=1, linestyle=(0, (1, 2)))
    ax.text(MAX_F, K1 + 1.04, f"never reached: k₁ + 1 = {K1 + 1:g}", color=BUDGET, ha="right", va="bottom")
    ax.text(MAX_F, 0.22, f"solid: |D| = {length} terms", color=QUESTION, ha="right")
    ax.text(MAX_F, 0.04, f"dashed: the mean, {avgdl:g}", color=OTHER, ha="right")
    ax.set(xlim=(0, MAX_F + 0.2), ylim=(0, 2.5), xticks=range(0, MAX_F + 1, 2), yticks=[0, 0.5, 1, 1.5, 2],
           xlabel="occurrences of the term in the chunk, f", ylabel="counts as")  # fmt: skip
    return figure


def idf_curve(n_t: int, N: int, terms: Mapping[str, int]) -> Figure:
    """The weight of a term by the number of chunks that hold it; `terms` are named, n_t is marked."""
    figure, ax = axes(height=3.0)
    counts = np.linspace(0, N, 221)
    ax.plot(counts, idf(counts, N), color=OTHER, linewidth=1.4)
    ordered = sorted(terms.items(), key=lambda item: item[1])
    for (term, count), (_, after) in zip(ordered, [*ordered[1:], ("", 10**9)], strict=True):
        offset = (5, 4) if after - count > N / 60 else (9, 15)  # close neighbours: the first name moves up
        place = (count, float(idf(count, N)))
        ax.plot(*place, "o", color=RELEVANT, markersize=4)
        ax.annotate(term, place, xytext=offset, textcoords="offset points", color=RELEVANT)
    weight = float(idf(n_t, N))
    ax.plot([n_t, n_t], [0, weight], color=QUESTION, linewidth=1)
    ax.plot([n_t], [weight], "o", color=QUESTION, markersize=8, clip_on=False)
    ax.set(xlim=(0, N + 5), ylim=(0, 7), xticks=[0, 100, 200, 300, 400], yticks=range(0, 7, 2),
           xlabel="chunks that hold the term, n_t", ylabel="weight, idf")  # fmt: skip
    return figure


def contributions(terms: Sequence[str], parts: Sequence[float], ceilings: Sequence[float]) -> Figure:
    """What each term adds to a score, as bars; the outline is the most that it could ever add."""
    figure, ax = axes(height=0.9 + 0.34 * len(terms))
    places = np.arange(len(terms))[::-1]
    ax.barh(places, ceilings, height=0.7, facecolor="none", edgecolor=OTHER, linewidth=0.8)
    ax.barh(places, parts, height=0.7, color=QUESTION)
    for place, part, ceiling in zip(places, parts, ceilings, strict=True):
        ax.text(max(part, ceiling) + 0.15, place, f"{part:.2f}", va="center", color=INK)
    ax.set(xlim=(0, 20), ylim=(-0.6, len(terms) - 0.4), xticks=range(0, 21, 4), xlabel="adds to the score")
    ax.set_yticks(places, list(terms))
    ax.tick_params(left=False)
    ax.spines["left"].set_visible(False)
    return figure


def passages(k: int, most: int, right: int | None) -> Figure:
    """The first k of `most` passages as boxes; the one that holds the answer (rank `right`) is marked."""
    from matplotlib.patches import Rectangle

    figure, ax = axes(height=0.95)
    for rank in range(1, most + 1):
        inside, answer = rank <= k, rank == right
        colour = RELEVANT if answer and inside else QUESTION if inside else OTHER
        box = Rectangle(
            (rank - 1 + 0.06, 0.06), 0.88, 0.88, facecolor=colour if inside else "none", edgecolor=colour
        )
        box.set_alpha(1.0 if inside else 0.6)
        ax.add_patch(box)
        ax.text(rank - 0.5, 0.5, "★" if answer else f"{rank}", ha="center", va="center", fontsize=11,
                color=PAPER if inside else colour)  # fmt: skip
    ax.set(xlim=(0, most), ylim=(0, 1))
    ax.set_axis_off()
    return figure
