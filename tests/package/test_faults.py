"""Faults that users of similar software reported, as tests of ours: cases/faults.json.

Where a case presumes an interface that ragcore does not have, the same fault is tested through ours.
"""

import json
import unicodedata
from pathlib import Path

import pytest

from ragcore import BM25, hit_rate, mean_reciprocal_rank, rank_of_answer, right_chunks, split_words, stems, words
from ragcore.bm25 import idf
from ragcore.corpus import Article, Question
from ragcore.hits import top_k

CASES = {case["id"]: case for case in json.loads((Path(__file__).parents[1] / "cases/faults.json").read_text())}
# areas whose modules exist; what is left of an area waits for the module that it is about
AREAS = {"tokenize", "bm25", "chunk", "eval"}
OURS = {case["id"] for case in CASES.values() if case["area"] in AREAS}
WAITING = {"chunk-boundary-pull": "sentence borders", "chunk-merge-by-text": "merging", "eval-refusals": "refusal"}

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


def test_every_fault_of_these_areas_is_checked_or_waits_for_its_module():
    assert set(CHECKS) | set(WAITING) == OURS


@pytest.mark.parametrize("fault", sorted(OURS - set(WAITING)))
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
