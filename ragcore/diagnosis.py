"""Why was the answer not found? One reason for every question that failed.

    not indexed      the note that answers is not in the index: never read, renamed, removed
    not in the note  the note is there, and the quote does not stand in it (any more), word for word
    elsewhere        another note that was found says the same words: a copy, no failure of the search
    cut in two       no passage holds the quote whole
    other words      the passage holds less than a quarter of the question, by the weight of its terms
    ranked low       it holds the words, and k others come before it

They are tried in this order, and the first that holds is the reason. Each has another cure: index the note; mend
the quote; remove the copy; cut otherwise; change the terms or the question's words (or search by meaning); look at
what stands before it. A quote that was cut is a fault even if a part of it was found: the answer would be half.

What it does not see: an answer that another note gives in other words, and a quote that is not the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, isinf
from typing import Literal, get_args

from .bm25 import BM25
from .chunking import Chunk
from .corpus import Question
from .evaluation import rank_of_answer, right_chunks
from .hits import Hit
from .notes import Notes
from .quotes import find_quote
from .rag import Answer
from .reranking import by_coverage, score_texts
from .thresholds import best_threshold, errors

Fault = Literal["not indexed", "not in the note", "elsewhere", "cut in two", "other words", "ranked low"]
FAULTS: tuple[Fault, ...] = get_args(Fault)
ENOUGH = 0.25  # of the question's weight (`by_coverage`), as much as a sentence needs to be quoted


@dataclass(frozen=True)
class Finding:
    """What became of a question.

    rank: of the first right passage, None if it was not found or is not there. fault: why not among the first k,
    None if nothing is wrong, always None for a question without an answer. detail: the reason in words, with its
    numbers. nearness: of the best passage, as `Rag` compares it with its threshold.
    """

    question: Question
    rank: int | None
    fault: Fault | None
    detail: str
    nearness: float

    def found(self, k: int) -> bool:
        """Whether a right passage is among the first k."""
        return self.rank is not None and self.rank <= k


def diagnose(
    questions: Sequence[Question], index: BM25, k: int = 5, skipped: Mapping[str, str] | None = None
) -> list[Finding]:
    """What became of every question, and why.

    k: how many passages an answer is made from. skipped: notes that are not in the index, and why (as in `Notes`).

    >>> from ragcore.chunking import split_words
    >>> from ragcore.corpus import Article
    >>> index = BM25(split_words(Article("tea.md", "", "", "Let black tea draw for four minutes. Warm pots."), 7))
    >>> asked = Question("How long does the brew have to steep?", "paraphrase", "tea.md", ("four minutes",))
    >>> diagnose([asked], index)[0].fault
    'other words'
    """
    return [diagnose_one(question, index, k, skipped or {}) for question in questions]


def diagnose_one(question: Question, index: BM25, k: int, skipped: Mapping[str, str]) -> Finding:
    """What became of one question: the first reason that holds."""
    hits = index.search(question.text, k=max(1, len(index)))
    nearness = hits[0].score / index.ceiling(question.text) if hits else 0.0
    if question.article is None:
        return Finding(question, None, None, "", nearness)
    note = next((chunk.article for chunk in index.chunks if chunk.article.id == question.article), None)
    if note is None:
        why = skipped.get(question.article) or _no_such_note(question, index)
        return Finding(question, None, "not indexed", f"{question.article}: {why}", nearness)
    if lost := [answer for answer in question.answers if answer not in note.text]:
        return Finding(question, None, "not in the note", _what_stands_there(lost[0], note.text), nearness)
    right = right_chunks(question, index.chunks)
    rank = rank_of_answer(hits, right)
    whole = any(answer in chunk.text for chunk in right for answer in question.answers)
    if whole and rank is not None and rank <= k:
        return Finding(question, rank, None, "", nearness)
    if copy := next(
        (hit for hit in hits[:k] if any(find_quote(a, hit.chunk.text) for a in question.answers)), None
    ):
        why = f"{copy.chunk.article.id} says the same words, and comes at {copy.rank}"
        return Finding(question, rank, "elsewhere", why, nearness)
    if not whole:
        return Finding(question, rank, "cut in two", _cut(question.answers[0], right[0]), nearness)
    fault, why = _words_or_rank(question.text, index, right, hits, rank)
    return Finding(question, rank, fault, why, nearness)


def _no_such_note(question: Question, index: BM25) -> str:
    notes = dict.fromkeys(chunk.article for chunk in index.chunks)
    same = [note.id for note in notes if all(answer in note.text for answer in question.answers)]
    return f"no such note; {same[0]} says the same words: was it renamed?" if same else "no such note"


def _what_stands_there(answer: str, text: str) -> str:
    if place := find_quote(answer, text):
        return f"«{answer}»; there stands «{text[slice(*place)]}»"
    return f"«{answer}»"


def _cut(answer: str, chunk: Chunk) -> str:
    """The quote with a bar where a passage ends within it."""
    start = chunk.article.text.index(answer)
    inside = chunk.end if start < chunk.end < start + len(answer) else chunk.start
    return f"«{answer[: inside - start].rstrip()} | {answer[inside - start :].lstrip()}»"


def _words_or_rank(
    question: str, index: BM25, right: Sequence[Chunk], hits: Sequence[Hit], rank: int | None
) -> tuple[Fault, str]:
    shares = score_texts(by_coverage(index), question, [chunk.text for chunk in right])
    best = right[max(range(len(right)), key=lambda i: shares[i])]
    if max(shares) >= ENOUGH:
        return "ranked low", f"rank {rank}, first is {hits[0].chunk.article.id}"
    lacking = dict.fromkeys(index.analyzer(question)).keys() - set(index.analyzer(best.text))
    rare = sorted(lacking, key=lambda term: (index.n_t(term), term))[:4]
    unknown = [term if index.n_t(term) else f"{term} (in no note)" for term in rare]
    return "other words", f"the passage lacks {', '.join(unknown)}"


# ------------------------------------------------------------------ when not to answer


@dataclass(frozen=True)
class Refusal:
    """A threshold and its two errors: questions that it answers though their answer was not among the first k
    (`wrong` of `others`), and questions that it refuses though it was (`needless` of `found`)."""

    threshold: float
    wrong: int
    others: int
    needless: int
    found: int


def refusal(findings: Sequence[Finding], threshold: float, k: int = 5) -> Refusal:
    """What a threshold on nearness does to these questions."""
    found, others = _sides(findings, k)
    wrong, needless = errors(threshold, others, found)
    return Refusal(threshold, wrong, len(others), needless, len(found))


def propose(findings: Sequence[Finding], k: int = 5, times: float = 5.0) -> Refusal | None:
    """The threshold that costs least on these questions, if a wrong answer is as bad as `times` needless refusals.

    Rounded down to three decimals, so that what is printed can be typed. None if there is nothing to choose: no
    question of one of the two kinds, or refusing everything is cheapest. It was chosen on these very questions, so
    on others it will do worse (see the chapter on refusing). Raises ValueError for a negative `times`.
    """
    found, others = _sides(findings, k)
    if not found or not others:
        return None
    best = best_threshold(others, found, len(others) / len(findings), times).threshold
    return None if isinf(best) else refusal(findings, floor(best * 1000) / 1000, k)


def _sides(findings: Sequence[Finding], k: int) -> tuple[list[float], list[float]]:
    """The nearness of the questions whose answer is among the first k, and of all others."""
    found = [finding.nearness for finding in findings if finding.found(k)]
    return found, [finding.nearness for finding in findings if not finding.found(k)]


# ------------------------------------------------------------------ and what is answered in the end?


@dataclass(frozen=True)
class Outcome:
    """What quoting makes of the questions: of those with an answer `quoted` get it, word for word, `other` get
    something else, `refused` nothing; of those without, `silent` get something all the same."""

    threshold: float
    minimum: float
    quoted: int
    other: int
    refused: int
    silent: int


def outcome(notes: Notes, questions: Sequence[Question], threshold: float, minimum: float, k: int = 5) -> Outcome:
    """Every question asked in full, of the model that quotes (`ExtractiveModel`)."""
    rag = notes.rag(threshold=threshold, minimum=minimum, k=k)
    fates = [_fate(question, rag.ask(question.text)) for question in questions]
    counts = (fates.count(fate) for fate in ("quoted", "other", "refused", "silent"))
    return Outcome(threshold, minimum, *counts)


def _fate(question: Question, answer: Answer) -> str:
    if question.article is None:
        return "" if answer.kind == "refused" else "silent"
    if answer.kind == "refused":
        return "refused"
    text = " ".join(answer.text.split())
    return "quoted" if any(" ".join(quote.split()) in text for quote in question.answers) else "other"
