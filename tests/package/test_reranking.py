"""Reranking: the scores against other ways to compute them, the cutoff, and what a second look cannot do."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore import BM25, DenseIndex, Hit, cosine, load_corpus, load_questions, split_words, stems
from ragcore.chunking import sentences
from ragcore.reranking import by_best_sentence, by_cosine, by_coverage, rerank, score_texts
from ragcore.vectors import ShippedVectors

CHUNKS = split_words("a b c d e f", size=1)
HITS = [Hit(chunk, 10.0 - rank, rank) for rank, chunk in enumerate(CHUNKS, start=1)]


def fixed(*scores: float):
    return lambda question, texts: list(scores[: len(texts)])


def texts_of(hits) -> list[str]:
    return [hit.chunk.text for hit in hits]


some_words = st.lists(st.sampled_from("abcdef"), max_size=6).map(" ".join)


# ------------------------------------------------------------------ rerank


def test_the_new_score_decides_and_is_kept_and_ranks_count_anew():
    hits = rerank("?", HITS, fixed(0.1, 0.2, 0.9, 0.3, 0.0, 0.5), k=3)
    assert [(hit.chunk.text, hit.score, hit.rank) for hit in hits] == [("c", 0.9, 1), ("f", 0.5, 2), ("d", 0.3, 3)]


def test_the_scorer_gets_the_question_and_the_texts_in_their_order():
    seen = []

    def scorer(question, texts):
        seen.append((question, list(texts)))
        return [0.0] * len(texts)

    rerank("a question", HITS, scorer)
    assert seen == [("a question", ["a", "b", "c", "d", "e", "f"])]


def test_equal_scores_keep_the_order_of_the_search_and_floats_do_not_decide():
    assert texts_of(rerank("?", HITS, fixed(0.3, 0.1 + 0.2, 0.3, 0.0, 0.4, 0.0), k=4)) == ["e", "a", "b", "c"]


def test_what_stays_under_the_minimum_is_left_out_and_the_minimum_itself_is_enough():
    scores = fixed(0.1 + 0.2, 0.29, 0.3, 0.31, 0.0, -1.0)
    assert texts_of(rerank("?", HITS, scores, minimum=0.3)) == ["d", "a", "c"]
    assert texts_of(rerank("?", HITS, scores, minimum=0.1 + 0.2)) == ["d", "a", "c"]
    assert rerank("?", HITS, scores, minimum=2) == []
    assert len(rerank("?", HITS, scores, k=6)) == 6


@given(st.lists(st.floats(-1, 1), min_size=6, max_size=6), st.integers(1, 9), st.floats(-1, 1))
def test_nothing_comes_in_that_was_not_found_and_nothing_is_lost_above_the_cutoff(scores, k, minimum):
    hits = rerank("?", HITS, fixed(*scores), k, minimum)
    good = [score for score in scores if round(score, 12) >= round(minimum, 12)]
    assert len(hits) == min(k, len(good))
    assert {hit.chunk for hit in hits} <= set(CHUNKS)
    assert all(hit.score == scores[CHUNKS.index(hit.chunk)] for hit in hits)
    assert [round(hit.score, 12) for hit in hits] == sorted((round(score, 12) for score in good), reverse=True)[:k]


def test_the_hits_are_not_changed():
    before = list(HITS)
    rerank("?", HITS, fixed(6, 5, 4, 3, 2, 1))
    assert before == HITS


def test_without_hits_the_scorer_is_not_called():
    assert rerank("?", [], lambda question, texts: 1 / 0) == []


@pytest.mark.parametrize("scores", [[1.0], 1.0, [[1.0] * 6], [1.0] * 5 + [math.nan]])
def test_a_scorer_that_does_not_give_one_number_a_text_is_refused(scores):
    with pytest.raises(ValueError, match="6 texts as many numbers"):
        rerank("?", HITS, lambda question, texts: scores)


@pytest.mark.parametrize("options", [{"k": 0}, {"k": 1.5}, {"minimum": math.nan}])
def test_impossible_limits_are_refused_with_and_without_hits(options):
    for hits in (HITS, []):
        with pytest.raises(ValueError, match="must be"):
            rerank("?", hits, fixed(1, 2, 3, 4, 5, 6), **options)


# ------------------------------------------------------------------ the scorers


@given(st.lists(some_words, min_size=1, max_size=5), some_words, st.lists(some_words, max_size=4))
def test_coverage_is_the_share_of_the_questions_idf(documents, question, texts):
    index = BM25([chunk for document in documents for chunk in split_words(document)])
    N = sum(1 for document in documents if document)
    weight = {}
    for term in question.split():
        n_t = sum(term in document.split() for document in documents)
        weight[term] = math.log(1 + (N - n_t + 0.5) / (n_t + 0.5))
    whole = sum(weight.values())
    for text, score in zip(texts, by_coverage(index)(question, texts), strict=True):
        held = sum(weight[term] for term in set(question.split()) & set(text.split()))
        assert score == pytest.approx(held / whole if whole else 0)


@given(some_words, some_words)
def test_coverage_lies_between_0_and_1_and_is_1_for_whatever_holds_the_whole_question(question, text):
    score = by_coverage(BM25(split_words("a b c a", size=1)))
    (own, alone, longer) = score_texts(score, question, [question, text, f"{text} {question}"])
    assert own == longer == (1 if question else 0)
    assert 0 <= alone <= 1


def test_coverage_cuts_words_as_the_index_does():
    chunks = split_words("Důkaz indukcí má dva kroky.")
    assert by_coverage(BM25(chunks, stems))("indukce", ["o indukci"]) == [1.0]
    assert by_coverage(BM25(chunks))("indukce", ["o indukci"]) == [0.0]


def test_the_cosine_of_all_chunks_is_the_exact_search():
    articles = load_corpus("cs")[:3]
    chunks = [chunk for article in articles for chunk in split_words(article)]
    encoder, question = ShippedVectors("cs"), load_questions("cs")[0].text
    asked = encoder.queries([question])[0]
    reference = DenseIndex(chunks, encoder.passages([chunk.text for chunk in chunks])).search(asked, k=10)
    hits = rerank(question, [Hit(chunk, 0.0, 1) for chunk in chunks], by_cosine(encoder), k=10)
    assert [hit.chunk for hit in hits] == [hit.chunk for hit in reference]
    for hit in hits:
        assert hit.score == pytest.approx(cosine(asked, encoder.passages([hit.chunk.text])[0]), abs=1e-6)


@pytest.mark.parametrize("language", ["cs", "en"])
def test_the_best_sentence_is_the_best_of_them_all(language):
    chunks = split_words(load_corpus(language)[6])
    question = load_questions(language)[6].text
    coverage = by_coverage(BM25(chunks, stems))
    texts = [chunk.text for chunk in chunks]
    expected = [max(coverage(question, [text[a:b]])[0] for a, b in sentences(text)) for text in texts]
    assert by_best_sentence(coverage)(question, texts) == pytest.approx(expected)
    assert max(expected) > 0


def test_words_of_two_sentences_do_not_add_up():
    coverage = by_coverage(BM25(split_words("red hat blue coat", size=1)))
    texts = ["A red coat. A blue hat.", "A red hat."]
    assert coverage("red hat", texts) == [1.0, 1.0]
    assert by_best_sentence(coverage)("red hat", texts) == [0.5, 1.0]


def test_a_text_without_a_sentence_is_scored_as_it_stands():
    length = by_best_sentence(lambda question, texts: [len(text) for text in texts])
    assert length("?", ["", "Three. Two.", "  "]) == [0, 6, 2]


def test_any_function_of_question_and_texts_is_a_scorer():
    """The shape in which a cross-encoder comes: pairs in, an array out."""

    def predict(pairs):
        return np.array([len(set(question) & set(text)) for question, text in pairs], np.float32)

    hits = rerank("cf", HITS, lambda question, texts: predict([(question, text) for text in texts]), k=2)
    assert texts_of(hits) == ["c", "f"]
