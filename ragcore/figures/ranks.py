"""Pictures of the chapter «Is it any good?»: ranks by method, a coin, intervals by number of questions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from ..explore.theme import BUDGET, INK, OTHER, PAPER, QUESTION, RELEVANT, axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Ranks = Sequence[int | None]

NOT_FOUND = 1500  # where a question without a rank is drawn, below every rank
FIRST = 5  # the passages that are read
MOST_FLIPS = 27  # questions that the coin has bars for
BAND = (-40, 60)  # questions in a hundred, of a difference


def rank_lines(names: Sequence[str], ranks: Ranks, others: Sequence[Ranks]) -> Figure:
    """The rank of one question's answer under every method, as a line; those of other questions pale behind it.

    names: of the methods; ranks: one a method, None where the answer was not found; others: the same for every
    other question. The pale lines are spread a little so that equal ones can be told apart.
    Raises ValueError for a line that has not one rank a method, or a rank that the axis has no room for.
    """
    for line in (ranks, *others):
        if len(line) != len(names):
            raise ValueError(f"{len(names)} methods need as many ranks, not {len(line)}")
        if any(rank is not None and not 1 <= rank < NOT_FOUND for rank in line):
            raise ValueError(f"ranks must lie between 1 and {NOT_FOUND - 1}: {list(line)}")
    figure, ax = axes(height=4.3)
    places = np.arange(len(names))
    x, y = [], []
    for i, line in enumerate(others):
        spread = 1 + 0.16 * ((i * 0.618034) % 1 - 0.5)  # a golden-section walk: even, and always the same
        x += [*places, np.nan]
        y += [*(height * spread for height in _heights(line)), np.nan]
    ax.plot(x, y, color=OTHER, linewidth=0.5, alpha=0.35)
    ax.axhline(FIRST + 0.5, color=BUDGET, linewidth=1, linestyle=(0, (1, 2)))
    ax.text(len(names) - 0.45, FIRST + 0.35, f"first {FIRST}", color=BUDGET, ha="right", va="bottom")
    heights = _heights(ranks)
    ax.plot(places, heights, color=QUESTION, linewidth=2, marker="o", markersize=6)
    said = ["–" if rank is None else f"{rank}" for rank in ranks]
    for place, height, name, beside in zip(places, heights, said, _free_sides(heights, said), strict=True):
        ax.annotate(name, (place, height), xytext=beside, textcoords="offset points", color=INK, fontweight="bold",
                    ha="center", va="center", annotation_clip=False)  # fmt: skip
    ax.set(yscale="log", ylim=(NOT_FOUND * 1.8, 0.62), xlim=(-0.45, len(names) - 0.4), ylabel="rank of the answer")
    ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500]
    ax.set_yticks([*ticks, NOT_FOUND], [*(f"{tick}" for tick in ticks), "none"])
    ax.set_yticks([], minor=True)
    ax.set_xticks(places, ["\n" * (i % 2) + name for i, name in enumerate(names)])  # two rows: a phone is narrow
    ax.tick_params(bottom=False)
    return figure


def _heights(ranks: Ranks) -> list[float]:
    return [NOT_FOUND if rank is None else rank for rank in ranks]


def _free_sides(heights: Sequence[float], names: Sequence[str]) -> list[tuple[float, float]]:
    """Where every point's number stands, in points from it: above, or where the line leaves the most room."""
    corners = np.array([np.arange(len(heights)) * 38, -64 * np.log10(heights)]).T  # as far apart as in the picture
    steps = np.linspace(0, 1, 200)[:, None]
    line = np.concatenate([a + steps * (b - a) for a, b in pairwise(corners)] or [corners])
    chosen = []
    for corner, name in zip(corners, names, strict=True):
        half = np.array([3.5 * len(name), 5.5])  # of the number
        sides = [(0.0, 11.0), (0.0, -10.5)] + [(x * (half[0] + 4), y) for y in (10, -10, 5, 0) for x in (-1, 1)]
        room = [(np.abs(line - corner - side) - half).max(axis=1).min() for side in sides]  # below 0: crossed
        chosen.append(max(zip(room, sides, strict=True), key=lambda pair: min(pair[0], 2.5))[1])
    return chosen


