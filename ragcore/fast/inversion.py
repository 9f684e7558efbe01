"""From chunks of terms to terms of chunks, in two passes over the text: count, then fill (a counting sort).

    chunk 0: a b a   chunk 1: b      ─►      a: (0, 2)   b: (0, 1) (1, 1)

The first pass counts how many chunks hold each term. That fixes where every term's postings begin, so the second
pass can put each posting in its final place. Nothing is sorted, and nothing is kept beside the result but one place
and one chunk a term.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import jit


@jit
def count_and_fill(ids: Any, lengths: Any, terms: Any) -> Any:
    """The begins of the terms' postings, their chunks, and how often; chunk i holds lengths[i] of the ids."""
    starts, latest = np.zeros(terms + 1, np.int64), np.full(terms, -1, np.int32)
    i = 0
    for chunk in range(len(lengths)):
        for _ in range(lengths[chunk]):
            if latest[ids[i]] != chunk:
                latest[ids[i]] = chunk
                starts[ids[i] + 1] += 1
            i += 1
    starts[:] = np.cumsum(starts)
    docs, counts = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32)
    place = starts - 1  # the latest posting of every term
    latest[:] = -1
    i = 0
    for chunk in range(len(lengths)):
        for _ in range(lengths[chunk]):
            term = ids[i]
            if latest[term] != chunk:
                latest[term] = chunk
                place[term] += 1
                docs[place[term]], counts[place[term]] = chunk, 0
            counts[place[term]] += 1
            i += 1
    return starts, docs, counts
