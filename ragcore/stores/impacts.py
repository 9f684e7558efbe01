"""BM25 as an inner product: impacts in the chunk's vector, counts in the question's.

    chunk     x[t] = idf(t) · f·(k₁ + 1) / (f + k₁·(1 − b + b·|D| / avgdl))      question   y[t] = how often
    score     Σ_t x[t] · y[t]

    x, y   sparse vectors: one dimension a term, only those that are not 0 are kept
    the other symbols are those of `bm25`

All of N, n_t and avgdl are inside x. They are the statistics of one moment, the filling, and a chunk that comes
later is weighed by them as well; then the scores are no longer those of an index built anew. How far that goes is
measured in chapter 22. A term that came later counts as n_t = 0, the rarest there can be.

Terms of the filling have a dimension each. Later ones get theirs from a hash, so two of them may share one: among
10,000 new terms the odds that it happens are 1 in 86.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from ..analysis import ANALYZERS, Analyzer
from ..bm25 import BM25, idf, length_factor, saturation

DIMENSIONS = 2**32 - 2  # what engines with 32-bit dimensions take; the last one is left free

Sparse = dict[int, float]


@dataclass(frozen=True)
class Statistics:
    """What the impacts depend on, besides the chunk: the numbers of one BM25 index, at one moment.

    >>> from ragcore.chunking import split_words
    >>> statistics = Statistics.of(BM25(split_words("a rose is a rose is a daisy", size=3)))
    >>> statistics.question("Rose, a rose!")
    {1: 2.0, 0: 1.0}
    >>> {dimension: round(impact, 3) for dimension, impact in statistics.chunk("is a daisy").items()}
    {2: 0.447, 0: 0.127, 3: 0.933}
    """

    N: int
    avgdl: float
    n_t: dict[str, int]
    analyzer: Analyzer
    k1: float
    b: float
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", {term: place for place, term in enumerate(self.n_t)})

    @classmethod
    def of(cls, index: BM25) -> Statistics:
        """The statistics of an index as it is now."""
        n_t = {term: index.n_t(term) for term in index.vocabulary}
        return cls(len(index), index.avgdl, n_t, index.analyzer, index.k1, index.b)

    def dimension(self, term: str) -> int:
        """A term's dimension: its place in the vocabulary of the filling, or behind it, by hash."""
        known = self._places.get(term)
        if known is not None:
            return known
        number = int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        return len(self.n_t) + number % (DIMENSIONS - len(self.n_t))

    def chunk(self, text: str) -> Sparse:
        """A chunk's vector: the impact of every term in it; empty for a text without terms."""
        counts = Counter(self.analyzer(text))
        f = np.asarray(list(counts.values()), np.float64)
        n_t = np.asarray([self.n_t.get(term, 0) for term in counts], np.float64)
        factor = length_factor(float(f.sum()), self.avgdl or 1.0, self.b)
        impacts = np.asarray(idf(n_t, self.N) * saturation(f, factor, self.k1))
        vector: Sparse = {}
        for term, impact in zip(counts, impacts.tolist(), strict=True):
            dimension = self.dimension(term)
            vector[dimension] = vector.get(dimension, 0.0) + impact
        return vector

    def question(self, text: str) -> Sparse:
        """A question's vector: how often each term stands in it; empty without terms."""
        counts = Counter(self.dimension(term) for term in self.analyzer(text))
        return {dimension: float(count) for dimension, count in counts.items()}

    def to_json(self) -> str:
        """Everything but the analyzer's code, of which only the name can be kept."""
        facts = {"N": self.N, "avgdl": self.avgdl, "k1": self.k1, "b": self.b, "n_t": list(self.n_t.items())}
        return json.dumps(facts | {"analyzer": _name(self.analyzer)}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str, analyzer: Analyzer | None = None) -> Statistics:
        """The statistics out of their text. analyzer: needed where it is none of the package's own.

        Raises ValueError if the analyzer does not have the name of the one that cut the chunks.
        """
        facts: dict[str, Any] = json.loads(text)
        name = facts["analyzer"]
        analyzer = analyzer or ANALYZERS.get(name)
        if analyzer is None or _name(analyzer) != name:
            raise ValueError(f"the store was filled with an analyzer called {name!r}: open it with the same one")
        return cls(facts["N"], facts["avgdl"], dict(facts["n_t"]), analyzer, facts["k1"], facts["b"])


def inner_product(x: Sparse, y: Sparse) -> float:
    """Σ x[t] · y[t] over the dimensions that both have.

    >>> inner_product({1: 2.0, 0: 1.0}, {0: 0.5, 7: 3.0})
    0.5
    """
    return sum(weight * x[dimension] for dimension, weight in y.items() if dimension in x)


def _name(analyzer: Analyzer) -> str:
    return getattr(analyzer, "__name__", type(analyzer).__name__)
