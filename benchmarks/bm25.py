"""BM25 beside every peer, in one run: medians of interleaved rounds, checks of the results, JSON.

make bench          BENCH_BIG=1 make bench adds two million chunks

    439 and 20 thousand chunks      all peers
    500 thousand                    bm25s with numba, tantivy; made-up text, and text re-drawn from the book's
                                    corpus in words and stems; in trigrams 100 thousand (36 million terms)

«ours» is `BM25.search` as a user calls it, from a question's text to hits with their chunks; «ours, numbers» gives
what bm25s gives, the numbers and scores of chunks; «exhaustive» is the same by the path that reads every posting,
and «plain» is `BM25.search` without any of the fast paths. Every hit of every question is compared with the plain
float64 sums; how many hits a peer that computes the same formula shares with ours (or ties with them) is printed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import corpora
import numpy as np
import peers
from corpora import Corpus
from measure import Machine, installed, memory, rounds, save, summarize, table, throughput

from ragcore import BM25, stems, trigrams, words
from ragcore.chunking import Chunk
from ragcore.corpus import Article
from ragcore.fast import compiled
from ragcore.hits import top_k

ROUNDS = 5
CLOCK: Callable[[], float] = time.process_time if os.environ.get("BENCH_CLOCK") == "cpu" else time.perf_counter
BAR = {  # how fast it is meant to be, as ratios to bm25s with numba
    "exhaustive, 439": 2.0, "exhaustive, 500 thousand": 1.1, "median": 4.0, "mean": 2.8,
    "redrawn, words": 1.4, "redrawn, stems": 1.1, "redrawn, trigrams": 1.5, "p99": round(1 / 1.2, 2),
    "from ids": 10.0, "from text": 3.0, "from text, 100 thousand, 2 processes": 3.0,
}  # fmt: skip


class Bench:
    """One corpus: the index of everybody, the questions, the checks."""

    def __init__(self, corpus: Corpus, others: Sequence[str], machine: Machine, count: int = ROUNDS):
        self.corpus, self.machine, self.count = corpus, machine, count
        names = np.array([f"t{i}" for i in range(len(corpus.vocabulary))], dtype=object)
        terms, ends = names[corpus.ids].tolist(), np.cumsum(corpus.lengths).tolist()
        self.texts = [" ".join(terms[a:b]) for a, b in zip([0, *ends], ends, strict=False)]
        self.questions = [" ".join(names[question]) for question in corpus.questions]
        self.others = [name for name in others if name not in peers.missing()]
        self.asks: dict[str, Callable[[str], Any]] = {}
        self.built: list[dict[str, Any]] = []
        self.size = f"{len(corpus.lengths):,} chunks"

    def build(self) -> None:
        """Everybody's index, with the time it took from text (terms are cut at white space) and its memory."""
        chunks = chunks_of(self.texts)
        self.index = self._build("ours", lambda: BM25(chunks, str.split))
        self.asks["ours"] = self.index.search
        best = self.index._paths.compiled.best
        self.asks["ours, numbers"] = lambda question: best(question.split(), peers.K)
        if "bm25s" in self.others:
            tokens = [text.split() for text in self.texts]
            made = self._build("bm25s", lambda: peers.bm25s_numba(tokens))
            self.bm25s, self.asks["bm25s"] = made
            del tokens
        for name in self.others:
            if name != "bm25s":
                self.asks[name] = self._build(name, lambda name=name: peers.BUILDERS[name](self.texts))

    def _build(self, name: str, work: Callable[[], Any]) -> Any:
        self.machine.look()
        start, cpu = time.perf_counter(), time.process_time()
        made, peak, kept = memory(work)
        seconds = time.process_time() - cpu if CLOCK is time.process_time else time.perf_counter() - start
        self.built.append({"name": name, "seconds": round(seconds, 3), "peak MB": peak, "kept MB": kept})
        return made

    def check(self) -> dict[str, float]:
        """Stops unless ours equal the float64 reference; gives each peer's share of hits that agree with ours."""
        agreeing: dict[str, list[float]] = {name: [] for name in self.asks if name in peers.SAME}
        for question in self.questions:
            scores = self.index.scores(question)
            expected = [hit for hit in top_k(range(len(scores)), scores, peers.K) if hit.score > 0]
            found = self.index.search(question, peers.K)
            if [(self.index.chunks[hit.chunk].key, hit.score) for hit in expected] != [
                (hit.chunk.key, hit.score) for hit in found
            ]:
                sys.exit(f"{self.corpus.name}: the hits of {question!r} are not those of the reference")
            least = expected[-1].score * (1 - 1e-5)  # float32 engines cannot tell closer scores apart
            for name, shares in agreeing.items():
                theirs = np.array(self.asks[name](question)[: len(expected)], np.int64)
                shares.append(float((scores[theirs] >= least).mean()))
        return {name: round(float(np.mean(shares)), 4) for name, shares in agreeing.items()}

    def run(self, extra: dict[str, Callable[[str], Any]] | None = None) -> dict[str, Any]:
        self.build()
        agreeing = self.check()
        asks = {**self.asks, **(extra or {})}
        times = rounds(asks, self.questions, self.count, CLOCK)
        self.machine.look()
        rows = summarize(times, "bm25s" if "bm25s" in asks else "ours")
        rates = self.rates()
        for row in rows:
            row["questions_a_second_both_cores"] = rates.get(row["name"])
        print(f"\n{self.corpus.name}: {self.size}, {len(self.questions)} questions; ratios to {rows_to(asks)}")
        print(table([short(row) for row in rows]))
        print(table(self.built))
        print(f"all hits equal the float64 reference; shared hits: {agreeing}", flush=True)
        return {
            "corpus": self.corpus.name, "chunks": len(self.corpus.lengths), "questions": len(self.questions),
            "search": rows, "build": self.built, "agreement": agreeing,
        }  # fmt: skip

    def plainly(self, question: str) -> Any:
        return BM25.search.__wrapped__(self.index, question, peers.K)

    def exhaustively(self, question: str) -> Any:
        """Ours, numbers, by the path that reads every posting."""
        many, compiled.MANY = compiled.MANY, 10**12
        try:
            return self.asks["ours, numbers"](question)
        finally:
            compiled.MANY = many

    def rates(self) -> dict[str, float]:
        """Questions a second with both cores: two threads of ours and tantivy's, bm25s by its own two."""
        rates = {}
        with ThreadPoolExecutor(2) as pool:
            for name in ("ours", "tantivy"):
                if name in self.asks:
                    ask = self.asks[name]
                    rates[name] = throughput(lambda q, ask=ask: list(pool.map(ask, q, chunksize=8)), self.questions)
        if "bm25s" in self.asks:
            rates["bm25s"] = throughput(peers.bm25s_batch(self.bm25s), self.questions)
        return {name: round(rate, 1) for name, rate in rates.items()}


