"""Reciprocal rank fusion: the published example, the faults of others, and what must hold for any rankings."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.chunking import split_words
from ragcore.corpus import Article
from ragcore.fusion import fuse_batch, reciprocal_rank_fusion
from ragcore.hits import Hit

CHUNKS = split_words(" ".join(f"w{i}" for i in range(40)), size=1)


def ranking(*numbers: int) -> list[Hit]:
    return [Hit(CHUNKS[number], 100.0 - place, place) for place, number in enumerate(numbers, start=1)]


def fused(*rankings, **options) -> dict[int, float]:
    return {CHUNKS.index(hit.chunk): hit.score for hit in reciprocal_rank_fusion(rankings, **options)}


rankings = st.lists(st.lists(st.integers(0, 12), max_size=10), max_size=4)


def example(c: float) -> tuple[float, float]:
    """A stands first and thirtieth, B fifth in both lists."""
    others = iter(range(10, 40)), iter(range(10, 40))
    lists = []
    for own, rest in zip(({1: 0, 5: 1}, {30: 0, 5: 1}), others, strict=True):
        lists.append(ranking(*(own[place] if place in own else next(rest) for place in range(1, 31))))
    scores = fused(*lists, c=c)
    return scores[0], scores[1]


def test_the_published_example_b_wins_with_60():
    a, b = example(60)
    assert (round(a, 4), round(b, 4)) == (0.0275, 0.0308)


def test_b_wins_only_above_c_of_95_over_21():
    at = 95 / 21
    assert example(at - 0.01)[0] > example(at - 0.01)[1]
    assert example(at + 0.01)[0] < example(at + 0.01)[1]
    assert example(at)[0] == pytest.approx(example(at)[1], abs=1e-15)


@given(rankings, st.floats(0, 100))
def test_the_formula_is_computed(lists, c):
    scores = fused(*(ranking(*numbers) for numbers in lists), c=c)
    assert set(scores) == {number for numbers in lists for number in numbers}
    for number, score in scores.items():
        places = [numbers.index(number) + 1 for numbers in lists if number in numbers]
        assert score == pytest.approx(sum(1 / (c + place) for place in places))
    rounded = [round(score, 12) for score in scores.values()]
    assert rounded == sorted(rounded, reverse=True)


@given(rankings)
def test_the_input_is_not_changed_and_ranks_count_from_1(lists):
    given_lists = [ranking(*numbers) for numbers in lists]
    copies = [list(hits) for hits in given_lists]
    result = reciprocal_rank_fusion(given_lists)
    assert given_lists == copies
    assert [hit.rank for hit in result] == list(range(1, len(result) + 1))


def test_equal_scores_go_by_the_better_place_then_by_who_was_seen_first():
    assert list(fused(ranking(0, 1, 2), ranking(3, 4, 2))) == [2, 0, 3, 1, 4]
    for order in permutations([ranking(0), ranking(1), ranking(2)]):
        assert list(fused(*order)) == [CHUNKS.index(hits[0].chunk) for hits in order]


def test_weights_decide_between_rankings():
    assert list(fused(ranking(0), ranking(1), weights=[1, 2])) == [1, 0]
    assert fused(ranking(0), ranking(1), weights=[1, 0])[1] == 0


def test_nothing_fused_is_nothing():
    assert reciprocal_rank_fusion([]) == []
    assert reciprocal_rank_fusion([[], []]) == []


@pytest.mark.parametrize(
    "options",
    [{"c": -1}, {"c": float("nan")}, {"weights": [1]}, {"weights": [1, -1]}, {"weights": [1, float("inf")]}],
)
def test_impossible_constants_and_weights_are_refused(options):
    with pytest.raises(ValueError, match=r"must be|need as many"):
        reciprocal_rank_fusion([ranking(0), ranking(1)], **options)


def test_one_identity_with_two_texts_is_refused():
    one, other = (split_words(Article("same", "", "", text))[0] for text in ("abc", "xyz"))
    with pytest.raises(ValueError, match="different texts"):
        reciprocal_rank_fusion([[Hit(one, 1, 1)], [Hit(other, 1, 1)]])


# ------------------------------------------------------------------ many questions at once


@st.composite
def batches(draw):
    """Rankings of few different chunks, so that many repeat and tie; −1 is an empty place, anywhere."""
    questions, lists, depth = draw(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 6)))
    one = st.lists(st.integers(-1, 8), min_size=depth, max_size=depth)
    several = st.lists(st.lists(one, min_size=lists, max_size=lists), min_size=questions, max_size=questions)
    weights = draw(st.none() | st.lists(st.sampled_from([0, 1, 2, 0.5]), min_size=lists, max_size=lists))
    return np.array(draw(several), int).reshape(questions, lists, depth), weights


def in_fractions(lists, c: int, weights):
    """The formula in whole fractions, where a tie is a tie, written without a look at ours."""
    found = list(dict.fromkeys(number for numbers in lists for number in numbers if number >= 0))
    places = {d: [list(numbers).index(d) + 1 if d in numbers else None for numbers in lists] for d in found}
    score = {
        d: sum(Fraction(w) / (c + place) for w, place in zip(weights, places[d], strict=True) if place)
        for d in found
    }
    order = sorted(found, key=lambda d: (-score[d], min(place for place in places[d] if place)))
    return order, [score[d] for d in order]


@given(batches(), st.integers(0, 100))
def test_a_batch_gives_the_order_and_the_scores_of_exact_arithmetic(batch, c):
    rankings_of, weights = batch
    ids, scores = fuse_batch(rankings_of, c, weights)
    questions, lists, depth = rankings_of.shape
    assert ids.shape == scores.shape == (questions, lists * depth)
    for question in range(questions):
        order, exact = in_fractions(rankings_of[question].tolist(), c, weights or [1] * lists)
        rest = lists * depth - len(order)
        assert ids[question].tolist() == order + [-1] * rest
        assert scores[question].tolist() == pytest.approx([float(score) for score in exact] + [0] * rest)


@given(st.lists(st.tuples(*[st.lists(st.integers(0, 12), max_size=10)] * 3), min_size=1), st.floats(0, 100))
def test_a_batch_gives_what_one_question_after_another_gives_to_the_bit(questions, c):
    weights, padded = [1, 0.3, 2], np.full((len(questions), 3, 10), -1)
    for row, lists in zip(padded, questions, strict=True):
        for places, numbers in zip(row, lists, strict=True):
            places[: len(numbers)] = numbers
    ids, scores = fuse_batch(padded, c, weights)
    for row, points, lists in zip(ids, scores, questions, strict=True):
        expected = fused(*(ranking(*numbers) for numbers in lists), c=c, weights=weights)
        assert list(zip(row.tolist(), points.tolist(), strict=True))[: len(expected)] == list(expected.items())
        assert (row[len(expected) :] == -1).all()


def test_a_tie_that_floats_do_not_see_is_still_one():
    """1/61 + 1/67 + 1/62 and 1/62 + 1/61 + 1/67 are the same number; added up in this order they are not."""
    assert 1 / 61 + 1 / 67 + 1 / 62 < 1 / 62 + 1 / 61 + 1 / 67
    first, second = 8, 3
    lists = np.full((1, 3, 7), -1)
    lists[0, 0, [0, 1]], lists[0, 1, [6, 0]], lists[0, 2, [1, 6]] = 3 * [[first, second]]
    ids, scores = fuse_batch(lists)
    assert ids[0, :2].tolist() == [first, second]
    assert scores[0, 0] < scores[0, 1]


def test_large_and_small_numbers_name_chunks_too_and_the_input_is_not_changed():
    largest = np.iinfo(np.int64).max
    given_ids = np.array([[[largest, 5], [5, largest]]])
    copy = given_ids.copy()
    assert fuse_batch(given_ids)[0].tolist() == [[largest, 5, -1, -1]]
    assert (given_ids == copy).all()
    assert fuse_batch(given_ids.astype(np.uint32) % 7)[0].shape == (1, 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fuse_batch([[1, 2]]), r"shape \(questions, rankings, depth\), not int64 of the shape \(1, 2\)"),
        (lambda: fuse_batch([[[1.0, 2.0]]]), "whole numbers.*float64"),
        (lambda: fuse_batch(np.ones((1, 1, 1), np.uint64)), "whole numbers.*uint64"),
        (lambda: fuse_batch([[[1]]], c=-1), "c must be at least 0"),
        (lambda: fuse_batch([[[1], [2]]], weights=[1]), "2 rankings need as many weights"),
    ],
)
def test_batches_that_make_no_sense_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
