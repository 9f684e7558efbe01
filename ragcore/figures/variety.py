"""Pictures of «The same thing twice»: what MMR picks next, and what it gains and loses on a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from ..diversity import mmr_scores
from ..explore.html import tag
from ..explore.theme import INK, OTHER, PAPER, QUESTION, RELEVANT, axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Against = Literal["all", "last"]

FILLED = "var(--explore-relevant)"
STRIPED = "repeating-linear-gradient(45deg, var(--explore-budget) 0 3px, transparent 3px 6px)"
NAME = "text-align: left; padding-left: 0; overflow-wrap: anywhere; font-weight: normal; width: 38%"
NUMBERS = "white-space: nowrap; text-align: right; padding-right: 0"


# ------------------------------------------------------------------ which candidate is picked next


@dataclass(frozen=True)
class Candidates:
    """What MMR chooses from. names: how the sentence calls them; texts: what stands beside the name, may be empty.

    relevance: one a candidate; likeness: of every two. Both from 0 to 1, since they are drawn as bars.
    digits: decimals that are shown.
    """

    names: Sequence[str]
    texts: Sequence[str]
    relevance: Sequence[float]
    likeness: Sequence[Sequence[float]]
    digits: int = 3

    def __post_init__(self) -> None:
        if not len(self.names) == len(self.texts) == len(self.relevance) == len(self.likeness):
            raise ValueError("names, texts, relevance and likeness must be as many as there are candidates")
        if np.min(self.relevance) < 0 or np.min(self.likeness) < 0:
            raise ValueError("a bar cannot show a relevance or a likeness below 0")


def scores_against(
    candidates: Candidates, picked: Sequence[int], lam: float, against: Against = "all"
) -> NDArray[np.float64]:
    """The MMR of every candidate, compared with all that were picked, or with the last pick only; picked: −∞."""
    if against not in get_args(Against):
        raise ValueError(f"against must be all or last, not {against!r}")
    compared = picked if against == "all" else picked[-1:]
    scores = mmr_scores(candidates.relevance, candidates.likeness, compared, lam)
    scores[list(picked)] = -np.inf
    return scores


def picks(candidates: Candidates, k: int, lam: float, against: Against = "all") -> list[int]:
    """The places of the first k picks.

    >>> toy = Candidates("ABC", ["", "", ""], [0.9, 0.9, 0.6], [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]])
    >>> picks(toy, 3, lam=0.5)
    [0, 2, 1]
    """
    picked: list[int] = []
    for _ in range(min(k, len(candidates.relevance))):
        picked.append(int(np.argmax(scores_against(candidates, picked, lam, against))))
    return picked


def _before(candidates: Candidates, step: int) -> None:
    if not 1 <= step <= len(candidates.names):
        count = len(candidates.names)
        raise ValueError(f"There are {count} candidates, so there are {count} steps and no step {step}.")


def next_pick(
    candidates: Candidates, step: int, lam: float, against: Against = "all", rows: int = 8, language: str = "en"
) -> Element:
    """A table of the candidates at one step: λ·relevance as a filled bar, the penalty as a striped one, the score.

    rows: of the table, those that are not needed are hidden. ► marks the next pick. Raises ValueError for a step
    that there is not, and for more candidates than rows.
    """
    _before(candidates, step)
    if len(candidates.names) > rows:
        raise ValueError(f"{len(candidates.names)} candidates need as many rows, not {rows}")
    *picked, now = picks(candidates, step, lam, against)
    scores = scores_against(candidates, picked, lam, against)
    compared = picked if against == "all" else picked[-1:]
    body = []
    for i in range(rows):
        if i >= len(candidates.names):
            body.append(_row("", "", 0, 0, "", "", language))
        elif i in picked:
            order = ("1st", "2nd", "3rd")[place] if (place := picked.index(i)) < 3 else f"{place + 1}th"
            body.append(_row(candidates.names[i], candidates.texts[i], 0, 0, "chosen", order, language))
        else:
            gain = lam * candidates.relevance[i]
            loss = (1 - lam) * max((candidates.likeness[i][j] for j in compared), default=0)
            sum_ = f"{gain:.{candidates.digits}f} − {loss:.{candidates.digits}f}"
            score = f"{'► ' if i == now else ''}{_number(scores[i], candidates.digits)}"
            body.append(_row(candidates.names[i], candidates.texts[i], gain, loss, sum_, score, language))
    heads = [("candidate", NAME), ("bars from 0 to 1", "text-align: left"), ("score", NUMBERS)]
    head = tag("tr", *(tag("th", text, scope="col", style=style) for text, style in heads))
    caption = tag("caption", "The candidates at this step", style="caption-side: top; text-align: left")
    return tag("div", _key(), tag("table", caption, tag("thead", head), tag("tbody", *body),
                                  style="width: 100%; max-width: 41rem"))  # fmt: skip


def _number(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def _row(name: str, text: str, gain: float, loss: float, sum_: str, score: str, language: str) -> Element:
    bars = [
        tag("div", style=f"height: 0.6em; margin: 0.15em 0; width: {100 * width:.1f}%; background: {fill}")
        for width, fill in ((gain, FILLED), (loss, STRIPED))
    ]
    row = tag(
        "tr",
        tag("th", tag("strong", name), " ", tag("small", text, lang=language), scope="row", style=NAME),
        tag("td", tag("div", *bars, aria_hidden="true"), style="width: 34%"),
        tag("td", tag("small", sum_), tag("br"), tag("strong", score), style=NUMBERS),
    )
    if not name:
        row.set("hidden", "hidden")
    return row


def _key() -> Element:
    parts: list[Element | str] = []
    for fill, name in ((FILLED, "λ · relevance"), (STRIPED, "(1 − λ) · likeness to the nearest chosen")):
        box = f"display: inline-block; width: 1em; height: 0.8em; border: 1px solid; background: {fill}"
        parts += [tag("span", style=box), f" {name}\u2003"]
    return tag("p", *parts, style="margin: 0 0 0.5em; font-size: 0.9em")


def next_pick_sentence(candidates: Candidates, step: int, lam: float, against: Against = "all") -> str:
    """Who is picked at this step and by how much; ties are named."""
    _before(candidates, step)
    *picked, now = picks(candidates, step, lam, against)
    scores, names, digits = scores_against(candidates, picked, lam, against), candidates.names, candidates.digits
    so_far = ", ".join(names[i] for i in picked) or "nothing"
    said = f"Step {step}, λ = {lam:g}. Chosen so far: {so_far}."
    best = _number(scores[now], digits)
    left = [i for i in np.argsort(-scores, kind="stable").tolist() if i not in picked]
    level = [i for i in left if scores[i] == scores[now]]
    if len(left) == 1:
        return f"{said} Only {names[now]} is left, with {best}."
    if len(level) > 1:
        who = "All" if len(level) == len(left) > 2 else _listed([names[i] for i in level])
        return f"{said} {who} tie at {best}; the earliest of them, {names[now]}, is next."
    second = _number(scores[left[1]], digits)
    gap = float(best.replace("−", "-")) - float(second.replace("−", "-"))
    less = f"{gap:.{digits}f} less" if gap > 0 else f"less by under {10**-digits:.{digits}f}"
    return f"{said} Next is {names[now]} with {best}; {names[left[1]]} follows with {second}, {less}."


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


# ------------------------------------------------------------------ what it gains and loses

Interval = tuple[float, float, float]  # mean, and its ends


def by_lambda(
    lams: Sequence[float],
    found: Sequence[Interval],
    different: Sequence[Interval],
    read: Sequence[float],
    chosen: float,
    of: int,
    most: int = 400,
) -> Figure:
    """Above, the questions whose answer is among the five passages, by λ; below, the words in them.

    found: counts of `of` questions, with their intervals; different: words that are read for the first time, a
    question, with intervals; read: all words in the five, the rest is said twice. chosen: the λ that is marked.
    The dashed line is what the largest λ finds. Raises ValueError if `chosen` is none of `lams`.
    """
    if chosen not in lams:
        raise ValueError(f"the marked λ must be one of {', '.join(f'{lam:g}' for lam in lams)}, not {chosen}")
    figure, ax = axes(height=4.8)
    ax.remove()
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[1.2, 1])
    places = range(len(lams))
    at = list(lams).index(chosen)
    top.axhline(found[list(lams).index(max(lams))][0], color=OTHER, linewidth=1, linestyle=(0, (3, 2)))
    top.vlines(places, [low for _, low, _ in found], [high for *_, high in found], color=QUESTION, linewidth=2)
    top.plot(places, [mean for mean, *_ in found], "o", color=QUESTION, markersize=6)
    top.plot([at], [found[at][0]], "o", markersize=13, markerfacecolor="none", markeredgecolor=INK,
             markeredgewidth=1.2)  # fmt: skip
    for place, (mean, low, _) in enumerate(found):
        top.text(place, low - 5, f"{mean:.0f}", color=QUESTION, ha="center", va="top")
    top.set(ylim=(0, of), yticks=range(0, of + 1, of // 3), ylabel=f"found, of {of}")
    means = [mean for mean, *_ in different]
    bottom.bar(places, means, width=0.62, color=RELEVANT)
    twice = [all_ - mean for all_, mean in zip(read, means, strict=True)]
    bottom.bar(places, twice, bottom=means, width=0.62, color="none", edgecolor=OTHER, hatch="////", linewidth=0.8)
    bottom.vlines(
        places, [low for _, low, _ in different], [high for *_, high in different], color=INK, linewidth=2
    )
    for place, mean in enumerate(means):
        bottom.text(place, 20, f"{mean:.0f}", color=PAPER, ha="center", va="bottom")
    bottom.set(xlim=(-0.6, len(lams) - 0.4), ylim=(0, most), yticks=range(0, most + 1, most // 4), xlabel="λ",
               ylabel="words in five")  # fmt: skip
    bottom.set_xticks(places, [f"{lam:g}" for lam in lams])
    return figure
