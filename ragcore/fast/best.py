"""The k best so far, as a heap: the worst of them stands first, and leaves when a better one comes.

    scores[i] is not better than scores[2 i + 1] and scores[2 i + 2]

What is better is decided as in `hits.top_k`: the score rounded to 12 decimals, then the chunk's number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..hits import DECIMALS
from .jit import jit

_UNITS = 10.0**DECIMALS


@jit
def rounded(score: Any) -> Any:
    """A score as `numpy.round(score, 12)` gives it."""
    return np.rint(score * _UNITS) / _UNITS


@jit
def worse(score: Any, chunk: Any, other: Any, other_chunk: Any) -> Any:
    """Whether the first of two scored chunks comes behind the second."""
    a, b = rounded(score), rounded(other)
    return a < b or (a == b and chunk > other_chunk)


@jit
def offer(scores: Any, chunks: Any, size: Any, score: Any, chunk: Any) -> Any:
    """Put a chunk among the best if it belongs there; gives how many there are now, at most len(scores)."""
    if size == len(scores):
        if worse(scores[0], chunks[0], score, chunk):
            sink(scores, chunks, size, score, chunk)
        return size
    i = size  # room: from the end it rises to the front, while it is worse than the one above it
    while i > 0 and worse(score, chunk, scores[(i - 1) // 2], chunks[(i - 1) // 2]):
        scores[i], chunks[i] = scores[(i - 1) // 2], chunks[(i - 1) // 2]
        i = (i - 1) // 2
    scores[i], chunks[i] = score, chunk
    return size + 1


@jit
def sink(scores: Any, chunks: Any, size: Any, score: Any, chunk: Any) -> None:
    """A chunk takes the place of the worst: from the front it sinks while one below it is worse."""
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and worse(scores[child + 1], chunks[child + 1], scores[child], chunks[child]):
            child += 1
        if not worse(scores[child], chunks[child], score, chunk):
            break
        scores[i], chunks[i] = scores[child], chunks[child]
        i = child
    scores[i], chunks[i] = score, chunk


@jit
def best_first(scores: Any, chunks: Any, size: Any) -> Any:
    """The heap in order: again and again the worst, which stands first, changes places with the last."""
    for last in range(size - 1, 0, -1):
        score, chunk = scores[last], chunks[last]
        scores[last], chunks[last] = scores[0], chunks[0]
        sink(scores, chunks, last, score, chunk)
    return scores[:size], chunks[:size]
