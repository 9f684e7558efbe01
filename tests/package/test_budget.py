"""Budgets: the published figures, brute force, an integer programme, and what users of other packages reported."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from ragcore.budget import (
    WindowBudget,
    density_order,
    fit_to_budget,
    knapsack_exact,
    knapsack_fractional,
    window_left,
)

items = st.lists(
    st.tuples(st.integers(-2, 12).map(lambda tenths: tenths / 10), st.integers(0, 12)), min_size=0, max_size=8
)


def total(values, chosen):
    return sum(values[i] for i in chosen)


def brute_force(values, costs, budget):
    """The sets that fit, best sum first."""
    fitting = [
        chosen
        for size in range(len(costs) + 1)
        for chosen in combinations(range(len(costs)), size)
        if total(costs, chosen) <= budget
    ]
    return max(round(total(values, chosen), 9) for chosen in fitting)


def test_gpt_3_has_548_tokens_left_for_the_answer():
    """Fault budget-output-reserve."""
    assert window_left(2048, 1500) == 548


@pytest.mark.parametrize("prompt", [2048, 2049])
def test_a_prompt_that_fills_the_window_is_an_error(prompt):
    with pytest.raises(ValueError, match=f"{prompt} tokens leaves no room for an answer in a window of 2048"):
        window_left(2048, prompt)


@pytest.mark.parametrize(("window", "prompt"), [(-1, 0), (10, -1), (10, 2.5)])
def test_windows_and_prompts_are_whole_numbers_of_tokens(window, prompt):
    with pytest.raises(ValueError, match="whole number of tokens"):
        window_left(window, prompt)


def test_the_published_shares_of_a_window_of_128_thousand_leave_19_for_the_answer():
    parts = {"system": 6_000, "tools": 10_000, "history": 35_000, "documents": 58_000}
    assert WindowBudget(128_000, parts).answer == 19_000
    assert WindowBudget(128_000, parts, spare=9_000).answer == 10_000
    assert WindowBudget(128_000, parts).used == 109_000


@pytest.mark.parametrize("spare", [19, 20])
def test_shares_that_leave_the_answer_nothing_are_an_error_that_names_them(spare):
    with pytest.raises(ValueError, match=f"documents 58 \\+ spare {spare} leave no room for an answer"):
        WindowBudget(128, {"system": 6, "tools": 10, "history": 35, "documents": 58}, spare=spare)


def test_one_passage_too_large_does_not_stop_the_filling():
    """Fault budget-continue."""
    assert fit_to_budget([50, 90, 30], 100) == [0, 2]


@pytest.mark.parametrize(
    ("budget", "taken"), [(130, [0, 2, 3]), (70, [0]), (69, [2, 3]), (0, [])], ids=lambda value: str(value)
)
def test_the_published_fits(budget, taken):
    assert fit_to_budget([70, 220, 30, 30], budget) == taken


def test_the_passage_that_breaks_the_limit_is_not_included():
    """Fault reorder-threshold."""
    assert len(fit_to_budget([40, 40, 40], 100)) == 2


@pytest.mark.parametrize("budget", [0, 1, 2])
def test_a_tiny_budget_takes_nothing_rather_than_too_much(budget):
    """Fault budget-tiny."""
    assert fit_to_budget([3], budget) == []
    assert knapsack_exact([1.0], [3], budget) == []


def test_greedy_by_relevance_can_be_far_from_the_best_set():
    """Fault knapsack-greedy-gap."""
    values, costs = [1.1] + [1.0] * 10, [10] + [1] * 10
    assert total(values, fit_to_budget(costs, 10)) == 1.1
    order = density_order(values, costs)
    by_density = [order[i] for i in fit_to_budget([costs[i] for i in order], 10)]
    assert total(values, by_density) == total(values, knapsack_exact(values, costs, 10)) == 10.0


def test_more_budget_can_make_greedy_worse_and_never_the_exact_choice():
    """Fault budget-bigger-asks-more."""
    values, costs = [0.5, 0.4, 0.4], [32, 15, 15]
    greedy = [total(values, fit_to_budget(costs, budget)) for budget in (31, 32)]
    assert greedy == [0.8, 0.5]
    exact = [total(values, knapsack_exact(values, costs, budget)) for budget in range(80)]
    assert exact == sorted(exact)
    assert exact[31] == exact[32] == 0.8
    assert exact[62] == 1.3


def test_the_published_example_where_greedy_takes_one_and_the_best_are_two():
    assert fit_to_budget([30, 16, 16], 32) == [0]
    assert knapsack_exact([0.9, 0.5, 0.5], [30, 16, 16], 32) == [1, 2]


@given(items, st.integers(0, 40))
def test_the_exact_choice_equals_brute_force(passages, budget):
    values, costs = [value for value, _ in passages], [cost for _, cost in passages]
    chosen = knapsack_exact(values, costs, budget)
    assert total(costs, chosen) <= budget
    assert chosen == sorted(set(chosen))
    assert total(values, chosen) == pytest.approx(brute_force(values, costs, budget), abs=1e-9)
    assert all(values[i] > 0 for i in chosen)


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 5)), max_size=9), st.integers(0, 20))
def test_of_all_sets_that_fit_the_exact_choice_is_the_best_then_the_cheapest_then_the_earliest(passages, budget):
    """Every set is looked at, in fractions: few values and costs, so that many sets tie."""
    tenths, costs = [value for value, _ in passages], [cost for _, cost in passages]
    worth = [i for i, value in enumerate(tenths) if value > 0]  # nothing else is ever taken
    best = None
    for number in range(2 ** len(worth)):
        chosen = [i for bit, i in enumerate(worth) if number >> bit & 1]
        if total(costs, chosen) <= budget:
            earliest = [i not in chosen for i in range(len(costs))]  # False, «taken», sorts before True
            key = (-total([Fraction(value, 10) for value in tenths], chosen), total(costs, chosen), earliest)
            if best is None or key < best[0]:
                best = (key, chosen)
    assert knapsack_exact([value / 10 for value in tenths], costs, budget) == best[1]


def test_the_exact_choice_equals_an_integer_programme_of_two_hundred_passages():
    random = np.random.default_rng(7)
    values, costs = random.random(200), random.integers(20, 400, 200)
    chosen = knapsack_exact(values.tolist(), costs.tolist(), 8000)
    best = milp(-values, constraints=LinearConstraint(costs[None, :], ub=8000), bounds=Bounds(0, 1), integrality=1)
    assert total(values, chosen) == pytest.approx(-best.fun, abs=1e-9)


def test_of_sets_that_are_worth_the_same_the_cheaper_and_then_the_earlier_is_taken():
    assert knapsack_exact([0.5, 0.5], [4, 3], 4) == [1]
    assert knapsack_exact([0.5, 0.5, 0.5], [3, 3, 3], 6) == [0, 1]
    assert knapsack_exact([0.1, 0.2, 0.3], [1, 2, 3], 3) == [0, 1]  # 0.1 + 0.2 is a tie with 0.3


def test_what_costs_nothing_is_taken_if_it_is_worth_something():
    assert knapsack_exact([0.1, 0.0, -0.1, 0.5], [0, 0, 0, 9], 5) == [0]
    assert density_order([0.5, 0.1, -0.1, 0.0], [1, 0, 0, 0]) == [1, 0, 3, 2]


@given(items, st.integers(0, 40))
def test_no_choice_of_whole_passages_beats_the_fractional_one(passages, budget):
    values, costs = [value for value, _ in passages], [cost for _, cost in passages]
    shares = knapsack_fractional(values, costs, budget)
    assert sum(share * cost for share, cost in zip(shares, costs, strict=True)) <= budget + 1e-9
    assert sum(0 < share < 1 for share in shares) <= 1
    bound = sum(share * value for share, value in zip(shares, values, strict=True))
    assert bound >= total(values, knapsack_exact(values, costs, budget)) - 1e-9


def test_a_divided_passage_is_counted_by_its_share():
    assert knapsack_fractional([0.9, 0.5, 0.5], [30, 16, 16], 39) == pytest.approx([7 / 30, 1, 1])


@pytest.mark.parametrize(
    "call",
    [
        lambda: fit_to_budget([1, -1], 5),
        lambda: fit_to_budget([1], -5),
        lambda: knapsack_exact([1.0], [1.5], 5),
        lambda: knapsack_exact([1.0, 2.0], [1], 5),
        lambda: knapsack_exact([float("nan")], [1], 5),
        lambda: density_order([float("inf")], [1]),
    ],
)
def test_bad_numbers_are_errors(call):
    with pytest.raises(ValueError, match=r"must be|need as many"):
        call()
