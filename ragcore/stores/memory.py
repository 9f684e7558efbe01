"""A store in a dictionary: what an engine does, in the open, for cells and tests.

It multiplies every chunk's vector with the question's, one after the other. An engine does the same with postings,
on several machines, and survives a power cut; the scores are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bm25 import BM25
from ..chunking import Chunk
from ..dense import DenseIndex
from ..fusion import reciprocal_rank_fusion
from ..hits import Hit, check_k, top_k
from . import DEPTH
from .impacts import Sparse, Statistics, inner_product

Key = tuple[str, int, int]


class Row(NamedTuple):
    """What is kept of a chunk."""

    chunk: Chunk
    impacts: Sparse
    vector: NDArray[np.float64]


class MemoryStore:
    """A `Store` that lives as long as the process; what its methods give is said there.

    >>> from ragcore.chunking import split_words
    >>> store = MemoryStore()
    >>> store.fill(BM25(split_words("důkaz indukcí důkaz sporem", size=2)))
    >>> [hit.chunk.text for hit in store.search("sporem nebo indukcí")]
    ['důkaz indukcí', 'důkaz sporem']
    """

    def __init__(self) -> None:
        self.statistics: Statistics | None = None
        self._dimensions = 0
        self._rows: dict[Key, Row] = {}

    def fill(self, index: BM25, vectors: ArrayLike | None = None) -> None:
        rows = check_chunks(index.chunks, vectors)
        self.statistics, self._dimensions = Statistics.of(index), rows.shape[1]
        self._rows = {}
        self._put(index.chunks, rows)

    def add(self, chunks: Sequence[Chunk], vectors: ArrayLike | None = None) -> None:
        self._filled()
        self._put(chunks, check_chunks(chunks, vectors, self._dimensions))

    def _put(self, chunks: Sequence[Chunk], rows: NDArray[np.float64]) -> None:
        statistics = self._filled()
        for chunk, vector in zip(chunks, rows, strict=True):
            self._rows[chunk.key] = Row(chunk, statistics.chunk(chunk.text), vector)

    def search(self, question: str, k: int = 10) -> list[Hit]:
        check_k(k)
        asked = self._filled().question(question)
        scores = [inner_product(row.impacts, asked) for row in self._rows.values()]
        return [hit for hit in top_k(self._chunks(), scores, k) if hit.score > 0]

    def search_vector(self, vector: ArrayLike, k: int = 10) -> list[Hit]:
        self._filled()
        if not self._dimensions:
            raise ValueError("this store was filled without vectors: fill it with them")
        rows = np.asarray([row.vector for row in self._rows.values()])
        index = DenseIndex(self._chunks(), rows.reshape(-1, self._dimensions))
        return index.search(vector, k)

    def search_hybrid(
        self, question: str, vector: ArrayLike, k: int = 10, depth: int = DEPTH
    ) -> list[Hit]:  # fmt: skip
        check_k(k)
        both = [self.search(question, depth), self.search_vector(vector, depth)]
        return reciprocal_rank_fusion(both)[:k]

    def delete(self, article: str) -> int:
        out = [key for key in self._rows if key[0] == article]
        for key in out:
            del self._rows[key]
        return len(out)

    def __len__(self) -> int:
        return len(self._rows)

    def close(self) -> None:
        """Nothing to let go of."""

    def _chunks(self) -> list[Chunk]:
        return [row.chunk for row in self._rows.values()]

    def _filled(self) -> Statistics:
        if self.statistics is None:
            raise ValueError("this store is empty: store.fill(BM25(chunks, stems)) first")
        return self.statistics


def check_chunks(
    chunks: Sequence[Chunk], vectors: ArrayLike | None, dimensions: int | None = None
) -> NDArray[np.float64]:
    """The vectors as rows, with no columns if there are none.

    Raises ValueError for a chunk that stands there twice, for rows that do not match the chunks or the dimensions
    of the filling, and for components that are no finite numbers.
    """
    seen: set[Key] = set()
    for chunk in chunks:
        if chunk.key in seen:
            raise ValueError(f"two chunks are both {chunk.key}: give every article its own id")
        seen.add(chunk.key)
    rows = np.empty((len(chunks), 0)) if vectors is None else np.asarray(vectors, np.float64)
    if rows.ndim != 2 or len(rows) != len(chunks):
        raise ValueError(f"{len(chunks)} chunks need as many vectors, not an array of shape {rows.shape}")
    if dimensions is not None and rows.shape[1] != dimensions:
        raise ValueError(f"this store's vectors have {dimensions} dimensions, these have {rows.shape[1]}")
    if not np.isfinite(rows).all():
        raise ValueError("a vector has a component that is not a finite number")
    return rows
