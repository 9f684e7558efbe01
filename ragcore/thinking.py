"""What thinking costs: a chain of thoughts, several chains and a vote, a tree; in tokens, calls and window.

    chain   one call                             reads x                            writes d·t + a
    vote    s chains, the commonest answer       reads s·x                          writes s · (d·t + a)
    tree    step i = 1 … d: from the kept states, c_i thoughts; a verdict on each; the best b are kept
            c_i = b_{i−1} · k      b_i = min(b, c_i)      b_0 = 1
            written    Σ c_i · (t + e)  +  a
            read       Σ [ b_{i−1} · (x + (i−1)·t)  +  c_i · (x + i·t) ]  +  x + d·t
            calls      Σ (b_{i−1} + c_i)  +  1

    x      tokens of the prompt, sources included       t   of one thought, one step
    e      of a verdict on a thought                    a   of the answer
    d      depth: steps on a path                       k   branching: thoughts proposed from one state
    b      beam: states that are kept                   s   chains

One call proposes the k thoughts of a state, one call judges a thought, one call writes the answer from the best
path. All read the same prompt first, then the path. So with a *prefix cache* only x and each new thought, once, are
read for the first time: Σ c_i · t + x. What a window has to hold is one call, not the sum: the tree pays in tokens,
the chain in window.

This is arithmetic with round numbers. A model writes as many tokens as it likes, proposes the same thought twice,
and stops short; a cache forgets, and has a shortest length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from numbers import Integral

from .budget import window_left
from .costs import PriceEntry


@dataclass(frozen=True)
class Sizes:
    """Tokens of the pieces: the prompt, one thought, a verdict on it, the answer. Raises ValueError below 0."""

    prompt: int
    thought: int
    answer: int
    verdict: int = 0

    def __post_init__(self) -> None:
        _whole(0, prompt=self.prompt, thought=self.thought, answer=self.answer, verdict=self.verdict)


@dataclass(frozen=True)
class Spending:
    """What a way of thinking takes.

    calls: to the model. read: tokens of all prompts, each call's whole. fresh: those that no earlier call has read.
    written: tokens that the model writes. longest: the call that needs most window, prompt and answer.
    waiting: tokens written one after another, if every call that can runs beside the others.
    """

    calls: int
    read: int
    fresh: int
    written: int
    longest: int
    waiting: int

    @property
    def total(self) -> int:
        """All tokens, read and written."""
        return self.read + self.written

    def left(self, window: int) -> int:
        """Tokens of a window that its longest call leaves free. Raises ValueError if that does not fit."""
        return window_left(window, self.longest)

    def price(self, entry: PriceEntry, cache: bool = False) -> float:
        """What it costs in the entry's currency; cache: what was read before is billed as cached input.

        Raises ValueError if the longest call, answer included, is over the entry's `up_to` (the list means prompts
        alone, so this is on the safe side), and for `cache` where the list has no such price.
        """
        if self.longest > entry.up_to:
            raise ValueError(
                f"{entry.model} is listed for up to {entry.up_to} tokens, not a call of {self.longest}"
            )
        if cache and entry.cached_input is None:
            raise ValueError(f"the list has no price for cached input of {entry.model}")
        again = (self.read - self.fresh) * ((entry.cached_input or 0) if cache else entry.input)
        return (self.fresh * entry.input + again + self.written * entry.output) / 1_000_000


def chain(sizes: Sizes, depth: int) -> Spending:
    """One chain of `depth` thoughts and the answer; depth 0 answers at once.

    >>> chain(Sizes(prompt=1000, thought=50, answer=100), depth=6)
    Spending(calls=1, read=1000, fresh=1000, written=400, longest=1400, waiting=400)
    """
    return vote(sizes, depth, chains=1)


def vote(sizes: Sizes, depth: int, chains: int) -> Spending:
    """`chains` chains side by side; which answer most of them give is counted without a model (self-consistency).

    Raises ValueError for a depth under 0 and for less than one chain.

    >>> vote(Sizes(prompt=1000, thought=50, answer=100), depth=6, chains=10).written
    4000
    """
    _whole(0, depth=depth)
    _whole(1, chains=chains)
    written = depth * sizes.thought + sizes.answer
    return Spending(
        calls=chains,
        read=chains * sizes.prompt,
        fresh=sizes.prompt,
        written=chains * written,
        longest=sizes.prompt + written,
        waiting=written,
    )


def widths(depth: int, branching: int, beam: int) -> list[tuple[int, int]]:
    """For every step: the states that thoughts are proposed from, and the thoughts, (b_{i−1}, c_i).

    Raises ValueError for a depth, branching or beam under 1.

    >>> widths(depth=3, branching=10, beam=5)
    [(1, 10), (5, 50), (5, 50)]
    """
    _whole(1, depth=depth, branching=branching, beam=beam)
    steps, states = [], 1
    for _ in range(depth):
        steps.append((states, states * branching))
        states = min(beam, states * branching)
    return steps


def tree(sizes: Sizes, depth: int, branching: int, beam: int) -> Spending:
    """A tree searched breadth-first with a beam (Yao et al. 2023), many short calls; one answer is written.

    Raises ValueError for a depth, branching or beam under 1.

    >>> tree(Sizes(prompt=1000, thought=50, answer=100, verdict=20), depth=6, branching=5, beam=3)
    Spending(calls=97, read=114800, fresh=5000, written=5700, longest=1500, waiting=1720)
    """
    x, t, e = sizes.prompt, sizes.thought, sizes.verdict
    steps = widths(depth, branching, beam)
    thoughts = sum(proposed for _, proposed in steps)
    read, longest = x + depth * t, x + depth * t + sizes.answer
    for i, (states, proposed) in enumerate(steps, start=1):
        read += states * (x + (i - 1) * t) + proposed * (x + i * t)
        longest = max(longest, x + (i - 1) * t + branching * t, x + i * t + e)
    return Spending(
        calls=sum(states + proposed for states, proposed in steps) + 1,
        read=read,
        fresh=x + thoughts * t,
        written=thoughts * (t + e) + sizes.answer,
        longest=longest,
        waiting=depth * (branching * t + e) + sizes.answer,
    )


def tree_in_one_call(sizes: Sizes, depth: int, branching: int, beam: int) -> Spending:
    """The same search written down in a single answer, as a model does that thinks before it answers.

    Every thought and verdict stays in the window, pruned ones too. Raises ValueError as `tree` does.

    >>> tree_in_one_call(Sizes(prompt=1000, thought=50, answer=100, verdict=20), depth=6, branching=5, beam=3)
    Spending(calls=1, read=1000, fresh=1000, written=5700, longest=6700, waiting=5700)
    """
    thoughts = sum(proposed for _, proposed in widths(depth, branching, beam))
    written = thoughts * (sizes.thought + sizes.verdict) + sizes.answer
    return Spending(1, sizes.prompt, sizes.prompt, written, sizes.prompt + written, written)


def any_right(right: Sequence[int], of: int, chains: int) -> float:
    """The share of tasks with at least one right answer among `chains` of the `of` that were drawn.

    right: for every task, how many of its `of` answers were right. For a task with r of them, chains drawn without
    putting back miss all with probability C(of − r, chains) / C(of, chains). It takes somebody who *knows* which
    answer is right; a vote does not. Raises ValueError without tasks, and for numbers that do not fit together.

    >>> any_right([0, 1, 10], of=10, chains=5)   # a task never solved, one solved once in ten, one always
    0.5
    """
    _whole(1, of=of, chains=chains)
    if chains > of:
        raise ValueError(f"chains must lie between 1 and {of}, not {chains}")
    if not right or not all(isinstance(r, Integral) and 0 <= r <= of for r in right):
        raise ValueError(f"right must be whole numbers from 0 to {of}, one a task, not {list(right)}")
    return sum(1 - comb(of - r, chains) / comb(of, chains) for r in right) / len(right)


def _whole(least: int, **numbers: int) -> None:
    for name, number in numbers.items():
        if not isinstance(number, Integral) or number < least:
            raise ValueError(f"{name} must be a whole number of at least {least}, not {number!r}")
