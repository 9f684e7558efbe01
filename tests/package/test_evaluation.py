"""Ranks and their means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore import hit_rate, mean_reciprocal_rank, rank_of_answer, right_chunks, split_words
from ragcore.corpus import Article, Question
from ragcore.hits import top_k

ARTICLE = Article("a", "A", "cs", "jedna dvě tři čtyři pět šest sedm osm devět")
ranks = st.lists(st.one_of(st.none(), st.integers(1, 50)), min_size=1)


def question(*answers: str, article: str | None = "a") -> Question:
    return Question("?", "direct" if article else "unanswerable", article, answers)


def test_29_of_30_is_0_967():
    assert round(hit_rate([1] * 29 + [None], 5), 3) == 0.967


@given(ranks, st.integers(1, 50))
def test_the_means_lie_between_0_and_1_and_more_places_never_hurt(ranks, k):
    assert 0 <= hit_rate(ranks, k) <= hit_rate(ranks, k + 1) <= 1
    assert 0 <= mean_reciprocal_rank(ranks) <= 1
    assert hit_rate(ranks, 1) <= mean_reciprocal_rank(ranks)


def test_a_question_without_a_rank_counts_0_and_stays_in_the_mean():
    assert hit_rate([1, None], 5) == 0.5
    assert mean_reciprocal_rank([1, None]) == 0.5


@pytest.mark.parametrize("measure", [lambda r: hit_rate(r, 5), mean_reciprocal_rank])
@pytest.mark.parametrize("bad", [[], [0], [-1]])
def test_no_ranks_and_ranks_below_1_are_refused(measure, bad):
    with pytest.raises(ValueError, match="rank"):
        measure(bad)


def test_k_below_1_is_refused():
    with pytest.raises(ValueError, match="k must"):
        hit_rate([1], 0)


def test_the_chunk_that_holds_the_quote_whole_is_right():
    chunks = split_words(ARTICLE, size=3)
    assert right_chunks(question("pět šest"), chunks) == [chunks[1]]


def test_with_overlap_several_chunks_may_be_right():
    chunks = split_words(ARTICLE, size=3, overlap=1)
    assert right_chunks(question("tři"), chunks) == [chunks[0], chunks[1]]


def test_a_quote_cut_in_two_belongs_to_the_chunk_with_its_larger_part():
    chunks = split_words(ARTICLE, size=3)
    assert right_chunks(question("tři čtyři pět"), chunks) == [chunks[1]]
    assert right_chunks(question("dvě tři čtyři"), chunks) == [chunks[0]]


def test_several_answers_make_several_chunks_right_and_the_first_hit_counts():
    chunks = split_words(ARTICLE, size=3)
    right = right_chunks(question("jedna dvě", "osm devět"), chunks)
    assert right == [chunks[0], chunks[2]]
    assert rank_of_answer(top_k(chunks, [0.1, 0.5, 0.4]), right) == 2
    assert rank_of_answer(top_k(chunks, [0.1, 0.5, 0.4], k=1), right) is None


def test_an_unanswerable_question_has_no_rank_to_measure():
    with pytest.raises(ValueError, match="no answer in the corpus"):
        right_chunks(question(article=None), split_words(ARTICLE))


def test_a_quote_that_does_not_stand_in_the_article_is_refused():
    with pytest.raises(ValueError, match="deset"):
        right_chunks(question("deset"), split_words(ARTICLE))


def test_no_right_chunk_is_refused():
    with pytest.raises(ValueError, match="right_chunks"):
        rank_of_answer([], [])
