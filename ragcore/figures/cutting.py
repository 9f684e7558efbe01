"""Pictures of the chapter «Cutting documents»: cuts in a text, passages as stairs, scores by the first cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

import numpy as np

from ..chunking import Chunk, count_chunks
from ..explore.html import Part, tag
from ..explore.theme import BUDGET, OTHER, QUESTION, RELEVANT, axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 25  # steps that the stairs have room for
MARK = "color: var(--explore-question); font-weight: 700; font-size: 0.8em; white-space: nowrap"
SHADE = "linear-gradient(var(--explore-line) 0 100%)"  # see-through: one for each further copy, deeper and deeper
WHOLE = "border-bottom: 3px solid var(--explore-relevant)"
PARTED = "border-bottom: 3px dashed var(--explore-budget)"


def holders(chunks: Sequence[Chunk], start: int, end: int) -> list[int]:
    """The numbers, from 1, of the chunks of one article that hold its characters start to end whole."""
    return [n for n, chunk in enumerate(chunks, 1) if chunk.start <= start and end <= chunk.end]


def cut_text(chunks: Sequence[Chunk], start: int, end: int, quote: tuple[int, int]) -> Element:
    """An article's text from start to end with its cuts drawn in.

    chunks: all of the article, in their order. «[3» stands where the third begins, «3]» where it ends; words that
    stand in several chunks are shaded, deeper for each further one; the quote (two offsets) is underlined, dashed
    where no chunk holds it whole.
    """
    article = chunks[0].article
    begins = {chunk.start: n for n, chunk in enumerate(chunks, 1)}
    ends = {chunk.end: n for n, chunk in enumerate(chunks, 1)}
    places = {start, end, *begins, *ends, *quote}
    line = WHOLE if holders(chunks, *quote) else PARTED
    pieces: list[Part] = []
    for a, b in pairwise(sorted(place for place in places if start <= place <= end)):
        if a in ends and a > start:
            pieces.append(tag("span", f" {ends[a]}]", style=MARK))
        if a in begins:
            pieces.append(tag("span", f"[{begins[a]} ", style=MARK))
        text = article.text[a:b]
        covered = sum(chunk.start <= a and b <= chunk.end for chunk in chunks)
        shades = ", ".join([SHADE] * (covered - 1))
        styles = [f"background: {shades}"] * (covered > 1) + [line] * (quote[0] <= a and b <= quote[1])
        pieces.append(tag("span", text, style="; ".join(styles)) if styles else text)
    if end in ends:
        pieces.append(tag("span", f" {ends[end]}]", style=MARK))
    return tag("blockquote", *pieces, lang=article.language, style="white-space: pre-line")


def stairs(words: int, size: int, overlap: int) -> Figure:
    """The passages of a text as steps; a loop without the early stop adds the outlined one.

    Solid: words that no passage before holds; pale: those that the passage before holds too. Raises ValueError
    as `count_chunks` does, and for more steps than there is room for.
    """
    count, step = count_chunks(words, size, overlap), size - overlap
    looped = len(range(0, words, step))
    if looped > MOST:
        raise ValueError(f"{looped} steps do not fit into a picture with room for {MOST}")
    figure, ax = axes(height=3.6)
    for n in range(MOST):
        first, last = (n * step, min(n * step + size, words)) if n < count else (np.nan, np.nan)
        new = first if n == 0 else first + overlap
        ax.barh(n + 1, new - first, left=first, height=0.72, color=OTHER, alpha=0.45)
        ax.barh(n + 1, last - new, left=new, height=0.72, color=QUESTION)
    more = count * step if looped > count else np.nan
    ax.barh(count + 1, words - more, left=more, height=0.72, facecolor="none", edgecolor=BUDGET, linewidth=2)
    said = (
        ("without the early stop:", "one more, nothing new")
        if looped > count
        else ("the early stop", "changes nothing")
    )
    for y, text in zip((21.4, 23), said, strict=True):  # bottom left no bar ever stands
        ax.text(260, y, text, color=BUDGET if looped > count else OTHER, va="center", ha="center")
    ax.axvline(words, color=OTHER, linewidth=1, linestyle=(0, (1, 2)))
    ax.set(xlim=(0, 1010), ylim=(MOST + 1, 0), xticks=range(0, 1001, 200), yticks=[1, 5, 10, 15, 20, 25],
           xlabel="words of the text", ylabel="passage")  # fmt: skip
    return figure


Score = tuple[float, float, float]  # mean, and the ends of its interval


def by_first_cut(firsts: Sequence[int], scores: Sequence[Score], others: Sequence[tuple[str, Score]],
                 ylabel: str) -> Figure:  # fmt: skip
    """A score of one cut that begins in several places, and of other ways to cut, each with its interval.

    firsts: the words before the first cut, one a score; others: (name, score), drawn to the right of them.
    """
    figure, ax = axes(height=3.4)
    for place, (mean, low, high) in enumerate(scores):
        ax.plot([place, place], [low, high], color=QUESTION, linewidth=1)
        ax.plot([place], [mean], "o", color=QUESTION, markersize=6)
    means = [mean for mean, _, _ in scores]
    ax.axhspan(min(means), max(means), color=QUESTION, alpha=0.12, linewidth=0)
    right = [len(scores) + 0.8 + 2.4 * i for i in range(len(others))]  # room for their names
    for x, (_, (mean, low, high)) in zip(right, others, strict=True):
        ax.plot([x, x], [low, high], color=RELEVANT, linewidth=1)
        ax.plot([x], [mean], "s", color=RELEVANT, markersize=6)
    names = [str(first) for first in firsts] + [name for name, _ in others]
    places = [*range(len(scores)), *right]
    ax.set(xlim=(-0.6, max(places) + 1.2), ylim=(0.35, 1), yticks=[0.4, 0.6, 0.8, 1], ylabel=ylabel,
           xlabel="words before the first cut  ·  other ways to cut")  # fmt: skip
    ax.set_xticks(places, names)
    return figure
