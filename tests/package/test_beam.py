"""The game of 24: against every expression written out, against published counts, and what a beam loses."""

import ast
import csv
import json
import random
import sys
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.beam import Thought, beam_search, games, lost, reaches, solved, some, start, thoughts, tries

MEASURED = Path(__file__).parents[2] / "data/measured"
sys.path.insert(0, str(MEASURED))
from make_thinking import COUNTS, count, drawn, remembered  # noqa: E402
from make_tot_log import after, alive, numbers, verdict  # noqa: E402

with (MEASURED / "beam.csv").open(encoding="utf-8") as file:
    ROWS = [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]
LOG = json.loads((MEASURED / "tot_log.json").read_text("utf-8"))
SHAPES = ("(({} {} {}) {} {}) {} {}", "({} {} {}) {} ({} {} {})", "({} {} ({} {} {})) {} {}",
          "{} {} (({} {} {}) {} {})", "{} {} ({} {} ({} {} {}))")  # fmt: skip


def value(node):
    """The value of a parsed expression, negative numbers and all, as a fraction."""
    if isinstance(node, ast.Constant):
        return Fraction(node.value)
    a, b = value(node.left), value(node.right)
    if isinstance(node.op, ast.Div):
        return a / b
    return {ast.Add: a + b, ast.Sub: a - b, ast.Mult: a * b}[type(node.op)]


def by_expressions(hand):
    for order in set(permutations(hand)):
        for signs in product("+-*/", repeat=3):
            for shape in SHAPES:
                text = shape.format(order[0], signs[0], order[1], signs[1], order[2], signs[2], order[3])
                try:
                    if value(ast.parse(text, mode="eval").body) == 24:
                        return True
                except ZeroDivisionError:
                    continue
    return False


@pytest.fixture(scope="module")
def everything():
    return games()


def test_there_are_1362_games_as_published(everything):
    assert len(everything) == 1362


def test_what_reaches_24_is_what_some_expression_makes_24(everything):
    rng = random.Random(1)
    hands = [tuple(sorted(rng.choices(range(1, 14), k=4))) for _ in range(12)] + [(3, 3, 8, 8), (1, 1, 1, 1)]
    able = set(everything)
    for hand in hands:
        assert (hand in able) == reaches(start(hand)) == by_expressions(hand), hand


def test_a_step_reads_as_it_leaves():
    for thought in thoughts(start([4, 5, 6, 10])):
        assert after(start([4, 5, 6, 10]).left, thought.steps[-1]) == thought.left
    assert len({thought.left for thought in thoughts(start([4, 5, 6, 10]))}) == len(thoughts(start([4, 5, 6, 10])))


def test_a_beam_that_keeps_everything_and_proposes_everything_solves_every_game():
    for game in [(4, 7, 9, 13), (1, 5, 5, 5), (3, 3, 8, 8)]:
        assert solved(beam_search(start(game), thoughts, tries(0), beam=100_000)), game


def test_a_cut_can_lose_the_only_way_and_is_told():
    levels = beam_search(start([4, 7, 9, 13]), thoughts, tries(0), beam=1)
    assert not solved(levels)
    assert lost(levels) == (1, "pruned")
    right = next(thought for thought in levels[0].proposed if reaches(thought))
    assert right not in levels[0].kept


def test_what_nobody_proposes_no_beam_keeps():
    def hopeless(state):
        return [thought for thought in thoughts(state) if not reaches(thought)]

    assert lost(beam_search(start([4, 7, 9, 13]), hopeless, tries(9), beam=1000)) == (1, "not proposed")


def test_ties_keep_the_order_of_the_proposals_and_a_better_verdict_wins():
    root = start([4, 6])
    order = thoughts(root)
    assert beam_search(root, thoughts, lambda state: 0.0, 2)[0].kept == order[:2]
    assert beam_search(root, thoughts, lambda state: float(state == order[-1]), 1)[0].kept == [order[-1]]


def test_a_verdict_of_sure_is_never_wrong_and_more_tries_find_more():
    states = [thought for game in [(4, 5, 6, 10), (4, 7, 9, 13)] for thought in thoughts(start(game))]
    sure = {m: {state for state in states if tries(m)(state) == 1} for m in (1, 3, 30)}
    assert sure[1] <= sure[3] <= sure[30]
    assert all(reaches(state) for state in sure[30])
    assert tries(0)(Thought((), (Fraction(24),))) == 1
    assert tries(5)(Thought((), (Fraction(23),))) == 0


