"""Pictures of «Lost in the middle»: accuracy by position, published and ours, and layouts of the ranks.

A curve a_1 … a_n is the share of right answers with the passage that answers at the first place, at the last one,
and at some places between them.

    dip   max(a_1, a_n) − min between     from the higher end down to the worst place in the middle
    rise  min(a_1, a_n) − min between     from there up to the lower end; a U needs it above 0
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from ..explore.theme import BUDGET, INK, OTHER, PAPER, QUESTION, RELEVANT, axes
from ..lookup import Z

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = Sequence[tuple[int, float]]  # (place, share)

MOST_PLACES = 30  # documents in the longest published prompt
MOST_POINTS = 7  # measured places of the longest published curve
MOST_RANKS = 9  # passages that a layout has bars for
BLANK = "\u00a0"  # a text that is there and not seen


def dip(shares: Sequence[float]) -> float:
    """How far the middle lies below the higher end. Below 0 if no place between is worse than both ends.

    >>> round(dip([75.8, 57.2, 53.8, 55.4, 63.2]), 1)  # GPT-3.5-Turbo, 20 documents
    22.0
    """
    first, *between, last = shares
    return max(first, last) - min(between)


def rise(shares: Sequence[float]) -> float:
    """How far the lower end lies above the worst place in the middle; 0 or less: it never rises again.

    >>> round(rise([75.8, 57.2, 53.8, 55.4, 63.2]), 1), round(rise([72.1, 58.9, 58.5]), 1)
    (9.4, -0.4)
    """
    first, *between, last = shares
    return min(first, last) - min(between)


def chance(trials: int) -> float:
    """What two shares of so many trials may differ by and be the same in truth: z √(2 · ½ · ½ / m), z = 1.96.

    In 95 of 100 cases they differ by less. It supposes other questions at each place, which is the safe side.

    >>> round(chance(2655), 4)
    0.0269
    """
    return Z * sqrt(0.5 / trials)


def shape(shares: Sequence[float], margin: float) -> str:
    """`no U` if the curve does not rise again, `a U` if it does by more than margin, else `perhaps a U`.

    >>> shape([76.8, 61.2, 62.4], margin=2.7), shape([75.8, 57.2, 53.8, 55.4, 63.2], margin=2.7)
    ('perhaps a U', 'a U')
    """
    up = round(rise(shares), 9)
    return "no U" if up <= 0 else "a U" if up > margin else "perhaps a U"


def published_curve(curve: Curve, others: Sequence[Curve], closed: float, oracle: float) -> Figure:
    """One published curve with its dip, those of other models pale behind it, and two lines to compare with.

    curve, others: places from 1 and percent right; closed: without any document; oracle: with the right one alone.
    Raises ValueError for more places than the picture has room for.
    """
    for places in (curve, *others):
        if not 3 <= len(places) <= MOST_POINTS or not all(1 <= place <= MOST_PLACES for place, _ in places):
            raise ValueError(f"needs 3 to {MOST_POINTS} places from 1 to {MOST_PLACES}, not {list(places)}")
    figure, ax = axes(height=3.6)
    x, y = [], []
    for other in others:
        x += [*(place for place, _ in other), np.nan]
        y += [*(share for _, share in other), np.nan]
    ax.plot(x, y, color=OTHER, linewidth=1, alpha=0.4)
    for height, name in ((closed, "closed\nbook"), (oracle, "oracle")):
        ax.plot([0, MOST_PLACES + 0.7], [height, height], color=OTHER, linewidth=1.2, linestyle=(0, (4, 3)))
        ax.text(MOST_PLACES + 1, height, f"{name}\n{height:.1f}", color=OTHER, va="center", fontsize=10)
    at, share = zip(*curve, strict=True)
    ax.plot(at, share, color=QUESTION)
    for i in range(MOST_POINTS):  # as many marks and texts in every state; the spare ones lie on the last point
        name = f"{share[i]:.1f}" if i < len(curve) else BLANK
        i = min(i, len(curve) - 1)
        end = i in (0, len(curve) - 1)
        ax.plot([at[i]], [share[i]], "o", color=QUESTION, markersize=6)
        ax.annotate(name, (at[i], share[i]),
                    xytext=(-5 if i == 0 else 0, 5 if end else -5), textcoords="offset points", color=QUESTION,
                    fontsize=10, ha="left" if i == 0 else "center", va="bottom" if end else "top")  # fmt: skip
    worst = min(range(1, len(curve) - 1), key=lambda i: share[i])
    top = max(share[0], share[-1])
    ax.plot([at[worst], at[worst]], [share[worst], top], color=BUDGET, linewidth=1.5, linestyle=(0, (1, 1.5)))
    ax.text(at[worst], top + 3.6, f"dip {dip(share):.1f}", color=BUDGET, ha="center", va="bottom",
            fontweight="bold")  # fmt: skip
    ax.set(xlim=(-0.6, MOST_PLACES + 7), ylim=(28, 95), yticks=range(30, 91, 10),
           xticks=[1, 5, 10, 15, 20, 25, 30], ylabel="answers right, %")  # fmt: skip
    ax.set_xlabel("place of the document that answers", loc="left")
    ax.spines["bottom"].set_bounds(-0.6, MOST_PLACES + 0.7)
    return figure


def measured_curve(places: Sequence[int], right: Sequence[int], trials: int,
                   intervals: Sequence[tuple[float, float]]) -> Figure:  # fmt: skip
    """The share of look-ups that were right at each place, with its interval and the count below or above it.

    places: five, from the first to the last; right: of so many trials; intervals: (low, high), from 0 to 1.
    Raises ValueError unless there are five of each, and counts between 0 and trials.
    """
    if not len(places) == len(right) == len(intervals) == 5:
        raise ValueError(
            f"needs five places, counts and intervals, not {len(places)}, {len(right)}, {len(intervals)}"
        )
    if any(not 0 <= count <= trials for count in right):
        raise ValueError(f"counts must lie between 0 and {trials}: {list(right)}")
    figure, ax = axes(height=3.3)
    shares = [count / trials for count in right]
    ax.plot(range(5), shares, color=QUESTION, linewidth=1, alpha=0.5)
    for x, share, count, (low, high) in zip(range(5), shares, right, intervals, strict=True):
        ax.plot([x, x], [low, high], color=QUESTION, linewidth=2)
        ax.plot([x], [share], "o", color=QUESTION, markersize=7)
        below = low > 0.12  # else the label would stand on the axis
        ax.text(x, low - 0.02 if below else high + 0.02, f"{count}", color=QUESTION, ha="center",
                va="top" if below else "bottom", fontweight="bold")  # fmt: skip
    names = ["first", "", "middle", "", "last"]
    ax.set_xticks(range(5), [f"{place}\n{name}" for place, name in zip(places, names, strict=True)])
    ax.set(xlim=(-0.4, 4.4), ylim=(0, 1.03), yticks=[0, 0.2, 0.4, 0.6, 0.8, 1], xlabel="line of the asked pair",
           ylabel="share of right answers")  # fmt: skip
    ax.tick_params(bottom=False)
    return figure


def laid_out(ranks: Sequence[int]) -> Figure:
    """The passages in the order of the prompt, the better the rank the taller; the first rank has a star.

    ranks: a permutation of 1 … n, n up to 9. Raises ValueError for anything else.
    """
    n = len(ranks)
    if not 1 <= n <= MOST_RANKS or sorted(ranks) != list(range(1, n + 1)):
        raise ValueError(f"needs the ranks 1 to n, n up to {MOST_RANKS}, each once, not {list(ranks)}")
    figure, ax = axes(height=2.7)
    for place in range(1, MOST_RANKS + 1):
        rank = ranks[place - 1] if place <= n else None
        height = np.nan if rank is None else MOST_RANKS + 1 - rank
        ax.bar(place, height, width=0.8, color=RELEVANT if rank == 1 else OTHER)
        ax.text(place, height - 0.35 if rank else 0, f"{rank or BLANK}", color=PAPER, ha="center", va="top",
                fontweight="bold")  # fmt: skip
        ax.text(place, height + 0.15 if rank else 0, "★" if rank == 1 else BLANK, color=RELEVANT, ha="center",
                va="bottom")  # fmt: skip
    ax.annotate(
        "question", (n + 0.62, 0), xytext=(n + 0.62, 0.25), color=INK, rotation=90, ha="center", va="bottom"
    )
    ax.set(xlim=(0.4, MOST_RANKS + 1), ylim=(0, MOST_RANKS + 1.3), yticks=[], xticks=range(1, MOST_RANKS + 1),
           xlabel="place in the prompt")  # fmt: skip
    ax.spines["left"].set_visible(False)
    ax.tick_params(bottom=False)
    return figure
