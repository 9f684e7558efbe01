"""Where in the prompt the best passages stand: at the edges, since models read the middle worst.

    ranked       1 2 3 4 5      the ranking as it is
    best_first   1 3 5 4 2      the best at the beginning, the second at the end, the weakest in the middle
    best_last    2 4 5 3 1      its mirror image: the best next to the question

Two well-known libraries deal the passages out alternately and so swap the last two layouts with every passage more
or less. Here each layout is the same for odd and even counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

T = TypeVar("T")
Order = Literal["ranked", "best_first", "best_last"]


def best_first(ranked: Sequence[T]) -> list[T]:
    """The best first, the second best last, and so on inwards.

    >>> best_first([1, 2, 3, 4, 5]), best_first([1, 2, 3, 4])
    ([1, 3, 5, 4, 2], [1, 3, 4, 2])
    """
    odd_places, even_places = list(ranked[0::2]), list(ranked[1::2])
    return odd_places + even_places[::-1]


def best_last(ranked: Sequence[T]) -> list[T]:
    """The best last, the second best first, and so on inwards: best_first read backwards.

    >>> best_last([1, 2, 3, 4, 5]), best_last([1, 2, 3, 4])
    ([2, 4, 5, 3, 1], [2, 4, 3, 1])
    """
    return best_first(ranked)[::-1]


ORDERS: dict[Order, Callable[[Sequence[T]], list[T]]] = {
    "ranked": list,
    "best_first": best_first,
    "best_last": best_last,
}
