"""Pictures of «Knowing when not to answer»: the two errors, what they cost, the questions at the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import Element

from ..explore.html import tag
from ..explore.theme import BUDGET, INK, OTHER, QUESTION, RELEVANT, axes
from ..lookup import wilson
from ..thresholds import best_threshold, curve, errors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LANES = {"direct": RELEVANT, "paraphrase": QUESTION, "unanswerable": BUDGET}
NAMES = {"direct": "direct", "paraphrase": "paraphrased", "unanswerable": "silent"}
POINTS = 80  # steps of the axis of thresholds in `costs`
LEFT = "text-align: left; padding-left: 0; overflow-wrap: anywhere"

# ------------------------------------------------------------------ the threshold


def tradeoff(scores: dict[str, Sequence[float]], threshold: float, ends: tuple[float, float]) -> Figure:
    """Above, every question as a stroke at its score, and the threshold; below, W against R with the present point.

    scores: of the direct, paraphrased and unanswerable questions; ends: of the axis of scores. The cross at the
    point are Wilson's intervals, 95 %. Raises ValueError for a score or threshold outside of the axis.
    """
    low, high = ends
    if any(not low <= score <= high for score in [threshold, *(s for lane in scores.values() for s in lane)]):
        raise ValueError(f"a score or the threshold {threshold} lies outside of {low} … {high}")
    figure, ax = axes(height=5.6)
    ax.remove()
    figure.set_layout_engine("none")  # room is made by hand: 200 states are drawn, and finding a layout is slow
    top, bottom = figure.add_axes((0.25, 0.75, 0.69, 0.24)), figure.add_axes((0.25, 0.1, 0.69, 0.52))
    _strokes(top, scores, threshold, ends)
    silent = scores["unanswerable"]
    answerable = [*scores["direct"], *scores["paraphrase"]]
    steps = curve(silent, answerable, 0.5, 1)
    bottom.plot([0, 1], [1, 0], color=OTHER, linewidth=1.2, linestyle=(0, (1, 1.5)))
    bottom.text(0.52, 0.53, "a coin", color=OTHER, ha="left", va="bottom")
    bottom.plot([step.needless / len(answerable) for step in steps], [step.wrong / len(silent) for step in steps],
                color=INK, linewidth=1.6)  # fmt: skip
    wrong, needless = errors(threshold, silent, answerable)
    x, y = needless / len(answerable), wrong / len(silent)
    bottom.plot([x, x], wilson(wrong, len(silent)), color=BUDGET, linewidth=2.5)
    bottom.plot(wilson(needless, len(answerable)), [y, y], color=QUESTION, linewidth=2.5)
    bottom.plot([x], [y], "o", color=INK, markersize=8, clip_on=False)
    bottom.set(xlim=(0, 1), ylim=(0, 1), xlabel="R, answerable questions refused", ylabel="W, silent ones answered")
    bottom.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    bottom.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    return figure


def _strokes(ax: Axes, scores: dict[str, Sequence[float]], threshold: float, ends: tuple[float, float]) -> None:
    low, high = ends
    for place, (kind, colour) in enumerate(LANES.items()):
        x = [(score - low) / (high - low) for score in scores[kind] for _ in range(3)]
        y = [place - 0.32, place + 0.32, float("nan")] * len(scores[kind])
        ax.plot(x, y, color=colour, linewidth=1.1)
    at = (threshold - low) / (high - low)
    ax.axvline(at, color=INK, linewidth=2)
    ax.set(xlim=(0, 1), ylim=(2.5, -0.5), xlabel="score of the best passage")
    ax.set_xticks(
        [0, 0.25, 0.5, 0.75, 1], [f"{low + (high - low) * share:.2f}" for share in (0, 0.25, 0.5, 0.75, 1)]
    )
    ax.set_yticks(range(3), list(NAMES.values()))
    ax.tick_params(axis="y", left=False)
    ax.spines["left"].set_visible(False)
    for label, colour in zip(ax.get_yticklabels(), LANES.values(), strict=True):
        label.set_color(colour)


def tradeoff_sentence(scores: dict[str, Sequence[float]], threshold: float, decimals: int = 3) -> str:
    """What a threshold does to each kind of question, in counts and shares, with Wilson's intervals."""
    silent, wrong = scores["unanswerable"], errors(threshold, scores["unanswerable"], [])[0]
    refused = {kind: errors(threshold, [], scores[kind])[1] for kind in ("direct", "paraphrase")}
    answerable = len(scores["direct"]) + len(scores["paraphrase"])
    needless = sum(refused.values())
    return (
        f"Threshold {threshold:.{decimals}f}. Wrong answers: {_of(wrong, len(silent))}. "
        f"Needless refusals: {_of(needless, answerable)}, namely "
        f"{refused['direct']} of {len(scores['direct'])} direct questions and "
        f"{refused['paraphrase']} of {len(scores['paraphrase'])} paraphrased ones."
    )


