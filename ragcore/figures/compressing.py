"""Pictures of «Less is more»: tokens saved against answers kept, and a passage with its sentences kept or cut."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from ..chunking import Chunk, merge_adjacent, sentences
from ..compression import Passage
from ..corpus import Question
from ..evaluation import SignTest, bootstrap_interval, sign_test
from ..explore.html import Part, tag
from ..explore.theme import BUDGET, OTHER, QUESTION, RELEVANT, axes
from ..hits import DECIMALS
from ..reranking import Scorer, score_texts
from ..tokens import WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# ------------------------------------------------------------------ many extracts, without checking each


@dataclass(frozen=True)
class Scored:
    """The sentences of a passage and their scores. best: the numbers of those above 0, best first."""

    passage: Passage
    spans: tuple[tuple[int, int], ...]
    scores: tuple[float, ...]

    @property
    def best(self) -> list[int]:
        """The order in which `best_sentences` takes them."""
        wanted = [i for i, score in enumerate(self.scores) if score > 0]
        return sorted(wanted, key=lambda i: -self.scores[i])


def score_sentences(question: str, passage: Passage, scorer: Scorer) -> Scored:
    """Every sentence of a whole passage scored for a question; the spans count in the passage's text."""
    text = passage.chunk.text
    spans = sentences(text)
    scores = score_texts(scorer, question, [text[a:b] for a, b in spans])
    return Scored(passage, tuple(spans), tuple(round(score, DECIMALS) for score in scores))


def only(scored: Scored, places: Collection[int]) -> Passage | None:
    """The passage with only these of its sentences: what `extract` gives for them, without looking for them again.

    >>> from ragcore.chunking import split_words
    >>> (chunk,) = split_words("One is here. Two is not. Three is here.")
    >>> scored = score_sentences("?", Passage(chunk, 1.0), lambda question, texts: [1.0] * len(texts))
    >>> only(scored, {2, 0}).text
    'One is here. … Three is here.'
    """
    chunk = scored.passage.chunk
    parts = [
        Chunk(chunk.article, chunk.start + a, chunk.start + b) for a, b in (scored.spans[i] for i in sorted(places))
    ]
    spans = tuple((part.start, part.end) for part in merge_adjacent(parts))
    return Passage(chunk, scored.passage.score, spans) if spans else None


def with_neighbours(places: Collection[int], count: int, before: int = 0, after: int = 1) -> list[int]:
    """Sentences by number, and those that stand up to `before` before and `after` after each of them.

    >>> with_neighbours([3, 0], count=5)
    [0, 1, 3, 4]
    """
    near = {i + step for i in places for step in range(-before, after + 1)}
    return sorted(i for i in near if 0 <= i < count)


def answered(question: Question, passages: Sequence[Passage]) -> bool:
    """Whether one of the question's quotes stands whole in what is kept of its article."""
    own = [passage.text for passage in passages if passage.chunk.article.id == question.article]
    return any(quote in text for text in own for quote in question.answers)


def count_tokens(passages: Sequence[Passage]) -> int:
    """The tokens of all of them, counted as words; a sign … is one."""
    return sum(WORDS.count(passage.text) for passage in passages)


# ------------------------------------------------------------------ the same tokens, read from the top


@dataclass(frozen=True)
class Reading:
    """Passages read from the top. steps: tokens after each sentence; need: of them, until the answer is in."""

    steps: tuple[int, ...]
    need: float

    def spent(self, budget: int) -> int:
        """What is used of a budget: all whole sentences that fit, in order."""
        return self.steps[bisect_right(self.steps, budget) - 1]


def read_from_top(question: Question, passages: Sequence[Passage]) -> Reading:
    """The passages as they come, the last one cut after a whole sentence: the plain way to fewer tokens."""
    steps, need, full = [0], inf, 0
    for passage in passages:
        text = passage.chunk.text
        own = passage.chunk.article.id == question.article
        for _, end in sentences(text):
            steps.append(full + WORDS.count(text[:end]) + (end < len(text)))  # a cut is marked by …, one token
            if need == inf and own and any(quote in text[:end] for quote in question.answers):
                need = steps[-1]
        full += WORDS.count(text)
    return Reading(tuple(steps), need)


