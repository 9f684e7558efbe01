"""Pictures of «Words, stems, trigrams»: two words in pieces, pieces by their length, two passages term by term."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from ..bm25 import Explanation
from ..explore.html import Part, table, tag
from ..explore.theme import BUDGET, OTHER, QUESTION, RELEVANT, axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIGHT_TO_LEFT = {"he"}
PIECE = "display: inline-block; margin: 0.15rem 0.1rem; padding: 0 0.4rem; border-radius: 4px; "
SHARED = "font-weight: 700; color: var(--explore-relevant); border: 2px solid var(--explore-relevant)"
ALONE = "color: var(--explore-other); border: 2px dotted var(--explore-line)"
WORD = "margin: 0.6rem 0 0; font-weight: 700; font-size: 1.15em"


def two_words(first: str, second: str, terms: tuple[Sequence[str], Sequence[str]], language: str) -> Element:
    """Two words, each above its pieces; a piece that both have is bold and framed, the others are dotted.

    terms: the pieces of the first and of the second word, in their order.
    """
    common = set(terms[0]) & set(terms[1])
    direction = "rtl" if language in RIGHT_TO_LEFT else "ltr"
    parts: list[Part] = []
    for word, own in zip((first, second), terms, strict=True):
        pieces: list[Part] = []
        for term in own:
            look = PIECE + (SHARED if term in common else ALONE)
            pieces += [tag("bdi" if direction == "rtl" else "span", term, style=look), " "]
        parts += [tag("p", word, style=WORD), tag("p", *pieces[:-1], style="margin: 0")]
    return tag("div", *parts, lang=language, dir=direction)


def by_letters(
    lengths: Sequence[int], first: Sequence[int], runs: Sequence[int], whole: int, total: int, n: int
) -> Figure:
    """Questions found by the length of the pieces: the first n letters of a word, and every n letters in a row.

    lengths: of the pieces; first, runs: questions found with each; whole: with whole words; total: questions;
    n: the length that is marked. Raises ValueError for an n that is no length, and for lists of unequal length.
    """
    if n not in lengths or not len(lengths) == len(first) == len(runs):
        raise ValueError(f"n = {n} of {list(lengths)}, with {len(first)} and {len(runs)} results")
    figure, ax = axes(height=3.6)
    at = list(lengths).index(n)
    ax.axhline(whole, color=OTHER, linewidth=1.2, linestyle=(0, (4, 3)))
    ax.axvline(n, color=BUDGET, linewidth=1, linestyle=(0, (1, 2)))
    for found, colour, marker in ((first, QUESTION, "o"), (runs, RELEVANT, "s")):
        ax.plot(lengths, found, color=colour, marker=marker, markersize=4)
        ax.plot([n], [found[at]], color=colour, marker=marker, markersize=9)
    left, right, top = lengths[0] - 0.3, lengths[-1] + 0.3, total + 3  # the key stands above, clear of every line
    ax.text(left, top + 42, "squares: every n letters in a row", color=RELEVANT)
    ax.text(left, top + 24, "circles: the first n letters", color=QUESTION)
    ax.text(left, top + 6, "dashed: whole words", color=OTHER)
    ax.set(xlim=(left, right), ylim=(0, top), xticks=list(lengths), yticks=[0, 50, 100, total],
           xlabel="letters in a piece, n", ylabel="questions answered")  # fmt: skip
    return figure


def groups(words: Sequence[str], n: int, language: str) -> Element:
    """Words that begin with the same n letters, a line for each group, in the order of the words."""
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(word[:n], []).append(word)
    lines = [tag("li", tag("code", piece), " ", ", ".join(own)) for piece, own in found.items()]
    return tag("ul", *lines, lang=language, style="margin: 0.5rem 0")


def term_by_term(first: Explanation, answer: Explanation, most: int = 6) -> Element:
    """What the terms of a question add to two passages: those that add most to the first, the rest in one row.

    A term that stands in the question twice is added up. Raises ValueError for explanations of two questions.
    """
    terms = [row.term for row in first.rows]
    if terms != [row.term for row in answer.rows]:
        raise ValueError("the two passages must be explained for the same question")
    count = {row.term: row.n_t for row in first.rows}
    adds = [_added(explanation) for explanation in (first, answer)]
    ordered = sorted(count, key=lambda term: (-round(adds[0].get(term, 0), 12), terms.index(term)))
    top, others = ordered[:most], ordered[most:]
    rows: list[list[Part]] = [
        [tag("bdi", term), f"{count[term]}", *(f"{added.get(term, 0):.2f}" for added in adds)] for term in top
    ]
    if others:
        rest = [sum(added.get(term, 0) for term in others) for added in adds]
        rows.append([f"{len(others)} more", "", *(f"{value:.2f}" for value in rest)])
    head: list[Part] = ["term", tag("span", "n", tag("sub", "t")), "1st", "answer"]
    return table(head, rows, foot=["total", "", f"{first.total:.2f}", f"{answer.total:.2f}"])


def _added(explanation: Explanation) -> Mapping[str, float]:
    added: Counter[str] = Counter()
    for row in explanation.rows:
        added[row.term] += row.contribution  # type: ignore[assignment]
    return added
