"""Does an engine give our rankings, what does its own BM25 give, and what happens when chunks are added?

    python data/measured/make_stores.py     # needs pymilvus, milvus-lite, and qdrant-client; about four minutes

stores.csv   the embedded engine, filled, closed and opened again, against the package: language, question (row),
             search (words, vector, hybrid), hits (of 30 places), difference (largest between scores at a place),
             moved (places with another chunk), apart (the largest difference between the scores of two chunks that
             changed places, as the package computes them); for hybrid also first (the engine's first place is the
             package's, by the package's own rankings) and behind (how much less that chunk has there)
builtin.csv  the engine's own BM25, over whole words: language, question, kind, method (ours with k1 = 1.2 and 1.5;
             the engine with the text in one piece and in three, and told k1 = 1.2), best (its highest score), rank
             of the answer
drift.csv    a store filled with a share of the articles, the others added later, against one filled with all:
             language, share (%), draw, questions, first (whose first place is the same), five (whose first five are
             the same chunks), order (whose first five are the same in the same order), better and worse (answers
             that gained or lost places), hit5, hit5_anew (answers among the first five), mrr, mrr_anew
stores.json  versions, sizes on disk, the score that Qdrant's fusion gives to a chunk that is first in two rankings

Without qdrant-client its line in stores.json is left as it was.
"""

import csv
import json
import platform
import random
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from ragcore import BM25, Article, Chunk, load_corpus, load_questions, split_words, stems, words
from ragcore.corpus import LANGUAGES
from ragcore.dense import DenseIndex
from ragcore.evaluation import hit_rate, mean_reciprocal_rank, rank_of_answer, right_chunks
from ragcore.fusion import reciprocal_rank_fusion
from ragcore.hits import Hit, top_k
from ragcore.stores.impacts import Statistics
from ragcore.stores.milvus import MilvusStore
from ragcore.vectors import ShippedVectors

FOLDER = Path(__file__).parent
K, DEPTH = 30, 50
SHARES, DRAWS = (90, 75, 50, 25, 10), 10
Row = dict[str, object]


def cut(articles: Sequence[Article]) -> list[Chunk]:
    return [chunk for article in articles for chunk in split_words(article)]


# ------------------------------------------------------------------ the same rankings


def compare(theirs: Sequence[Hit], ours: Sequence[Hit], all_ours: Sequence[Hit]) -> Row:
    """Two rankings, place by place. all_ours: as far as the package can rank, to find chunks that fell off."""
    if len(theirs) != len(ours):
        raise ValueError(f"the engine gives {len(theirs)} hits, the package {len(ours)}")
    score = {hit.chunk.key: hit.score for hit in all_ours}
    pairs = list(zip(theirs, ours, strict=True))
    moved = [(their, our) for their, our in pairs if their.chunk != our.chunk]
    difference = max((abs(their.score - our.score) for their, our in pairs), default=0.0)
    apart = max((abs(score[their.chunk.key] - our.score) for their, our in moved), default=0.0)
    return {"hits": len(theirs), "difference": f"{difference:.1e}", "moved": len(moved), "apart": f"{apart:.1e}"}


def agreement(language: str, path: Path, rows: Sequence[int] | None = None) -> list[Row]:
    """Every question (or those of some rows) by words, by vector and by both."""
    chunks, encoder = cut(load_corpus(language)), ShippedVectors(language)
    vectors = encoder.passages([chunk.text for chunk in chunks])
    index, dense = BM25(chunks, stems), DenseIndex(chunks, vectors)
    with MilvusStore(path) as store:
        store.fill(index, vectors)
    questions, found = load_questions(language), list[Row]()
    with MilvusStore(path) as store:
        for row in range(len(questions)) if rows is None else rows:
            text = questions[row].text
            vector = encoder.queries([text])[0]
            near, far = index.search(text, len(chunks)), dense.search(vector, len(chunks))
            both = reciprocal_rank_fusion([near[:DEPTH], far[:DEPTH]])
            theirs = reciprocal_rank_fusion([store.search(text, DEPTH), store.search_vector(vector, DEPTH)])
            for search, result in {
                "words": compare(store.search(text, K), near[:K], near),
                "vector": compare(store.search_vector(vector, K), far[:K], far),
                # the engine's fusion of its own two rankings, against the package's fusion of the same two
                "hybrid": compare(store.search_hybrid(text, vector, K, DEPTH), theirs[:K], theirs),
            }.items():
                found.append({"language": language, "question": row, "search": search} | result)
            first, score = (
                store.search_hybrid(text, vector, 1, DEPTH)[0],
                {hit.chunk.key: hit.score for hit in both},
            )
            found[-1]["first"] = int(first.chunk == both[0].chunk)
            found[-1]["behind"] = f"{both[0].score - score[first.chunk.key]:.1e}"
    return found


