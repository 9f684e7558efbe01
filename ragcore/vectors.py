"""The vectors of the book's own corpus and questions, computed once, so that the book needs no model.

    data/vectors/cs-passages-80-0.npy   one row of int8 a chunk: the vector, scaled to its largest component
    data/vectors/vectors.json           the model, its quantisation, the script, checksums, what rounding costs

A row times a factor is the vector; since only its direction counts, the factor is not stored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from .chunking import split_words
from .corpus import data_folder, load_corpus, load_questions
from .dense import Vectors, unit

OVERLAPS = (0, 20)  # words; the chunks have 80


def texts_of(language: str) -> dict[str, list[str]]:
    """What has vectors, by file: the chunks of 80 words without and with overlap, and the questions."""
    texts = {
        f"{language}-passages-80-{overlap}": [
            chunk.text for article in load_corpus(language) for chunk in split_words(article, 80, overlap)
        ]
        for overlap in OVERLAPS
    }
    return texts | {f"{language}-questions": [question.text for question in load_questions(language)]}


def checksum(texts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


class ShippedVectors:
    """An encoder that knows the texts of the book, and no others.

    Raises ValueError if the vectors do not belong to the present corpus, and for a text that has none.

    >>> encoder = ShippedVectors("cs")
    >>> encoder.queries(["Jak funguje důkaz matematickou indukcí?"]).shape
    (1, 384)
    """

    def __init__(self, language: str):
        folder = data_folder() / "vectors"
        manifest: dict[str, Any] = json.loads((folder / "vectors.json").read_text(encoding="utf-8"))
        self.language = language
        self._rows: dict[tuple[bool, str], Vectors] = {}
        for name, texts in texts_of(language).items():
            content = (folder / f"{name}.npy").read_bytes()
            expected = manifest["files"][name]
            if hashlib.sha256(content).hexdigest() != expected["sha256"]:
                raise ValueError(f"data/vectors/{name}.npy is not the file that was made: make it anew")
            if checksum(texts) != expected["texts_sha256"]:
                raise ValueError(f"the texts of {name} have changed since their vectors were made: make them anew")
            rows = unit(np.load(folder / f"{name}.npy").astype(np.float32))
            self._rows |= {(name.endswith("questions"), text): row for text, row in zip(texts, rows, strict=True)}

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self._look_up(True, texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._look_up(False, texts)

    def _look_up(self, question: bool, texts: Sequence[str]) -> Vectors:
        for text in texts:
            if (question, text) not in self._rows:
                kind = "question" if question else "chunk of 80 words"
                raise ValueError(
                    f"no vector is shipped for {text[:60]!r}: it is no {kind} of the book; use an encoder"
                )
        return np.array([self._rows[question, text] for text in texts], np.float32)
