"""Faults that users of similar software reported, as tests of ours: cases/faults.json.

Where a case presumes an interface that ragcore does not have, the same fault is tested through ours.
"""

import copy
import json
import re
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest

from ragcore import (
    BM25,
    DenseIndex,
    Hit,
    hit_rate,
    mean_reciprocal_rank,
    merge_adjacent,
    rank_of_answer,
    reciprocal_rank_fusion,
    right_chunks,
    split_structure,
    split_words,
    stems,
    words,
)
from ragcore.bm25 import idf
from ragcore.chunking import Chunk
from ragcore.corpus import Article, Question
from ragcore.hits import top_k
from ragcore.memory import POLICIES, Memory, add, tokens, window

CASES = {case["id"]: case for case in json.loads((Path(__file__).parents[1] / "cases/faults.json").read_text())}
AREAS = {"tokenize", "bm25", "chunk", "eval", "fusion", "dense", "memory"}  # others in their modules' own tests
HERE = {case["id"] for case in CASES.values() if case["area"] in AREAS} - {"eval-refusals", "rrf-scores-leak"}

CHECKS = {}


def check(function):
    CHECKS[function.__name__.replace("_", "-")] = function
    return function


def index_of(documents, **options) -> BM25:
    texts = [document if isinstance(document, str) else " ".join(document) for document in documents]
    return BM25([chunk for text in texts for chunk in split_words(text)], **options)


def places(index: BM25, question: str, k: int = 10) -> list[int]:
    return [index.chunks.index(hit.chunk) for hit in index.search(question, k)]


def distinct(documents: list[str]) -> list:
    """Equal texts as chunks of different articles, so that each can be told apart."""
    return [split_words(Article(str(i), "", "", text))[0] for i, text in enumerate(documents)]


def test_every_fault_is_checked_here_or_named_in_its_modules_own_tests():
    others = "".join(
        file.read_text("utf-8") for file in Path(__file__).parent.glob("test_*.py") if file != Path(__file__)
    )
    named = {id for id in CASES if re.search(rf"\b{id}\b", others)}
    assert set(CHECKS) == HERE
    assert set(CASES) - HERE == named - HERE


@pytest.mark.parametrize("fault", sorted(HERE))
def test_a_fault_reported_elsewhere_is_none_here(fault):
    CHECKS[fault](CASES[fault]["input"], CASES[fault]["expected"])


# ------------------------------------------------------------------ tokenize


@check
def tok_case_fold(given, expected):
    for one, other in given["pairs"]:
        assert words(one) == words(other)
        assert len(words(one)) == 1


@check
def tok_digits(given, expected):
    assert words(given) == expected


@check
def tok_gershayim(given, expected):
    ascii_quote, gershayim, other = (words(text) for text in given["inputs"])
    assert ascii_quote == gershayim
    assert len(ascii_quote) == len(other) == 1


@check
def tok_nfc_nfd(given, expected):
    for text in (given["a"], given["b"], unicodedata.normalize("NFD", given["a"])):
        assert words(text) == [unicodedata.normalize("NFC", given["a"])]


@check
def tok_one_letter(given, expected):
    assert words(given) == expected


@check
def tok_stem5_nfd(given, expected):
    for text in (given["nfc"], given["nfd"], unicodedata.normalize("NFD", given["nfc"])):
        assert stems(text) == [unicodedata.normalize("NFC", expected["stem"])]


# ------------------------------------------------------------------ bm25


@check
def bm25_empty_query(given, expected):
    assert index_of(given["docs"]).search(given["query"], given["k"]) == expected


@check
def bm25_no_hit(given, expected):
    assert index_of(given["docs"]).search(given["query"], given["k"]) == expected


@check
def bm25_empty_token_id(given, expected):
    assert index_of(given["docs"]).scores(given["query"]) == pytest.approx(expected["scores"], abs=expected["tol"])


@check
def bm25_every_doc(given, expected):
    scores = index_of(given["docs"]).scores(given["query"][0])
    assert scores == pytest.approx(expected["scores"], abs=expected["tol"])
    assert float(idf(3, 3)) == pytest.approx(expected["idf"], abs=expected["tol"])


@check
def bm25_k_over_n(given, expected):
    assert places(index_of(given["docs"]), given["query"], given["k"]) == expected["ids"]