def _of(count: int, n: int) -> str:
    low, high = wilson(count, n)
    return f"{count} of {n} ({100 * count / n:.0f} %; the true share may be {100 * low:.0f} to {100 * high:.0f} %)"


# ------------------------------------------------------------------ what it costs


def costs(
    silent: Sequence[float],
    answerable: Sequence[float],
    silent_share: float,
    times: float,
    ends: tuple[float, float],
) -> Figure:
    """The cost of every threshold, split in its two kinds of error; the best one; the two simple rules.

    The costs are drawn as shares of the dearer of the two simple rules, since c changes them a hundredfold.
    ends: of the axis of scores.
    """
    low, high = ends
    best = best_threshold(silent, answerable, silent_share, times)
    whole = max(silent_share * times, 1 - silent_share)
    x = [place / POINTS for place in range(POINTS + 1)]
    at_x = [errors(low + (high - low) * place, silent, answerable) for place in x]
    wrong = [silent_share * times * count / len(silent) / whole for count, _ in at_x]
    needless = [(1 - silent_share) * count / len(answerable) / whole for _, count in at_x]
    figure, ax = axes(height=3.9)
    figure.set_layout_engine("none")
    ax.set_position((0.09, 0.14, 0.85, 0.84))
    for level in (silent_share * times / whole, (1 - silent_share) / whole):
        ax.plot([0, 1], [level, level], color=OTHER, linewidth=1.2, linestyle=(0, (4, 2)))
    ax.text(0.99, silent_share * times / whole - 0.015, "answer everything", color=OTHER, fontsize=10,
            ha="right", va="top")  # fmt: skip
    ax.text(0.01, (1 - silent_share) / whole + 0.015, "refuse everything", color=OTHER, fontsize=10, va="bottom")
    ax.plot(x, wrong, color=BUDGET, linewidth=1.4, linestyle=(0, (1, 1)))
    ax.plot(x, needless, color=QUESTION, linewidth=1.4, linestyle=(0, (4, 1.5)))
    ax.plot(x, [a + b for a, b in zip(wrong, needless, strict=True)], color=INK, linewidth=2.2)  # fmt: skip
    at = (min(best.threshold, high) - low) / (high - low)
    ax.plot([at], [best.cost / whole], "o", color=RELEVANT, markersize=9, clip_on=False)
    key = (("both", INK, "-", 2.2), ("wrong answers", BUDGET, (0, (1, 1)), 1.4),
           ("needless refusals", QUESTION, (0, (4, 1.5)), 1.4))  # fmt: skip
    for place, (label, colour, line, width) in enumerate(key):
        ax.plot([0.5, 0.57], [1.47 - 0.1 * place] * 2, color=colour, linestyle=line, linewidth=width)
        ax.text(0.59, 1.47 - 0.1 * place, label, color=colour, va="center", fontsize=10)
    ax.plot([0.04], [1.47], "o", color=RELEVANT, markersize=9)
    ax.text(0.08, 1.47, "the lowest", color=RELEVANT, va="center", fontsize=10)
    ax.set(xlim=(0, 1), ylim=(0, 1.55), yticks=[], ylabel="cost", xlabel="threshold")
    ax.set_xticks(
        [0, 0.25, 0.5, 0.75, 1], [f"{low + (high - low) * share:.2f}" for share in (0, 0.25, 0.5, 0.75, 1)]
    )
    return figure


