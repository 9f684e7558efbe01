"""Pictures of the chapter «Search first, then answer»: from the corpus to the prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from ..chunking import sentences
from ..explore.html import Part, tag
from ..explore.theme import INK, OTHER, PAPER, QUESTION, RELEVANT, axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_RIGHT = 2  # stars on the corpus; no question of the book has more passages that answer it


def from_corpus_to_prompt(
    found: Sequence[int],
    lengths: Sequence[int],
    right: Sequence[int],
    starts: Sequence[int],
    passages: int,
    overhead: int,
    slots: int,
    most: int = 800,
) -> Figure:
    """The corpus as a strip of passages, those that were found, and the prompt that they fill.

    found: places of the passages in the corpus, from 0, best first; lengths: their words; right: places of the
    passages that hold the answer; starts: the first passage of every article; overhead: words of the prompt that
    are no passage (instructions, titles, the question); slots: how many passages there can be; most: words at the
    right end of the prompt's axis.
    Raises ValueError for more passages than slots, or more right ones than the picture has stars for.
    """
    if len(found) > slots or len(found) != len(lengths) or len(right) > MOST_RIGHT:
        raise ValueError(f"{len(found)} passages of {slots}, {len(lengths)} lengths, {len(right)} right ones")
    from matplotlib.patches import Rectangle

    figure, ax = axes(height=2.35)
    strip, bar = (0.72, 0.16), (0.2, 0.2)  # bottom and height
    ax.text(0, 0.97, f"the corpus: {passages} passages in {len(starts)} articles", va="bottom", color=INK)
    ax.add_patch(Rectangle((0, strip[0]), 1, strip[1], facecolor="none", edgecolor=OTHER, linewidth=0.8))
    for start in starts[1:]:
        ax.plot([start / passages] * 2, [strip[0], sum(strip)], color=OTHER, linewidth=0.5)
    for i in range(MOST_RIGHT):  # a star that is not there is drawn unseen: every state has the same nodes
        place = (right[i] + 0.5) / passages if i < len(right) else 0.5
        star = ax.text(place, sum(strip) + 0.045, "★", ha="center", va="center", color=RELEVANT)
        star.set_alpha(1.0 if i < len(right) else 0.0)
    ax.add_patch(Rectangle((0, bar[0]), overhead / most, bar[1], facecolor="none", edgecolor=OTHER, linewidth=0.8))
    left = overhead / most
    for i in range(slots):
        there = i < len(found)
        place = (found[i] + 0.5) / passages if there else nan
        width = lengths[i] / most if there else nan
        colour = RELEVANT if there and found[i] in right else QUESTION
        middle = left + width / 2
        ax.plot([place, place], [strip[0], sum(strip)], color=colour, linewidth=2)
        ax.plot([place, middle], [strip[0], sum(bar)], color=colour, linewidth=0.8)
        ax.add_patch(Rectangle((left, bar[0]), width, bar[1], facecolor=colour, edgecolor=PAPER, linewidth=1))
        label = ax.text(middle if there else 0.5, sum(bar) - bar[1] / 2, f"{i + 1}", ha="center", va="center",
                        color=PAPER)  # fmt: skip
        label.set_alpha(1.0 if there else 0.0)
        left += width if there else 0
    ticks = range(0, most + 1, 200)
    ax.set(xlim=(-0.01, 1.01), ylim=(0.12, 1.1), yticks=[], xlabel="words in the prompt")
    ax.set_xticks([tick / most for tick in ticks], [f"{tick}" for tick in ticks])
    ax.spines["left"].set_visible(False)
    return figure


def prompt_text(paragraphs: Sequence[str], slots: int, language: str, marks: Sequence[str] = ()) -> Element:
    """A prompt as it is sent, one paragraph after the other, with places kept for sources that are not there.

    A long one scrolls in its box, so that the controls and the sentence of the figure stay near each other.

    paragraphs: instructions, sources and the question, in their order; a source begins with [ and its number.
    language: of the sources and the question. marks: what to mark in the sources, such as the answer.
    """
    before = [text for text in paragraphs[:-1] if not text.startswith("[")]
    sources = [text for text in paragraphs[:-1] if text.startswith("[")]
    parts = [tag("p", " ".join(before))] if before else [tag("p", hidden="hidden")]
    for i in range(slots):
        if i < len(sources):
            parts.append(tag("p", *_marked(sources[i], marks), lang=language))
        else:
            parts.append(tag("p", hidden="hidden"))
    text = tag("blockquote", *parts, tag("p", tag("strong", paragraphs[-1], lang=language)))
    box = {"role": "region", "aria_label": "The prompt", "tabindex": "0"}  # the keyboard can scroll it too
    return tag("div", text, style="max-height: 22em; overflow-y: auto", **box)


def mentions(paragraphs: Sequence[str], slots: int, language: str, marks: Sequence[str]) -> Element:
    """Of a prompt's sources only the sentences that hold a mark, so that they are seen beside each other.

    paragraphs: as for `prompt_text`; a source is «[number] title: text». What is left out leaves …, and a source
    without a mark only says so. The question stands below.
    """
    parts = []
    for source in [text for text in paragraphs[:-1] if text.startswith("[")]:
        title, text = source.split(": ", 1)
        spans = sentences(text)
        held = [i for i, (a, b) in enumerate(spans) if any(mark in text[a:b] for mark in marks)]
        pieces: list[Part] = [f"{title}: "]
        for before, i in zip([-1, *held], held, strict=False):
            pieces += ["… " if i > before + 1 else "", *_marked(text[slice(*spans[i])], marks), " "]
        if not held:
            pieces.append("names neither.")
        elif held[-1] < len(spans) - 1:
            pieces.append("…")
        parts.append(tag("p", *pieces, lang=language))
    parts += [tag("p", hidden="hidden") for _ in range(slots - len(parts))]
    return tag("blockquote", *parts, tag("p", tag("strong", paragraphs[-1], lang=language)))


def _marked(text: str, marks: Sequence[str]) -> list[Part]:
    """A text in pieces, every occurrence of a mark an element of its own."""
    if not marks:
        return [text]
    pieces = re.split("(" + "|".join(map(re.escape, marks)) + ")", text)
    return [tag("mark", piece) if i % 2 else piece for i, piece in enumerate(pieces)]
