"""The prompt of a budget: the passages that fit, in the order that reads best, and an account of every one.

    obligatory parts first (system, examples, format, question)
    then passages, by relevance or by density, while  tokens(prompt) ≤ budget
    the first that does not fit may be cut, once; the others are skipped, not the end of it
    neighbours become one passage; the best stand at the edges

Nothing is estimated: whether a passage fits is found by writing the prompt with it and counting. So markers, tags
and titles are paid for as they are, and the count is right for a tokenizer for which the whole is not the sum of
its parts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from .budget import density_order
from .chunking import Chunk, merge_adjacent, sentences
from .compression import Passage
from .ordering import ORDERS, Order
from .prompting import Prompt, build_prompt
from .tokens import WORDS, Tokenizer

By = Literal["relevance", "density"]
Cut = Literal["none", "word", "sentence"]
Fate = Literal["whole", "cut", "left out"]


@dataclass(frozen=True)
class Decision:
    """What became of one passage, and why; tokens: what the prompt grew by (for one left out: would have grown)."""

    passage: Passage
    fate: Fate
    tokens: int
    reason: str


@dataclass(frozen=True)
class Context:
    """A prompt within its budget. used = text + markers; all in tokens.

    text: the author's parts, the question, and the passages' own words. markers: what names and encloses the
    passages.
    """

    prompt: Prompt
    budget: int
    used: int
    markers: int
    decisions: tuple[Decision, ...]

    @property
    def text(self) -> int:
        """Tokens that are not markers."""
        return self.used - self.markers


def build_context(
    system: str,
    passages: Sequence[Passage],
    question: str,
    budget: int,
    *,
    by: By = "relevance",
    order: Order = "best_first",
    cut: Cut = "sentence",
    render: str = "tagged",
    language: str = "en",
    examples: Sequence[tuple[str, str]] = (),
    format: str = "",
    tokenizer: Tokenizer = WORDS,
) -> Context:
    """The best prompt that this budget allows, with an account of what was taken, cut and left out.

    passages: in any order; `by` says which come first: the highest score, or the highest score per token (what a
    passage costs alone, marker included). Equal ones keep the order of the input. `order` lays the taken ones out,
    in the order in which they were taken. `cut` says what to do with the first that does not fit: leave it out,
    keep its first words, or keep its first whole sentences (at least one, or it is left out). Passages of one
    article that touch or overlap become one, with the better score. Count with the tokenizer of the model that
    answers; WORDS is an approximation. Raises ValueError if the obligatory parts alone exceed the budget.
    """
    for name, value, known in (("by", by, get_args(By)), ("order", order, [*ORDERS]), ("cut", cut, get_args(Cut))):
        if value not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")

    def write(taken: Sequence[Passage]) -> Prompt:
        return build_prompt(system, ORDERS[order](taken), question, render, language, examples, format)

    def size(taken: Sequence[Passage]) -> int:
        return tokenizer.count(write(taken).text)

    used = fixed = size([])
    if fixed > budget:
        raise ValueError(
            f"without any passage the prompt has {fixed} tokens, over the budget of {budget}: raise it"
        )
    costs = [size([passage]) - fixed if by == "density" else 1 for passage in passages]
    taken: list[Passage] = []
    decisions: dict[int, Decision] = {}
    may_cut = cut != "none"
    for i in density_order([passage.score for passage in passages], costs):
        fate: Fate = "whole"
        with_it = join_neighbours([*taken, passages[i]])
        if size(with_it) > budget and may_cut:
            beginnings = _beginnings(passages[i], cut)
            fitting = bisect_left(beginnings, True, key=lambda part: size([*taken, part]) > budget)
            if fitting:
                fate, with_it, may_cut = "cut", [*taken, beginnings[fitting - 1]], False
        need = size(with_it) - used
        if need > budget - used:
            decisions[i] = Decision(passages[i], "left out", need, f"needs {need} tokens, {budget - used} left")
            continue
        joined = fate == "whole" and len(with_it) <= len(taken)
        reason = "joined with its neighbour" if joined else "fits" if fate == "whole" else "its beginning fits"
        decisions[i] = Decision(passages[i], fate, need, reason)
        taken, used = with_it, used + need
    prompt = write(taken)
    words = sum(tokenizer.count(passage.text) for passage in taken)
    markers = tokenizer.count(prompt.layers["sources"]) - words
    return Context(prompt, budget, used, markers, tuple(decisions[i] for i in range(len(passages))))


def join_neighbours(passages: Sequence[Passage]) -> list[Passage]:
    """Whole passages of one article that touch or overlap become one: the place of the first, the best score.

    Passages of which something was left out stay as they are. No word stands twice.

    >>> from ragcore import split_words
    >>> a, b, c = split_words("A1 A2 B1 B2 C1 C2", size=2)
    >>> [(p.chunk.text, p.score) for p in join_neighbours([Passage(b, 0.5), Passage(c, 0.7)])]
    [('B1 B2 C1 C2', 0.7)]
    """
    joined = merge_adjacent(passage.chunk for passage in passages if not passage.cut)
    result: dict[tuple[Chunk, tuple[tuple[int, int], ...]], Passage] = {}
    for passage in passages:
        chunk, spans = passage.chunk, passage.spans
        if not passage.cut:
            chunk, spans = next(whole for whole in joined if _holds(whole, chunk)), ()
        known = result.get((chunk, spans))
        score = max(passage.score, known.score) if known else passage.score
        result[chunk, spans] = Passage(chunk, score, spans)
    return list(result.values())


def _holds(whole: Chunk, part: Chunk) -> bool:
    return whole.article == part.article and whole.start <= part.start and part.end <= whole.end


def _beginnings(passage: Passage, cut: Cut) -> list[Passage]:
    """The passage after its first word (or sentence), after its second, …, the whole left out; shortest first."""
    spans = passage.spans or ((passage.chunk.start, passage.chunk.end),)
    ends = []
    for start, end in spans:
        text = passage.chunk.article.text[start:end]
        pieces = sentences(text) if cut == "sentence" else [word.span() for word in re.finditer(r"\S+", text)]
        ends += [start + piece_end for _, piece_end in pieces]
    return [
        Passage(passage.chunk, passage.score, tuple((a, min(b, end)) for a, b in spans if a < end))
        for end in ends[:-1]
    ]
