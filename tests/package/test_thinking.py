"""Thinking as spending: every formula against calls written out token by token, and against published counts."""

import csv
import json
from datetime import date
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.budget import window_left
from ragcore.costs import PriceEntry, price
from ragcore.thinking import Sizes, any_right, chain, tree, tree_in_one_call, vote, widths

DATA = Path(__file__).parents[2] / "data"
LOG = json.loads((DATA / "measured/tot_log.json").read_text("utf-8"))
ENTRY = PriceEntry("example", 2, 10, 0.1, 10**9, "USD", date(2026, 9, 30), "")

sizes = st.builds(Sizes, *[st.integers(0, 9)] * 4)
small = st.integers(1, 3)


def calls_of_tree(x, t, e, a, depth, branching, beam):
    """Every call of a search as (prompt, tokens written), the prompt as a tuple of its very tokens.

    The verdicts are made up: the thoughts proposed last are the best.
    """
    prompt = tuple(("x", i) for i in range(x))
    kept, calls, name = [()], [], 0
    for _ in range(depth):
        proposed = []
        for path in kept:
            calls.append((prompt + path, branching * t))
            for _ in range(branching):
                name += 1
                proposed.append(path + tuple((name, i) for i in range(t)))
        calls += [(prompt + path, e) for path in proposed]
        kept = proposed[-beam:]
    return [*calls, (prompt + kept[-1], a)]


def read_for_the_first_time(calls):
    """Tokens that no earlier call has read at the same place, after the same beginning."""
    seen = set()
    for prompt, _ in calls:
        seen |= {prompt[: i + 1] for i in range(len(prompt))}
    return len(seen)


@given(sizes, small, small, small)
def test_a_tree_costs_what_its_calls_written_out_cost(s, depth, branching, beam):
    calls = calls_of_tree(s.prompt, s.thought, s.verdict, s.answer, depth, branching, beam)
    spent = tree(s, depth, branching, beam)
    assert spent.calls == len(calls)
    assert spent.read == sum(len(prompt) for prompt, _ in calls)
    assert spent.written == sum(written for _, written in calls)
    assert spent.longest == max(len(prompt) + written for prompt, written in calls)
    assert spent.fresh == read_for_the_first_time(calls)
    assert spent.total == spent.read + spent.written


@given(sizes, small, small, small)
def test_its_price_is_the_sum_of_the_prices_of_its_calls(s, depth, branching, beam):
    calls = calls_of_tree(s.prompt, s.thought, s.verdict, s.answer, depth, branching, beam)
    paid = sum(price(len(prompt), written, ENTRY) for prompt, written in calls)
    spent = tree(s, depth, branching, beam)
    assert spent.price(ENTRY) == pytest.approx(paid)
    again = spent.read - spent.fresh
    assert spent.price(ENTRY) - spent.price(ENTRY, cache=True) == pytest.approx(again * (2 - 0.1) / 1e6)


@given(sizes, small, small, small)
def test_who_waits_waits_for_one_call_of_each_round(s, depth, branching, beam):
    rounds = [round for _ in range(depth) for round in (branching * s.thought, s.verdict)]
    assert tree(s, depth, branching, beam).waiting == sum(rounds) + s.answer
    assert vote(s, depth, 7).waiting == chain(s, depth).waiting == depth * s.thought + s.answer


@given(sizes, small, small, small)
def test_one_call_writes_what_the_tree_writes_and_holds_all_of_it(s, depth, branching, beam):
    one, many = tree_in_one_call(s, depth, branching, beam), tree(s, depth, branching, beam)
    assert one.written == many.written == one.waiting
    assert one.longest == s.prompt + one.written >= chain(s, depth).longest
    assert one.read == one.fresh == s.prompt


@given(sizes, st.integers(0, 5), st.integers(1, 9))
def test_a_vote_is_so_many_chains_and_reads_one_prompt_anew(s, depth, chains):
    one, many = chain(s, depth), vote(s, depth, chains)
    assert (many.calls, many.read, many.written) == (chains, chains * one.read, chains * one.written)
    assert many.fresh == s.prompt
    assert many.longest == one.longest == s.prompt + one.written


@given(sizes, small, small, small)
def test_a_wider_beam_never_costs_less(s, depth, branching, beam):
    assert tree(s, depth, branching, beam + 1).total >= tree(s, depth, branching, beam).total
    assert tree(s, depth, branching, beam + 1).calls >= tree(s, depth, branching, beam).calls


def test_a_beam_of_one_and_a_branching_of_one_is_a_chain_in_pieces():
    s = Sizes(prompt=1000, thought=50, answer=100)
    assert tree(s, 6, 1, 1).written == chain(s, 6).written
    assert tree(s, 6, 1, 1).read > 10 * chain(s, 6).read


