"""MaxScore: most postings of a question's common words are never read; the hits are the same (Turtle, Flood 1995).

    bound(t) = m_t · max_D impact(t, D)       no chunk gets more from the term t, which the question says m_t times
    θ        = the k-th best score so far     who stays below it is not among the k best

    t_1 … t_s | t_{s+1} … t_m      by bound, strongest first;   Σ_{j > s} bound(t_j) < θ

The terms behind the bar are *weak*: a chunk that holds none but these cannot reach θ. So only the postings of the
*strong* terms in front are read, one block of chunks after the other. The weak ones are looked up in the chunks
that the strong ones have brought near enough to θ, again strongest first, as long as what is left could lift the
chunk to it. Chunks that pass are scored anew, in the question's order, so that the sums are those of `BM25.scores`
to the bit. After a block θ may be higher, and more terms weak.

The first θ comes from a look at 64 chunks of the strongest term. A bound is a sum of rounded floats: a chunk is
left out only if it stays below θ by more than rounding can explain (`MARGIN`). The result is exact for every k.
What it does not do: skip within a strong term's postings, as block-max indexes do (Ding, Suel 2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..hits import DECIMALS, check_k

if TYPE_CHECKING:
    from ..bm25 import BM25

SAMPLE = 64  # chunks that give the first threshold
BLOCK = 262_144  # chunks between two looks at the threshold
MARGIN = 1e-9  # of 1 + θ: a thousand times what rounding does to the sum of ten thousand terms

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]


@dataclass
class Postings:
    """The postings of one term of a question, and which of them have been read."""

    term: str
    times: int  # how often the question says it
    bound: float  # what it adds to a chunk at most, all its times together
    docs: NDArray[np.int32]
    impacts: Scores
    seen: NDArray[np.bool_] = field(repr=False)

    def __len__(self) -> int:
        return len(self.docs)

    @property
    def read(self) -> int:
        """How many of them have been read so far."""
        return int(self.seen.sum())

    def between(self, start: int, stop: int) -> tuple[NDArray[np.int32], Scores]:
        """The postings of the chunks start … stop − 1, all read."""
        part = slice(*np.searchsorted(self.docs, (start, stop)))
        self.seen[part] = True
        return self.docs[part], self.impacts[part]

    def at(self, chunks: Numbers) -> Scores:
        """The impacts on some chunks, 0 where the term is missing; each found by halving, only it is read."""
        place = np.minimum(np.searchsorted(self.docs, chunks), len(self) - 1)
        found = self.docs[place] == chunks
        self.seen[place[found]] = True
        return np.where(found, self.impacts[place], 0.0)


@dataclass(frozen=True)
class Step:
    """What happened in one block of chunks: θ before it, strong terms, and what was read."""

    chunks: range
    threshold: float
    strong: int  # the first so many of `Pruned.terms` were read through
    read: int  # postings of strong terms in this block
    candidates: int  # chunks that could still reach θ after the strong terms
    looked_up: int  # look-ups of a weak term in a candidate
    scored: int  # candidates that passed, and were scored in full


@dataclass(frozen=True)
class Pruned:
    """The result of `maxscore`, and how it came about."""

    best: list[tuple[int, float]]  # the k best chunks, by number, with their scores
    terms: list[Postings]  # strongest first
    first: float  # the threshold that the first look gave, 0 if none
    sampled: int  # chunks that it looked at
    steps: list[Step]

    @property
    def postings(self) -> int:
        """All postings of the question's terms: what reading everything would read."""
        return sum(map(len, self.terms))

    @property
    def read(self) -> int:
        """Those that were read, a posting that was read twice counted once."""
        return sum(term.read for term in self.terms)


