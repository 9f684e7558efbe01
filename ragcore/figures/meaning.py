"""Pictures of «When the question uses other words»: arrows, fused ranks, rankings side by side, best cosines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import cos, nan, pi, sin
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

import numpy as np

from ..dense import cosine
from ..explore.html import Part, tag
from ..explore.theme import BUDGET, INK, OTHER, QUESTION, RELEVANT, axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST = 2.0  # of an arrow, in units of length
MOST_C = 100
TOP = 5  # passages of a ranking that are shown


def arrows(angle: float, length: float, fixed: float = 1.5) -> Figure:
    """Two arrows, one lying still, one turned and stretched; below, the cosine of every angle and of this one.

    angle: degrees from 0 to 180; length: of the arrow that turns, 0 for none; fixed: length of the one that
    lies. The half circle has the radius 1: the turned arrow, brought to length 1, ends on it, and its shadow on
    the other's line is the cosine. Raises ValueError for an angle or a length that the picture has no room for.
    """
    if not (0 <= angle <= 180 and 0 <= length <= LONGEST):
        raise ValueError(f"the angle must be 0 to 180 and the length 0 to {LONGEST:g}, not {angle} and {length}")
    figure, ax = axes(height=4.5)
    ax.remove()
    top, bottom = figure.subplots(2, 1, height_ratios=[1.75, 1])
    turned = np.array([cos(angle * pi / 180), sin(angle * pi / 180)])
    around = np.linspace(0, pi, 61)
    top.plot(np.cos(around), np.sin(around), color=OTHER, linewidth=0.8, linestyle=(0, (1, 2)))
    top.axhline(0, color=OTHER, linewidth=0.8)
    there = length > 0
    x, y = turned if there else (0.0, 0.0)
    top.plot([x, x], [0, y], color=RELEVANT, linewidth=1, linestyle=(0, (3, 2)))
    top.plot([0, x], [0, 0], color=RELEVANT, linewidth=6, alpha=0.45, solid_capstyle="butt")
    top.plot([x], [y], "o", color=RELEVANT, markersize=5, alpha=1.0 if there else 0.0)  # unseen, but there
    for end, colour in ((np.array([fixed, 0.0]), INK), (length * turned, QUESTION)):
        _arrow(top, end, colour)
    top.text(fixed + 0.08, 0.1, "u", color=INK, fontstyle="italic")
    place = (length + 0.17) * turned if there else np.array([0.0, 1.3])
    top.text(*place, "v" if there else "v has no length", color=QUESTION, ha="center", va="center",
             fontstyle="italic")  # fmt: skip
    top.set(xlim=(-2.4, 2.4), ylim=(-0.2, 2.3), aspect="equal", xticks=[], yticks=[])
    top.spines[["left", "bottom"]].set_visible(False)
    degrees = np.linspace(0, 180, 91)
    bottom.plot(degrees, np.cos(degrees * pi / 180), color=OTHER, linewidth=1.4)
    bottom.axhline(0, color=OTHER, linewidth=0.8)
    value = cosine([fixed, 0], length * turned)
    bottom.plot([angle], [value], "o", color=RELEVANT, markersize=8, clip_on=False)
    bottom.set(xlim=(0, 180), ylim=(-1.1, 1.1), xticks=range(0, 181, 30), yticks=[-1, 0, 1],
               xlabel="angle between u and v, degrees", ylabel="cosine")  # fmt: skip
    return figure


def _arrow(ax, end, colour: str) -> None:  # type: ignore[no-untyped-def]
    """A line from the origin and a head made of three points: with no length, all of them are one."""
    length = float(np.hypot(*end))
    along = end / length if length else np.zeros(2)
    across = np.array([-along[1], along[0]])
    base = end - min(0.17, length) * along
    ax.plot([0, base[0]], [0, base[1]], color=colour, linewidth=2)
    ax.fill(*np.array([end, base + 0.07 * across, base - 0.07 * across]).T, color=colour, linewidth=0)


def crossing(first: tuple[float, float | None], second: tuple[float, float | None]) -> float | None:
    """The c at which two chunks, each with its ranks in two lists, score the same; None if at none above 0.

    A rank None stands for a list that lacks the chunk. The c is found by halving between 0 and a million, so the
    scores must cross once at most, as those of (1, m) and (5, 5) do.

    >>> round(crossing((1, 30), (5, 5)), 2)  # 95 / 21
    4.52
    """
    low, high = 0.0, 1e6

    def ahead(c: float) -> float:
        return fused(second, c) / fused(first, c) - 1

    if ahead(low) * ahead(high) > 0 or abs(ahead(high)) < 1e-9:
        return None
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if ahead(middle) * ahead(high) < 0 else (low, middle)
    return high


def fused(ranks: Sequence[float | None], c: float) -> float:
    """The RRF score of a chunk from its ranks, None where a list lacks it."""
    return sum(1 / (c + rank) for rank in ranks if rank is not None)


def two_fragments(c: float, first: tuple[int, int | None], second: tuple[int, int | None]) -> Figure:
    """Two chunks, A and B, with their ranks in two lists: what each place brings, and who wins at which c.

    The bars are in units of a first place, 1 / (c + 1), so that they can be compared; the curve is B's score
    divided by A's, over all c from 0 to 100. Raises ValueError for a c outside of them.
    """
    if not 0 <= c <= MOST_C:
        raise ValueError(f"c must lie between 0 and {MOST_C}, not {c}")
    figure, ax = axes(height=4.4)
    ax.remove()
    top, bottom = figure.subplots(2, 1, height_ratios=[1, 1.7])
    scores = [fused(first, c), fused(second, c)]
    for place, (ranks, score) in enumerate(zip((first, second), scores, strict=True)):
        left = 0.0
        for rank, colour in zip(ranks, (OTHER, QUESTION), strict=True):
            width = 0.0 if rank is None else (c + 1) / (c + rank)
            top.barh(place, width, left=left, height=0.62, color=colour)
            left += width
        winner = score > scores[1 - place]
        said = top.text(2.06, place, f"{score:.4f}", va="center", ha="left", color=INK)
        said.set_fontweight("bold" if winner else "normal")
        names = f"{'AB'[place]}: {ranks[0]}, {'–' if ranks[1] is None else ranks[1]}"
        top.text(-0.06, place, names, va="center", ha="right", color=INK)
    top.text(0, -0.52, "list 1", color=OTHER, va="bottom")
    top.text(0.42, -0.52, "list 2", color=QUESTION, va="bottom")
    top.text(2.06, -0.52, "score", color=INK, va="bottom")
    top.set(xlim=(-0.62, 2.5), ylim=(1.5, -0.95), yticks=[], xticks=[0, 0.5, 1, 1.5, 2],
            xlabel="counts as so many first places")  # fmt: skip
    top.spines["left"].set_visible(False)
    cs = np.linspace(0, MOST_C, 201)
    bottom.plot(cs, [fused(second, each) / fused(first, each) for each in cs], color=OTHER, linewidth=1.4)
    bottom.axhline(1, color=INK, linewidth=1)
    at = crossing(first, second)
    shown = at if at is not None and at <= MOST_C else nan
    bottom.plot([shown, shown], [0.2, 1], color=BUDGET, linewidth=1, linestyle=(0, (3, 2)))
    label = bottom.text(shown + 1.5 if shown == shown else 50, 0.22, f"c = {shown:.2f}", color=BUDGET, va="bottom")
    label.set_alpha(1.0 if shown == shown else 0.0)
    bottom.plot([c], [scores[1] / scores[0]], "o", color=RELEVANT, markersize=8, clip_on=False)
    bottom.text(MOST_C, 2.3, "B first", color=INK, ha="right", va="top")
    bottom.text(MOST_C, 0.25, "A first", color=INK, ha="right", va="bottom")
    bottom.set(xlim=(0, MOST_C), ylim=(0.2, 2.3), xticks=range(0, MOST_C + 1, 20), yticks=[0.5, 1, 1.5, 2],
               xlabel="c", ylabel="B’s score / A’s score")  # fmt: skip
    return figure


Entry = tuple[str, str, bool, str]  # title of the article, beginning of the passage, does it answer, ranks


def side_by_side(
    question: str,
    summary: str,
    lists: Sequence[tuple[str, Sequence[Entry]]],
    passage: str,
    marks: Sequence[str],
    language: str,
) -> Element:
    """Several rankings of one question beside each other (on a phone below each other), and the right passage.

    summary: a line above the lists; lists: heading and first entries of every ranking; passage: text of the right
    passage; marks: the quotes in it. Raises ValueError unless every ranking has an entry for every place.
    """
    columns = []
    for name, entries in lists:
        if len(entries) != TOP:
            raise ValueError(f"{name!r} needs {TOP} entries, not {len(entries)}")
        items = [
            tag("li", tag("strong", "★ " if right else ""), tag("cite", title), ": ", tag("span", text), " ",
                tag("small", note), style="margin-bottom: 0.3em")
            for title, text, right, note in entries
        ]  # fmt: skip
        listed = tag("ol", *items, lang=language, style="margin: 0; padding-left: 1.3em")
        columns.append(tag("div", tag("p", tag("strong", name), style="margin: 0"), listed))
    grid = "display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: 0.8rem 1.2rem"
    answer = tag("blockquote", "★ ", *_marked(passage, marks), lang=language)
    asked = tag("p", tag("strong", question, lang=language))
    return tag("div", asked, tag("p", summary), tag("div", *columns, style=grid), answer)


def _marked(text: str, marks: Sequence[str]) -> list[Part]:
    """A text in three pieces, the first quote that stands in it marked; empty ones if none does."""
    for mark in marks:
        if match := re.search(re.escape(mark), text):
            return [tag("span", text[: match.start()]), tag("mark", match[0]), tag("span", text[match.end() :])]
    return [tag("span", text), tag("mark", "", style="border: 0"), tag("span", "")]


Interval = tuple[float, float, float]  # mean, and its ends


def parts(scores: Sequence[tuple[str, Interval]]) -> Figure:
    """The share found by every method, with its interval; by spelling grey, vectors blue, both together green.

    scores: name and (mean, low, high), shares from 0 to 1; a + in the name marks a fused ranking.
    """
    figure, ax = axes(height=0.95 + 0.36 * len(scores))
    for place, (name, (mean, low, high)) in enumerate(scores):
        colour = RELEVANT if "+" in name else QUESTION if name == "dense" else OTHER
        ax.plot([low, high], [place, place], color=colour, linewidth=2)
        ax.plot([mean], [place], "o", color=colour, markersize=7)
        ax.text(1.03, place, f"{mean:.2f}", color=colour, va="center")
    ax.set(xlim=(0, 1), ylim=(len(scores) - 0.5, -0.5), xticks=[0, 0.2, 0.4, 0.6, 0.8, 1],
           xlabel="share among the first 5, and its interval")  # fmt: skip
    ax.set_yticks(range(len(scores)), [name for name, _ in scores])
    ax.tick_params(axis="y", left=False)
    ax.spines["left"].set_visible(False)
    return figure


def best_cosines(answered: Sequence[float], unanswered: Sequence[float], threshold: float) -> Figure:
    """The best cosine of every question: those with an answer above the line, those without below it.

    Bars are shares of each kind in percent, so that 210 questions can be set beside 20; what lies left of the
    threshold would be refused, and is drawn pale. Raises ValueError for a cosine outside of the axis.
    """
    edges = np.round(np.arange(0.81, 0.9151, 0.005), 3)
    for values in (answered, unanswered):
        if min(values) < edges[0] or max(values) > edges[-1]:
            raise ValueError(f"the best cosines must lie between {edges[0]} and {edges[-1]}")
    figure, ax = axes(height=3.1)
    for values, sign, colour in ((answered, 1, RELEVANT), (unanswered, -1, BUDGET)):
        counts, _ = np.histogram(values, edges)
        for left, count in zip(edges[:-1], counts, strict=True):
            bar = ax.bar(left, sign * 100 * count / len(values), width=0.0044, align="edge", color=colour)
            bar[0].set_alpha(0.3 if left + 0.0025 < threshold else 1.0)
    ax.axhline(0, color=INK, linewidth=0.8)
    ax.plot([threshold, threshold], [-33, 33], color=INK, linewidth=1.2, linestyle=(0, (3, 2)))
    ax.text(0.811, 30, "with an answer", color=RELEVANT, va="center")
    ax.text(0.811, -30, "without", color=BUDGET, va="center")
    ax.set(xlim=(0.81, 0.915), ylim=(-35, 35), xticks=[0.82, 0.84, 0.86, 0.88, 0.9], yticks=[-30, -15, 0, 15, 30],
           xlabel="cosine of the nearest passage", ylabel="% of the questions")  # fmt: skip
    ax.set_yticks([-30, -15, 0, 15, 30], ["30", "15", "0", "15", "30"])
    return figure
