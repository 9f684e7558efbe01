"""A threshold's two kinds of error and their cost."""

from itertools import pairwise
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.thresholds import auc, auc_interval, best_threshold, cost, curve, errors

SILENT, ANSWERABLE = [0.2, 0.45], [0.4, 0.5, 0.6, 0.1, 0.3]
scores = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(scores, scores, st.floats(0, 1))
def test_every_question_is_answered_or_refused_and_a_score_on_the_threshold_is_enough(
    silent, answerable, threshold
):
    wrong, needless = errors(threshold, silent, answerable)
    assert wrong == len([score for score in silent if not score < threshold])
    assert needless == len(answerable) - errors(threshold, answerable, [])[0]


@given(scores, scores)
def test_the_auc_is_the_area_over_the_curve(silent, answerable):
    steps = curve(silent, answerable, 0.5, 1)
    points = [(step.needless / len(answerable), step.wrong / len(silent)) for step in steps]
    area = sum((b[0] - a[0]) * (2 - a[1] - b[1]) / 2 for a, b in pairwise(points))
    assert auc(answerable, silent) == pytest.approx(area)


def test_the_interval_of_the_auc_holds_it_and_is_the_same_every_time():
    low, high = auc_interval(ANSWERABLE, SILENT, rounds=300)
    assert low <= auc(ANSWERABLE, SILENT) <= high
    assert (low, high) == auc_interval(ANSWERABLE, SILENT, rounds=300)
    assert auc_interval([0.9, 0.8], [0.1, 0.2], rounds=50) == (1, 1)


@given(scores, scores, st.floats(0, 1), st.floats(0, 50))
def test_no_threshold_is_cheaper_than_the_best_and_it_never_loses_to_the_two_simple_rules(
    silent, answerable, share, times
):
    best = best_threshold(silent, answerable, share, times)
    assert best.cost <= min(share * times, 1 - share) + 1e-9
    for threshold in [*silent, *answerable, 0.5, inf]:
        wrong, needless = errors(threshold, silent, answerable)
        assert best.cost <= cost(wrong / len(silent), needless / len(answerable), share, times) + 1e-9


@pytest.mark.parametrize("case", [(1.1, 0, 0.5, 1), (0, -0.1, 0.5, 1), (0, 0, 2, 1), (0, 0, 0.5, -1)])
def test_a_cost_of_what_is_no_share_is_an_error(case):
    with pytest.raises(ValueError, match="shares lie between 0 and 1"):
        cost(*case)