def maxscore(index: BM25, question: str, k: int = 10, block: int = BLOCK) -> Pruned:
    """The k best chunks of an index for a question, with a record of what was read; equal to `BM25.search`.

    block: chunks between two looks at the threshold; few make a small index worth watching. Raises ValueError for
    k or block below 1, DamagedIndexError if a term's postings are not those that were written.

    >>> from ragcore import BM25, load_corpus, split_words
    >>> index = BM25([chunk for article in load_corpus("en") for chunk in split_words(article)])
    >>> found = maxscore(index, "How does the narrow peak of the likelihood change?", k=3, block=64)
    >>> found.terms[-1].term, found.terms[-1].read < len(found.terms[-1]) / 2
    ('the', True)
    """
    check_k(k)
    if block < 1:
        raise ValueError(f"block must be at least 1, not {block}")
    asked = _postings(index, question)
    terms = sorted({id(term): term for term in asked}.values(), key=lambda term: -term.bound)
    rest = np.cumsum([0.0, *(term.bound for term in reversed(terms))])[::-1]  # rest[s]: Σ bounds of terms[s:]
    sample = _sample(terms, max(SAMPLE, k))
    first = threshold = _kth(_score(asked, sample), k)
    numbers, scores = np.empty(0, np.int64), np.empty(0)
    steps = []
    for start in range(0, len(index) if terms else 0, block):
        chunks = range(start, min(start + block, len(index)))
        near = threshold - MARGIN * (1 + threshold)
        strong = max(1, int((rest[:-1] >= near).sum()))
        found, sums, read = _add_up(terms[:strong], chunks)
        candidates = found[sums + rest[strong] >= near]
        passed, looked_up = _look_up(
            terms[strong:], candidates, sums[sums + rest[strong] >= near], rest[strong + 1 :], near
        )
        steps.append(Step(chunks, threshold, strong, read, len(candidates), looked_up, len(passed)))
        numbers, scores = _best(
            np.concatenate([numbers, passed]), np.concatenate([scores, _score(asked, passed)]), k
        )
        threshold = max(threshold, _kth(scores, k))
    best = list(zip(numbers.tolist(), scores.tolist(), strict=True))
    return Pruned(best, terms, first, len(sample), steps)


def _postings(index: BM25, question: str) -> list[Postings]:
    """One entry a term of the question, in its order; a term that stands twice is the same entry twice."""
    asked = [term for term in index.analyzer(question) if index.n_t(term)]
    entries = {}
    for term in asked:
        if term not in entries:
            times = asked.count(term)
            docs, _, impacts = index.postings(term)
            entries[term] = Postings(
                term, times, times * index.bound(term), docs, impacts, np.zeros(len(docs), np.bool_)
            )
    return [entries[term] for term in asked]


def _sample(terms: Sequence[Postings], size: int) -> Numbers:
    """The first chunks of the strongest term, and of the next ones if it has too few."""
    chosen: dict[int, None] = {}
    for term in terms:
        chosen |= dict.fromkeys(term.docs[: size - len(chosen)].tolist())
    return np.array(sorted(chosen), dtype=np.int64)


def _add_up(strong: Sequence[Postings], chunks: range) -> tuple[Numbers, Scores, int]:
    """The chunks of a block that hold a strong term, what those add to each, and how many postings that read."""
    sums, read = np.zeros(len(chunks)), 0
    for term in strong:
        docs, impacts = term.between(chunks.start, chunks.stop)
        sums[docs - chunks.start] += term.times * impacts
        read += len(docs)
    found = np.flatnonzero(sums)
    return found + chunks.start, sums[found], read


def _look_up(
    weak: Sequence[Postings], chunks: Numbers, sums: Scores, rest: Scores, near: float
) -> tuple[Numbers, int]:
    """The candidates that can still reach θ when the weak terms have been looked up, and the number of look-ups."""
    looked_up = 0
    for term, left in zip(weak, rest, strict=True):
        looked_up += len(chunks)
        sums = sums + term.times * term.at(chunks)
        alive = sums + left >= near
        chunks, sums = chunks[alive], sums[alive]
    return chunks, looked_up


def _score(asked: Sequence[Postings], chunks: Numbers) -> Scores:
    """The scores of some chunks, summed in the order of the question."""
    scores = np.zeros(len(chunks))
    for term in asked:
        scores += term.at(chunks)
    return scores


def _best(numbers: Numbers, scores: Scores, k: int) -> tuple[Numbers, Scores]:
    """The k best: score down to 12 decimals, then the order of the chunks."""
    order = np.lexsort((numbers, -np.round(scores, DECIMALS)))[:k]
    return numbers[order], scores[order]


def _kth(scores: Scores, k: int) -> float:
    """The k-th best score, rounded as ties are; 0 if there are not so many."""
    return float(np.sort(np.round(scores, DECIMALS))[-k]) if len(scores) >= k else 0.0
