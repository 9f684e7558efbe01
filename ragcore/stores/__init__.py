"""Engines outside the process: the same chunks, the same scores, kept by somebody else.

    fill ─► search, search_vector, search_hybrid          what the index of the chapters did in memory
    add, delete                                           and what it could not

An engine that can multiply sparse vectors needs to know nothing of BM25. A term's impact on a chunk does not
depend on the question (see `bm25`), so a chunk is a vector of its terms' impacts, a question a vector of how often
each term stands in it, and their inner product is the score (`impacts`). One protocol, two stores: `memory` does it
in a dictionary, `milvus` in an embedded engine file or, with another address, in a cluster. `scale` computes what
changes with size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from numpy.typing import ArrayLike

from ..bm25 import BM25
from ..chunking import Chunk
from ..hits import Hit

DEPTH = 50  # how many places of each ranking a hybrid search fuses


class Store(Protocol):
    """Chunks with their impacts and vectors, kept and searched by an engine.

    A store is filled from a BM25 index, whose statistics (N, n_t, avgdl, the analyzer) it keeps. What is added
    later gets its impacts from the same statistics: they are those of the filling, until the next one.
    """

    def fill(self, index: BM25, vectors: ArrayLike | None = None) -> None:
        """Put in everything anew: all chunks of the index, its statistics, and one vector a chunk."""

    def add(self, chunks: Sequence[Chunk], vectors: ArrayLike | None = None) -> None:
        """Put in more chunks, or the same again: one with the same article, start and end is replaced."""

    def search(self, question: str, k: int = 10) -> list[Hit]:
        """The k best chunks by the question's words; only those that share a term with it."""

    def search_vector(self, vector: ArrayLike, k: int = 10) -> list[Hit]:
        """The k chunks whose vectors are nearest; the score is the cosine."""

    def search_hybrid(self, question: str, vector: ArrayLike, k: int = 10, depth: int = DEPTH) -> list[Hit]:
        """The k best of both rankings, each down to place `depth`, fused by RRF with c = 60."""

    def delete(self, article: str) -> int:
        """Take out all chunks of an article, by its id; how many there were."""

    def __len__(self) -> int:
        """How many chunks there are."""

    def close(self) -> None:
        """Let go of the engine; what an engine outside the process keeps stays there. Closing twice is no error."""
