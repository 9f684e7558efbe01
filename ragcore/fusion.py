"""Several rankings into one, by ranks alone: reciprocal rank fusion.

    RRF(d) = Σ_j  w_j / (c + rank_j(d))

    rank_j(d)  the place of chunk d in ranking j, from 1; a ranking that lacks d adds nothing
    c          how much the first places stand out: small, a first place beats everything; large, being
               listed twice beats being listed first. 60 in Cormack et al. 2009, fixed there in a pilot
    w_j        the weight of ranking j, 1 unless said otherwise

Scores are not looked at, so rankings whose scores have nothing in common can be fused. `reciprocal_rank_fusion`
does it for one question, `fuse_batch` for thousands of them at once, in arrays, for those who measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .chunking import Chunk
from .hits import DECIMALS, Hit

C = 60


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[Hit]], c: float = C, weights: Sequence[float] | None = None
) -> list[Hit]:
    """All chunks of the rankings in the order of their RRF score.

    rankings: each best first; places count from 1 in the order of the list. A chunk that is listed twice in one
    ranking counts once, at its better place; the others keep theirs. Equal scores: the better single place
    first, then the one seen first. The input is not changed.
    Raises ValueError for c < 0, for weights that are negative or not one a ranking, and when chunks with one
    identity (article, start, end) have different texts.

    >>> from ragcore.chunking import split_words
    >>> a, b, x = split_words("a b x", size=1)
    >>> both = [Hit(x, 9, 1), Hit(a, 2, 2)], [Hit(b, 7, 1), Hit(a, 1, 2)]
    >>> [(hit.chunk.text, round(hit.score, 4)) for hit in reciprocal_rank_fusion(both)]
    [('a', 0.0323), ('x', 0.0164), ('b', 0.0164)]
    """
    weights = _checked(len(rankings), c, weights)
    chunks: dict[tuple[str, int, int], Chunk] = {}
    scores: dict[tuple[str, int, int], float] = {}
    places: dict[tuple[str, int, int], int] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        seen = set()
        for place, hit in enumerate(ranking, start=1):
            key = hit.chunk.key
            if chunks.setdefault(key, hit.chunk).text != hit.chunk.text:
                raise ValueError(
                    f"two chunks are both {key} and have different texts: give every article its own id"
                )
            if key not in seen:
                seen.add(key)
                scores[key] = scores.get(key, 0.0) + weight / (c + place)
                places[key] = min(places.get(key, place), place)
    order = sorted(scores, key=lambda key: (-round(scores[key], DECIMALS), places[key]))
    return [Hit(chunks[key], scores[key], rank) for rank, key in enumerate(order, start=1)]


def fuse_batch(
    rankings: ArrayLike, c: float = C, weights: Sequence[float] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The fused rankings of many questions at once, as (ids, scores): one row a question, best first.

    rankings: numbers of chunks, of the shape (questions, rankings, depth), best first; a negative number is an
    empty place. Every row holds what `reciprocal_rank_fusion` gives for its question: the same scores in the same
    order, ties and repeated chunks included. Rows have rankings × depth places; what is left over has the id −1
    and the score 0.
    Raises ValueError as `reciprocal_rank_fusion` does, and for another shape or numbers that are not whole.

    >>> ids, scores = fuse_batch([[[9, 1, -1], [2, 1, -1]]])   # the same example: a is 1, b is 2, x is 9
    >>> ids.tolist(), scores.round(4).tolist()
    ([[1, 9, 2, -1, -1, -1]], [[0.0323, 0.0164, 0.0164, 0.0, 0.0, 0.0]])
    """
    given = np.asarray(rankings)
    if given.ndim != 3 or given.dtype.kind not in "iu" or not np.can_cast(given.dtype, np.int64):
        raise ValueError(
            "rankings must be whole numbers (int64) of the shape (questions, rankings, depth), "
            f"not {given.dtype} of the shape {given.shape}"
        )
    questions, lists, depth = given.shape
    weights = _checked(lists, c, weights)
    seen = given.reshape(questions, lists * depth).astype(np.int64)  # a row: the order in which its ids are seen
    first, rows = _first_seen(seen), np.arange(questions)[:, None]  # a chunk's numbers stand where it is seen first
    scores, best = np.zeros(seen.shape), np.full(seen.shape, np.inf)
    for j, weight in enumerate(weights):
        place = np.full(seen.shape, np.inf)  # assigned from the last to the first: of two places the better stays
        place[rows, first[:, j * depth : (j + 1) * depth][:, ::-1]] = np.arange(depth, 0, -1)
        scores += weight / (c + place)  # nothing for the chunks that ranking j lacks
        best = np.minimum(best, place)
    named = (seen >= 0) & (first == np.arange(lists * depth))
    order = np.lexsort((best, np.where(named, -np.round(scores, DECIMALS), np.inf)), axis=1)
    ids, scores = np.where(named, seen, -1), np.where(named, scores, 0.0)
    return np.take_along_axis(ids, order, axis=1), np.take_along_axis(scores, order, axis=1)


def _first_seen(numbers: NDArray[np.int64]) -> NDArray[np.intp]:
    """For every place of every row the first place in this row that holds the same number."""
    order = np.argsort(numbers, axis=1, kind="stable")  # equal numbers side by side, the first in front
    ordered = np.take_along_axis(numbers, order, axis=1)
    is_new = np.ones(numbers.shape, bool)
    is_new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    fronts = np.maximum.accumulate(np.where(is_new, np.arange(numbers.shape[1]), 0), axis=1)
    first = np.empty_like(order)
    np.put_along_axis(first, order, np.take_along_axis(order, fronts, axis=1), axis=1)
    return first


def _checked(rankings: int, c: float, weights: Sequence[float] | None) -> Sequence[float]:
    """One weight a ranking; 1 each if none are given."""
    if weights is None:
        weights = [1.0] * rankings
    if not (isfinite(c) and c >= 0):
        raise ValueError(f"c must be at least 0, not {c}")
    if len(weights) != rankings or not all(isfinite(w) and w >= 0 for w in weights):
        raise ValueError(f"{rankings} rankings need as many weights of at least 0, not {list(weights)}")
    return weights
