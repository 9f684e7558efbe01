"""«Thinking costs tokens»: the sums that a small model was asked, and the chapter's pictures."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from ..explore.theme import BUDGET, INK, OTHER, QUESTION, RELEVANT, axes
from ..lookup import wilson
from ..thinking import Sizes, Spending, any_right, chain, tree, tree_in_one_call

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# ------------------------------------------------------------------ sums for a small model

WAYS = ("direct", "chained", "dots", "apart")  # what stands between the question and the answer
EXAMPLES = 6


def sum_line(way: str, terms: Sequence[int]) -> str:
    """A sum worked out in one of four ways; `dots` has the form of `chained`, with nothing in it.

    >>> [sum_line(way, [1, 3, 3]) for way in WAYS[:3]]
    ['1 + 3 + 3 = 7', '1 + 3 + 3 = 4 + 3 = 7', '1 + 3 + 3 = . + . = 7']
    >>> sum_line("apart", [1, 3, 3])
    '1 + 3 + 3: 1 + 3 = 4; 4 + 3 = 7'
    """
    question, left, steps = " + ".join(map(str, terms)), list(terms), []
    while way != "direct" and len(left) > 1:
        steps.append(f"{left[0]} + {left[1]} = {left[0] + left[1]}")
        left = [left[0] + left[1], *left[2:]]
        if way != "apart":
            steps[-1] = " + ".join("." if way == "dots" and len(left) > 1 else str(number) for number in left)
    if way == "apart":
        return f"{question}: {'; '.join(steps)}"
    return " = ".join([question, *(steps or [str(sum(terms))])])


def sum_prompt(way: str, count: int, trial: int) -> tuple[str, list[int]]:
    """A prompt of six solved sums of `count` digits and one to solve, and that one's terms.

    Equal counts and trials have equal sums in every way. Raises ValueError for an unknown way.
    """
    if way not in WAYS:
        raise ValueError(f"way must be one of {', '.join(WAYS)}, not {way!r}")
    rng = random.Random(f"sums of {count}, trial {trial}")  # a text as seed: the same everywhere
    sums = [[rng.randint(1, 9) for _ in range(count)] for _ in range(EXAMPLES + 1)]
    lines = [sum_line(way, terms) for terms in sums[:-1]]
    asked = " + ".join(map(str, sums[-1])) + (":" if way == "apart" else " =")
    return "\n".join([*lines, asked]), sums[-1]


def sum_answer(text: str) -> int | None:
    """The last number of an answer; None if there is none.

    >>> sum_answer(" 4 + 3 = 7"), sum_answer(" . + .")
    (7, None)
    """
    numbers = re.findall(r"\d+", text.split("\n")[0])
    return int(numbers[-1]) if numbers else None


# ------------------------------------------------------------------ the window

BLANK = "\u00a0"  # a text that is there and not seen
WINDOW, AXIS = 8192, 10_000
RULES = 500  # tokens of instructions, examples and question
THOUGHT, VERDICT, ANSWER = 60, 20, 300


def three_ways(depth: int, branching: int, beam: int, sources: int) -> dict[str, Spending]:
    """One chain, and a tree in many calls and in one, for the sizes of the figure."""
    sizes = Sizes(prompt=RULES + sources, thought=THOUGHT, answer=ANSWER, verdict=VERDICT)
    return {
        "one chain": chain(sizes, depth),
        "tree, many calls": tree(sizes, depth, branching, beam),
        "tree, one call": tree_in_one_call(sizes, depth, branching, beam),
    }


def window_bars(depth: int, branching: int, beam: int, sources: int) -> Figure:
    """What the longest call of each way puts into a window of 8,192: instructions, sources, thoughts, answer."""
    figure, ax = axes(height=3.1)
    for row, (name, spent) in enumerate(three_ways(depth, branching, beam, sources).items()):
        thinking, answer = spent.longest - RULES - sources - ANSWER, ANSWER
        if name == "tree, many calls" and thinking > depth * THOUGHT:  # a call that proposes is the longest
            thinking, answer = thinking + ANSWER, 0
        at = 0
        for colour, tokens in ((OTHER, RULES), (QUESTION, sources), (BUDGET, thinking), (RELEVANT, answer)):
            width = max(0, min(at + tokens, AXIS) - at)
            ax.barh(row, width, left=at, height=0.5, color=colour)
            at += width
        free = WINDOW - spent.longest
        fits = f"{free:,} left" if free >= 0 else f"{-free:,} too many"
        ax.text(0, row - 0.36, f"{name}: {fits}", va="bottom", color=INK if free >= 0 else BUDGET)
    ax.plot([WINDOW, WINDOW], [-0.75, 2.4], color=INK, linewidth=1.2)
    legend = ((OTHER, "rules"), (QUESTION, "sources"), (BUDGET, "thinking"), (RELEVANT, "answer"))
    for place, (colour, name) in enumerate(legend):
        ax.text(place * 2600, 2.85, f"■ {name}", color=colour, va="center", fontsize=10)
    ax.set(xlim=(0, AXIS), ylim=(3.1, -0.75), xticks=[0, 2000, 4000, 6000, WINDOW], yticks=[],
           xlabel="tokens in the longest call")  # fmt: skip
    ax.set_xticklabels(["0", "2,000", "4,000", "6,000", "8,192"])
    ax.spines["left"].set_visible(False)
    return figure


def window_sentence(depth: int, branching: int, beam: int, sources: int) -> str:
    """What each way needs of the window, and what it takes over all calls."""
    said = []
    for name, spent in three_ways(depth, branching, beam, sources).items():
        free = WINDOW - spent.longest
        room = f"{free:,} of {WINDOW:,} left" if free >= 0 else f"{-free:,} too many for the window"
        calls = "1 call" if spent.calls == 1 else f"{spent.calls:,} calls"
        said.append(f"{name}: {calls}, {room}; {spent.read:,} read and {spent.written:,} written in all")
    return " ".join(f"{each[0].upper()}{each[1:]}." for each in said)


# ------------------------------------------------------------------ accuracy against tokens: our search

Row = Mapping[str, int]
BRANCHINGS, TRIES = (4, 8, 0), (0, 1, 3, 10)  # 0 in branching: every possible step
A_THOUGHT, A_TRY = 17, 12  # tokens


def written(row: Row, a_try: int = A_TRY) -> float:
    """Tokens written a game: 17 for every thought proposed, `a_try` for every try of a verdict.

    >>> written({"proposed": 1000, "judged": 500, "tries": 3, "games": 100})
    350.0
    """
    return (row["proposed"] * A_THOUGHT + row["judged"] * row["tries"] * a_try) / row["games"]


def curve(rows: Sequence[Row], branching: int, tries: int) -> list[Row]:
    """The rows of one way of proposing and judging, by beam."""
    found = [row for row in rows if (row["branching"], row["tries"]) == (branching, tries)]
    return sorted(found, key=lambda row: row["beam"])


def paying(rows: Sequence[Row], branching: int, tries: int, beam: int) -> Figure:
    """Games solved against tokens written; every curve one way of proposing and judging, its points the beams."""
    figure, ax = axes(height=3.3)
    for k in BRANCHINGS:
        for m in TRIES:
            points = curve(rows, k, m)
            ax.plot([written(row) for row in points], [100 * row["solved"] / row["games"] for row in points],
                    color=OTHER, linewidth=0.8, alpha=0.6)  # fmt: skip
    points = curve(rows, branching, tries)
    ax.plot([written(row) for row in points], [100 * row["solved"] / row["games"] for row in points],
            color=QUESTION, linewidth=2.2, marker="o", markersize=4)  # fmt: skip
    now = next(row for row in points if row["beam"] == beam)
    low, high = wilson(now["solved"], now["games"])
    x, y = written(now), 100 * now["solved"] / now["games"]
    ax.plot([x, x], [100 * low, 100 * high], color=BUDGET, linewidth=3, alpha=0.6)
    ax.plot([x], [y], "o", color=BUDGET, markersize=9)
    ax.set(xscale="log", xlim=(150, 60_000), ylim=(0, 100), yticks=range(0, 101, 25), ylabel="games solved, %",
           xlabel="tokens written a game")  # fmt: skip
    ax.set_xticks([200, 1000, 5000, 25_000], ["200", "1,000", "5,000", "25,000"])
    ax.minorticks_off()
    return figure


def paying_sentence(rows: Sequence[Row], branching: int, tries: int, beam: int) -> str:
    """What this setting solves, at which price, and how the other games were lost."""
    now = next(row for row in curve(rows, branching, tries) if row["beam"] == beam)
    low, high = wilson(now["solved"], now["games"])
    lost = f"{now['pruned']} lost by a cut, {now['not_proposed']} since no right step was proposed"
    return (
        f"{written(now):,.0f} tokens a game: {now['solved']} of {now['games']} solved ({100 * low:.0f} to "
        f"{100 * high:.0f} in a hundred); {lost}."
    )


# ------------------------------------------------------------------ accuracy against cost: the published logs

CURRENCIES = {"written": "tokens written", "both": "tokens read and written", "dollars": "US dollars of 2023"}
WRITE, READ = 0.06 / 1000, 0.03 / 1000  # a token of GPT-4 in 2023, as in the authors' program
CHAINS = (1, 2, 5, 10, 20, 50, 100)
REQUEST = 20  # chains drawn with one reading of the prompt
LIMITS = {"written": (10, 20_000), "both": (100, 40_000), "dollars": (0.005, 2)}
TICKS = {"written": (100, 1000, 10_000), "both": (100, 1000, 10_000), "dollars": (0.01, 0.1, 1)}  # as many each


class Cost(NamedTuple):
    """Tokens of one game."""

    written: float
    read: float

    def in_(self, currency: str) -> float:
        """The cost in one of the three currencies."""
        if currency == "dollars":
            return self.written * WRITE + self.read * READ
        return self.written + (self.read if currency == "both" else 0)


def cost_of_chains(log: Mapping[str, Mapping[str, float]], kind: str, chains: int) -> Cost:
    """What so many answers cost, out of what 100 cost: writing in proportion, reading once for every 20."""
    tokens = log[kind]
    return Cost(tokens["written"] * chains / 100, tokens["read"] * ceil(chains / REQUEST) / (100 // REQUEST))


def chains_or_tree(
    right: Mapping[str, Sequence[int]], tokens: Mapping[str, Mapping[str, float]], tree_solved: int,
    currency: str, chains: int,
) -> Figure:  # fmt: skip
    """Games with a right answer among so many chains, against their cost; and among the five of the tree."""
    figure, ax = axes(height=3.2)
    for kind, colour in (("io", OTHER), ("cot", QUESTION)):
        at = [cost_of_chains(tokens, kind, k).in_(currency) for k in CHAINS]
        ax.plot(at, [100 * any_right(right[kind], 100, k) for k in CHAINS], color=colour, marker="o", markersize=4)
        x, y = cost_of_chains(tokens, kind, chains).in_(currency), 100 * any_right(right[kind], 100, chains)
        ax.plot([x], [y], "o", color=colour, markersize=10)
    x = Cost(**tokens["tree"]).in_(currency)
    ax.plot([x], [tree_solved], "s", color=RELEVANT, markersize=10)
    low, high = LIMITS[currency]
    legend = ((RELEVANT, "■ tree, beam 5"), (QUESTION, "● chains"), (OTHER, "● answers at once"))
    for place, (colour, name) in enumerate(legend):
        ax.text(low * 1.15, 94 - 11 * place, name, color=colour, va="center", fontsize=10)
    ax.set(xscale="log", xlim=(low, high), ylim=(0, 100), yticks=range(0, 101, 25), ylabel="games, %",
           xlabel=CURRENCIES[currency] + ", a game")  # fmt: skip
    ticks = TICKS[currency]
    ax.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])
    ax.minorticks_off()
    return figure


def chains_sentence(
    right: Mapping[str, Sequence[int]], tokens: Mapping[str, Mapping[str, float]], tree_solved: int,
    currency: str, chains: int,
) -> str:  # fmt: skip
    """The same in words."""
    one = "1 chain" if chains == 1 else f"{chains} chains"
    at = _amount(cost_of_chains(tokens, "cot", chains), currency)
    share = 100 * any_right(right["cot"], 100, chains)
    answers = "1 answer" if chains == 1 else f"{chains} answers"
    io = _amount(cost_of_chains(tokens, "io", chains), currency)
    io_share = 100 * any_right(right["io"], 100, chains)
    return (
        f"{one}: {at} a game; a right answer among them in {share:.1f} of 100 games. {answers} at once: {io}; "
        f"in {io_share:.1f}. The tree: {_amount(Cost(**tokens['tree']), currency)}; a right one among its five in "
        f"{tree_solved} of 100 games."
    )


def _amount(cost: Cost, currency: str) -> str:
    amount = cost.in_(currency)
    return f"${amount:.3f}" if currency == "dollars" else f"{amount:,.0f} {CURRENCIES[currency]}"