# ------------------------------------------------------------------ the engine's own BM25


def builtin(chunks: Sequence[Chunk], path: Path, pieces: int, params: dict[str, float]) -> Callable[[str], Any]:
    """A search by the BM25 that the engine brings along; the text goes in in so many pieces."""
    from pymilvus import DataType, Function, FunctionType, MilvusClient

    client = MilvusClient(str(path))
    schema, index = client.create_schema(auto_id=False), client.prepare_index_params()
    schema.add_field("id", DataType.INT64, is_primary=True)
    schema.add_field("text", DataType.VARCHAR, max_length=65_535, enable_analyzer=True)
    schema.add_field("bm25", DataType.SPARSE_FLOAT_VECTOR)
    schema.add_function(Function("score", FunctionType.BM25, ["text"], ["bm25"]))
    index.add_index("bm25", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25", params=params)
    client.create_collection("built_in", schema=schema, index_params=index)
    size = -(-len(chunks) // pieces)
    for first in range(0, len(chunks), size):
        part = range(first, min(first + size, len(chunks)))
        client.insert("built_in", [{"id": i, "text": chunks[i].text} for i in part])
        client.flush("built_in")

    def search(question: str) -> list[tuple[float, Chunk]]:
        found = client.search("built_in", [question], anns_field="bm25", limit=len(chunks))[0]
        return [(row["distance"], chunks[row["id"]]) for row in found]

    return search


def engines(language: str, folder: Path) -> list[Row]:
    chunks = cut(load_corpus(language))

    def ours(k1: float) -> Callable[[str], Any]:
        index = BM25(chunks, words, k1)
        return lambda question: [(hit.score, hit.chunk) for hit in index.search(question, len(chunks))]

    methods = {
        "ours, k1 = 1.2": ours(1.2),
        "ours, k1 = 1.5": ours(1.5),
        "engine, one piece": builtin(chunks, folder / "one.db", 1, {}),
        "engine, one piece, k1 = 1.2": builtin(chunks, folder / "told.db", 1, {"bm25_k1": 1.2, "bm25_b": 0.75}),
        "engine, three pieces": builtin(chunks, folder / "three.db", 3, {}),
    }
    rows: list[Row] = []
    for place, question in enumerate(load_questions(language)):
        if question.article is None:
            continue
        right = right_chunks(question, chunks)
        for method, search in methods.items():
            found = search(question.text)
            rank = next((rank for rank, (_, chunk) in enumerate(found, start=1) if chunk in right), "")
            best = f"{found[0][0]:.3f}" if found else ""
            rows.append({"language": language, "question": place, "kind": question.kind, "method": method,
                         "best": best, "rank": rank})  # fmt: skip
    return rows


# ------------------------------------------------------------------ chunks that come later


def searcher(statistics: Statistics, chunks: Sequence[Chunk]) -> Callable[[str], list[Hit]]:
    """What `MemoryStore` does, with an array of chunks and impacts for every dimension: faster, the same scores."""
    pairs: dict[int, tuple[list[int], list[float]]] = {}
    for place, chunk in enumerate(chunks):
        for dimension, impact in statistics.chunk(chunk.text).items():
            places, impacts = pairs.setdefault(dimension, ([], []))
            places.append(place)
            impacts.append(impact)
    postings = {dimension: (np.array(places), np.array(impacts)) for dimension, (places, impacts) in pairs.items()}

    def search(question: str) -> list[Hit]:
        scores = np.zeros(len(chunks))
        for dimension, times in statistics.question(question).items():
            if dimension in postings:
                places, impacts = postings[dimension]
                scores[places] += times * impacts
        return [hit for hit in top_k(chunks, scores, len(chunks)) if hit.score > 0]

    return search


def drift(language: str, share: int, draw: int) -> Row:
    """One draw: so many percent of the articles fill the store, the others are added."""
    articles = load_corpus(language)
    order = random.Random(f"{language} {draw}").sample(articles, len(articles))
    first = round(len(articles) * share / 100)
    early, late = cut(order[:first]), cut(order[first:])
    drifted = searcher(Statistics.of(BM25(early, stems)), [*early, *late])
    anew = searcher(Statistics.of(BM25([*early, *late], stems)), [*early, *late])
    chunks, counts = [*early, *late], dict.fromkeys(("first", "five", "order", "better", "worse"), 0)
    ranks: dict[str, list[int | None]] = {"then": [], "now": []}
    questions = [question for question in load_questions(language) if question.article is not None]
    for question in questions:
        then, now = drifted(question.text), anew(question.text)
        places = [[hit.chunk.key for hit in found[:5]] for found in (then, now)]
        counts["first"] += places[0][0] == places[1][0]
        counts["five"] += set(places[0]) == set(places[1])
        counts["order"] += places[0] == places[1]
        right = right_chunks(question, chunks)
        before, after = rank_of_answer(then, right), rank_of_answer(now, right)
        far = len(chunks) + 1
        counts["better"] += (before or far) < (after or far)
        counts["worse"] += (before or far) > (after or far)
        ranks["then"].append(before)
        ranks["now"].append(after)
    return {
        "language": language, "share": share, "draw": draw, "questions": len(questions), **counts,
        "hit5": round(len(questions) * hit_rate(ranks["then"], 5)),
        "hit5_anew": round(len(questions) * hit_rate(ranks["now"], 5)),
        "mrr": f"{mean_reciprocal_rank(ranks['then']):.4f}",
        "mrr_anew": f"{mean_reciprocal_rank(ranks['now']):.4f}",
    }  # fmt: skip


# ------------------------------------------------------------------ facts


def twice_first() -> dict[str, float]:
    """The score that Qdrant's fusion gives to a point that is first in two rankings, by the constant it is told."""
    from qdrant_client import QdrantClient, models

    client = QdrantClient(":memory:")
    vectors = {name: models.VectorParams(size=2, distance=models.Distance.COSINE) for name in "ab"}
    client.create_collection("points", vectors_config=vectors)
    points = [models.PointStruct(id=i, vector={"a": [1, i], "b": [1, i]}) for i in range(5)]
    client.upsert("points", points)
    both = [models.Prefetch(query=[1.0, 0.0], using=name, limit=5) for name in "ab"]
    queries: dict[str, Any] = {"default": models.FusionQuery(fusion=models.Fusion.RRF)}
    queries |= {str(k): models.RrfQuery(rrf=models.Rrf(k=k)) for k in (60, 61)}
    return {
        name: round(client.query_points("points", prefetch=both, query=query, limit=1).points[0].score, 6)
        for name, query in queries.items()
    }


def facts(folder: Path) -> dict[str, Any]:
    """Versions, and what lies on disk for each language: the engine's folder and our own index file."""
    path = FOLDER / "stores.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    versions = {name: version(name) for name in ("pymilvus", "milvus-lite")} | {"python": platform.python_version()}
    try:
        qdrant = {"version": version("qdrant-client"), "first in two rankings": twice_first()}
    except PackageNotFoundError:
        qdrant = known.get("qdrant-client")
    sizes = {}
    for language in LANGUAGES:
        chunks = cut(load_corpus(language))
        index = BM25(chunks, stems)
        index.save(folder / "own.bm25")
        engine = [file.stat().st_size for file in (folder / f"{language}.db").rglob("*") if file.is_file()]
        postings = sum(index.n_t(term) for term in index.vocabulary)
        sizes[language] = {
            "chunks": len(chunks), "terms": len(index.vocabulary), "postings": postings,
            "characters": sum(len(article.text.encode()) for article in load_corpus(language)),
            "engine_bytes": sum(engine), "own_index_bytes": (folder / "own.bm25").stat().st_size,
        }  # fmt: skip
    return {"versions": versions, "qdrant-client": qdrant, "sizes": sizes, "places": K, "depth": DEPTH}


def write(name: str, rows: list[Row]) -> None:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with (FOLDER / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{name}: {len(rows):,} rows")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write("stores.csv", [row for lang in LANGUAGES for row in agreement(lang, folder / f"{lang}.db")])
        (FOLDER / "stores.json").write_text(json.dumps(facts(folder), indent=1) + "\n", encoding="utf-8")
    rows: list[Row] = []
    for lang in LANGUAGES:
        with tempfile.TemporaryDirectory() as name:
            rows += engines(lang, Path(name))
    write("builtin.csv", rows)
    write(
        "drift.csv", [drift(lang, share, draw) for lang in LANGUAGES for share in SHARES for draw in range(DRAWS)]
    )
