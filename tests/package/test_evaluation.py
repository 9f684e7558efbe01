"""Ranks and their means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore import hit_rate, mean_reciprocal_rank, rank_of_answer, right_chunks, split_words
from ragcore.corpus import Article, Question
from ragcore.evaluation import SignTest, bootstrap_interval, sign_test
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


def test_a_quote_of_which_no_chunk_holds_anything_is_refused_and_so_is_an_empty_one():
    chunks = split_words(ARTICLE, size=3)
    with pytest.raises(ValueError, match="no chunk holds anything of the answer 'osm devět'"):
        right_chunks(question("osm devět"), chunks[:1])
    for answers in ([""], []):
        with pytest.raises(ValueError, match="no answer quote"):
            right_chunks(question(*answers), chunks)


def test_a_quote_that_stands_twice_makes_chunks_right_at_both_places():
    chunks = split_words(Article("a", "A", "", "x y x y"), size=2)
    assert right_chunks(question("x y"), chunks) == chunks


def test_a_missing_value_of_pandas_is_no_rank():
    for measure in (mean_reciprocal_rank, lambda r: hit_rate(r, 5)):
        with pytest.raises(ValueError, match="nan"):
            measure([1, float("nan")])


# ------------------------------------------------------------------ differences


def test_29_against_27_of_30_is_no_difference_to_believe_in():
    better, worse = [1.0] * 29 + [0.0], [1.0] * 27 + [0.0] * 3
    assert sign_test(better, worse) == SignTest(first=2, second=0, equal=28, p=0.5)
    low, high = bootstrap_interval([a - b for a, b in zip(better, worse, strict=True)])
    assert low <= 0 < high


@pytest.mark.parametrize(("better", "worse", "p"), [(5, 0, 0.0625), (6, 0, 0.03125), (8, 2, 0.109375), (3, 3, 1.0)])
def test_the_sign_test_is_exact(better, worse, p):
    first = [1.0] * better + [0.0] * worse + [1.0] * 4
    second = [0.0] * better + [1.0] * worse + [1.0] * 4
    assert sign_test(first, second).p == pytest.approx(p)
    assert sign_test(second, first).p == pytest.approx(p)


def test_the_sign_test_equals_scipys_binomial_test():
    from scipy import stats

    for better in range(0, 15):
        for worse in range(0, 15):
            if better + worse:
                ours = sign_test([1.0] * better + [0.0] * worse, [0.0] * better + [1.0] * worse).p
                assert ours == pytest.approx(stats.binomtest(better, better + worse).pvalue)


def test_the_bootstrap_interval_holds_the_mean_and_shrinks_with_more_questions():
    few, many = [1.0, 0.0, 1.0] * 10, [1.0, 0.0, 1.0] * 70
    intervals = [bootstrap_interval(values) for values in (few, many)]
    for low, high in intervals:
        assert low < 2 / 3 < high
    assert intervals[1][1] - intervals[1][0] < intervals[0][1] - intervals[0][0]
    assert bootstrap_interval(few) == intervals[0]
    # the normal approximation is close for so many values
    half = 1.96 * (2 / 9 / 210) ** 0.5
    assert intervals[1] == pytest.approx((2 / 3 - half, 2 / 3 + half), abs=0.01)


@pytest.mark.parametrize(
    "call",
    [
        lambda: bootstrap_interval([]),
        lambda: bootstrap_interval([1.0], level=1.0),
        lambda: bootstrap_interval([1.0], rounds=0),
        lambda: bootstrap_interval([float("nan")]),
        lambda: sign_test([], []),
        lambda: sign_test([1.0], [1.0, 0.0]),
        lambda: sign_test([float("nan")], [1.0]),
    ],
)
def test_intervals_and_tests_over_nothing_are_refused(call):
    with pytest.raises(ValueError, match=r"\w"):
        call()


def test_the_sign_test_counts_beyond_64_bits_of_numpy():
    first, second = np.ones(100), np.zeros(100)
    assert sign_test(first, second) == sign_test(first.tolist(), second.tolist())
    assert 0 < sign_test(first, second).p < 1e-29
