"""Reciprocal rank fusion: the published example, the faults of others, and what must hold for any rankings."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.chunking import split_words
from ragcore.corpus import Article
from ragcore.fusion import reciprocal_rank_fusion
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
