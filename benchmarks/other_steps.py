"""Dense search, fusion, diversity and the knapsack beside other libraries, in one run: ratios above 1 are ours.

    dense       the ten nearest of 500,000 vectors of 384 dimensions         faiss, flat
    fusion      two rankings of 100 for each of 1,000 questions              ranx
    diversity   MMR among 200 candidates, 10 and 50 chosen                   langchain-core
    knapsack    200 passages, 8,000 tokens                                   scipy's milp (HiGHS)

Each library gets what it likes best, made beforehand: faiss its index, ranx its runs, langchain-core a list of
vectors. Before anything is timed, the results are compared; where they differ, nothing is printed but that. A
library that is not installed is named and left out. No arguments; three minutes; make bench
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import measure
import numpy as np

from ragcore import DenseIndex, Hit, load_corpus, load_questions, reciprocal_rank_fusion, split_words
from ragcore.budget import knapsack_exact
from ragcore.diversity import diversify
from ragcore.fast.scan import Int8Index, nearest_in_numpy, to_bytes
from ragcore.fusion import fuse_batch
from ragcore.vectors import ShippedVectors

VECTORS, FEW, DIMENSIONS, ASKED = 500_000, 20_000, 384, 20
CORES = os.cpu_count() or 1
PEERS = ("faiss-cpu", "ranx", "langchain-core", "scipy", "numba")
Rows = list[dict[str, Any]]
Part = tuple[str, Rows, str]  # a table: its title, its rows, a remark
Contestants = dict[str, Callable[[Any], object]]


def main() -> None:
    machine = measure.Machine()
    machine.look()
    results: dict[str, Any] = {}
    for step in (dense, fusion, diversity, knapsack):
        for title, rows, remark in step():
            machine.look()
            results[title] = {"rows": rows, "remark": remark}
            print(f"\n{title}\n{measure.table(rows)}\n{remark}", flush=True)
    missing = [name for name in PEERS if not measure.installed(name)]
    if missing:
        print(f"\nNot installed and left out: {', '.join(missing)}")
    if machine.warning():
        print("\n" + machine.warning())
    path = measure.save("other_steps", {"machine": machine.facts("numpy", *PEERS), **results})
    print(f"\nWritten to {path.parent.name}/{path.name}")


def agree(condition: Any, what: str) -> None:
    """Stop with a sentence unless two libraries give the same: figures about different results mean nothing."""
    if not condition:
        raise SystemExit(f"The results differ: {what}")


def timed(contestants: Contestants, items: Sequence[Any], to: str, count: int = 5) -> Rows:
    """Medians of interleaved rounds; ratios to the peer, or to the first of ours where the peer is missing."""
    return measure.summarize(
        measure.rounds(contestants, items, count), to if to in contestants else next(iter(contestants))
    )


# ------------------------------------------------------------------ dense


def scattered(random: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Vectors and questions in all directions."""
    return random.standard_normal((size, DIMENSIONS), np.float32), random.standard_normal((ASKED, DIMENSIONS))


