"""Is the search any good? At which rank does the first right chunk come, over many questions?

    Hit@k = share of questions whose answer is among the first k      MRR = mean of 1 / rank

A question whose answer was not found has no rank (None), adds 0 and stays in the mean.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from .chunking import Chunk
from .corpus import Question
from .hits import Hit, check_k


def right_chunks(question: Question, chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks that answer a question: those that hold one of its quotes whole.

    If no chunk holds a quote whole, the one that holds the larger part of it is right (the first of equals).
    A quote that stands in its article more than once makes chunks right at each place.
    Raises ValueError for a question without an answer (see the chapter on refusing), and if the chunks lack
    its article or every part of a quote.
    """
    if question.article is None:
        raise ValueError(
            f"{question.text!r} has no answer in the corpus, so no rank: leave it out of this evaluation"
        )
    own = [chunk for chunk in chunks if chunk.article.id == question.article]
    if not own:
        raise ValueError(f"no chunk comes from {question.article!r}, which answers {question.text!r}")
    if not question.answers or not all(question.answers):
        raise ValueError(f"{question.text!r} has no answer quote, or an empty one")
    right: dict[Chunk, None] = {}  # a set that keeps the order
    for answer in question.answers:
        spans = [(match.start(), match.start() + len(answer))
                 for match in re.finditer(f"(?={re.escape(answer)})", own[0].article.text)]  # fmt: skip
        if not spans:
            raise ValueError(f"the answer {answer!r} does not stand in {question.article!r}")
        for start, end in spans:
            held = {
                chunk: min(chunk.end, end) - max(chunk.start, start) for chunk in own
            }  # characters of the quote
            most = max(held.values())
            if most <= 0:
                raise ValueError(f"no chunk holds anything of the answer {answer!r} of {question.article!r}")
            whole = [chunk for chunk in own if held[chunk] == end - start]
            right |= dict.fromkeys(whole or [next(chunk for chunk in own if held[chunk] == most)])
    return list(right)


def rank_of_answer(hits: Sequence[Hit], right: Collection[Chunk]) -> int | None:
    """The rank, from 1, of the first hit that is right; None if none is.

    right: from `right_chunks`. Chunks that come after the first right one change nothing. Raises ValueError if
    nothing is right.
    """
    if not right:
        raise ValueError("no chunk is right, so no rank can be told: see right_chunks")
    return next((hit.rank for hit in hits if hit.chunk in right), None)


def hit_rate(ranks: Sequence[int | None], k: int) -> float:
    """Hit@k: the share of questions whose answer came among the first k.

    ranks: one a question, from 1, None where the answer was not found. Raises ValueError for no questions,
    for k < 1 and for ranks below 1.

    >>> round(hit_rate([1] * 20 + [3] * 9 + [None], k=5), 3)  # 29 of 30
    0.967
    """
    return sum(found(ranks, k)) / len(ranks)


def mean_reciprocal_rank(ranks: Sequence[int | None]) -> float:
    """MRR: the mean of 1 / rank; a question without a rank adds 0. Raises as `hit_rate` does.

    >>> mean_reciprocal_rank([1, 2, None, 4])
    0.4375
    """
    return sum(reciprocal_ranks(ranks)) / len(ranks)


def _check_ranks(ranks: Sequence[int | None]) -> None:
    if not ranks:
        raise ValueError("no ranks: a mean over no questions says nothing")
    for rank in ranks:
        if rank is not None and not rank >= 1:
            raise ValueError(f"ranks count from 1, so {rank} is none")


# ------------------------------------------------------------------ may the difference be believed?


def bootstrap_interval(
    values: Sequence[float], level: float = 0.95, rounds: int = 10_000, seed: int = 0
) -> tuple[float, float]:
    """An interval for the mean over all such questions, of which these are a sample.

    values: one a question: 1 or 0 for found or not, 1 / rank, or the *difference* of two systems on the same
    question (paired: then 0 inside the interval means that the difference may be chance).
    As many values are drawn, with replacement, `rounds` times; the interval holds the middle `level` of the
    means (percentile bootstrap, Efron 1979). So made it holds the true mean in about `level` of the samples,
    fewer if they are small. Equal input and seed give equal output.
    Raises ValueError for no values, a level outside (0, 1) or no rounds.

    >>> low, high = bootstrap_interval([1] * 29 + [0])
    >>> print(f"{low:.2f} to {high:.2f}")
    0.90 to 1.00
    """
    if not len(values) or not np.isfinite(values).all():
        raise ValueError("values must be finite numbers, and at least one: an interval over nothing says nothing")
    if not 0 < level < 1 or rounds < 1:
        raise ValueError(f"level must lie between 0 and 1 and rounds be at least 1, not {level} and {rounds}")
    sample = np.asarray(values, np.float64)
    drawn = np.random.default_rng(seed).integers(len(sample), size=(rounds, len(sample)))
    low, high = np.quantile(sample[drawn].mean(axis=1), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


@dataclass(frozen=True)
class SignTest:
    """On how many questions the first system was better, the second, neither; and how often chance does as much."""

    first: int
    second: int
    equal: int
    p: float


def sign_test(first: Sequence[float], second: Sequence[float]) -> SignTest:
    """Two systems on the same questions: is one better more often than a coin would be?

    first, second: one value a question, higher is better (found or not, 1 / rank). Equal ones say nothing and
    are left out; of the d others m went to the one with fewer, and p = min(1, 2·Σ_{i ≤ m} C(d, i) / 2ᵈ), exact
    and two-sided. Raises ValueError for lists of different length and for empty ones.

    >>> sign_test([1] * 29 + [0], [1] * 27 + [0] * 3)  # 29 against 27 of 30
    SignTest(first=2, second=0, equal=28, p=0.5)
    """
    if len(first) != len(second) or not len(first):
        raise ValueError(f"both systems need the same questions, not {len(first)} and {len(second)} of them")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a value is not a finite number")
    better = int(sum(a > b for a, b in zip(first, second, strict=True)))
    worse = int(sum(a < b for a, b in zip(first, second, strict=True)))
    d, m = better + worse, min(better, worse)
    p = min(1.0, 2 * sum(comb(d, i) for i in range(m + 1)) / 2**d)
    return SignTest(better, worse, len(first) - d, p)


def found(ranks: Sequence[int | None], k: int) -> list[float]:
    """For every question 1 if its answer came among the first k, else 0: what `hit_rate` is the mean of."""
    check_k(k)
    _check_ranks(ranks)
    return [float(rank is not None and rank <= k) for rank in ranks]


def reciprocal_ranks(ranks: Sequence[int | None]) -> list[float]:
    """For every question 1 / rank, 0 without a rank: what `mean_reciprocal_rank` is the mean of."""
    _check_ranks(ranks)
    return [0.0 if rank is None else 1 / rank for rank in ranks]
