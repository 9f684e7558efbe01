"""Frequent terms as columns of bytes: upper bounds for all chunks at once, exact scores for a dozen.

    level(t, D) = ⌈impact(t, D) / unit⌉        impact ≤ level · unit < impact + unit
    U(D)        = Σ_{t ∈ q} level(t, D)        score(D) ≤ U(D) · unit < score(D) + |q| · unit

The postings of a term that stands in a sixteenth of the chunks or more take twelve bytes each. Its levels, one byte
a chunk, zeros included, take no more room, and a processor adds 32 of them at a time. `unit` is chosen so that the
largest impact of a frequent term is 254; rarer terms go through their postings and count in the same units.

The k-th best score is at least (U_k − |q|) · unit, where U_k is the k-th largest U so far: chunks below that are
out. As it rises, the columns that add least become weak, as in `maxscore`: they are left out of the sums, and
looked up in chunks that could reach the threshold with all that is missing. Those that do reach it are scored
exactly, from the largest U down, in the question's order, until the next U is below the k-th best score. Scores,
order and ties are those of `BM25.search` to the bit.
What it does not do: win when most chunks are alike (the same U, as with k1 = 0). Then too many are left to score,
and it gives up; so it does when the levels of a very long question would exceed sixteen bits.
"""

from __future__ import annotations

import math
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .best import best_first, offer, rounded
from .jit import jit

if TYPE_CHECKING:
    from ..bm25 import BM25

FREQUENT = 16  # a term in N / 16 chunks or more has a column
LEVELS = 254  # of a byte's 255: rounding may add one
MOST = 65_535  # that U may reach: it has sixteen bits
BLOCK, LANES = 8192, 256  # chunks a block; the largest U of every 256th is taken at once
CANDIDATES = 16_384  # more than these are not scored one by one
MARGIN = 1e-9  # of 1 + θ: far more than rounding does to a sum
WEAK = 0.3  # of the threshold: columns that add less than this, all together, are looked up
FINEST = 1e-9  # a unit below this would be near the twelfth decimal, where ties are decided


class Columns:
    """The columns of an index: made when a term is first asked for, kept from then on."""

    def __init__(self, index: BM25):
        self.index, self._lock = index, Lock()
        n_t = np.diff(index._starts)
        frequent = np.flatnonzero(n_t >= max(1, len(index) / FREQUENT))
        self.row = np.full(len(n_t), -1)  # which column is a term's; −1: none
        self.row[frequent] = np.arange(len(frequent))
        self.levels = np.empty((len(frequent), len(index)), np.uint8)  # takes room only as it is filled
        self.filled = np.zeros(len(frequent), np.bool_)
        largest = float(index._bounds[frequent].max(initial=0))
        self.unit = largest / LEVELS if largest > 0 else 1.0
        self.most = np.ceil(index._bounds / self.unit).astype(np.int64) + 1  # levels that a term can add

    def fits(self, ids: NDArray[np.int64]) -> bool:
        """Whether this way can answer a question of these terms at all."""
        return self.unit > FINEST and int(self.most[ids].sum()) <= MOST

    def search(self, ids: NDArray[np.int64], k: int) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
        """The scores and numbers of the k best chunks, best first; None if too many chunks are alike."""
        index, rows = self.index, self.row[ids]
        if not self.filled[rows[rows >= 0]].all():
            with self._lock:  # two threads may ask for the same term
                for term, row in zip(ids[rows >= 0], rows[rows >= 0], strict=True):
                    if not self.filled[row]:
                        part = slice(index._starts[term], index._starts[term + 1])
                        fill(self.levels[row], index._docs[part], index._impacts[part], 1 / self.unit)
                        self.filled[row] = True
        scores, chunks, done = best_by_bounds(
            ids, rows, self.most[ids], self.levels, self.unit, index._starts, index._docs, index._impacts, k
        )
        return (scores, chunks) if done else None


@jit
def fill(levels: Any, docs: Any, impacts: Any, per_unit: Any) -> None:
    """A term's column: its levels, 0 where it is missing."""
    levels[:] = 0
    for i in range(len(docs)):
        levels[docs[i]] = np.uint8(math.ceil(impacts[i] * per_unit))


@jit
def best_by_bounds(
    ids: Any, rows: Any, most: Any, levels: Any, unit: Any, starts: Any, docs: Any, impacts: Any, k: Any
) -> Any:
    """The scores and the numbers of the k best chunks, best first, and whether it came to an end.

    ids: the question's terms in its order; rows: their columns, −1 for none; most: levels that each can add.
    """
    bounds, numbers, count = likely(ids, rows, most, levels, 1 / unit, starts, docs, impacts, k)
    scores, chunks, size, near = np.empty(k), np.empty(k, np.int64), 0, 0.0
    by_bound = np.argsort(bounds[:count])
    for i in range(count - 1, -1, -1):
        chunk = numbers[by_bound[i]]
        if bounds[by_bound[i]] * unit < near:
            break
        score = 0.0
        for j in range(len(ids)):
            if rows[j] < 0 or levels[rows[j], chunk] > 0:
                score += look_up(docs, impacts, starts[ids[j]], starts[ids[j] + 1], chunk)
        size = offer(scores, chunks, size, score, np.int64(chunk))
        if size == k:
            near = rounded(scores[0]) - MARGIN * (1 + scores[0])
    scores, chunks = best_first(scores, chunks, size)
    return scores, chunks, count >= 0


