"""The other engines, each as a user of Python installs it, all given the same terms.

    build(texts) ─► ask(question) ─► numbers of the ten best chunks, best first

Terms are written as t17, t42, …, so that every engine's own tokenizer cuts them alike. k₁ = 1.2 and b = 0.75
wherever they can be set. Who computes the same formula is marked (`SAME`); the others are here for their speed.
"""

from __future__ import annotations

import contextlib
import io
import os
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measure import installed

K, K1, B = 10, 1.2, 0.75

Ask = Callable[[str], Sequence[int]]

PACKAGES = {
    "bm25s": "bm25s", "tantivy": "tantivy", "scikit-learn": "scikit-learn", "bm25-turbo": "bm25-turbo",
    "rank_bm25": "rank-bm25", "SQLite FTS5": None, "minsearch": "minsearch", "milvus-lite": "milvus-lite",
}  # fmt: skip
SAME = {"bm25s", "scikit-learn", "bm25-turbo", "milvus-lite"}
LEFT_OUT = "retriv: left out, it cannot be installed without PyTorch and faiss"


def missing() -> list[str]:
    """The peers that are not installed."""
    return [name for name, package in PACKAGES.items() if package and not installed(package)]


def bm25s_numba(tokens: Any) -> tuple[Any, Ask]:
    """bm25s with its numba backend; tokens: lists of terms, or lists of numbers and a vocabulary."""
    import bm25s

    index = bm25s.BM25(method="lucene", k1=K1, b=B, backend="numba")
    index.index(tokens, show_progress=False)

    def ask(question: str) -> Sequence[int]:
        return index.retrieve([question.split()], k=K, show_progress=False)[0][0]

    return index, ask


def bm25s_batch(index: Any) -> Callable[[Sequence[str]], object]:
    """All questions at once on two threads of its own."""
    return lambda questions: index.retrieve([q.split() for q in questions], k=K, n_threads=2, show_progress=False)


def tantivy(texts: Sequence[str]) -> Ask:
    """Lucene's design in Rust; it keeps a chunk's length in one byte, so its scores differ a little."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name="whitespace", index_option="freq")
    builder.add_unsigned_field("number", stored=True)
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer(500_000_000, num_threads=1)
    for number, text in enumerate(texts):
        writer.add_document(tantivy.Document(text=text, number=number))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(question: str) -> Sequence[int]:
        parts = [(tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", t)) for t in question.split()]
        hits = searcher.search(tantivy.Query.boolean_query(parts), K, count=False).hits
        return [searcher.doc(address)["number"][0] for _, address in hits]

    return ask


def scikit_learn(texts: Sequence[str]) -> Ask:
    """The impacts as a sparse matrix of terms × chunks, multiplied with the question."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.utils.extmath import safe_sparse_dot

    cutter = CountVectorizer(analyzer=str.split)
    counts = cutter.fit_transform(texts).tocsc().astype(np.float64)
    N, lengths = counts.shape[0], np.asarray(counts.sum(axis=1)).ravel()
    n_t = np.diff(counts.indptr)
    factor = K1 * (1 - B + B * lengths / lengths.mean())
    counts.data = counts.data / (counts.data + factor[counts.indices])
    counts.data *= np.repeat(np.log(1 + (N - n_t + 0.5) / (n_t + 0.5)), n_t)
    impacts = counts.T.tocsr()

    def ask(question: str) -> Sequence[int]:
        scores = safe_sparse_dot(cutter.transform([question]), impacts, dense_output=True)
        scores = np.asarray(scores.todense() if hasattr(scores, "todense") else scores).ravel()
        best = np.argpartition(-scores, min(K, N - 1))[:K]
        return best[np.argsort(-scores[best], kind="stable")]

    return ask


def bm25_turbo(texts: Sequence[str]) -> Ask:
    """A Rust engine of bm25s' kind."""
    from bm25_turbo_python import BM25

    index = BM25(method="lucene", k1=K1, b=B)
    index.index(list(texts))
    return lambda question: index.search_numpy(question, K)[0]


def rank_bm25(texts: Sequence[str]) -> Ask:
    """The most installed one: per question, every chunk in Python dictionaries; another idf."""
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([text.split() for text in texts], k1=K1, b=B)
    return lambda question: np.argsort(-index.get_scores(question.split()), kind="stable")[:K]


def sqlite_fts5(texts: Sequence[str]) -> Ask:
    """The full-text search of Python's own database; an idf that may be next to 0."""
    base = sqlite3.connect(":memory:", check_same_thread=False)
    base.execute("CREATE VIRTUAL TABLE chunks USING fts5(text, content='')")
    base.executemany("INSERT INTO chunks(rowid, text) VALUES (?, ?)", enumerate(texts))
    base.commit()
    query = f"SELECT rowid FROM chunks WHERE chunks MATCH ? ORDER BY rank LIMIT {K}"

    def ask(question: str) -> Sequence[int]:
        return [row[0] for row in base.execute(query, (" OR ".join(question.split()),))]

    return ask


def minsearch(texts: Sequence[str]) -> Ask:
    """tf–idf and cosine by scikit-learn."""
    from minsearch import Index

    index = Index(text_fields=["text"])
    index.fit([{"text": text} for text in texts])
    return lambda question: [row["_id"] for row in index.search(question, num_results=K, output_ids=True)]


def milvus_lite(texts: Sequence[str]) -> Ask:
    """Our impacts as sparse vectors, searched by inner product in the embedded engine."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # it reports its pings
    from pymilvus import DataType, MilvusClient

    from ragcore import BM25
    from ragcore.chunking import Chunk
    from ragcore.corpus import Article

    index = BM25([Chunk(Article(str(i), "", "", text), 0, len(text)) for i, text in enumerate(texts)], str.split)
    rows: list[dict[int, float]] = [{} for _ in texts]
    for term, place in index.vocabulary.items():
        docs, _, impacts = index.postings(term)
        for doc, impact in zip(docs.tolist(), impacts.tolist(), strict=True):
            rows[doc][place] = impact
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    with contextlib.redirect_stderr(io.StringIO()):
        client = MilvusClient(str(Path(folder.name) / "bench.db"))
    schema, parameters = client.create_schema(auto_id=False), client.prepare_index_params()
    schema.add_field("number", DataType.INT64, is_primary=True)
    schema.add_field("impacts", DataType.SPARSE_FLOAT_VECTOR)
    parameters.add_index("impacts", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
    client.create_collection("chunks", schema=schema, index_params=parameters)
    for first in range(0, len(rows), 2000):
        part = rows[first : first + 2000]
        client.insert("chunks", [{"number": first + i, "impacts": row} for i, row in enumerate(part)])
    client.flush("chunks")

    def ask(question: str, _folder: Any = folder) -> Sequence[int]:
        asked: dict[int, float] = {}
        for term in question.split():
            if term in index.vocabulary:
                asked[index.vocabulary[term]] = asked.get(index.vocabulary[term], 0.0) + 1.0
        found = client.search("chunks", [asked], anns_field="impacts", limit=K, search_params={"metric_type": "IP"})
        return [row["number"] for row in found[0]]

    return ask


BUILDERS: dict[str, Callable[[Sequence[str]], Ask]] = {
    "tantivy": tantivy, "scikit-learn": scikit_learn, "bm25-turbo": bm25_turbo, "rank_bm25": rank_bm25,
    "SQLite FTS5": sqlite_fts5, "minsearch": minsearch, "milvus-lite": milvus_lite,
}  # fmt: skip
