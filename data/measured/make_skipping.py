"""How many postings does MaxScore never read, on the book's corpus and on larger collections?

    python data/measured/make_skipping.py     # half an hour on a busy machine, 2 GB of memory

skipping.csv   one row a collection and k. text: own (the book's chunks and its 230 questions), redrawn (chunks of
               40 to 120 words, each drawn anew from all words of the corpus; the same questions), zipf (made-up
               words, the r-th as frequent as 1 / (r + 2), 230 questions of 3 to 10 words drawn from that text);
               language, terms, chunks, k, questions; postings (of all questions' terms), read (at least once),
               touched (numbers looked at: postings of strong terms, and every step of every halving), never
               (median over the questions of the share of postings that were never read), low, high (the smallest
               and the largest share), nothing (questions of which every posting was read), dearer (questions in
               which more numbers were touched than there are postings), equal (questions whose hits are those of
               reading everything, to the bit)

Always ten blocks. Only counts: times would say more about this machine than about the method.
"""

import csv
from collections.abc import Iterator
from math import ceil, log2
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from ragcore import load_corpus, load_questions, split_words
from ragcore.analysis import ANALYZERS, Analyzer, words
from ragcore.bm25 import K1, idf, length_factor, saturation
from ragcore.corpus import LANGUAGES
from ragcore.fast.building import inverted
from ragcore.fast.maxscore import Postings, Pruned, maxscore
from ragcore.hits import DECIMALS

FOLDER = Path(__file__).parent
KS = (1, 10, 100)
SIZES = (5_000, 50_000, 500_000)
MOST = 50_000_000  # terms of a collection: larger ones are left out
ZIPF_WORDS = 200_000
BLOCKS = 10
Ids = NDArray[np.int32]


class Terms:
    """An index over term numbers: what `maxscore` asks of a BM25, without texts. A question is a line of terms."""

    def __init__(self, ids: Ids, lengths: NDArray[np.int64], vocabulary: dict[str, int]):
        self.vocabulary, self.size = vocabulary, len(lengths)
        self.starts, self.docs, self.counts = inverted(ids, lengths, len(vocabulary))
        n_t = np.diff(self.starts)
        factor = np.asarray(length_factor(lengths.astype(np.float64), float(lengths.mean())))
        self.impacts = np.asarray(saturation(self.counts.astype(np.float64), factor[self.docs], K1))
        self.impacts *= np.repeat(np.asarray(idf(n_t, self.size)), n_t)

    def __len__(self) -> int:
        return self.size

    def analyzer(self, question: str) -> list[str]:
        return question.split(" ") if question else []

    def postings(self, term: str) -> tuple[Ids, Ids, NDArray[np.float64]]:
        i = self.vocabulary.get(term)
        span = slice(0, 0) if i is None else slice(self.starts[i], self.starts[i + 1])
        return self.docs[span], self.counts[span], self.impacts[span]

    def n_t(self, term: str) -> int:
        return len(self.postings(term)[0])

    def bound(self, term: str) -> float:
        return float(self.postings(term)[2].max())

    def best(self, question: str, k: int) -> list[tuple[int, float]]:
        """The k best by reading everything."""
        scores = np.zeros(self.size)
        for term in self.analyzer(question):
            docs, _, impacts = self.postings(term)
            scores[docs] += impacts
        found = np.flatnonzero(scores)
        order = found[np.lexsort((found, -np.round(scores[found], DECIMALS)))][:k]
        return list(zip(order.tolist(), scores[order].tolist(), strict=True))


# ------------------------------------------------------------------ the collections


def own(language: str, analyzer: Analyzer) -> Terms:
    chunks = [chunk for article in load_corpus(language) for chunk in split_words(article)]
    vocabulary: dict[str, int] = {}
    texts = [[vocabulary.setdefault(t, len(vocabulary)) for t in analyzer(chunk.text)] for chunk in chunks]
    ids = np.array([i for text in texts for i in text], np.int32)
    return Terms(ids, np.array([len(text) for text in texts]), vocabulary)