def like_the_book(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The vectors of the book's chunks over and over, each pushed aside; asked the book's own questions.

    A model's vectors crowd into one corner (their cosines lie close together), which is harder to tell apart in
    bytes than vectors in all directions.
    """
    texts = [chunk.text for article in load_corpus("cs") for chunk in split_words(article)]
    encoder = ShippedVectors("cs")
    passages = encoder.passages(texts)
    rows = random.standard_normal((VECTORS, DIMENSIONS), np.float32)
    rows *= 0.5 / np.sqrt(DIMENSIONS)  # half as long as a chunk's vector
    for start in range(0, VECTORS, len(passages)):
        rows[start : start + len(passages)] += passages[: VECTORS - start]
    questions = load_questions("cs")
    return rows, encoder.queries([question.text for question in questions[:: len(questions) // ASKED][:ASKED]])


def dense() -> Iterator[Part]:
    for size in (VECTORS, FEW):
        yield from among(size, "vectors in all directions", *scattered(np.random.default_rng(1), size))
    yield from among(VECTORS, "vectors like the book's", *like_the_book(np.random.default_rng(1)))
    rows: Rows = []
    for language in ("cs", "en"):
        chunks = [chunk for article in load_corpus(language) for chunk in split_words(article)]
        encoder, asked = ShippedVectors(language), [question.text for question in load_questions(language)]
        index = Int8Index(chunks, encoder.passages([chunk.text for chunk in chunks]))
        share = index.recall(encoder.queries(asked))
        rows.append({"name": language, "chunks": len(chunks), "questions": len(asked), "recall@10": share})
    yield "dense, the book's own chunks and questions", rows, "recall@10 of bytes first, to the exact search"


def among(size: int, kind: str, vectors: np.ndarray, questions: np.ndarray) -> Iterator[Part]:
    """One table: the search among vectors of one kind."""
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    asked = (questions / np.linalg.norm(questions, axis=1, keepdims=True)).astype(np.float32)
    index = Int8Index(split_words(" ".join(map(str, range(size))), size=1), vectors)
    contestants: Contestants = {"ragcore, bytes first": lambda question: index.search(question, 10)}
    if size == FEW:  # what numpy reaches alone, and what the search costs that a chapter shows
        exact = DenseIndex(index.chunks, vectors)
        contestants |= {
            "the first look in numpy": lambda question: nearest_in_numpy(
                index.rows, index.scales, to_bytes(question[None])[0][0], 40
            ),
            "ragcore, exact": lambda question: exact.search(question, 10),
        }
    remark = "There is no faiss, so recall was not counted."
    if measure.installed("faiss-cpu"):
        import faiss

        peer = faiss.IndexFlatIP(DIMENSIONS)
        peer.add(vectors)

        def ask(question: np.ndarray) -> Any:
            return peer.search(question[None], 10)

        faiss.omp_set_num_threads(threads := quickest(faiss.omp_set_num_threads, ask, asked))
        shares = []
        for question in asked:
            (scores,), (places,) = ask(question)
            theirs = dict(zip(places.tolist(), scores.tolist(), strict=True))
            same = [hit for hit in index.search(question, 10) if int(hit.chunk.text) in theirs]
            agree(all(abs(hit.score - theirs[int(hit.chunk.text)]) < 1e-5 for hit in same), "faiss, a cosine")
            shares.append(len(same) / 10)
        agree(np.mean(shares) > 0.99, f"recall@10 is {np.mean(shares):.4f}")
        remark = f"recall@10 of ragcore, bytes first: {np.mean(shares):.4f} over {len(asked)} questions, to faiss"
        remark += f"; faiss is quickest with {threads} of {CORES} threads"
        contestants["faiss, flat"] = ask
    yield f"dense, {size:,} {kind}", timed(contestants, asked, "faiss, flat", 3), remark


def quickest(use: Callable[[int], object], ask: Callable[[Any], object], questions: np.ndarray) -> int:
    """With how many threads a library answers one question soonest: one, or one a core."""

    def work(threads: int, _: None) -> None:
        use(threads)
        ask(questions[0])

    seconds = measure.rounds({str(n): partial(work, n) for n in {1, CORES}})
    return min((float(np.median(each)), int(name)) for name, each in seconds.items())[1]


# ------------------------------------------------------------------ fusion


def fusion() -> Iterator[Part]:
    questions, depth, chunks = 1_000, 100, 1_000
    random = np.random.default_rng(2)
    ids = np.array([[random.permutation(chunks)[:depth] for _ in range(2)] for _ in range(questions)])
    passages = split_words(" ".join(map(str, range(chunks))), size=1)
    hits = [
        [[Hit(passages[i], 1.0, rank) for rank, i in enumerate(row, 1)] for row in pair] for pair in ids.tolist()
    ]

    def one_by_one(_: Any) -> list[list[Hit]]:
        return [reciprocal_rank_fusion(pair) for pair in hits]

    fused, scores = fuse_batch(ids)
    for row, points, expected in zip(fused, scores, one_by_one(None), strict=True):
        agree([int(hit.chunk.text) for hit in expected] == row[row >= 0].tolist(), "fuse_batch, an order")
        agree([hit.score for hit in expected] == points[row >= 0].tolist(), "fuse_batch, a score")
    contestants: Contestants = {
        "ragcore, fuse_batch": lambda _: fuse_batch(ids),
        "ragcore, one by one": one_by_one,
    }
    if measure.installed("ranx"):
        from ranx import Run, fuse

        runs = [
            Run(
                {
                    str(q): {str(d): float(depth - place) for place, d in enumerate(row)}
                    for q, row in enumerate(part)
                }
            )
            for part in ids.transpose(1, 0, 2).tolist()
        ]

        def ask(_: Any) -> Any:
            return fuse(runs, norm=None, method="rrf", params={"k": 60})

        theirs = ask(None).to_dict()
        for q in range(0, questions, 50):
            mine = dict(zip(map(str, fused[q].tolist()), scores[q].tolist(), strict=True))
            mine.pop("-1", None)
            agree(mine.keys() == theirs[str(q)].keys(), "ranx, the documents")
            agree(all(abs(mine[d] - score) < 1e-12 for d, score in theirs[str(q)].items()), "ranx, a score")
        contestants["ranx"] = ask
    remark = "fuse_batch takes and gives arrays, ranx runs, «one by one» lists of hits."
    yield f"fusion, {questions:,} questions, two rankings of {depth}", timed(contestants, [None], "ranx"), remark


# ------------------------------------------------------------------ diversity


def diversity() -> Iterator[Part]:
    random = np.random.default_rng(3)
    candidates = 200
    hits = [Hit(c, 1.0, i) for i, c in enumerate(split_words(" ".join(map(str, range(candidates))), size=1), 1)]
    for k in (10, 50):
        cases = []
        for _ in range(10):
            topics, question = random.standard_normal((12, DIMENSIONS)), random.standard_normal(DIMENSIONS)
            noise = random.standard_normal((candidates, DIMENSIONS))
            cases.append((question, topics[random.integers(0, 12, candidates)] + noise + question))
        contestants: Contestants = {"ragcore": lambda case, k=k: diversify(hits, case[0], case[1], k)}
        if measure.installed("langchain-core"):
            from langchain_core.vectorstores.utils import maximal_marginal_relevance

            for question, vectors in cases:
                ours = [int(hit.chunk.text) for hit in diversify(hits, question, vectors, k)]
                agree(ours == maximal_marginal_relevance(question, list(vectors), 0.5, k), "langchain-core, MMR")
            contestants["langchain-core"] = lambda case, k=k: maximal_marginal_relevance(
                case[0], list(case[1]), 0.5, k
            )
        rows = timed(contestants, cases, "langchain-core")
        yield f"diversity, {k} of {candidates} candidates", rows, "From vectors to the order of choice."


# ------------------------------------------------------------------ knapsack


def knapsack() -> Iterator[Part]:
    random, budget = np.random.default_rng(4), 8_000
    cases = []
    for _ in range(3):
        for low, high in ((20, 120), (60, 140), (20, 400)):
            costs = random.integers(low, high, 200)
            cases.append((random.random(200), costs))  # a passage's worth says nothing about its length
            cases.append((1 / (1 + np.arange(200) / 20), costs))  # it falls with the rank
            cases.append((0.8 * costs / high + 0.1 * random.random(200), costs))  # long passages are worth more
    lists = [(values.tolist(), costs.tolist(), values, costs) for values, costs in cases]
    contestants: Contestants = {"ragcore": lambda case: knapsack_exact(case[0], case[1], budget)}
    if measure.installed("scipy"):
        from scipy.optimize import Bounds, LinearConstraint, milp

        def solve(case: Any) -> Any:
            limit = LinearConstraint(case[3][None, :], ub=budget)
            return milp(-case[2], constraints=limit, bounds=Bounds(0, 1), integrality=1)

        for case in lists:
            chosen, found = knapsack_exact(case[0], case[1], budget), solve(case)
            total = sum(case[0][i] for i in chosen)  # not below the set that milp found, not above what it proved
            agree(-found.fun - 1e-9 <= total <= -found.mip_dual_bound + 1e-9, "scipy, the best sum")
            agree(sum(case[1][i] for i in chosen) <= budget, "a set that does not fit")
        contestants["scipy, milp"] = solve
    remark = f"{len(lists)} problems of three kinds; milp may stop, as usual, within 0.01 % of the best."
    yield "knapsack, 200 passages, 8,000 tokens", timed(contestants, lists, "scipy, milp", 3), remark


if __name__ == "__main__":
    main()