def same_budget(readings: Sequence[Reading], mean: float) -> int:
    """The largest budget a question for which the readings spend no more than `mean` tokens on average."""
    low, high = 0, max(reading.steps[-1] for reading in readings)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(reading.spent(middle) for reading in readings) <= mean * len(readings):
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(frozen=True)
class Outcome:
    """A way to less text on many questions, and the same tokens spent on the passages as they come.

    saved: 1 − tokens kept / all tokens; low, high: the interval of the share of answers kept; plain: answers kept
    by the passages as they come; test, gain: this way against that one, question by question.
    """

    saved: float
    kept: int
    low: float
    high: float
    plain: int
    test: SignTest
    gain: tuple[float, float]
    of: int


def outcome(
    tokens: Sequence[int], kept: Sequence[bool], everything: Sequence[int], readings: Sequence[Reading]
) -> Outcome:
    """One row of the comparison; all arguments have one entry a question."""
    budget = same_budget(readings, sum(tokens) / len(tokens))
    now = [float(value) for value in kept]
    plain = [float(reading.need <= budget) for reading in readings]
    low, high = bootstrap_interval(now)
    gain = bootstrap_interval([a - b for a, b in zip(now, plain, strict=True)])
    return Outcome(1 - sum(tokens) / sum(everything), sum(kept), low, high, int(sum(plain)),
                   sign_test(now, plain), gain, len(now))  # fmt: skip


def plain_curve(readings: Sequence[Reading], points: int = 41) -> list[tuple[float, float]]:
    """Tokens saved and answers kept by the passages as they come, from all of the text to none of it."""
    everything = sum(reading.steps[-1] for reading in readings)
    curve = []
    for i in range(points):
        budget = same_budget(readings, everything / len(readings) * (1 - i / (points - 1)))
        spent = sum(reading.spent(budget) for reading in readings)
        curve.append((1 - spent / everything, sum(r.need <= budget for r in readings) / len(readings)))
    return curve


# ------------------------------------------------------------------ pictures

SIGNS = {"sentences": ("o", QUESTION), "dropping": ("s", RELEVANT)}


def trade(
    ways: Mapping[str, Sequence[tuple[str, Outcome | None]]], curve: Sequence[tuple[float, float]], now: str
) -> Figure:
    """Tokens saved against answers kept, one point a setting, each with the interval of its share.

    ways: «sentences» and «dropping» -> (name of the setting, what came of it, None where it can't be used). curve:
    the passages as they come. now: the setting that is marked. Raises ValueError for one without an outcome.
    """
    figure, ax = axes(height=3.5)
    ax.plot([100 * x for x, _ in curve], [100 * y for _, y in curve], color=OTHER, linewidth=1.5,
            linestyle=(0, (3, 1.5)))  # fmt: skip
    keys = {"sentences": (4.0, 30.0), "dropping": (4.0, 19.0)}
    for way, settings in ways.items():
        sign, colour = SIGNS[way]
        for _, result in settings:
            x, y = (100 * result.saved, 100 * result.kept / result.of) if result else keys[way]
            low, high = (100 * result.low, 100 * result.high) if result else (y, y)
            # without an outcome it lies under its sign in the key: all states have the same lines
            ax.plot([x, x], [low, high], color=colour, linewidth=1)
            ax.plot([x], [y], sign, color=colour, markersize=6)
    marked = {name: result for settings in ways.values() for name, result in settings}.get(now)
    if marked is None:
        raise ValueError(f"{now!r} has no outcome here")
    x, y = 100 * marked.saved, 100 * marked.kept / marked.of
    ax.plot([x, x], [y, 100 * marked.plain / marked.of], color=BUDGET, linewidth=2.5)
    ax.plot([x], [y], "o", markersize=13, markerfacecolor="none", markeredgecolor=BUDGET, markeredgewidth=2)
    ax.plot([x], [100 * marked.plain / marked.of], "D", color=BUDGET, markersize=6)
    for place, (sign, colour, text) in enumerate(
        [("o", QUESTION, "best sentences"), ("s", RELEVANT, "dropping passages"), ("D", BUDGET, "as they come")]
    ):
        ax.plot([4], [30 - 11 * place], sign, color=colour, markersize=6)
        ax.text(8, 30 - 11 * place, text, color=colour, va="center")
    ax.set(xlim=(0, 100), ylim=(0, 103), xlabel="tokens saved, %", ylabel="answers kept, %")
    ax.set_xticks([0, 20, 40, 60, 80, 100])
    ax.set_yticks([0, 20, 40, 60, 80, 100])
    return figure


