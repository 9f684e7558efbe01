"""Pictures of «Your own notes»: the fate of every question under other settings, and finding against reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from ..diagnosis import FAULTS, Finding
from ..explore.html import tag
from ..explore.theme import BUDGET, INK, OTHER, QUESTION, RELEVANT, axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LANES = ("no fault", "ranked low", "other words", "cut in two", "elsewhere", "not in the note", "not indexed")
LEFT = "text-align: left; padding-left: 0; overflow-wrap: anywhere"


def fates(findings: Sequence[Finding], direct: int, lanes: Sequence[str] = LANES) -> Figure:
    """Every question as a dot in the lane of what went wrong with it; from left to right as they are numbered.

    direct: how many of the first are in the notes' words; a line parts them from the paraphrased ones. lanes: those
    that are drawn, «no fault» first. Raises ValueError for a question whose lane is not among them, and for one
    without an answer, which has none.
    """
    if any(finding.question.article is None for finding in findings):
        raise ValueError("a question without an answer has no lane")
    if missing := {finding.fault or LANES[0] for finding in findings} - set(lanes):
        raise ValueError(f"there is no lane for {', '.join(sorted(missing))}")
    figure, ax = axes(height=1.2 + 0.33 * len(lanes))
    for lane, name in enumerate(lanes):
        ax.plot([0.5, len(findings) + 0.5], [-lane, -lane], color=OTHER, linewidth=0.6)
        ax.text(0.6, 0.12 - lane, name, color=RELEVANT if lane == 0 else BUDGET, fontsize=10, va="bottom")
    for number, finding in enumerate(findings, 1):
        lane = lanes.index(finding.fault or LANES[0])
        ax.text(number, -lane, "●", color=BUDGET if lane else RELEVANT, fontsize=11, ha="center", va="center")
    ax.plot([direct + 0.5] * 2, [0.4, 0.4 - len(lanes)], color=INK, linewidth=0.8, linestyle=(0, (2, 2)))
    ax.text(direct + 0.2, 0.75, "direct", ha="right", fontsize=10, color=QUESTION)
    ax.text(direct + 0.9, 0.75, "paraphrased", fontsize=10, color=QUESTION)
    ax.set(xlim=(0, len(findings) + 1), ylim=(0.2 - len(lanes), 1.2), yticks=[], xlabel="number of the question")
    ax.set_xticks([1, *range(5, len(findings) + 1, 5)])
    ax.spines["left"].set_visible(False)
    return figure


def fates_sentence(findings: Sequence[Finding], k: int) -> str:
    """How many answers stand whole among the first k, and the numbers of the questions with each fault."""
    whole = sum(finding.fault is None for finding in findings)
    numbers = {fault: [n for n, finding in enumerate(findings, 1) if finding.fault == fault] for fault in FAULTS}
    faults = [f"{fault}: {', '.join(map(str, found))}" for fault, found in numbers.items() if found]
    return f"{whole} of {len(findings)} answers stand whole in the first {k} passages. {'; '.join(faults)}."


def fates_table(findings: Sequence[Finding], numbers: Sequence[int]) -> Element:
    """The questions with these numbers, the rank of their answer, and what went wrong. Fixed in height."""
    rows = []
    for number in numbers:
        finding = findings[number - 1]
        name = tag("th", f"{number}  {finding.question.text}", scope="row", style=LEFT)
        rank = tag("td", str(finding.rank) if finding.rank else "–")
        rows.append(tag("tr", name, rank, tag("td", finding.fault or "–", style="text-align: left")))
    heads = ("question", LEFT), ("rank", ""), ("fault", "text-align: left")
    head = tag("tr", *(tag("th", text, scope="col", style=look) for text, look in heads))
    return tag("table", tag("thead", head), tag("tbody", *rows))


def by_chance(chunks: int, right: int, k: int) -> float:
    """How likely k passages drawn blindly hold a right one: 1 − C(N − r, k) / C(N, k).

    N: passages; r: those that answer. Raises ValueError unless 0 ≤ r ≤ N and k ≥ 1.

    >>> round(by_chance(42, 1, 5), 3), by_chance(5, 1, 5)
    (0.119, 1.0)
    """
    if not 0 <= right <= chunks or k < 1:
        raise ValueError(f"needs 0 ≤ right ≤ chunks and k ≥ 1, not {right} of {chunks} and k = {k}")
    return 1 - comb(chunks - right, k) / comb(chunks, k) if k <= chunks else float(right > 0)


def found_and_read(
    points: Mapping[str, tuple[float, float]], chance: Sequence[tuple[float, float]], widest: float = 1.0
) -> Figure:
    """The share of answers found over the share of all notes that had to be read for it; and what chance finds.

    points: a label -> (share read, share found); chance: the same for passages drawn blindly, each at what it reads
    itself; the dashed line: a tenth found for a tenth read. widest: the largest share read that has room.
    Raises ValueError for a share outside 0 … 1, or above `widest`.
    """
    if any(not (0 <= read <= widest and 0 <= found <= 1) for read, found in [*points.values(), *chance]):
        raise ValueError(f"a share lies outside of 0 … {widest}, or 0 … 1: {dict(points)}, {list(chance)}")
    figure, ax = axes(height=3.6)
    ax.plot([0, 1], [0, 1], color=OTHER, linewidth=1, linestyle=(0, (4, 2)))
    for read, found in chance:
        ax.plot([read], [found], "o", color=OTHER, markersize=5)
    for label, (read, found) in points.items():
        ax.plot([read], [found], "o", color=RELEVANT, markersize=7)
        ax.text(read, found + 0.04, label, color=RELEVANT, fontsize=10, ha="center")
    ax.text(0.98 * widest, widest - 0.15, "by chance", color=OTHER, fontsize=10, ha="right", va="top")
    ticks = [0, 0.25, 0.5, 0.75, 1]
    ax.set(xlim=(0, widest), ylim=(0, 1.1), xlabel="share of all words that were read", ylabel="answers found")
    across = [tick * widest / 5 for tick in range(6)]
    ax.set_xticks(across, [f"{100 * share:.0f} %" for share in across])
    ax.set_yticks(ticks, [f"{100 * share:.0f} %" for share in ticks])
    return figure
