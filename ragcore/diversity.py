"""The same thing twice: choose passages that are relevant and unlike those already chosen.

    MMR(d) = λ·sim(d, q) − (1 − λ)·max_{d′ ∈ S} sim(d, d′)        the d with the largest MMR is chosen next

    sim(d, q)   how relevant candidate d is to the question (`relevance`)
    sim(d, d′)  how alike two candidates are (`similarity`)
    S           what has been chosen so far; the maximum is over all of it, and 0 while it is empty
    λ           1: by relevance alone; 0: by difference alone

Maximal marginal relevance, Carbonell and Goldstein 1998. (Their printed brackets, taken literally, put λ before
everything and give 0 for every candidate at λ = 0; this is the formula that is used.)
Both likenesses must be measured with the same ruler: a BM25 score of 12 beside a cosine of 0.9 would decide alone.
What it does not do: look ahead. Each step takes the best candidate of the moment.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .dense import unit
from .hits import DECIMALS, Hit, check_k

Numbers = NDArray[np.float64]


def maximal_marginal_relevance(relevance: ArrayLike, similarity: ArrayLike, k: int, lam: float = 0.5) -> list[int]:
    """The places of k candidates, in the order in which MMR chooses them.

    relevance: one number a candidate, shape (n,); similarity: of every two candidates, shape (n, n), row d column
    d′. If there are fewer than k candidates, all come back. Equal scores: the earlier candidate.
    Raises ValueError for k < 1, λ outside 0 … 1, shapes that do not match and numbers that are not finite.

    >>> like = [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]]
    >>> maximal_marginal_relevance([0.9, 0.9, 0.6], like, k=3)
    [0, 2, 1]
    """
    check_k(k)
    sim_q, sim = _checked(relevance, similarity, lam)
    picked: list[int] = []
    closest = np.zeros(len(sim_q))  # max over S, kept up to date instead of computed anew at each step
    for _ in range(min(k, len(sim_q))):
        best = int(np.argmax(_scores(sim_q, closest, picked, lam)))
        closest = np.maximum(closest, sim[:, best]) if picked else sim[:, best]
        picked.append(best)
    return picked


def mmr_scores(
    relevance: ArrayLike, similarity: ArrayLike, picked: Sequence[int] = (), lam: float = 0.5
) -> Numbers:
    """What the next choice looks at: the MMR of every candidate after those in `picked`; −∞ for these themselves.

    Rounded to 12 decimals, so that a tie is one: at λ = 0.75 both candidates of the published example have 0.45.
    Raises ValueError as `maximal_marginal_relevance` does, and for a place in `picked` that no candidate has.

    >>> like = [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]]
    >>> [float(score) for score in mmr_scores([0.9, 0.9, 0.6], like, picked=[0])]
    [-inf, 0.0, 0.3]
    """
    sim_q, sim = _checked(relevance, similarity, lam)
    chosen = list(picked)
    if not all(0 <= place < len(sim_q) for place in chosen):
        raise ValueError(f"picked must hold places from 0 to {len(sim_q) - 1}, not {chosen}")
    closest = sim[:, chosen].max(axis=1) if chosen else np.zeros(len(sim_q))
    return _scores(sim_q, closest, chosen, lam)


def diversify(
    hits: Sequence[Hit], question: ArrayLike, vectors: ArrayLike, k: int = 5, lam: float = 0.5
) -> list[Hit]:
    """The k hits that MMR chooses, ranked from 1 in the order of choice; each keeps its score.

    question: its vector; vectors: one a hit, in their order. Relevance and likeness are both cosines, so the hits'
    own scores, whatever engine they come from, decide nothing. Raises ValueError for vectors that do not match.

    >>> from ragcore.chunking import split_words
    >>> hits = [Hit(chunk, 9.0 - rank, rank) for rank, chunk in enumerate(split_words("a a' b", size=1), start=1)]
    >>> [hit.chunk.text for hit in diversify(hits, question=[1, 1], vectors=[[1, 0.1], [1, 0.2], [0, 1]], k=2)]
    ["a'", 'b']
    """
    rows, asked = np.asarray(vectors, np.float64), np.asarray(question, np.float64)
    if not hits:
        check_k(k)
        return []
    if asked.ndim != 1 or rows.shape != (len(hits), len(asked)):
        raise ValueError(f"vectors must have the shape {(len(hits), *asked.shape)}, one a hit, not {rows.shape}")
    if not (np.isfinite(asked).all() and np.isfinite(rows).all()):
        raise ValueError("a vector has a component that is not a finite number")
    rows = unit(rows)
    order = maximal_marginal_relevance(rows @ unit(asked[None])[0], rows @ rows.T, k, lam)
    return [Hit(hits[place].chunk, hits[place].score, rank) for rank, place in enumerate(order, start=1)]


def _scores(sim_q: Numbers, closest: Numbers, picked: list[int], lam: float) -> Numbers:
    scores = np.round(lam * sim_q - (1 - lam) * closest, DECIMALS)
    scores[picked] = -np.inf
    return scores


def _checked(relevance: ArrayLike, similarity: ArrayLike, lam: float) -> tuple[Numbers, Numbers]:
    sim_q, sim = np.asarray(relevance, np.float64), np.asarray(similarity, np.float64)
    if not 0 <= lam <= 1:
        raise ValueError(f"lam must lie between 0 and 1, not be {lam}")
    if not sim_q.size and not sim.size:
        sim = sim.reshape(0, 0)
    if sim_q.ndim != 1 or sim.shape != (len(sim_q), len(sim_q)):
        raise ValueError(f"relevance (n,) and similarity (n, n) are needed, not {sim_q.shape} and {sim.shape}")
    if not (np.isfinite(sim_q).all() and np.isfinite(sim).all()):
        raise ValueError("a relevance or a similarity is not a finite number")
    return sim_q, sim
