"""Pictures of «How big should a chunk be?»: ways to spend a budget, passages as they are read, parted spans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

from ..analysis import Analyzer
from ..chunking import Chunk
from ..explore.html import Part, tag
from ..explore.theme import BUDGET, OTHER, QUESTION, RELEVANT, axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Interval = tuple[float, float, float]  # mean, and its ends

LOWEST = 0.12  # share under which an interval has no room for a label below it
WHOLE = "border-bottom: 3px solid var(--explore-relevant)"
PARTED = "border-bottom: 3px dashed var(--explore-budget)"
SQUARE: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": OTHER, "markeredgewidth": 1.6}
MARKS = re.compile(r"[#|*\-]+")  # a word of nothing but Markdown's marks


def parted(length: int, size: int, overlap: int = 0) -> float:
    """The share of a span's positions in a long text at which no passage holds it whole.

    min(1, max(0, L − 1 − o) / (s − o)): a cut, one every s − o words, can fall between any two
    of the L words; at o of these places the next passage, begun o words earlier, has it whole.
    Raises ValueError unless L ≥ 1 and 0 ≤ o < s.

    >>> parted(15, 80), parted(15, 20), parted(8, 80), parted(15, 80, overlap=20)
    (0.175, 0.7, 0.0875, 0.0)
    """
    if length < 1 or not 0 <= overlap < size:
        given = f"L {length}, size {size}, overlap {overlap}"
        raise ValueError(f"needs L ≥ 1 and 0 ≤ overlap < size, not {given}")
    return min(1.0, max(0, length - 1 - overlap) / (size - overlap))


def spending(
    names: Sequence[str], scores: Sequence[Interval], counts: Sequence[int], published: Sequence[float | None]
) -> Figure:
    """The share of answers that were read, with its interval, for every way to spend the same budget.

    names: of the ways; scores: (mean, low, high), shares from 0 to 1; counts: the questions answered, written
    below the interval, or above it where there is no room; published: shares that others measured, None where
    there is none. Raises ValueError unless all have the same length and every share lies between 0 and 1.
    """
    if not len(names) == len(scores) == len(counts) == len(published):
        raise ValueError(f"{len(names)} ways need as many scores, counts and published shares")
    if any(not 0 <= value <= 1 for score in scores for value in score):
        raise ValueError(f"a share lies outside 0 to 1: {list(scores)}")
    figure, ax = axes(height=3.5)
    places = range(len(names))
    means = [mean for mean, _, _ in scores]
    ax.plot(places, means, color=QUESTION, linewidth=1, alpha=0.5)
    for place, (mean, low, high), count in zip(places, scores, counts, strict=True):
        ax.plot([place, place], [low, high], color=QUESTION, linewidth=2)
        ax.plot([place], [mean], "o", color=QUESTION, markersize=7)
        below = low > LOWEST  # else the label would stand on the axis
        ax.text(place, low - 0.02 if below else high + 0.02, f"{count}", color=QUESTION, ha="center",
                va="top" if below else "bottom", fontweight="bold")  # fmt: skip
    for place, share in zip(places, published, strict=True):
        if share is not None:
            ax.plot([place + 0.27], [share], "s", markersize=7, **SQUARE)
            ax.text(place + 0.16, share + 0.03, f"{100 * share:.0f} %", color=OTHER, va="bottom", fontsize=10)
    if any(share is not None for share in published):  # the key, where no interval reaches
        ax.plot([len(names) - 1.5], [0.97], "s", markersize=7, **SQUARE)
        ax.text(len(names) - 1.35, 0.97, "published", color=OTHER, va="center", fontsize=10)
    ax.set(xlim=(-0.6, len(names) - 0.25), ylim=(0, 1), yticks=[0, 0.2, 0.4, 0.6, 0.8, 1],
           xlabel="passages read × words in each", ylabel="share of answers read")  # fmt: skip
    ax.set_xticks(list(places), list(names))
    ax.tick_params(bottom=False)
    return figure


def parted_shares(length: int, sizes: Sequence[int], overlaps: Sequence[int]) -> Figure:
    """How often cuts part a span of a given length, by the size of the passages: bars without and with overlap.

    overlaps: one a size, in words. The heights are `parted` in percent.
    """
    if len(sizes) != len(overlaps):
        raise ValueError(f"{len(sizes)} sizes need as many overlaps, not {len(overlaps)}")
    figure, ax = axes(height=3.3)
    for place, (size, overlap) in enumerate(zip(sizes, overlaps, strict=True)):
        for side, words, colour in ((-0.23, 0, BUDGET), (0.23, overlap, RELEVANT)):
            share = 100 * parted(length, size, words)
            ax.bar(place + side, share, width=0.4, color=colour)
            label = "<1" if 0 < share < 0.5 else f"{share:.0f}"
            ax.text(place + side, share + 1.5, label, color=colour, ha="center", va="bottom", fontsize=10)
    ax.text(len(sizes) - 0.5, 134, "no overlap", color=BUDGET, ha="right", va="top", fontweight="bold")
    ax.text(len(sizes) - 0.5, 123, "overlap of a quarter", color=RELEVANT, ha="right", va="top", fontweight="bold")
    ax.set(xlim=(-0.6, len(sizes) - 0.4), ylim=(0, 134), yticks=range(0, 101, 20),
           xlabel="words in a passage", ylabel="positions parted, %")  # fmt: skip
    ax.set_xticks(range(len(sizes)), [f"{size}" for size in sizes])
    ax.tick_params(bottom=False)
    return figure


def reading(passages: Sequence[Chunk], article: str, answers: Sequence[str], terms: set[str],
            analyzer: Analyzer) -> Element:  # fmt: skip
    """What is read: the passages in their order, with the answer underlined and the question's words marked.

    article: the id of the one that answers; answers: quotes from it; terms: of the question. The line is dashed
    where a passage holds only a part of the quote. Markdown's marks are left out.
    """
    return tag(
        "div", *(_passage(n, chunk, article, answers, terms, analyzer) for n, chunk in enumerate(passages, 1))
    )


def _passage(n: int, chunk: Chunk, article: str, answers: Sequence[str], terms: set[str],
             analyzer: Analyzer) -> Element:  # fmt: skip
    text, language = chunk.article.text, chunk.article.language
    spans = []
    if chunk.article.id == article:
        spans = [(text.index(answer), text.index(answer) + len(answer)) for answer in answers]
    pieces: list[Part] = []
    run: list[Part] = []  # words under one line
    line = ""

    def close() -> None:
        if line:
            pieces.extend([tag("span", *run, style=line), " "])
        else:
            pieces.extend([*run, " "] if run else [])

    for word in re.finditer(r"\S+", chunk.text):
        start, end = chunk.start + word.start(), chunk.start + word.end()
        held = [span for span in spans if span[0] < end and start < span[1]]
        whole = any(chunk.start <= a and b <= chunk.end for a, b in held)
        now = "" if not held else WHOLE if whole else PARTED
        shown = word.group().replace("**", "")
        if MARKS.fullmatch(word.group()) or not shown:
            continue
        if now != line:
            close()
            run, line = [], now
        part: Part = tag("mark", shown) if terms & set(analyzer(shown)) else shown
        run += [" ", part] if run else [part]
    close()
    where = tag("p", f"{n}. from ", tag("cite", chunk.article.title, lang=language))
    return tag("div", where, tag("blockquote", *pieces[:-1], lang=language))
