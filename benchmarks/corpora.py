"""The texts that the benchmarks search, as term numbers: the book's own, re-drawn from it, and synthetic.

    own        the chunks of the book's corpus as they stand, asked its own questions
    redrawn    every word drawn anew from all words of that corpus, independently: real frequencies at any size,
               asked the book's own questions
    zipf       made-up words, the r-th as frequent as 1 / (r + 2), asked words drawn from the text

Synthetic text flatters pruning: a question's rare word stands in a few hundred of its chunks. Text re-drawn from a
corpus of one subject has few rare words, so most postings have to be read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ragcore import load_corpus, load_questions, split_words
from ragcore.analysis import Analyzer, words

WORDS = 80  # a chunk's length in words
ZIPF_WORDS = 200_000  # different ones
ZIPF_QUESTIONS = 300


@dataclass(frozen=True)
class Corpus:
    """Chunks and questions as numbers of terms. Chunk i's are ids[ends[i - 1] : ends[i]]."""

    name: str
    ids: np.ndarray
    lengths: np.ndarray
    vocabulary: list[str]
    questions: list[list[int]]

    def chunks(self) -> list[list[str]]:
        """Every chunk's terms as text, for the engines that take nothing else."""
        terms = np.array(self.vocabulary, dtype=object)[self.ids].tolist()
        ends = np.cumsum(self.lengths).tolist()
        return [terms[end - length : end] for end, length in zip(ends, self.lengths.tolist(), strict=True)]

    def asked(self) -> list[list[str]]:
        """Every question's terms as text."""
        return [[self.vocabulary[i] for i in question] for question in self.questions]


def own(language: str, analyzer: Analyzer, size: int | None = None) -> Corpus:
    """The book's corpus, cut into 80 words, the first `size` chunks of it, and its questions."""
    texts = [chunk.text for article in load_corpus(language) for chunk in split_words(article, WORDS)][:size]
    return _numbered(f"own {language}, {analyzer.__name__}", [analyzer(text) for text in texts], language, analyzer)


def redrawn(size: int, analyzer: Analyzer, language: str = "cs", seed: int = 0) -> Corpus:
    """`size` chunks of 40 to 120 words, every one drawn from all words of the book's corpus."""
    text = [word for article in load_corpus(language) for word in words(article.text)]
    forms = {word: i for i, word in enumerate(dict.fromkeys(text))}
    stream = np.array([forms[word] for word in text])
    vocabulary: dict[str, int] = {}
    terms = [[vocabulary.setdefault(t, len(vocabulary)) for t in analyzer(word)] for word in forms]
    rng = np.random.default_rng(seed)
    counts = rng.integers(WORDS // 2, WORDS * 3 // 2, size)
    drawn = stream[rng.integers(0, len(stream), counts.sum())]
    lengths = np.add.reduceat(np.array([len(t) for t in terms])[drawn], np.cumsum(counts) - counts)
    ids = _spread(terms)(drawn)
    questions = _questions(language, analyzer, vocabulary)
    return Corpus(f"redrawn, {analyzer.__name__}", ids, lengths, list(vocabulary), questions)


def zipf(size: int, seed: int = 0) -> Corpus:
    """`size` chunks of 40 to 120 made-up words, and questions of 3 to 10 words drawn from the same text."""
    rng = np.random.default_rng(seed)
    share = np.cumsum(1 / np.arange(3, ZIPF_WORDS + 3))
    lengths = rng.integers(WORDS // 2, WORDS * 3 // 2, size)
    ids = np.searchsorted(share, rng.random(lengths.sum()) * share[-1]).astype(np.int32)
    questions = [ids[rng.integers(0, len(ids), n)].tolist() for n in rng.integers(3, 11, ZIPF_QUESTIONS)]
    return Corpus("zipf", ids, lengths, [f"w{i}" for i in range(ZIPF_WORDS)], questions)


def _spread(terms: Sequence[list[int]]) -> Callable[[np.ndarray], np.ndarray]:
    """Words to their terms: one a word for words and stems, one a letter for trigrams."""
    flat = np.array([t for own in terms for t in own], dtype=np.int32)
    counts = np.array([len(own) for own in terms])
    begins = np.cumsum(counts) - counts

    def spread(drawn: np.ndarray) -> np.ndarray:
        n = counts[drawn]
        place = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
        return flat[np.repeat(begins[drawn], n) + place]

    return spread


def _numbered(name: str, texts: list[list[str]], language: str, analyzer: Analyzer) -> Corpus:
    vocabulary: dict[str, int] = {}
    ids = np.array([vocabulary.setdefault(t, len(vocabulary)) for text in texts for t in text], dtype=np.int32)
    lengths = np.array([len(text) for text in texts])
    return Corpus(name, ids, lengths, list(vocabulary), _questions(language, analyzer, vocabulary))


def _questions(language: str, analyzer: Analyzer, vocabulary: dict[str, int]) -> list[list[int]]:
    """The book's questions, without the terms that no chunk holds: some peers stumble over those."""
    asked = [[vocabulary[t] for t in analyzer(q.text) if t in vocabulary] for q in load_questions(language)]
    return [question for question in asked if question]
