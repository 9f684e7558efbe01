"""BM25: which chunks speak about what the question asks.

    score(D, q) = Σ_{t ∈ q} idf(t) · f·(k₁ + 1) / (f + k₁·(1 − b + b·|D| / avgdl))
    idf(t)      = ln(1 + (N − n_t + ½) / (n_t + ½))

    q      the question's terms; one that stands twice counts twice
    f      how often term t stands in chunk D
    N, n_t how many chunks there are, and how many hold t
    |D|    the chunk's length in terms; avgdl the mean length
    k₁     how soon repeating a term stops paying (0: at once); b how much length matters (0: not, 1: fully)

Robertson et al. 1994, with the idf of Lucene, which is positive even for a term in every chunk. Lucene leaves
out the factor k₁ + 1; that changes every score by the same ratio and no order.

What a term adds to a chunk's score does not depend on the question. So it is computed once, when the index is
built (the term's *impact* on each chunk); a question adds up the impacts of its terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .analysis import ANALYZERS, Analyzer, words
from .chunking import Chunk
from .fast.building import inverted, numbered
from .fast.paths import Paths, accelerated
from .fast.stored import StoredChunks, arrays_of
from .hits import Hit, check_k, top_k
from .indexfile import IndexFile, as_bytes, crc, write

K1 = 1.2
B = 0.75
PART = 2**20  # postings that are weighed at a time: the numbers in between stay small

Numbers = float | NDArray[np.float64]

# ------------------------------------------------------------------ the formula


def idf(n_t: Numbers, N: int) -> Numbers:
    """How much a term tells chunks apart: ln(1 + (N − n_t + ½) / (n_t + ½)).

    n_t: chunks that hold the term, 0 ≤ n_t ≤ N; N: all chunks.

    >>> print(f"{idf(4, 439):.3f}")  # «momen» of the published example
    4.583
    """
    if np.any(n_t < 0) or np.any(n_t > N):
        raise ValueError(f"n_t must lie between 0 and N = {N}, not be {n_t}")
    return np.log(1 + (N - n_t + 0.5) / (n_t + 0.5))


def length_factor(length: Numbers, avgdl: float, b: float = B) -> Numbers:
    """What a chunk's length does to its terms: 1 − b + b·|D| / avgdl; 1 at the mean length.

    >>> print(f"{length_factor(71, 69.53):.4f}")
    1.0159
    """
    if not avgdl > 0:
        raise ValueError(f"avgdl must be above 0, not {avgdl}")
    if not 0 <= b <= 1:
        raise ValueError(f"b must lie between 0 and 1, not be {b}")
    return 1 - b + b * length / avgdl


def saturation(f: Numbers, factor: Numbers, k1: float = K1) -> Numbers:
    """How much f occurrences count: f·(k₁ + 1) / (f + k₁·factor), from 0 up to, never reaching, k₁ + 1.

    factor: the chunk's `length_factor`. At factor 1, one occurrence counts 1.

    >>> [round(saturation(f, 1.0), 3) for f in (1, 2, 3, 100)]
    [1.0, 1.375, 1.571, 2.174]
    """
    if np.any(f < 0) or not 0 <= k1 < np.inf:
        raise ValueError(f"f and k1 must be at least 0, not {f} and {k1}")
    return f * (k1 + 1) / (f + k1 * factor) if np.any(f) else 0.0 * f


def score_term(f: int, n_t: int, N: int, length: int, avgdl: float, k1: float = K1, b: float = B) -> float:
    """What one term adds to one chunk's score, from statistics alone.

    f, n_t, N, length: counts (of occurrences, chunks, chunks, terms); avgdl: mean length in terms.
    Raises ValueError unless 0 ≤ n_t ≤ N, f ≥ 0, length ≥ f, avgdl > 0, k1 ≥ 0 and 0 ≤ b ≤ 1.

    >>> round(score_term(f=3, n_t=4, N=439, length=71, avgdl=69.53), 4)
    7.1689
    """
    if not 0 <= f <= length:
        raise ValueError(f"f must lie between 0 and the chunk's length {length}, not be {f}")
    return float(idf(n_t, N) * saturation(f, length_factor(length, avgdl, b), k1))


# ------------------------------------------------------------------ the reason for a score


@dataclass(frozen=True)
class TermScore:
    """One row of an explanation: a term of the question and what it adds."""

    term: str
    n_t: int
    idf: float
    f: int
    contribution: float


@dataclass(frozen=True)
class Explanation:
    """Why a chunk has its score: one row for every term of the question, in its order."""

    rows: tuple[TermScore, ...]
    length: int
    avgdl: float

    @property
    def total(self) -> float:
        """The chunk's score: the sum of what its terms add."""
        return sum(row.contribution for row in self.rows)

    def __str__(self) -> str:
        width = max([4, *(len(row.term) for row in self.rows)])
        lines = [f"{'term':{width}}   n_t     idf   f   adds"]
        lines += [f"{r.term:{width}} {r.n_t:5} {r.idf:7.3f} {r.f:3} {r.contribution:6.3f}" for r in self.rows]
        return "\n".join([*lines, f"{'total':{width}} {self.total:24.3f}"])