@check
def bm25_length_direction(given, expected):
    scores, flat = index_of(given["docs"]).scores("x"), index_of(given["docs"], b=0).scores("x")
    assert scores == pytest.approx(expected["scores"], abs=expected["tol"])
    assert flat == pytest.approx(expected["scores_b0"], abs=expected["tol"])


@check
def bm25_query_repeat(given, expected):
    scores = index_of(given["docs"]).scores(" ".join(given["query"]))
    assert scores == pytest.approx(expected["multiset"], abs=1e-4)  # ours counts it twice, as Lucene does


@check
def bm25_same_analyzer(given, expected):
    assert places(index_of(given["docs"], analyzer=stems), given["query"]) == expected["ids"]


@check
def bm25_single_doc(given, expected):
    assert index_of(given["docs"]).scores("a") == pytest.approx(expected["scores"], abs=expected["tol"])


@check
def bm25_ties(given, expected):
    assert places(BM25(distinct(given["docs"])), given["query"], given["k"]) == expected["ids"]


# ------------------------------------------------------------------ chunk


@check
def chunk_grapheme(given, expected):
    pieces = [chunk.text for chunk in split_words(given["text"], size=1)]
    assert " ".join(pieces) == given["text"]
    for piece in pieces:
        assert not unicodedata.category(piece[0]).startswith("M")
        assert "\u200d" not in (piece[0], piece[-1])


@check
def chunk_overlap_eq_size(given, expected):
    text = " ".join(["w"] * given["words"])
    for size, overlap in zip(given["size"], given["overlap"], strict=True):
        with pytest.raises(ValueError, match=f"{overlap}.*{size}"):
            split_words(text, size, overlap)
    with pytest.raises(ValueError, match="size"):
        split_words(text, 0, 0)


@check
def chunk_overlap_lost(given, expected):
    all_words = [f"w{i}" for i in range(given["words"])]
    chunks = split_words(" ".join(all_words), given["size"], given["overlap"])
    assert [chunk.text.split() for chunk in chunks] == [all_words[a:b] for a, b in expected["spans"]]
    assert len(chunks) == expected["n"]


@check
def chunk_overlap_only_tail(given, expected):
    chunks = split_words(" ".join(given["words"]), given["size"], given["overlap"])
    assert [chunk.text.split() for chunk in chunks] == expected


@check
def chunk_short_or_empty(given, expected):
    texts = [" ".join(["w"] * count) for count in given["words"]]
    assert [len(split_words(text, given["size"], given["overlap"])) for text in texts] == expected["n"]


@check
def chunk_boundary_pull(given, expected):
    for text in (given["text"], given["text"].replace("abc", "Abc.")):
        for size in (1, 2, given["size"]):
            starts = [chunk.start for chunk in split_structure(text, size)]
            assert all(after > before for before, after in pairwise(starts))


@check
def chunk_merge_by_text(given, expected):
    article = Article("a", "", "", given["source"])
    (merged,) = merge_adjacent([Chunk(article, start, end) for start, end in given["spans"]])
    assert merged.text == given["source"][0:20]


# ------------------------------------------------------------------ eval


@check
def eval_mrr_definition(given, expected):
    chunks = {name: split_words(Article(name, "", "", name))[0] for name in given["retrieved"]}
    hits = top_k([chunks[name] for name in given["retrieved"]], [3, 2, 1])
    rank = rank_of_answer(hits, [chunks[name] for name in given["relevant"]])
    assert mean_reciprocal_rank([rank]) == expected["rr"]


@check
def eval_repeat_ids(given, expected):
    article = Article("a", "", "", "věta věta druhá")
    chunks = split_words(article, size=2, overlap=1)
    right = right_chunks(Question("?", "direct", "a", ("věta druhá",)), chunks)
    hits = top_k([*right, *right], [1, 1], given["k"])
    assert hit_rate([rank_of_answer(hits, right)], given["k"]) == expected["hit"]


@check
def eval_unknown_question(given, expected):
    chunks = split_words(Article("a", "", "", "text"))
    with pytest.raises(ValueError, match="q9"):
        right_chunks(Question("q9?", "direct", "z", ("text",)), chunks)


# ------------------------------------------------------------------ fusion and dense