def rows_to(asks: dict[str, Any]) -> str:
    return "bm25s with numba" if "bm25s" in asks else "ours"


def short(row: dict[str, Any]) -> dict[str, Any]:
    """The columns that fit on a screen."""
    return {
        "name": row["name"], "median ms": row["median_ms"], "mean ms": row["mean_ms"], "p99 ms": row["p99_ms"],
        "× median": row["median_ratio"], "× mean": row["mean_ratio"], "× p99": row["p99_ratio"],
        "q/s, 2 cores": row["questions_a_second_both_cores"],
    }  # fmt: skip


def chunks_of(texts: Sequence[str]) -> list[Chunk]:
    """Texts as chunks of articles, 500 to an article."""
    chunks = []
    for first in range(0, len(texts), 500):
        part = texts[first : first + 500]
        article, start = Article(f"a{first}", "", "", "\n".join(part)), 0
        for text in part:
            chunks.append(Chunk(article, start, start + len(text)))
            start += len(text) + 1
    return chunks


def building(corpus: Corpus, texts: Sequence[str], analyzer: Any, machine: Machine) -> dict[str, Any]:
    """How many times as long bm25s takes to build, from numbers of terms and from text with the same analyzer.

    bm25s cuts in one process, as it does by itself; ours in one, and in two.
    """
    used, ids = np.unique(corpus.ids, return_inverse=True)  # an index knows no term that no chunk holds
    chunks, vocabulary, ids = chunks_of(texts), {f"t{i}": i for i in range(len(used))}, ids.astype(np.int32)
    lists = [part.tolist() for part in np.split(ids, np.cumsum(corpus.lengths)[:-1])]

    def from_ids() -> None:
        index = BM25([], str.split)
        index.chunks, index.vocabulary, index.lengths = chunks, vocabulary, corpus.lengths
        index.avgdl = float(corpus.lengths.mean())
        index._index(ids)

    works = {
        "ours from ids": from_ids,
        "bm25s from ids": lambda: peers.bm25s_numba((lists, dict(vocabulary))),  # it adds an empty term
        "ours from text": lambda: BM25(chunks, analyzer),
        "bm25s from text": lambda: peers.bm25s_numba([analyzer(text) for text in texts]),
    }
    if CLOCK is time.perf_counter:  # the other clock does not see the processes
        works["ours from text, 2 processes"] = lambda: BM25(chunks, analyzer, processes=2)
    times = rounds({name: lambda _, work=work: work() for name, work in works.items()}, [None], 3, CLOCK)
    machine.look()
    each = {name: float(np.median(seconds)) for name, seconds in times.items()}
    theirs, in_two = each["bm25s from text"], each.get("ours from text, 2 processes", np.nan)
    return {
        "corpus": corpus.name, "chunks": len(chunks), "analyzer": analyzer.__name__,
        **{f"{name}, s": round(seconds, 3) for name, seconds in each.items()},
        "from ids": round(each["bm25s from ids"] / each["ours from ids"], 2),
        "from text": round(theirs / each["ours from text"], 2),
        "from text, 2 processes": round(theirs / in_two, 2),
    }  # fmt: skip


