"""When to refuse: the two kinds of error that a threshold makes, and what they cost.

A question is answered if its score is at least the threshold τ. *Silent* questions have no answer in the documents.

    W(τ) = share of the silent questions that are answered        wrong answers
    R(τ) = share of the answerable questions that are refused     needless refusals
    cost(τ) = π·c·W(τ) + (1 − π)·R(τ)      π: share of silent questions; c: wrong answer = c needless refusals

What it does not know: how a score was made. It must mean the same for every question (see `rag`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np


def errors(threshold: float, silent: Sequence[float], answerable: Sequence[float]) -> tuple[int, int]:
    """How many silent questions are answered, and how many answerable ones refused, at a threshold.

    >>> errors(0.3, silent=[0.2, 0.4], answerable=[0.1, 0.3, 0.6])
    (1, 1)
    """
    return sum(score >= threshold for score in silent), sum(score < threshold for score in answerable)


def auc(answerable: Sequence[float], silent: Sequence[float]) -> float:
    """How often an answerable question has a higher score than a silent one, over all pairs; a tie counts half.

    1: a threshold divides them without error. ½: a coin does as well. It is the area over the curve of W against R.

    >>> auc([0.5, 0.9], [0.2, 0.5])
    0.875
    """
    above = np.subtract.outer(np.asarray(answerable, float), np.asarray(silent, float))
    return float(np.mean((above > 0) + 0.5 * (above == 0)))


def auc_interval(
    answerable: Sequence[float], silent: Sequence[float], rounds: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """The middle 95 % of the AUC when both kinds of question are drawn anew, with replacement (bootstrap)."""
    above = np.subtract.outer(np.asarray(answerable, float), np.asarray(silent, float))
    won = (above > 0) + 0.5 * (above == 0)
    random, (rows, columns) = np.random.default_rng(seed), won.shape
    weights = [(random.multinomial(rows, [1 / rows] * rows), random.multinomial(columns, [1 / columns] * columns))
               for _ in range(rounds)]  # fmt: skip
    areas = [a @ won @ b / (rows * columns) for a, b in weights]
    low, high = np.quantile(areas, [0.025, 0.975])
    return float(low), float(high)


def cost(wrong: float, needless: float, silent_share: float, times: float) -> float:
    """What a question costs on average, in needless refusals: π·c·W + (1 − π)·R.

    wrong, needless: the shares W and R; silent_share: π; times: c, how many needless refusals a wrong answer is
    worth. Raises ValueError for shares outside 0 … 1 and for a negative c.

    >>> round(cost(wrong=0.5, needless=0.2, silent_share=0.1, times=5), 3)
    0.43
    """
    if not all(0 <= share <= 1 for share in (wrong, needless, silent_share)) or times < 0:
        raise ValueError(
            f"shares lie between 0 and 1 and c is not negative: {wrong, needless, silent_share, times}"
        )
    return silent_share * times * wrong + (1 - silent_share) * needless


class Choice(NamedTuple):
    """A threshold with its errors, as counts, and its cost for every question, in needless refusals."""

    threshold: float
    wrong: int
    needless: int
    cost: float


def curve(silent: Sequence[float], answerable: Sequence[float], silent_share: float, times: float) -> list[Choice]:
    """Every threshold that makes a difference, from answering everything to refusing everything (∞)."""
    thresholds = [*sorted({*silent, *answerable}), inf]
    choices = []
    for threshold in thresholds:
        wrong, needless = errors(threshold, silent, answerable)
        price = cost(wrong / len(silent), needless / len(answerable), silent_share, times)
        choices.append(Choice(threshold, wrong, needless, price))
    return choices


def best_threshold(
    silent: Sequence[float], answerable: Sequence[float], silent_share: float, times: float
) -> Choice:
    """The threshold with the lowest cost; of equal ones the lowest, which answers most."""
    return min(curve(silent, answerable, silent_share, times), key=lambda choice: round(choice.cost, 12))