def trade_sentence(name: str, result: Outcome) -> str:
    """What one setting saves and keeps, and what the passages as they come keep in as many tokens."""
    test, (low, high) = result.test, result.gain
    if result.kept == result.plain:
        verdict = "No difference"
    elif test.p >= 0.05:
        verdict = "The difference may be chance"
    else:
        verdict = f"This way {'wins' if result.kept > result.plain else 'loses'}, and hardly by chance"
    p = f"p = {test.p:.4f}" if test.p >= 0.0001 else "p below 0.0001"
    return (
        f"{name}: {100 * result.saved:.0f} % of the tokens saved, {result.kept} of {result.of} answers kept "
        f"({100 * result.low:.0f} to {100 * result.high:.0f} in a hundred). As many tokens read from the top keep "
        f"{result.plain}. {verdict}: only this way {test.first}, only that way {test.second}, {p}; "
        f"{100 * low:+.1f} to {100 * high:+.1f} in a hundred."
    ).replace("-", "−")


# ------------------------------------------------------------------ a passage, kept and cut

LEFT = "text-align: left; overflow-wrap: anywhere"
KEPT = f"{LEFT}; border-left: 4px solid var(--explore-question); padding-left: 0.5em"
CUT = f"{LEFT}; border-left: 4px dotted var(--explore-other); padding-left: 0.5em; color: var(--explore-other)"
QUOTE = "text-decoration: underline solid 2px var(--explore-relevant); text-underline-offset: 0.2em"
LIMIT = "text-decoration: underline wavy var(--explore-budget); text-underline-offset: 0.2em"


def kept_and_cut(scored: Scored, kept: Collection[int], quotes: Sequence[str], limit: str) -> Element:
    """A passage as a table of sentences: kept or cut, the score, and the text.

    quotes: underlined where they stand within a sentence; limit: the beginning of the sentence that limits the
    answer, underlined with a wave; empty for none.
    """
    text, language = scored.passage.chunk.text, scored.passage.chunk.article.language
    rows = []
    for i, (a, b) in enumerate(scored.spans):
        sentence = _shown(text[a:b])
        if limit and limit in sentence:
            shown: list[Part] = [tag("span", sentence, style=LIMIT)]
        else:
            shown = _underlined(sentence, [_shown(quote) for quote in quotes])
        fate = "kept" if i in kept else "cut"
        rows.append(tag("tr", tag("th", fate, scope="row"), tag("td", f"{scored.scores[i]:.2f}"),
                        tag("td", *shown, lang=language, style=KEPT if i in kept else CUT)))  # fmt: skip
    head = tag("tr", tag("th", "", scope="col", aria_label="kept or cut"), tag("th", "score", scope="col"),
               tag("th", "sentence", scope="col", style=LEFT))  # fmt: skip
    caption = tag("caption", "The passage, sentence by sentence", style="caption-side: top; text-align: left")
    return tag("table", caption, tag("thead", head), tag("tbody", *rows), style="width: 100%; max-width: 44rem")


def _flat(text: str) -> str:
    return " ".join(text.split())


def _shown(text: str) -> str:
    """A sentence on one line, without the marks of Markdown for headings and bold."""
    return re.sub(r"(?<!\S)#{1,6} |(?<!\w)\*\*(?=\S)|(?<=\S)\*\*(?!\w)", "", _flat(text))


def _underlined(sentence: str, quotes: Sequence[str]) -> list[Part]:
    for quote in quotes:
        before, found, after = sentence.partition(quote)
        if found:
            return [before, tag("span", found, style=QUOTE), after]
    return [sentence]


def kept_sentence(scored: Scored, kept: Collection[int], question: Question, limit: str) -> str:
    """What is left of a passage, and whether the answer and the sentence that limits it are still there."""
    extract = only(scored, kept)
    if extract is None:
        raise ValueError("no sentence shares a word with the question, so none is kept")
    whole, part = WORDS.count(scored.passage.chunk.text), count_tokens([extract])
    there = answered(question, [extract])
    text = (
        f"{len(kept)} of {len(scored.spans)} sentences are kept, {part} of {whole} tokens. "
        f"The answer is {'there' if there else 'gone'}"
    )
    if not limit:
        return text + "."
    stays = limit in _flat(extract.text)
    if there and not stays:
        return text + ", and the sentence that limits it is cut away."
    return (
        text + f"; the sentence that limits it is {'there' if stays else 'cut away'}{' too' * (there and stays)}."
    )