def opening(index: BM25, question: str, built: float) -> dict[str, Any]:
    """What a saved index costs: opening it and the first question, in parts of what building took."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        start = CLOCK()
        index.save(path)
        saved = CLOCK() - start
        start = CLOCK()
        loaded = BM25.load(path, str.split)
        opened = CLOCK() - start
        hits = loaded.search(question)
        asked = CLOCK() - start - opened
        if hits != index.search(question):
            sys.exit("the opened index gives other hits")
        size = path.stat().st_size / 2**20
    print(
        f"saving {saved:.2f} s, {size:,.0f} MB; opening {opened * 1e3:.0f} ms, "
        f"first question {asked * 1e3:.0f} ms; building took {built / (opened + asked):,.0f} times as long as both"
    )
    return {
        "save_s": round(saved, 3), "open_s": round(opened, 4), "first_question_s": round(asked, 4),
        "file_MB": round(size, 1), "building_takes_times": round(built / (opened + asked), 1),
    }  # fmt: skip


def main() -> None:
    machine, results, named = Machine(), [], list(peers.PACKAGES)
    machine.look()
    if missing := peers.missing():
        print("not installed, left out:", ", ".join(missing))
    print(peers.LEFT_OUT)
    if not installed("bm25s") or not installed("numba"):
        sys.exit("ratios are to bm25s with numba: install the group bench")

    bench = Bench(corpora.own("cs", words, 439), named, machine)
    results.append(bench.run({"exhaustive": bench.exhaustively, "plain": bench.plainly}))
    bench = Bench(corpora.redrawn(20_000, words), named, machine, 2)
    bench.questions = bench.questions[::4]  # the slowest peers take half a second a question
    results.append(bench.run({"exhaustive": bench.exhaustively, "plain": bench.plainly}))

    built = [
        building(corpora.redrawn(size, stems), [" ".join(c) for c in corpora.redrawn(size, words).chunks()], stems,
                 machine)
        for size in (20_000, 100_000)
    ]  # fmt: skip
    print("\nbuilding, from numbers of terms and from text")
    print(table([{"": name, **{f"{row['chunks']:,} chunks": row[name] for row in built}} for name in built[0]]))

    big = ["bm25s", "tantivy"]
    opened = {}
    for make in (lambda: corpora.zipf(500_000), lambda: corpora.redrawn(500_000, words),
                 lambda: corpora.redrawn(500_000, stems), lambda: corpora.redrawn(100_000, trigrams)):  # fmt: skip
        bench = Bench(make(), big, machine)
        results.append(bench.run({"exhaustive": bench.exhaustively}))
        if bench.corpus.name == "zipf":
            opened = opening(bench.index, bench.questions[0], bench.built[0]["seconds"])
        del bench
    if os.environ.get("BENCH_BIG") == "1":
        results.append(Bench(corpora.zipf(2_000_000), big, machine, 3).run())

    against = the_bar(results, built)
    print("\n" + table(against))
    if machine.warning():
        print(machine.warning())
    packages = [package for package in peers.PACKAGES.values() if package]
    path = save("bm25", {
        "machine": machine.facts("numpy", "numba", *packages), "clock": CLOCK.__name__,
        "warning": machine.warning(), "results": results, "building": built, "opening": opened, "bar": against,
    })  # fmt: skip
    print(f"written: benchmarks/results/{path.name}")


def the_bar(results: Sequence[dict[str, Any]], built: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was asked for, beside what was reached: ratios to bm25s with numba.

    `BM25.search` as it is called, hits and all; where all postings are read, numbers, as bm25s gives them.
    """
    rows = {(r["corpus"], r["chunks"], row["name"]): row for r in results for row in r["search"]}
    zipf = rows["zipf", 500_000, "ours"]
    reached = {
        "exhaustive, 439": rows["own cs, words", 439, "ours, numbers"]["median_ratio"],  # so small: all are read
        "exhaustive, 500 thousand": rows["zipf", 500_000, "exhaustive"]["median_ratio"],
        "median": zipf["median_ratio"],
        "mean": zipf["mean_ratio"],
        **{
            f"redrawn, {name}": rows[f"redrawn, {name}", size, "ours"]["median_ratio"]
            for name, size in (("words", 500_000), ("stems", 500_000), ("trigrams", 100_000))
        },
        "p99": min(row["p99_ratio"] for (_, _, name), row in rows.items() if name.startswith("ours")),
        "from ids": min(row["from ids"] for row in built),
        "from text": min(row["from text"] for row in built),
        "from text, 100 thousand, 2 processes": built[-1]["from text, 2 processes"],
    }
    return [
        {"bar": name, "asked for": least, "reached": reached[name], "": "" if reached[name] >= least else "MISSED"}
        for name, least in BAR.items()
    ]


if __name__ == "__main__":
    main()