def costs_sentence(
    silent: Sequence[float], answerable: Sequence[float], silent_share: float, times: float, decimals: int = 3
) -> str:
    """The best threshold for a stated cost, its errors, and what the two simple rules cost, in 100 questions."""
    best = best_threshold(silent, answerable, silent_share, times)
    every, none = 100 * silent_share * times, 100 * (1 - silent_share)
    if best.threshold == inf:
        rule = "The cheapest rule is to refuse everything"
    elif not best.needless and best.wrong == len(silent):
        rule = "The cheapest rule is to answer everything"
    else:
        rule = f"The cheapest threshold is {best.threshold:.{decimals}f}"
    return (
        f"{rule}: {best.wrong} of {len(silent)} silent questions answered, {best.needless} of {len(answerable)} "
        f"answerable ones refused. In 100 questions it costs as much as {100 * best.cost:.0f} needless refusals; "
        f"answering everything {every:.0f}, refusing everything {none:.0f}."
    )


# ------------------------------------------------------------------ the questions at the threshold


class Asked(NamedTuple):
    """A question with its kind, its score, and whether the passages that were found hold its answer."""

    text: str
    kind: str
    score: float
    found: bool


def neighbours(asked: Sequence[Asked], threshold: float, each: int = 4) -> tuple[list[Asked], list[Asked]]:
    """The last ones to be answered and the first to be refused, from high scores to low."""
    order = sorted(asked, key=lambda one: -one.score)
    first = sum(one.score >= threshold for one in order)
    return order[max(0, first - each) : first], order[first : first + each]


def verdict(one: Asked, answered: bool) -> str:
    """What answering or refusing this question is: right, needless, or one of two ways of being wrong."""
    if answered:
        return "right" if one.found else "wrong: silent" if one.kind == "unanswerable" else "wrong: not found"
    return "needless" if one.found else "right: silent" if one.kind == "unanswerable" else "right: not found"


def border(asked: Sequence[Asked], threshold: float, language: str, each: int = 4) -> Element:
    """A table of the questions on both sides of a threshold: score, question, what its fate is. Fixed in height."""
    above, below = neighbours(asked, threshold, each)
    parts = [*(("answered", one) for one in above), *(("refused", one) for one in below)]
    rows = []
    for fate, one in parts:
        name = tag("th", tag("span", one.text, lang=language), scope="row", style=LEFT)
        what = tag("td", f"{fate}, {verdict(one, fate == 'answered')}", style="text-align: left")
        rows.append(tag("tr", name, tag("td", f"{one.score:.3f}"), what))
    head = tag("tr", *(tag("th", text, scope="col", style=LEFT if text != "score" else "")
                       for text in ("question", "score", "fate")))  # fmt: skip
    caption = tag("caption", f"The questions nearest to the threshold {threshold:.3f}",
                  style="caption-side: top; text-align: left")  # fmt: skip
    return tag("table", caption, tag("thead", head), tag("tbody", *rows))


def border_sentence(asked: Sequence[Asked], threshold: float) -> str:
    """How many of all questions have each fate at a threshold, if a search that missed the answer counts too."""
    fates = [verdict(one, one.score >= threshold) for one in asked]
    return (
        f"Of {len(asked)} questions {sum(one.score >= threshold for one in asked)} are answered: "
        f"{fates.count('right')} with the answer among the passages, {fates.count('wrong: not found')} without it, "
        f"and of the silent ones {fates.count('wrong: silent')}. "
        f"Refused needlessly: {fates.count('needless')}; rightly: "
        f"{fates.count('right: not found')} whose answer was not found, "
        f"and of the silent ones {fates.count('right: silent')}."
    )
