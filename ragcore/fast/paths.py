"""Which way a question goes; all of them give the same hits to the bit.

    a small index                      `BM25.scores` and `top_k`, as they stand there
    numba is there, a large index      `compiled`: all postings, or upper bounds in bytes
    no numba, a large index            `maxscore`: of the weak terms only what is needed

An index is small where loading numba would cost more than it saves. Who asks for most of the chunks goes the plain
way, too: then there is nothing to save.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Protocol, TypeVar

from ..hits import DECIMALS, Hit, check_k
from . import worth_compiling
from .maxscore import maxscore

if TYPE_CHECKING:
    from ..bm25 import BM25
    from .compiled import Compiled

LARGE_WITHOUT_NUMBA = 200_000  # postings of an index that `maxscore` searches sooner than the plain way
FEW = 128  # hits; of a larger index, an eighth of the chunks


class _Searching(Protocol):
    def search(self, question: str, k: int = 10) -> list[Hit]: ...


Index = TypeVar("Index", bound=type[_Searching])


def accelerated(index: Index) -> Index:
    """A class of indexes whose `search` takes the fastest way; the method as it is written is the plain one."""
    plain = index.search

    @wraps(plain)
    def search(self: BM25, question: str, k: int = 10) -> list[Hit]:
        check_k(k)
        hits = self._paths.search(question, k)
        return plain(self, question, k) if hits is None else hits

    index.search = search  # type: ignore[method-assign,assignment]
    return index


class Paths:
    """The ways through one index."""

    def __init__(self, index: BM25):
        self.index = index
        self._compiled: Compiled | None = None

    def search(self, question: str, k: int) -> list[Hit] | None:
        """The k best chunks, or None where the plain way is the best one."""
        if k > FEW and k > len(self.index) // 8:
            return None
        if worth_compiling(len(self.index._docs)):
            best = self.compiled.best(self.index.analyzer(question), k)
        elif len(self.index._docs) > LARGE_WITHOUT_NUMBA and k <= FEW:
            best = maxscore(self.index, question, k).best
        else:
            return None
        if best and best[-1][1] < 10.0**-DECIMALS:  # it ties with chunks that share no term: top_k settles that
            return None
        chunks = self.index.chunks
        return [Hit(chunks[i], score, rank) for rank, (i, score) in enumerate(best, start=1)]

    @property
    def compiled(self) -> Compiled:
        """The compiled ways; asking for them loads numba."""
        if self._compiled is None:
            from .compiled import Compiled

            self._compiled = Compiled(self.index)
        return self._compiled
