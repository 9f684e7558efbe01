"""The best k, in an order that is always the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from .chunking import Chunk

DECIMALS = 12  # scores that agree to this precision are a tie: sums differ in the last bits between platforms


@dataclass(frozen=True)
class Hit:
    """A chunk that was found: its score, and its rank, from 1."""

    chunk: Chunk
    score: float
    rank: int


def check_k(k: int) -> None:
    """Raises ValueError unless k is a whole number of at least 1."""
    if not isinstance(k, Integral) or k < 1:
        raise ValueError(f"k must be a whole number of at least 1, not {k}")


def top_k(chunks: Sequence[Chunk], scores: ArrayLike, k: int = 10) -> list[Hit]:
    """The k chunks with the highest scores: score down, then the order of the input.

    scores: one number a chunk. If there are fewer than k chunks, all come back. Raises ValueError for
    k < 1, for scores that are not numbers, and when there are not as many scores as chunks.

    >>> from ragcore.chunking import split_words
    >>> [(hit.chunk.text, hit.rank) for hit in top_k(split_words("a b c", size=1), [0.1, 0.5, 0.5], k=2)]
    [('b', 1), ('c', 2)]
    """
    check_k(k)
    score = np.asarray(scores, dtype=np.float64)
    if score.shape != (len(chunks),):
        raise ValueError(f"{len(chunks)} chunks need as many scores, not an array of shape {score.shape}")
    if np.isnan(score).any():
        raise ValueError(f"score {int(np.flatnonzero(np.isnan(score))[0])} is not a number (NaN)")
    rounded = np.round(score, DECIMALS)
    best = np.arange(len(score))
    if k < len(score):  # only those that reach the k-th score need sorting
        best = np.flatnonzero(rounded >= np.partition(rounded, -k)[-k])
    best = best[np.argsort(-rounded[best], kind="stable")][:k]
    return [Hit(chunks[i], float(score[i]), rank) for rank, i in enumerate(best.tolist(), start=1)]