def hits_of(names, scores=None) -> list[Hit]:
    chunks = [split_words(Article(name, "", "", name))[0] for name in names]
    return [Hit(chunk, score, i) for i, (chunk, score) in enumerate(zip(chunks, scores or names, strict=True), 1)]


@check
def fuse_mutates(given, expected):
    rankings = [hits_of("ab", [0.9, 0.1]), hits_of("ba", [5.0, 4.0])]
    before = copy.deepcopy(rankings)
    reciprocal_rank_fusion(rankings)
    assert (rankings == before) is expected


@check
def join_zero_falsy(given, expected):
    scores = [hit["score"] for hit in given["hits"]]
    (hit,) = reciprocal_rank_fusion([hits_of(["d", "d"], scores)], c=60)
    assert hit.score == pytest.approx(1 / 61)  # ranks decide, a score of 0 is no «no score»
    zero, one = hits_of(["x", "y"], [0.0, 0.0])
    assert [h.rank for h in top_k([zero.chunk, one.chunk], [expected["keep"], -0.5])] == [1, 2]


@check
def rrf_absent(given, expected):
    fused = reciprocal_rank_fusion([hits_of(names) for names in given["lists"]], c=given["c"])
    assert [hit.chunk.text for hit in fused] == expected["order"]
    assert fused[0].score == pytest.approx(expected["Y"], abs=1e-6)


@check
def rrf_payload(given, expected):
    one, other = (split_words(Article("d1", "", "", hits[0]["text"]))[0] for hits in given["lists"])
    for pair in ((one, other), (other, one)):  # never one of the two texts by chance
        with pytest.raises(ValueError, match="d1"):
            reciprocal_rank_fusion([[Hit(Chunk(chunk.article, 0, 5), 1, 1)] for chunk in pair])


@check
def rrf_repeat_in_list(given, expected):
    fused = reciprocal_rank_fusion([hits_of(names) for names in given["lists"]], c=given["c"])
    scores = {hit.chunk.text: hit.score for hit in fused}
    assert scores["A"] == pytest.approx(expected["A"], abs=1e-6)
    assert scores["B"] == pytest.approx(expected["B_if_positions_kept"], abs=1e-6)


@check
def cosine_direction(given, expected):
    chunks = split_words("a b c", size=1)
    hits = DenseIndex(chunks, given["vectors"]).search(given["q"])
    assert [hit.score for hit in hits] == pytest.approx(expected["scores"])
    assert [chunks.index(hit.chunk) for hit in hits] == expected["order"]


# ------------------------------------------------------------------ memory


def answered(memory: Memory, question: str, answer: str) -> Memory:
    return add(window(add(memory, "user", question)).memory, "assistant", answer)


@check
def memory_full_wipe(given, expected):
    frame, own = 5, 8  # tokens of the empty prompt, and of an exchange beside its answer's words
    for policy in POLICIES:
        memory = Memory("", given["budget"] + frame, policy, recall_share=0, summary_share=0)
        for size in given["items"]:
            before = tokens(memory, "?") if memory.exchanges else frame
            memory = add(add(memory, "user", "?"), "assistant", "word " * (size - own))
            assert tokens(memory, "?") - before == size
        seen = window(add(memory, "user", "?"))
        assert [exchange.turn - 1 for exchange in seen.memory.exchanges] == expected["kept"]


@check
def memory_pinned(given, expected):
    for policy in POLICIES:
        memory = Memory("Help.", given["budget"], policy, pinned=tuple(given["pinned"]))
        for number in range(20):
            seen = window(add(memory, "user", f"Question {number}?"))
            assert all(fact in seen.prompt.text for fact in given["pinned"])
            memory = add(seen.memory, "assistant", "word " * (given["fill_tokens"] // 20))
    with pytest.raises(ValueError, match="pinned"):
        Memory("Help.", given["budget"], pinned=("word " * given["budget"],))


@check
def memory_system_evicted(given, expected):
    for policy in POLICIES:
        memory = Memory(given["system"], given["limit"], policy)
        for number in range(given["turns"]):
            seen = window(add(memory, "user", f"Question {number}?"))
            assert seen.prompt.text.startswith(given["system"])
            assert next(iter(seen.prompt.layers)) == "system"
            memory = add(seen.memory, "assistant", "word " * 30)
        assert memory.archive