def coin(first: int, second: int) -> Figure:
    """How often a coin, thrown once a question, gives how many heads; all outcomes that are as uneven are marked.

    first, second: questions that went to the one system and to the other. The marked bars add up to the p of the
    exact sign test. The axes fit the number of throws, and a bar without height is a line of one point.
    Raises ValueError for no questions, and for more than the picture has room for.
    """
    n = first + second
    if not 1 <= n <= MOST_FLIPS:
        raise ValueError(f"{n} questions tell the two apart: the picture needs 1 to {MOST_FLIPS}")
    figure, ax = axes(height=2.7)
    fewer, tallest = min(first, second), 100 * comb(n, n // 2) / 2**n
    for heads in range(MOST_FLIPS + 1):
        there = heads <= n
        colour = BUDGET if there and min(heads, n - heads) <= fewer else OTHER
        ax.bar(heads, 100 * comb(n, heads) / 2**n if there else np.nan, width=0.7, color=colour, edgecolor=colour,
               linewidth=1, zorder=3)  # above the axis  # fmt: skip
    ax.plot([first], [-0.05], marker="^", markersize=7, color=QUESTION, clip_on=False, markeredgewidth=0,
            transform=ax.get_xaxis_transform())  # fmt: skip
    ax.set(xlim=(-0.6, n + 0.6), ylim=(0, 1.04 * tallest),
           xlabel=f"heads in {n} throw{'s' * (n > 1)}, one a question", ylabel="in a hundred series")  # fmt: skip
    ax.set_xticks([0, n / 2, n], ["0", f"{n / 2:g}", f"{n}"])
    ax.set_yticks([0, tallest / 2, tallest], ["0", f"{tallest / 2:.1f}", f"{tallest:.1f}"])
    ax.tick_params(axis="x", pad=11)
    return figure


Interval = tuple[float, float, float]  # mean, and its ends


def by_questions(
    counts: Sequence[int], bands: Sequence[Interval], n: int, scores: Sequence[tuple[str, Interval]]
) -> Figure:
    """Two systems measured on n questions, and the interval of their difference by the number of questions.

    counts: numbers of questions; bands: (mean, low, high) of the difference for each, in questions of a hundred;
    n: one of the counts; scores: name and (mean, low, high) of the two systems at n, shares from 0 to 1.
    Raises ValueError for an n that is none of the counts, for two lists of different length, other than two
    systems, or a band that leaves the axis.
    """
    if n not in counts or len(bands) != len(counts) or len(scores) != 2:
        raise ValueError(f"n = {n} of {list(counts)}, {len(bands)} bands, {len(scores)} systems")
    if any(not BAND[0] <= low <= high <= BAND[1] for _, low, high in bands):
        raise ValueError(f"a difference leaves the axis from {BAND[0]} to {BAND[1]}")
    figure, ax = axes(height=4.6)
    ax.remove()
    top, bottom = figure.subplots(2, 1, height_ratios=[1, 2.3])
    for place, (name, (mean, low, high)) in enumerate(scores):
        top.plot([low, high], [place, place], color=QUESTION, linewidth=2)
        top.plot([mean], [place], "o", color=QUESTION, markersize=6)
        top.text(0, place - 0.36, name, va="center", ha="left", color=QUESTION)
    top.set(
        xlim=(0, 1), ylim=(1.4, -0.75), yticks=[], xticks=[0, 0.2, 0.4, 0.6, 0.8, 1], xlabel="share found, Hit@k"
    )
    top.spines["left"].set_visible(False)
    lows, highs = [band[1] for band in bands], [band[2] for band in bands]
    _, low, high = bands[list(counts).index(n)]
    clear = low > 0 or high < 0
    colour = RELEVANT if clear else BUDGET
    bottom.fill_between(counts, lows, highs, color=OTHER, alpha=0.25, linewidth=0)
    bottom.plot(counts, [band[0] for band in bands], color=OTHER, linewidth=1)
    bottom.axhline(0, color=INK, linewidth=1)
    bottom.plot([n, n], [low, high], color=colour, linewidth=3)
    bottom.plot([n], [bands[list(counts).index(n)][0]], "o", color=colour, markersize=7, markeredgecolor=PAPER)
    said = bottom.text(
        counts[-1], BAND[1] - 2, "clear of 0" if clear else "reaches 0", color=colour, ha="right", va="top"
    )
    said.set_fontweight("bold")
    bottom.set(xscale="log", xlim=(counts[0] * 0.85, counts[-1] * 1.15), ylim=BAND,
               yticks=range(BAND[0], BAND[1] + 1, 20),
               xlabel="questions asked, n", ylabel="found more, in a hundred")  # fmt: skip
    bottom.set_xticks(counts, [f"{count}" for count in counts])
    bottom.set_xticks([], minor=True)
    return figure
