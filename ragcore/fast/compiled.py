"""The two compiled ways to the k best chunks, and which of them a question goes.

    few postings      `exhaustive`: all of them are added up, one block of chunks after the other
    many              `columns`: upper bounds for all chunks, exact scores for a dozen; or it gives up

Both read the postings of the index as they are; the second keeps its columns from question to question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .columns import Columns
from .exhaustive import best_of_all

if TYPE_CHECKING:
    from ..bm25 import BM25

MANY = 8_000  # postings: from here on it is dearer to read them than to go over all chunks in bytes
LARGE = 2_000  # chunks: below it a question has no time to lose by counting its postings
MOST = 128  # hits: who asks for more has most chunks scored


class Compiled:
    """The compiled ways through one index, and the columns that they keep from question to question."""

    def __init__(self, index: BM25):
        self.index = index
        self._columns: Columns | None = None

    def best(self, terms: Sequence[str], k: int) -> list[tuple[int, float]]:
        """The numbers and the scores of the k best chunks for the terms of a question, best first."""
        index, place = self.index, self.index.vocabulary.get
        known = [i for i in map(place, terms) if i is not None]
        if not known:
            return []
        index._check(known)
        ids = np.array(known, np.int64)
        found = None
        if len(index) > LARGE and k <= MOST and (index._starts[ids + 1] - index._starts[ids]).sum() > MANY:
            self._columns = self._columns or Columns(index)
            if self._columns.fits(ids):
                found = self._columns.search(ids, k)
        scores, chunks = found or best_of_all(ids, index._starts, index._docs, index._impacts, len(index), k)
        return list(zip(chunks.tolist(), scores.tolist(), strict=True))