def redrawn(language: str, analyzer: Analyzer, size: int) -> Terms | None:
    """Chunks of words drawn from all words of the corpus, each by itself; None if they would be too large."""
    stream = [word for article in load_corpus(language) for word in words(article.text)]
    forms = {word: i for i, word in enumerate(dict.fromkeys(stream))}
    vocabulary: dict[str, int] = {}
    cut = [[vocabulary.setdefault(t, len(vocabulary)) for t in analyzer(word)] for word in forms]
    counts = np.array([len(terms) for terms in cut])
    numbers = np.array([forms[word] for word in stream])
    if size * 80 * counts[numbers].mean() > MOST:
        return None
    random = np.random.default_rng(0)
    chunk_words = random.integers(40, 120, size)
    drawn = numbers[random.integers(0, len(numbers), chunk_words.sum())]
    flat, begins = np.array([t for terms in cut for t in terms], np.int32), np.cumsum(counts) - counts
    n = counts[drawn]
    place = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
    lengths = np.add.reduceat(n, np.cumsum(chunk_words) - chunk_words)
    return Terms(flat[np.repeat(begins[drawn], n) + place], lengths, vocabulary)


def zipf(size: int) -> tuple[Terms, list[str]]:
    random = np.random.default_rng(0)
    share = np.cumsum(1 / np.arange(3, ZIPF_WORDS + 3))
    lengths = random.integers(40, 120, size)
    ids = np.searchsorted(share, random.random(lengths.sum()) * share[-1]).astype(np.int32)
    asked = [ids[random.integers(0, len(ids), n)] for n in random.integers(3, 11, 230)]
    lines = [" ".join(f"w{i}" for i in question) for question in asked]
    return Terms(ids, lengths, {f"w{i}": i for i in range(ZIPF_WORDS)}), lines


def collections() -> Iterator[tuple[str, str, str, Terms, list[str]]]:
    for language in LANGUAGES:
        for name in ("words", "stems", "trigrams"):
            analyzer = ANALYZERS[name]
            lines = [" ".join(analyzer(question.text)) for question in load_questions(language)]
            yield "own", language, name, own(language, analyzer), lines
            for size in SIZES:
                if (index := redrawn(language, analyzer, size)) is not None:
                    yield "redrawn", language, name, index, lines
    for size in SIZES:
        yield "zipf", "", "words", *zipf(size)


# ------------------------------------------------------------------ counting


def counted(index: Terms, question: str, k: int) -> tuple[Pruned, int]:
    """A search and how many numbers it touched: postings read through, and the steps of every halving."""
    touched, at = 0, Postings.at

    def count(self: Postings, chunks: NDArray[np.int64]) -> NDArray[np.float64]:
        nonlocal touched
        touched += len(chunks) * ceil(log2(len(self) + 1))
        return at(self, chunks)

    with patch.object(Postings, "at", count):
        found = maxscore(index, question, k, -(-len(index) // BLOCKS))  # type: ignore[arg-type]
    return found, touched + sum(step.read for step in found.steps)


def row(index: Terms, lines: list[str], k: int) -> dict[str, object]:
    results = [(line, *counted(index, line, k)) for line in lines]
    never = [1 - found.read / found.postings for _, found, _ in results]
    return {
        "chunks": len(index), "k": k, "questions": len(lines),
        "postings": sum(found.postings for _, found, _ in results),
        "read": sum(found.read for _, found, _ in results),
        "touched": sum(touched for *_, touched in results),
        "never": f"{np.median(never):.4f}", "low": f"{min(never):.4f}", "high": f"{max(never):.4f}",
        "nothing": sum(found.read == found.postings for _, found, _ in results),
        "dearer": sum(touched > found.postings for _, found, touched in results),
        "equal": sum(found.best == index.best(line, k) for line, found, _ in results),
    }  # fmt: skip


def main() -> None:
    rows = []
    for text, language, terms, index, lines in collections():
        for k in KS:
            rows.append({"text": text, "language": language, "terms": terms, **row(index, lines, k)})
            print(*rows[-1].values(), flush=True)
    with open(FOLDER / "skipping.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