def test_equal_numbers_are_proposed_equally_and_never_more_than_there_are():
    assert some(4)(start([4, 5, 6, 10])) == some(4)(start([10, 6, 5, 4]))
    assert len(some(4)(start([4, 5, 6, 10]))) == 4
    assert len(some(99)(start([4, 6]))) == 5
    assert some(4, seed=1)(start([4, 5, 6, 10])) != some(4, seed=2)(start([4, 5, 6, 10]))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: some(0), "k must be a whole number of at least 1, not 0"),
        (lambda: some(2.5), "k must be a whole number of at least 1, not 2.5"),
        (lambda: tries(-1), "m must be a whole number of at least 0, not -1"),
        (lambda: beam_search(start([4, 6]), thoughts, tries(0), 0), "beam must be a whole number of at least 1"),
        (lambda: start([24]), "a game joins at least two numbers, not 1"),
    ],
)
def test_numbers_that_cannot_be_are_named(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def reached(left):
    """All that can be made of the numbers, every difference and quotient both ways."""
    if len(left) == 1:
        return {left[0]}
    found = set()
    for a, b in permutations(range(len(left)), 2):
        rest = [number for place, number in enumerate(left) if place not in (a, b)]
        x, y = left[a], left[b]
        for result in (x + y, x - y, x * y, *([x / y] if y else [])):
            found |= reached((*rest, result))
    return found


@given(st.lists(st.integers(-6, 12), min_size=2, max_size=3))
def test_numbers_below_0_can_reach_what_they_can(numbers):
    assert reaches(start(numbers)) == (24 in reached(start(numbers).left))


def test_a_difference_from_the_smaller_number_can_be_the_only_way():
    assert reaches(start([-3, 2, 10]))  # -3 * (2 - 10)
    assert "2 - 10 = -8 (left: -8 -3)" in [thought.steps[-1] for thought in thoughts(start([-3, 2, 10]))]


# ------------------------------------------------------------------ the stored measurement


@pytest.mark.parametrize(("k", "m", "beam"), [(4, 0, 20), (8, 1, 3), (8, 3, 5), (0, 1, 5)])
def test_a_fresh_run_gives_the_stored_row(k, m, beam):
    found = count([start(game) for game in drawn()], some(k) if k else thoughts, remembered(tries(m)), beam)
    (row,) = [row for row in ROWS if (row["branching"], row["tries"], row["beam"]) == (k, m, beam)]
    assert {name: row[name] for name in COUNTS} == found


def test_every_game_of_the_measurement_was_solved_or_lost_in_one_of_two_ways():
    assert len(ROWS) == 3 * 4 * 7
    assert all(row["solved"] + row["pruned"] + row["not_proposed"] == row["games"] == 200 for row in ROWS)


# ------------------------------------------------------------------ the authors' logs


@pytest.mark.parametrize(
    ("before", "step", "left"),
    [
        ("4 5 6 10", "10 - 4 = 6 (left: 5 6 6)", "5 6 6"),
        ("3 9 10 13", "13 / 3 = 4.33 (approx) (left: 4.33 9 10)", None),  # not as its form wants it
        ("4 9 10", "10 / 4 = 2.5 (left: 2.5 9)", "2.5 9"),
        ("4 5 6 10", "10 - 4 = 5 (left: 5 5 6)", None),  # wrong
        ("4 5 6 10", "10 - 3 = 7 (left: 5 6 7)", None),  # there is no 3
        ("4 5 6 10", "10 - 4 = 6 (left: 5 6)", None),  # one went missing
        ("0 4 6", "4 / 0 = 0 (left: 0 6)", None),
        ("4 5 6 10", "Answer: none", None),
    ],
)
def test_a_step_of_the_logs_counts_only_if_it_is_legal(before, step, left):
    assert after(numbers(before), step) == (numbers(left) if left else None)


def test_the_cut_steps_that_are_quoted_do_reach_24():
    assert len(LOG["cut"]) == LOG["tree"]["lost"]["step 1: pruned"] == 12
    for cut in LOG["cut"]:
        assert all(alive(numbers(cut["game"]), [step]) for step, _ in cut["right"]), cut
        assert cut["kept"] == {"likely": 5}


def test_the_counts_of_the_logs_add_up():
    tree = LOG["tree"]
    assert tree["solved"] + sum(tree["lost"].values()) == tree["games"] == 100
    for step in (1, 2):
        counted = sum(all_of for at, _, all_of, _ in LOG["verdicts"] if at == step)
        assert counted == pytest.approx(100 * tree["thoughts"][step - 1])
    assert 0 < tree["first_right"] <= tree["solved"]
    assert LOG["majority"] == 9
    assert LOG["reachable"]["chains"] == 10_000
    words = [verdict(each) for each in (60, 20.002, 3.0, 1.002, 0.003, 0)]
    assert words == ["sure", "sure", "likely", "likely", "impossible", "impossible"]
