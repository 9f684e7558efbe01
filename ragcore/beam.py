"""A tree of thoughts without a model: the game of 24, searched step by step with a beam.

    4 5 6 10 ─► every pair, every operation ─► 6 5 6 (10 − 4), 4 2 6 (10 ÷ 5), … ─verdict─► the best b stay ─► …

The game: join four numbers, each used once, by + − × ÷, so that 24 comes out. A *thought* is one operation, so a
path has three of them. A state is what is left to be joined. `beam_search` is the breadth-first search of Yao et
al. 2023 (Tree of Thoughts); there a language model proposes the thoughts and gives the verdicts. Here `some`
proposes k operations drawn at random, and `tries` plays a few random endings of what is left: a verdict of «sure»
is then never wrong, and a missing one says little. `reaches` knows the truth, so that we see which cut threw an
answer away.

What it does not do: it is no good way to solve the game (`reaches` is), and its verdicts are not a model's.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement
from numbers import Integral
from typing import NamedTuple

TARGET = 24
Numbers = tuple[Fraction, ...]


class Thought(NamedTuple):
    """The operations so far, as they would be written down, and the numbers that are left."""

    steps: tuple[str, ...]
    left: Numbers


Propose = Callable[[Thought], Sequence[Thought]]
Judge = Callable[[Thought], float]


class Level(NamedTuple):
    """One step of a search: all thoughts that were proposed, their verdicts, and those that were kept."""

    proposed: list[Thought]
    verdicts: list[float]
    kept: list[Thought]


def start(numbers: Iterable[int]) -> Thought:
    """The root of a game's tree: no step yet, all numbers left. Raises ValueError for less than two numbers.

    >>> start([10, 4, 6, 5]).left == (4, 5, 6, 10)
    True
    """
    left = tuple(sorted(Fraction(number) for number in numbers))
    if len(left) < 2:
        raise ValueError(f"a game joins at least two numbers, not {len(left)}")
    return Thought((), left)


def thoughts(state: Thought) -> list[Thought]:
    """Every next step: one operation on two of the numbers. Steps that leave the same numbers count once.

    A difference is taken from the larger number: where no number is below 0, what can be reached over negative ones
    can be reached without. Where one is below 0 already, both differences are steps.

    >>> [thought.steps[-1] for thought in thoughts(start([4, 6]))][:3]
    ['4 + 6 = 10 (left: 10)', '6 - 4 = 2 (left: 2)', '4 * 6 = 24 (left: 24)']
    """
    found: dict[Numbers, Thought] = {}
    negative = any(number < 0 for number in state.left)
    for i, j in combinations(range(len(state.left)), 2):
        a, b = sorted((state.left[i], state.left[j]))
        rest = [number for place, number in enumerate(state.left) if place not in (i, j)]
        for text, result in _joined(a, b, both=negative):
            left = tuple(sorted([*rest, result]))
            step = f"{text} = {result} (left: {' '.join(map(str, left))})"
            found.setdefault(left, Thought((*state.steps, step), left))
    return list(found.values())


def _joined(a: Fraction, b: Fraction, both: bool) -> list[tuple[str, Fraction]]:
    """What two numbers can become, a ≤ b; both: differences."""
    results = [(f"{a} + {b}", a + b), (f"{b} - {a}", b - a), (f"{a} * {b}", a * b)]
    results += [(f"{a} - {b}", a - b)] if both else []
    results += [(f"{a} / {b}", a / b)] if b else []
    return results + ([(f"{b} / {a}", b / a)] if a and a != b else [])


@cache
def _reaches(left: Numbers) -> bool:
    if len(left) == 1:
        return left[0] == TARGET
    return any(_reaches(thought.left) for thought in thoughts(Thought((), left)))


def reaches(state: Thought) -> bool:
    """Whether 24 can still be reached, found by trying everything.

    >>> reaches(start([4, 5, 6, 10])), reaches(start([1, 1, 1, 1]))
    (True, False)
    """
    return _reaches(state.left)


def games(largest: int = 13) -> list[tuple[int, ...]]:
    """All games of four numbers from 1 to `largest` that can be solved; of cards, 1 to 13, there are 1,362."""
    hands = combinations_with_replacement(range(1, largest + 1), 4)
    return [numbers for numbers in hands if reaches(start(numbers))]


# ------------------------------------------------------------------ who proposes, who judges


def _whole(name: str, number: int, least: int) -> None:
    if not isinstance(number, Integral) or number < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {number!r}")


def some(k: int, seed: int = 0) -> Propose:
    """Proposes k of the possible next steps, drawn at random, the same ones for equal numbers and seed.

    Raises ValueError for a k under 1.
    """
    _whole("k", k, 1)

    def propose(state: Thought) -> list[Thought]:
        found = thoughts(state)
        rng = random.Random(f"{seed} {' '.join(map(str, state.left))}")  # a text as seed: the same everywhere
        return rng.sample(found, min(k, len(found)))

    return propose


def tries(m: int, seed: int = 0) -> Judge:
    """Judges a state by m random endings: 1 («sure») if one of them is 24, else 0.

    A single number needs no ending: it is 24 or not. With m = 0 all other states are equal. Raises ValueError for
    an m under 0.
    """
    _whole("m", m, 0)

    def judge(state: Thought) -> float:
        if len(state.left) == 1:
            return float(state.left[0] == TARGET)
        rng = random.Random(f"{seed} {' '.join(map(str, state.left))}")
        for _ in range(m):
            end = state
            while len(end.left) > 1:
                end = rng.choice(thoughts(end))
            if end.left[0] == TARGET:
                return 1.0
        return 0.0

    return judge


# ------------------------------------------------------------------ the search


def beam_search(root: Thought, propose: Propose, judge: Judge, beam: int) -> list[Level]:
    """The search level by level: propose from every kept state, judge every thought, keep the best `beam`.

    Equal verdicts: the one proposed first. It ends when one number is left, so after three levels for four numbers.
    Raises ValueError for a beam under 1.

    >>> levels = beam_search(start([4, 6]), thoughts, tries(0), beam=1)
    >>> len(levels[0].proposed), levels[0].kept[0].steps[0]
    (5, '4 * 6 = 24 (left: 24)')
    """
    _whole("beam", beam, 1)
    kept, levels = [root], []
    while any(len(state.left) > 1 for state in kept):
        proposed = [thought for state in kept for thought in propose(state)]
        verdicts = [judge(thought) for thought in proposed]
        order = sorted(range(len(proposed)), key=lambda i: -verdicts[i])
        kept = [proposed[i] for i in order[:beam]]
        levels.append(Level(proposed, verdicts, kept))
    return levels


def solved(levels: Sequence[Level]) -> bool:
    """Whether one of the paths that were kept to the end makes 24; `levels` as `beam_search` gives them."""
    return any(thought.left[0] == TARGET for thought in levels[-1].kept)  # one number is left


def lost(levels: Sequence[Level]) -> tuple[int, str] | None:
    """Where a search lost its last way to 24: (step from 1, `not proposed` or `pruned`); None if it was solved.

    pruned: a thought from which 24 can be reached was proposed, and was not kept.
    """
    for step, level in enumerate(levels, start=1):
        if not any(reaches(thought) for thought in level.kept):
            proposed = any(reaches(thought) for thought in level.proposed)
            return step, "pruned" if proposed else "not proposed"
    return None
