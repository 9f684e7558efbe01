"""Every posting of the question's terms is read: the plain way, compiled.

    score(D) = Σ_{t ∈ q} impact(t, D), summed in the question's order

One block of chunks after the other, so that the sums stay in the processor's cache: the terms' postings in the
block are added up, and the chunks whose sum exceeds the k-th best so far are offered to the best k.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .best import best_first, offer, rounded
from .jit import jit

BLOCK = 8192  # chunks: their sums take 64 kB
GROUP = 512  # sums that are compared with the threshold at once


@jit
def best_of_all(ids: Any, starts: Any, docs: Any, impacts: Any, N: Any, k: Any) -> Any:
    """The scores and the numbers of the k best of N chunks, best first.

    ids: the question's terms in its order; term t's postings are docs and impacts from starts[t] to starts[t + 1].
    """
    block = min(BLOCK, -(-N // GROUP) * GROUP)
    sums = np.empty(block)
    place = starts[ids]  # the next posting of every term
    k = min(k, N)
    scores, chunks, size, threshold = np.empty(k), np.empty(k, np.int64), 0, 0.0
    for first in range(0, N, block):
        sums[:] = 0
        for j in range(len(ids)):
            left = slice(place[j], starts[ids[j] + 1])
            place[j] += add_postings(sums, docs[left], impacts[left], first)
        for group in range(0, block, GROUP):
            if not any_above(sums[group : group + GROUP], threshold):
                continue
            for i in range(group, group + GROUP):
                if sums[i] > threshold:
                    size = offer(scores, chunks, size, sums[i], first + i)
                    if size == k:
                        threshold = rounded(scores[0])
    return best_first(scores, chunks, size)


@jit
def add_postings(sums: Any, docs: Any, impacts: Any, first: Any) -> Any:
    """Add the postings whose chunks lie in this block, which starts at chunk `first`; gives how many there were.

    Places are unsigned: a signed one could count from the end, and numba would ask that at every posting.
    """
    i, last = np.uint64(0), first + len(sums)
    while i < len(docs) and docs[i] < last:
        sums[np.uint32(docs[i] - first)] += impacts[i]
        i += np.uint64(1)
    return np.int64(i)


@jit
def any_above(sums: Any, threshold: Any) -> Any:
    """Whether a sum exceeds the threshold; counted without a branch, several at a time."""
    count = 0
    for i in range(GROUP):
        count += sums[i] > threshold
    return count > 0
