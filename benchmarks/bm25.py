"""BM25 beside bm25s, in one run, on the book's own chunks: ratios of medians of interleaved rounds.

make bench
"""

import time
from statistics import median

import bm25s

from ragcore import BM25, load_corpus, load_questions, split_words, stems

ROUNDS = 7


def seconds(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    chunks = [
        chunk for language in ("cs", "en") for article in load_corpus(language) for chunk in split_words(article)
    ]
    tokens = [stems(chunk.text) for chunk in chunks]
    questions = [question.text for language in ("cs", "en") for question in load_questions(language)]

    def build_theirs() -> bm25s.BM25:
        index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        index.index([stems(chunk.text) for chunk in chunks], show_progress=False)
        return index

    ours, theirs = BM25(chunks, stems), bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    theirs.index(tokens, show_progress=False)
    known = [[term for term in stems(question) if ours.n_t(term)] or ["v"] for question in questions]

    def ask_ours() -> None:
        for question in questions:
            ours.search(question, k=10)

    def ask_theirs() -> None:
        for terms in known:
            theirs.retrieve([terms], k=10, show_progress=False)

    rounds = [
        (seconds(lambda: BM25(chunks, stems)), seconds(build_theirs), seconds(ask_ours), seconds(ask_theirs))
        for _ in range(ROUNDS)
    ]
    build_ours, build_other, ours_asks, other_asks = (median(column) for column in zip(*rounds, strict=True))
    print(f"BM25, {len(chunks)} chunks, {len(questions)} questions, stems, medians of {ROUNDS} rounds")
    print(f"  building from text: bm25s takes {build_other / build_ours:.2f} times as long as ragcore")
    print(f"  a question, k = 10: bm25s takes {other_asks / ours_asks:.2f} times as long as ragcore")


if __name__ == "__main__":
    main()
