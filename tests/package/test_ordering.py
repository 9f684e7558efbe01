"""Layouts: the same for odd and even counts, unlike those of two well-known libraries."""

import json
from pathlib import Path

import pytest

from ragcore.ordering import ORDERS, best_first, best_last

CASES = {
    case["id"]: case for case in json.loads((Path(__file__).parents[1] / "cases/faults.json").read_text("utf-8"))
}


def test_each_layout_is_one_for_odd_and_even_counts():
    """Fault reorder-parity."""
    case = CASES["reorder-parity"]
    counts, expected = case["input"]["n"], case["expected"]
    for n, first, last in zip(counts, expected["best_first"], expected["best_last"], strict=True):
        assert best_first(range(1, n + 1)) == first
        assert best_last(range(1, n + 1)) == last


@pytest.mark.parametrize("n", range(13))
def test_the_layouts_put_the_best_where_they_say_and_lose_nothing(n):
    ranked = list(range(1, n + 1))
    for name, order in ORDERS.items():
        laid_out = order(ranked)
        assert sorted(laid_out) == ranked
        if n:
            assert laid_out[-1 if name == "best_last" else 0] == 1
        if n > 1 and name != "ranked":
            assert laid_out[0 if name == "best_last" else -1] == 2
    assert best_last(ranked) == best_first(ranked)[::-1]
    assert ranked == list(range(1, n + 1))


@pytest.mark.parametrize("n", range(3, 13))
def test_ranks_only_rise_towards_the_middle_and_only_fall_after_it(n):
    laid_out = best_first(range(1, n + 1))
    middle = laid_out.index(n)
    assert laid_out[: middle + 1] == sorted(laid_out[: middle + 1])
    assert laid_out[middle:] == sorted(laid_out[middle:], reverse=True)