def test_a_beam_wider_than_the_branching_is_first_used_at_the_second_step():
    assert widths(3, 2, 5) == [(1, 2), (2, 4), (4, 8)]
    assert widths(2, 3, 1) == [(1, 3), (1, 3)]


def test_what_is_left_of_the_window_is_left_by_the_longest_call():
    s = Sizes(prompt=1500, thought=0, answer=100)
    assert chain(s, 0).left(2048) == window_left(2048, 1600) == 448
    with pytest.raises(ValueError, match="leaves no room"):
        tree_in_one_call(Sizes(1500, 50, 100, 20), 6, 5, 3).left(4096)


def test_hidden_thoughts_are_billed_as_written():
    seen, thought = chain(Sizes(1000, 0, 200), 0), chain(Sizes(1000, 2000, 200), 1)
    assert thought.price(ENTRY) - seen.price(ENTRY) == pytest.approx(2000 * 10 / 1e6)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Sizes(-1, 0, 0), "prompt must be a whole number of at least 0, not -1"),
        (lambda: Sizes(1, 0.5, 0), "thought must be a whole number of at least 0, not 0.5"),
        (lambda: chain(Sizes(1, 1, 1), -1), "depth must be a whole number of at least 0, not -1"),
        (lambda: vote(Sizes(1, 1, 1), 1, 0), "chains must be a whole number of at least 1, not 0"),
        (lambda: tree(Sizes(1, 1, 1), 0, 1, 1), "depth must be a whole number of at least 1, not 0"),
        (lambda: tree(Sizes(1, 1, 1), 1, 1, 0), "beam must be a whole number of at least 1, not 0"),
        (lambda: any_right([], 10, 1), "right must be whole numbers from 0 to 10"),
        (lambda: any_right([11], 10, 1), "right must be whole numbers from 0 to 10"),
        (lambda: any_right([0.5], 10, 1), "right must be whole numbers from 0 to 10"),
        (lambda: any_right([0], 0, 1), "of must be a whole number of at least 1, not 0"),
        (lambda: any_right([1], 10, 0), "chains must be a whole number of at least 1, not 0"),
        (lambda: any_right([1], 10, 11), "chains must lie between 1 and 10, not 11"),
    ],
)
def test_numbers_that_cannot_be_are_named(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_a_price_list_is_not_used_beyond_its_longest_prompt_or_without_a_price_for_the_cache():
    short = PriceEntry("short", 2, 10, None, 1000, "USD", date(2026, 9, 30), "")
    with pytest.raises(ValueError, match="short is listed for up to 1000 tokens, not a call of 1150"):
        chain(Sizes(1000, 50, 100), 1).price(short)
    with pytest.raises(ValueError, match="no price for cached input of short"):
        chain(Sizes(10, 5, 10), 1).price(short, cache=True)


# ------------------------------------------------------------------ some chain is right


@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(1, 6))
def test_any_right_is_the_mean_over_all_ways_to_draw(right, chains):
    shares = []
    for r in right:
        answers = [True] * r + [False] * (6 - r)
        draws = list(combinations(answers, chains))
        shares.append(sum(any(draw) for draw in draws) / len(draws))
    assert any_right(right, 6, chains) == pytest.approx(sum(shares) / len(shares))


# ------------------------------------------------------------------ published


def published(task, way):
    with (DATA / "published_thinking.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["task"] == task and row["way"] == way]
    return [row for row in rows if row["key"] == "yao2023tot"]


@pytest.mark.parametrize(
    ("kind", "chains", "way"),
    [("io", 1, "direct"), ("cot", 1, "chain"), ("io", 100, "direct, any right"), ("cot", 100, "chain, any right")],
)
def test_the_logs_give_the_published_shares(kind, chains, way):
    (row,) = published("game of 24", way)
    assert round(100 * any_right(LOG["right"][kind], 100, chains), 1) == float(row["percent"])


def test_the_published_costs_follow_but_that_of_the_tree():
    for kind, way in (("io", "direct, any right"), ("cot", "chain, any right"), ("tree", "tree, beam 5")):
        row = published("game of 24", way)[-1]
        printed = (float(row["written"]) * 0.06 + float(row["read"]) * 0.03) / 1000
        logged = (LOG["tokens"][kind]["written"] * 0.06 + LOG["tokens"][kind]["read"] * 0.03) / 1000
        if kind == "tree":
            assert printed == pytest.approx(0.372)
            assert logged == pytest.approx(0.745, abs=5e-4)
            assert row["note"].startswith("does not follow")
        else:
            assert abs(printed - float(row["dollars"])) < 0.01
            assert not row["note"]
        assert abs(logged - float(row["dollars"])) < 0.015


def test_every_published_row_has_its_place_and_a_share():
    with (DATA / "published_thinking.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 26
    assert all(row["key"] and row["place"] and 0 <= float(row["percent"]) <= 100 for row in rows)
