"""Is the search any good? At which rank does the first right chunk come, over many questions?

    Hit@k = share of questions whose answer is among the first k      MRR = mean of 1 / rank

A question whose answer was not found has no rank (None), adds 0 and stays in the mean.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .chunking import Chunk
from .corpus import Question
from .hits import Hit, check_k


def right_chunks(question: Question, chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks that answer a question: those that hold one of its quotes whole.

    If no chunk holds a quote whole, the one that holds the larger part of it is right (the first of equals).
    Raises ValueError for a question without an answer (see the chapter on refusing), and if the chunks lack
    its article.
    """
    if question.article is None:
        raise ValueError(
            f"{question.text!r} has no answer in the corpus, so no rank: leave it out of this evaluation"
        )
    own = [chunk for chunk in chunks if chunk.article.id == question.article]
    if not own:
        raise ValueError(f"no chunk comes from {question.article!r}, which answers {question.text!r}")
    right: dict[Chunk, None] = {}  # a set that keeps the order
    for answer in question.answers:
        start = own[0].article.text.find(answer)
        if start < 0:
            raise ValueError(f"the answer {answer!r} does not stand in {question.article!r}")
        end = start + len(answer)
        whole = [chunk for chunk in own if chunk.start <= start and end <= chunk.end]
        right |= dict.fromkeys(whole or [max(own, key=lambda c: min(c.end, end) - max(c.start, start))])
    return list(right)


def rank_of_answer(hits: Sequence[Hit], right: Collection[Chunk]) -> int | None:
    """The rank, from 1, of the first hit that is right; None if none is.

    right: from `right_chunks`. Chunks that come after the first right one change nothing.
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
    check_k(k)
    _check_ranks(ranks)
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def mean_reciprocal_rank(ranks: Sequence[int | None]) -> float:
    """MRR: the mean of 1 / rank; a question without a rank adds 0. Raises as `hit_rate` does.

    >>> mean_reciprocal_rank([1, 2, None, 4])
    0.4375
    """
    _check_ranks(ranks)
    return sum(1 / rank for rank in ranks if rank is not None) / len(ranks)


def _check_ranks(ranks: Sequence[int | None]) -> None:
    if not ranks:
        raise ValueError("no ranks: a mean over no questions says nothing")
    for rank in ranks:
        if rank is not None and rank < 1:
            raise ValueError(f"ranks count from 1, so {rank} is none")
