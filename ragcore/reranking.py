"""A second look at the first candidates: a dearer score, and a cutoff.

    question ─search─► 20 hits ─scorer─► new scores ─minimum, k─► the few that enter the prompt

Searching must look at every chunk, so its score has to be cheap; the first twenty may be read with more care. Not
all of them are worth their place: whatever stays under `minimum` is left out, for fewer passages are read better.

A `Scorer` gives a number to each text for a question, the higher the better. Three are here:

    by_cosine(encoder)         the exact cosine of the two vectors
    by_coverage(index)         Σ idf(t) over the question's terms that the text holds / Σ idf(t) over all of them
    by_best_sentence(scorer)   the highest score of a sentence of the text, instead of that of the whole

A cross-encoder is one too: `lambda question, texts: model.predict([(question, text) for text in texts])`.
What reranking does not do: find what the search has missed. An answer at place 21 of 20 stays lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf, isnan

import numpy as np
from numpy.typing import ArrayLike

from .bm25 import BM25, idf
from .chunking import sentences
from .dense import Encoder, unit
from .hits import DECIMALS, Hit, check_k, top_k

Scorer = Callable[[str, Sequence[str]], ArrayLike]


def rerank(
    question: str, hits: Sequence[Hit], scorer: Scorer, k: int = 5, minimum: float | None = None
) -> list[Hit]:
    """The k hits with the highest new score, ranked anew; those under `minimum` are left out.

    Equal scores keep the order of the hits. No hits: nothing, and the scorer is not called. Raises ValueError for
    k < 1, for a minimum that is no number (NaN), and when the scorer does not give one number a hit.

    >>> from ragcore.chunking import split_words
    >>> index = BM25(split_words("důkaz sporem důkaz indukcí", size=2))
    >>> hits = index.search("důkaz indukcí")
    >>> [(hit.chunk.text, hit.score) for hit in rerank("důkaz indukcí", hits, by_coverage(index), minimum=0.5)]
    [('důkaz indukcí', 1.0)]
    """
    check_k(k)
    if minimum is not None and isnan(minimum):
        raise ValueError("minimum must be a number, or None to leave nothing out, not NaN")
    if not hits:
        return []
    scores = score_texts(scorer, question, [hit.chunk.text for hit in hits])
    least = -inf if minimum is None else round(minimum, DECIMALS)
    good = [i for i, score in enumerate(scores) if round(score, DECIMALS) >= least]
    return top_k([hits[i].chunk for i in good], [scores[i] for i in good], k)


def score_texts(scorer: Scorer, question: str, texts: Sequence[str]) -> list[float]:
    """What the scorer gives each text. Raises ValueError unless it is one number a text."""
    scores = np.asarray(scorer(question, texts), np.float64)
    if scores.shape != (len(texts),) or np.isnan(scores).any():
        raise ValueError(f"the scorer must give {len(texts)} texts as many numbers, not {scores.tolist()}")
    return [float(score) for score in scores]


def by_cosine(encoder: Encoder) -> Scorer:
    """A scorer: the cosine of the question's vector and the text's, from −1 to 1."""

    def score(question: str, texts: Sequence[str]) -> ArrayLike:
        rows = unit(np.asarray(encoder.passages(texts), np.float64))
        cosines: ArrayLike = rows @ unit(np.asarray(encoder.queries([question]), np.float64))[0]
        return cosines

    return score


def by_coverage(index: BM25) -> Scorer:
    """A scorer: how much of the question a text speaks about, from 0 to 1, so that a cutoff means the same for all.

    The weights are the idf of an index of the whole corpus, and its analyzer makes the terms; a word that the
    corpus lacks weighs most. A term counts once however often it stands, and length does not matter.

    >>> from ragcore.chunking import split_words
    >>> score = by_coverage(BM25(split_words("a b a c", size=2)))
    >>> [round(s, 3) for s in score("a b", ["a", "b b", "b a", "c"])]  # idf(a) = ln 1.2, idf(b) = ln 2
    [0.208, 0.792, 1.0, 0.0]
    """

    def score(question: str, texts: Sequence[str]) -> ArrayLike:
        weights = {term: float(idf(index.n_t(term), len(index))) for term in index.analyzer(question)}
        held = [weights.keys() & set(index.analyzer(text)) for text in texts]
        # summed in the order of the question, so that equal sets give equal sums
        return [sum(w for t, w in weights.items() if t in terms) / (sum(weights.values()) or 1) for terms in held]

    return score


def by_best_sentence(scorer: Scorer) -> Scorer:
    """A scorer: the best score that any sentence of the text has by another scorer.

    An answer is often one sentence, and the others of its chunk speak of something else.
    """

    def score(question: str, texts: Sequence[str]) -> ArrayLike:
        # a text without a sentence (white space only) is scored as it stands
        pieces = [[text[a:b] for a, b in sentences(text)] or [text] for text in texts]
        scores = score_texts(scorer, question, [piece for group in pieces for piece in group])
        ends = np.cumsum([0, *(len(group) for group in pieces)]).tolist()
        return [max(scores[a:b]) for a, b in pairwise(ends)]

    return score