@jit
def likely(
    ids: Any, rows: Any, most: Any, levels: Any, per_unit: Any, starts: Any, docs: Any, impacts: Any, k: Any
) -> Any:
    """The chunks that may be among the k best: their U, their numbers, and how many; −1 if there are too many."""
    bounds, numbers, count = np.empty(CANDIDATES, np.uint16), np.empty(CANDIDATES, np.int32), 0
    highest, nobody, size, need = np.empty(k), np.zeros(k, np.int64), 0, 1
    sums, top = np.empty(BLOCK, np.uint16), np.empty(LANES, np.uint16)
    place = starts[ids]
    weakest = np.argsort(np.where(rows < 0, MOST, most))  # columns first, those that add least in front
    for first in range(0, levels.shape[1], BLOCK):
        weak, rest = 0, 0  # so many of them are left out of the sums, and may lack so much
        while weak < len(ids) and rows[weakest[weak]] >= 0 and rest + most[weakest[weak]] <= WEAK * need:
            rest += most[weakest[weak]]
            weak += 1
        sums[:] = 0
        last = min(first + BLOCK, levels.shape[1])
        for j in weakest[weak:]:
            if rows[j] >= 0:
                add_column(sums[: last - first], levels[rows[j], first:last])
            else:
                left = slice(place[j], starts[ids[j] + 1])
                place[j] += add_levels(sums, docs[left], impacts[left], first, per_unit)
        maxima(sums, top)
        if not any_reaches(top, np.uint16(need - rest)):
            continue
        for lane in range(LANES):
            if top[lane] < need - rest:
                continue
            largest: Any = 0
            for i in range(lane, BLOCK, LANES):
                if sums[i] < need - rest:
                    continue
                bound = np.int64(sums[i])
                for j in weakest[:weak]:
                    bound += levels[rows[j], first + i]
                if bound < need:
                    continue
                if count == CANDIDATES:  # most of them were let in when the threshold was low
                    count = keep(bounds, numbers, count, need)
                    if count > CANDIDATES // 2:
                        return bounds, numbers, -1
                bounds[count], numbers[count] = bound, first + i
                count += 1
                largest = max(largest, bound)
            if largest > 0 and (size < k or largest > highest[0]):
                size = offer(highest, nobody, size, float(largest), 0)
                if size == k:
                    need = max(1, int(highest[0]) - len(ids) - 1)
    return bounds, numbers, keep(bounds, numbers, count, need)


@jit
def keep(bounds: Any, numbers: Any, count: Any, need: Any) -> Any:
    """Only the candidates that still reach the threshold, moved to the front; gives how many."""
    kept = 0
    for i in range(count):
        if bounds[i] >= need:
            bounds[kept], numbers[kept] = bounds[i], numbers[i]
            kept += 1
    return kept


@jit
def add_column(sums: Any, levels: Any) -> None:
    """Add a term's levels of a block; so plain a loop that the compiler adds many at a time."""
    for i in range(len(sums)):
        sums[i] += levels[i]


@jit
def add_levels(sums: Any, docs: Any, impacts: Any, first: Any, per_unit: Any) -> Any:
    """Add the levels of a rarer term's postings in this block; gives how many there were."""
    i, last = np.uint64(0), first + BLOCK  # unsigned: see `exhaustive`
    while i < len(docs) and docs[i] < last:
        sums[np.uint32(docs[i] - first)] += np.uint16(math.ceil(impacts[i] * per_unit))
        i += np.uint64(1)
    return np.int64(i)


@jit
def maxima(sums: Any, top: Any) -> None:
    """The largest of every 256th sum: 256 of them side by side, without a branch."""
    top[:] = sums[:LANES]
    for row in range(LANES, BLOCK, LANES):
        part = sums[row : row + LANES]
        for lane in range(LANES):
            if part[lane] > top[lane]:
                top[lane] = part[lane]


@jit
def any_reaches(top: Any, need: Any) -> Any:
    """Whether one of the largest sums reaches the threshold; in most blocks none does."""
    count = 0
    for lane in range(LANES):
        count += top[lane] >= need
    return count > 0


@jit
def look_up(docs: Any, impacts: Any, start: Any, stop: Any, chunk: Any) -> Any:
    """A term's impact on a chunk, 0 if it is not there: found by halving."""
    low, high = start, stop
    while low < high:
        middle = (low + high) // 2
        if docs[middle] < chunk:
            low = middle + 1
        else:
            high = middle
    return impacts[low] if low < stop and docs[low] == chunk else 0.0