# ------------------------------------------------------------------ the index


@accelerated  # `search` in the fastest way that ragcore.fast has for this index, with the same hits to the bit
class BM25:
    """An index of chunks that ranks them for a question.

    chunks: what is searched; the index keeps their order. analyzer: cuts chunks and questions into terms.
    progress: show a bar (needs tqdm). processes: how many cut the chunks; see `ragcore.fast.building.numbered`.
    Raises ValueError unless k1 ≥ 0 and 0 ≤ b ≤ 1, TypeError for chunks that are none and an analyzer that is
    no function. No chunks at all is a valid index that finds nothing.

    >>> from ragcore.chunking import split_words
    >>> index = BM25(split_words("důkaz indukcí důkaz sporem", size=2))
    >>> [hit.chunk.text for hit in index.search("sporem nebo indukcí")]
    ['důkaz indukcí', 'důkaz sporem']
    """

    def __init__(
        self, chunks: Sequence[Chunk], analyzer: Analyzer = words, k1: float = K1, b: float = B, *,
        progress: bool = False, processes: int = 1,
    ):  # fmt: skip
        if not callable(analyzer):
            raise TypeError(f"analyzer must be a function from a text to terms, as ragcore.stems, not {analyzer!r}")
        self.chunks: Sequence[Chunk] = list(chunks)
        self.analyzer, self.k1, self.b = analyzer, float(k1), float(b)
        if strange := [chunk for chunk in self.chunks if not isinstance(chunk, Chunk)]:
            raise TypeError(f"chunks must come from a splitter, as ragcore.split_words, not be {strange[0]!r}")
        texts = (chunk.text for chunk in self.chunks)
        self.vocabulary, ids, self.lengths = numbered(texts, analyzer, progress, processes)
        self.avgdl = float(self.lengths.mean()) if len(self.lengths) else 0.0

        self._file: IndexFile | None = None  # a loaded index: what its postings are checked against
        self._checksums: NDArray[np.uint32] = np.empty((0, 3), np.uint32)
        self._checked: set[int] = set()
        self._index(ids)

    def _index(self, ids: NDArray[np.int32]) -> None:
        """Postings: for every term the chunks that hold it, how often, and its impacts; from the chunks' terms."""
        self._starts, self._docs, self._counts = inverted(ids, self.lengths, len(self.vocabulary))
        n_t = np.diff(self._starts)
        factor = np.asarray(length_factor(self.lengths.astype(np.float64), self.avgdl or 1.0, self.b), np.float64)
        self._impacts = np.empty(len(self._docs), np.float64)
        for start in range(0, len(self._docs), PART):
            part = slice(start, start + PART)
            self._impacts[part] = saturation(
                self._counts[part].astype(np.float64), factor[self._docs[part]], self.k1
            )
        self._impacts *= np.repeat(np.asarray(idf(n_t, len(self)), np.float64), n_t.astype(np.intp))
        self._bounds = (
            np.maximum.reduceat(self._impacts, self._starts[:-1].astype(np.intp)) if len(n_t) else np.empty(0)
        )
        self._freeze()

    def _freeze(self) -> None:
        """Postings are read by several ways at once, and by views that callers hold: nobody may change them."""
        for part in (self._starts, self._docs, self._counts, self._impacts, self._bounds):
            part.flags.writeable = False
        self._paths = Paths(self)

    def __len__(self) -> int:
        return len(self.chunks)

    def __repr__(self) -> str:
        name = _name(self.analyzer)
        return f"BM25({len(self):,} chunks, {len(self.vocabulary):,} {name}, k1={self.k1}, b={self.b})"

    def n_t(self, term: str) -> int:
        """How many chunks hold a term; 0 if it is not in the index."""
        return len(self.postings(term)[0])

    def search(self, question: str, k: int = 10) -> list[Hit]:
        """The k best chunks. Only those that share a term with the question are returned, so there may be fewer."""
        check_k(k)
        return [hit for hit in top_k(self.chunks, self.scores(question), k) if hit.score > 0]

    def scores(self, question: str) -> NDArray[np.float64]:
        """The score of every chunk, 0 where it shares no term with the question."""
        scores = np.zeros(len(self), dtype=np.float64)
        for term in self.analyzer(question):
            docs, _, impacts = self.postings(term)
            scores[docs] += impacts
        return scores

    def ceiling(self, question: str) -> float:
        """The score that no chunk exceeds: Σ idf(t)·(k₁ + 1) over the question's terms, unknown and repeated too.

        A score divided by it lies between 0 and 1 and means the same for every question.
        """
        return float(sum(idf(self.n_t(term), len(self)) for term in self.analyzer(question)) * (self.k1 + 1))

    def explain(self, question: str, chunk: Chunk) -> Explanation:
        """Where a chunk's score comes from. Raises ValueError if the chunk is not in the index."""
        try:
            place = self.chunks.index(chunk)
        except ValueError:
            raise ValueError(f"{chunk!r} is not in this index") from None
        rows = []
        for term in self.analyzer(question):
            docs, counts, impacts = self.postings(term)
            here = docs == place
            weight = float(idf(len(docs), len(self)))
            rows.append(TermScore(term, len(docs), weight, int(counts[here].sum()), float(impacts[here].sum())))
        return Explanation(tuple(rows), int(self.lengths[place]), self.avgdl)

    def postings(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        """A term's chunks, its counts in them and its impacts on them; empty for an unknown term."""
        i = self.vocabulary.get(term)
        if i is not None:
            self._check([i])
        span = slice(0, 0) if i is None else slice(self._starts[i], self._starts[i + 1])
        return self._docs[span], self._counts[span], self._impacts[span]

    def bound(self, term: str) -> float:
        """The most that a term adds to any chunk, its largest impact; 0 if it is not in the index."""
        i = self.vocabulary.get(term)
        return 0.0 if i is None else float(self._bounds[i])

    def _check(self, terms: Sequence[int]) -> None:
        """Compare the postings of terms with their checksums, once, if they come from a file."""
        if self._file is None:
            return
        for i in set(terms) - self._checked:
            span = slice(self._starts[i], self._starts[i + 1])
            if [crc(part[span]) for part in (self._docs, self._counts, self._impacts)] != self._checksums[
                i
            ].tolist():
                term = list(self.vocabulary)[i]
                raise self._file.damaged(f"is damaged: the postings of {term!r} are not those that were written")
            self._checked.add(i)

    # -------------------------------------------------------------- on disk

    def save(self, path: str | Path) -> None:
        """Write the index, chunks and articles included, to one file: whole or not at all."""
        bounds = zip(self._starts[:-1], self._starts[1:], strict=True)
        parts = (self._docs, self._counts, self._impacts)
        facts = {"k1": self.k1, "b": self.b, "analyzer": _name(self.analyzer), "own_analyzer": self._own_analyzer()}
        write(path, "bm25", facts, {
            **arrays_of(self.chunks),
            "vocabulary": as_bytes(list(self.vocabulary)),
            "lengths": self.lengths,
            "starts": self._starts,
            "bounds": self._bounds,
            "checksums": np.array([[crc(p[i:j]) for p in parts] for i, j in bounds], np.uint32).reshape(-1, 3),
            "docs": self._docs, "counts": self._counts, "impacts": self._impacts,
        })  # fmt: skip

    @classmethod
    def load(cls, path: str | Path, analyzer: Analyzer | None = None) -> BM25:
        """Open a saved index; its postings and texts stay on disk until a question needs them.

        analyzer: only for an index that was built with one of your own; it must have the same name.
        Raises DamagedIndexError for a file that is not what was written: header, sizes and tables are checked
        here, a term's postings and a chunk's article when they are first asked for, everything by `verify`.
        """
        file = IndexFile(path, "bm25")
        name = file.facts["analyzer"]
        if analyzer is None and not file.facts["own_analyzer"]:
            analyzer = ANALYZERS[name]
        if analyzer is None or _name(analyzer) != name:
            raise ValueError(f"{path} was built with an analyzer called {name!r}: pass it, load(path, analyzer)")
        self = cls([], analyzer, file.facts["k1"], file.facts["b"])
        self.chunks = StoredChunks(file)
        self.vocabulary = {term: i for i, term in enumerate(file.json("vocabulary"))}
        self.lengths, self._starts, self._bounds = (file.array(part) for part in ("lengths", "starts", "bounds"))
        self.avgdl = float(self.lengths.mean()) if len(self.lengths) else 0.0
        self._docs, self._counts, self._impacts = (file.mapped(part) for part in ("docs", "counts", "impacts"))
        self._file, self._checksums = file, file.array("checksums")
        self._freeze()
        if self.chunks:  # two functions may share a name: does this one cut as the index was cut?
            terms = analyzer(self.chunks[0].text)
            if len(terms) != self.lengths[0] or not self.vocabulary.keys() >= set(terms):
                raise ValueError(f"{path} was built with another analyzer than this {name!r}: pass the same one")
        return self

    def verify(self) -> None:
        """Check every part of a loaded index; raises DamagedIndexError if one is not what was written."""
        if self._file is not None:
            self._file.verify()

    def _own_analyzer(self) -> bool:
        """Whether the analyzer is one of the reader's own, which a file cannot hold."""
        return ANALYZERS.get(_name(self.analyzer)) is not self.analyzer


def _name(analyzer: Analyzer) -> str:
    return getattr(analyzer, "__name__", type(analyzer).__name__)
