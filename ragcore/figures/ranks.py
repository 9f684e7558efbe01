"""Pictures of the chapter «Is it any good?»: ranks by method, a coin, intervals by number of questions."""

from __future__ import annotations

from collections.abc import Sequence
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
    for place, height, rank in zip(places, heights, ranks, strict=True):
        name = "–" if rank is None else f"{rank}"
        ax.annotate(name, (place, height), xytext=(0, 10), textcoords="offset points", color=INK, fontweight="bold",
                    ha="center", va="center_baseline", annotation_clip=False)  # fmt: skip
    ax.set(yscale="log", ylim=(NOT_FOUND * 1.25, 0.65), xlim=(-0.45, len(names) - 0.4), ylabel="rank of the answer")
    ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500]
    ax.set_yticks([*ticks, NOT_FOUND], [*(f"{tick}" for tick in ticks), "none"])
    ax.set_yticks([], minor=True)
    ax.set_xticks(places, ["\n" * (i % 2) + name for i, name in enumerate(names)])  # two rows: a phone is narrow
    ax.tick_params(bottom=False)
    return figure


def _heights(ranks: Ranks) -> list[float]:
    return [NOT_FOUND if rank is None else rank for rank in ranks]


def coin(first: int, second: int) -> Figure:
    """How often a coin, thrown once a question, gives how many heads; all outcomes that are as uneven are marked.

    first, second: questions that went to the one system and to the other. The marked bars add up to the p of the
    exact sign test. Raises ValueError for no questions, and for more than the picture has room for.
    """
    n = first + second
    if not 1 <= n <= MOST_FLIPS:
        raise ValueError(f"{n} questions tell the two apart: the picture needs 1 to {MOST_FLIPS}")
    figure, ax = axes(height=2.7)
    fewer = min(first, second)
    for heads in range(MOST_FLIPS + 1):
        there = heads <= n
        extreme = min(heads, n - heads) <= fewer
        ax.bar(heads, 100 * comb(n, heads) / 2**n if there else np.nan, width=0.8,
               color=BUDGET if there and extreme else OTHER)  # fmt: skip
    ax.plot([first], [-2.3], marker="^", markersize=7, color=QUESTION, clip_on=False, markeredgewidth=0)
    ax.set(xlim=(-0.7, MOST_FLIPS + 0.7), ylim=(0, 52), xticks=range(0, MOST_FLIPS + 1, 3), yticks=range(0, 51, 10),
           xlabel=f"heads in {n} throw{'s' * (n > 1)}, one a question", ylabel="in a hundred series")  # fmt: skip
    ax.tick_params(axis="x", pad=8)
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
