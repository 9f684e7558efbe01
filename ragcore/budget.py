"""What fits: the window as a budget, and passages chosen for it.

    |x| + m ≤ n        x the prompt, m the longest answer, n the window; all in tokens

    choose S so that   Σ_{i∈S} r_i  is largest   while   Σ_{i∈S} c_i ≤ B        (the knapsack problem)

    r_i   the relevance of passage i         c_i   what it costs, in tokens, its marker included
    B     the budget for passages            r_i / c_i   its density

Three ways to choose: `fit_to_budget` goes through a ranking and takes each that still fits (greedy),
`knapsack_exact` finds the best set (dynamic programme over whole tokens), `knapsack_fractional` says what could be
had if passages could be cut like cloth: an upper bound, not a choice, since half a sentence is not worth half its
value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Integral

import numpy as np

from .hits import DECIMALS


def window_left(window: int, prompt: int) -> int:
    """The longest answer that a window leaves room for: m = n − |x|, in tokens.

    Raises ValueError if the prompt fills the window: there is no room for a word of answer.

    >>> window_left(2048, 1500)   # GPT-3's window
    548
    """
    _check_tokens(window=window, prompt=prompt)
    if prompt >= window:
        raise ValueError(
            f"a prompt of {prompt} tokens leaves no room for an answer in a window of {window}: shorten it"
        )
    return window - prompt


@dataclass(frozen=True)
class WindowBudget:
    """A window shared out among the parts of a prompt; what is left is the answer's.

    parts: tokens by name. spare: tokens that stay free, so that a wrong estimate does not overflow and because a
    model reads a full window worse than a half empty one. Raises ValueError unless the answer gets at least one
    token.

    >>> WindowBudget(128, {"system": 6, "tools": 10, "history": 35, "documents": 58}).answer   # thousands
    19
    """

    window: int
    parts: Mapping[str, int]
    spare: int = 0

    def __post_init__(self) -> None:
        _check_tokens(window=self.window, spare=self.spare, **self.parts)
        if self.used + self.spare >= self.window:
            shares = " + ".join(f"{name} {tokens}" for name, tokens in {**self.parts, "spare": self.spare}.items())
            raise ValueError(
                f"{shares} leave no room for an answer in a window of {self.window}: make a part smaller"
            )

    @property
    def used(self) -> int:
        """Tokens of all parts together."""
        return sum(self.parts.values())

    @property
    def answer(self) -> int:
        """Tokens left for the answer: the window less its parts and what stays spare."""
        return window_left(self.window, self.used + self.spare)


def fit_to_budget(costs: Sequence[int], budget: int) -> list[int]:
    """Which passages of a ranking to take: each that still fits, best first. Skip, don't stop.

    costs: tokens of each passage, in the order of the ranking. A passage that is too large is left out and the next
    ones get their chance. Returns their indices. Raises ValueError for a negative cost or budget.

    >>> fit_to_budget([50, 90, 30], budget=100)
    [0, 2]
    """
    _check_costs(costs, budget)
    taken, left = [], budget
    for i, cost in enumerate(costs):
        if cost <= left:
            taken.append(i)
            left -= cost
    return taken


def density_order(relevance: Sequence[float], costs: Sequence[int]) -> list[int]:
    """The passages by relevance per token, r/c, highest first; equal densities keep the order of the input.

    What costs nothing comes first if it is worth something, and last if it is worth less than nothing.

    >>> density_order([0.95, 0.75, 0.60], [14, 10, 10])
    [1, 0, 2]
    """
    _check_values(relevance, costs)
    density = [r / c if c else np.copysign(np.inf, r) if r else 0.0 for r, c in zip(relevance, costs, strict=True)]
    return sorted(range(len(costs)), key=lambda i: -round(density[i], DECIMALS))


def knapsack_exact(relevance: Sequence[float], costs: Sequence[int], budget: int) -> list[int]:
    """The set of passages with the largest sum of relevance that fits, as indices in the order of the input.

    A dynamic programme: best[c] is the largest sum that the passages looked at so far reach with c tokens; passage
    i either stays out or adds r_i to the best of c − c_i. Work: passages × budget. Among sets that are worth the
    same, the cheapest; among those, the one with earlier passages. What is worth nothing, or less, is never taken;
    what costs nothing and is worth something always is. The sum never falls as the budget grows. Raises ValueError
    for costs that are not whole numbers ≥ 0.

    >>> knapsack_exact([0.9, 0.5, 0.5], [30, 16, 16], budget=32)   # greedy takes the 0.9 alone
    [1, 2]
    """
    _check_values(relevance, costs)
    _check_costs(costs, budget)
    room = min(budget, sum(costs))
    best = np.zeros(room + 1)
    taken = np.zeros((len(costs), room + 1), dtype=bool)
    for i in reversed(range(len(costs))):  # backwards, so that earlier passages win ties when we read the choice
        cost, value = costs[i], relevance[i]
        if value > 0 and cost <= room:
            with_it = np.round(best[: room + 1 - cost] + value, DECIMALS)
            np.greater_equal(with_it, best[cost:], out=taken[i, cost:])
            best[cost:] = np.maximum(best[cost:], with_it)
    chosen, left = [], int(np.argmax(best == best[-1]))  # the fewest tokens that reach the best sum
    for i in range(len(costs)):
        if taken[i, left]:
            chosen.append(i)
            left -= costs[i]
    return chosen


def knapsack_fractional(relevance: Sequence[float], costs: Sequence[int], budget: int) -> list[float]:
    """How much of each passage to take, 0 to 1, if any part could be had for its share of the cost.

    Taking by density is then the best there is: at most one passage is divided, and Σ share · r bounds every choice
    of whole passages from above. What is worth nothing, or less, is not taken.

    >>> knapsack_fractional([0.9, 0.5, 0.5], [30, 16, 16], budget=32)
    [0.0, 1.0, 1.0]
    """
    _check_values(relevance, costs)
    _check_costs(costs, budget)
    shares, left = [0.0] * len(costs), budget
    for i in density_order(relevance, costs):
        if relevance[i] > 0:
            shares[i] = min(1.0, left / costs[i]) if costs[i] else 1.0
            left -= min(left, costs[i])
    return shares


def _check_costs(costs: Sequence[int], budget: int) -> None:
    _check_tokens(budget=budget, **{f"cost {i}": cost for i, cost in enumerate(costs)})


def _check_values(relevance: Sequence[float], costs: Sequence[int]) -> None:
    if len(relevance) != len(costs):
        raise ValueError(f"{len(costs)} costs need as many values of relevance, not {len(relevance)}")
    for i, value in enumerate(relevance):
        if not isfinite(value):
            raise ValueError(f"relevance {i} must be a finite number, not {value}")


def _check_tokens(**tokens: int) -> None:
    for name, number in tokens.items():
        if not isinstance(number, Integral) or number < 0:
            raise ValueError(f"{name} must be a whole number of tokens of at least 0, not {number!r}")
