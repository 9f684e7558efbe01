"""A first look in bytes: the dense search for collections where comparing everything in full takes too long.

    v ≈ s · b      b: a vector's components as whole numbers from −127 to 127, s: its largest component / 127

    first look     s_d · (b_d · b_q) for every chunk d and the question q: a quarter of the memory is read
    second look    the cosine itself, for the best 40 (or 4 k, if that is more) of the first

What the second look gives is exact: scores, order and ties are those of `DenseIndex`. What the first look may lose
is a chunk that rounding pushed behind the fortieth; `Int8Index.recall` counts how often that happens on your own
vectors. Dot products of bytes are whole numbers, so compiled or in numpy (numba is the extra `fast`) the first look
is the same to the bit.
What it does not do: skip chunks. Every row is read at every question; an approximate index (HNSW, IVF) reads few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..chunking import Chunk
from ..dense import DenseIndex, Vectors, unit
from ..hits import Hit, check_k

LARGEST = 127  # of a signed byte; −128 stays unused, so that a vector and its opposite round alike
SECOND_LOOK = 40  # chunks that are compared in full; at least 4 for each that is asked for
BLOCK = 1024  # rows that numpy turns into floats at a time: they stay in the processor's cache

Bytes = NDArray[np.int8]


class Int8Index(DenseIndex):
    """A `DenseIndex` that finds the nearest chunks in two looks, the first one in bytes.

    The same arguments, hits, scores and errors as `DenseIndex`; a quarter more memory. It may miss a chunk: ask
    `recall` how often.

    >>> from ragcore.chunking import split_words
    >>> index = Int8Index(split_words("east north west", size=1), [[1, 0], [0, 1], [-1, 0]])
    >>> [(hit.chunk.text, round(hit.score, 1)) for hit in index.search([2, 0], k=3)]
    [('east', 1.0), ('north', 0.0), ('west', -1.0)]
    """

    def __init__(self, chunks: Sequence[Chunk], vectors: ArrayLike):
        super().__init__(chunks, vectors)
        self.rows, self.scales = to_bytes(self.vectors)

    def search(self, vector: ArrayLike, k: int = 10) -> list[Hit]:
        """The k chunks whose vectors are nearest to a question's, of those that the first look let pass.

        Raises ValueError for k < 1 and for a vector of other dimensions.
        """
        check_k(k)
        count = max(SECOND_LOOK, 4 * k)
        question = np.asarray(vector, np.float64)
        if len(self) <= count or question.shape != self.vectors.shape[1:] or not np.isfinite(question).all():
            return super().search(vector, k)  # nothing to save, or nothing to search: it says what is wrong
        (asked,), _ = to_bytes(unit(question[None]))
        passed = np.sort(nearest_rows(self.rows, self.scales, asked, count))  # ties go by the order of the chunks
        second = DenseIndex([], [])
        second.chunks, second.vectors = [self.chunks[i] for i in passed], self.vectors[passed]
        return second.search(vector, k)

    def recall(self, vectors: ArrayLike, k: int = 10) -> float:
        """Which share of the k chunks that are truly nearest `search` finds: the mean over questions, 0 to 1.

        vectors: one row a question. Every question is compared with everything, so take some hundred. Raises
        ValueError if there are none.
        """
        questions = np.asarray(vectors, np.float64)
        if not len(questions):
            raise ValueError("vectors must hold at least one question")
        shares = []
        for question in questions:
            true = {hit.chunk.key for hit in super().search(question, k)}
            found = {hit.chunk.key for hit in self.search(question, k)}
            shares.append(len(true & found) / len(true) if true else 1.0)
        return float(np.mean(shares))


def to_bytes(vectors: NDArray[Any]) -> tuple[Bytes, Vectors]:
    """Every row as whole numbers from −127 to 127, and what a unit of them is worth: row ≈ scale · bytes.

    vectors: unit vectors, one a row. No component is off by more than half a scale. A row of zeros has the scale 0.

    >>> rows, scales = to_bytes(np.array([[0.6, -0.8], [0.0, 0.0]]))
    >>> rows.tolist(), [round(127 * float(scale), 4) for scale in scales]
    ([[95, -127], [0, 0]], [0.8, 0.0])
    """
    rows = np.empty(vectors.shape, np.int8)
    largest = np.abs(vectors).max(axis=1, initial=0)
    for start in range(0, len(vectors), BLOCK):
        part = slice(start, start + BLOCK)
        scale = np.where(largest[part] == 0, 1, largest[part])[:, None]
        rows[part] = np.rint(vectors[part] / scale * LARGEST)
    return rows, (largest / LARGEST).astype(np.float32)


def nearest_rows(rows: Bytes, scales: Vectors, question: Bytes, count: int) -> NDArray[np.intp]:
    """The places of the `count` rows with the largest scale · (row · question), best first, equal ones in order.

    rows: (n, d); scales: (n,); question: (d,); count at most n. Compiled if numba is installed; the very first
    call then takes a few seconds.

    >>> rows = np.array([[3, 4], [4, 3], [4, 3]], np.int8)
    >>> nearest_rows(rows, np.ones(3, np.float32), np.array([1, 0], np.int8), count=2).tolist()
    [1, 2]
    """
    compiled = _compiled()
    return (compiled or nearest_in_numpy)(rows, scales, question, count)


def nearest_in_numpy(rows: Bytes, scales: Vectors, question: Bytes, count: int) -> NDArray[np.intp]:
    """`nearest_rows` without numba: blocks of rows as floats that hold every sum of the products exactly."""
    exact = np.float32 if LARGEST**2 * rows.shape[1] < 2**24 else np.float64
    scores = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), BLOCK):
        scores[start : start + BLOCK] = rows[start : start + BLOCK].astype(exact) @ question.astype(exact)
    scores *= scales
    best = np.flatnonzero(scores >= np.partition(scores, -count)[-count])
    return best[np.argsort(-scores[best], kind="stable")][:count]


def nearest_in_a_loop(rows: Bytes, scales: Vectors, question: Bytes, count: int) -> NDArray[np.intp]:
    """`nearest_rows` as numba compiles it: every row once, the best so far kept in order."""
    best, places = np.full(count, -np.inf, np.float32), np.zeros(count, np.intp)
    for i in range(len(rows)):
        dot = np.int32(0)
        for j in range(len(question)):
            dot = np.int32(dot + np.int32(rows[i, j]) * np.int32(question[j]))  # numba would widen it to 64 bits
        score = np.float32(dot) * scales[i]
        if score > best[-1]:  # few rows get here
            at = count - 1
            while at > 0 and best[at - 1] < score:
                best[at], places[at] = best[at - 1], places[at - 1]
                at -= 1
            best[at], places[at] = score, i
    return places


@cache
def _compiled() -> Callable[..., NDArray[np.intp]] | None:
    try:
        from .jit import jit
    except ImportError:
        return None
    return jit(nearest_in_a_loop)
