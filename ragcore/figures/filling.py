"""Pictures of «The context builder»: a prompt line by line, and what each way of choosing takes at a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from ..budget import density_order, fit_to_budget, knapsack_exact, knapsack_fractional
from ..context import Context
from ..explore.html import Part, tag
from ..explore.theme import BUDGET, INK, OTHER, PAPER, QUESTION, RELEVANT, axes
from ..prompting import RENDERINGS, phrases_of
from ..tokens import WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKER = "color: var(--explore-budget); text-decoration: underline; text-underline-offset: 0.15em"
LINE = "text-align: left; padding-left: 0; overflow-wrap: anywhere"
COUNT = "white-space: nowrap; vertical-align: top"
STRIPES = "repeating-linear-gradient(45deg, var(--explore-budget) 0 3px, transparent 3px 6px)"

MOST = 640  # tokens on the axis of `choices`
BOXES = 10  # passages that one way of choosing can show
METHODS = {"exact": RELEVANT, "relevance": QUESTION, "density": BUDGET}
STYLES = {"exact": ("-", 3.2), "density": ((0, (4, 1.5)), 1.8), "relevance": ("-", 1.6)}
SIGNS = {"exact": ("o", 10), "density": ("s", 7), "relevance": ("D", 4)}  # large ones first: all can be seen

# ------------------------------------------------------------------ the prompt itself


def prompt_lines(context: Context, slots: int, language: str) -> Element:
    """A prompt of the «scored» form as it is, a line a row, markers underlined, with the tokens of every line.

    slots: rows for passages; those that the prompt does not need are hidden. A passage's tokens stand as «marker +
    text». Above, the whole budget as a bar: filled text, striped markers, what stays free empty. Counted in words.
    """
    layers, sources = context.prompt.layers, list(context.prompt.sources.items())
    if len(sources) > slots:
        raise ValueError(f"{len(sources)} passages need as many slots, not {slots}")
    form, phrases = RENDERINGS["scored"], phrases_of(language)
    rows = [_row(layers["system"], "", f"{WORDS.count(layers['system'])}", language)]
    for place in range(slots):
        if place < len(sources):
            id, passage = sources[place]
            text = " ".join(passage.text.split())
            line = form.source(id, passage, phrases)
            marker = line.removesuffix(text).rstrip()
            counted = f"{WORDS.count(marker)} + {WORDS.count(text)}"
            rows.append(_row(text, marker, counted, language))
        else:
            rows.append(_row("", "", "", language))
    rows.append(_row(layers["question"], "", f"{WORDS.count(layers['question'])}", language))
    head = tag("tr", tag("th", "the prompt", scope="col", style=LINE), tag("th", "tokens", scope="col"))
    total = [
        tag("th", "in all", scope="row", style=LINE),
        tag("td", f"{context.used} of {context.budget}", style=COUNT),
    ]
    caption = tag("caption", "The prompt, line by line", style="caption-side: top; text-align: left")
    table = tag(
        "table",
        caption,
        tag("thead", head),
        tag("tbody", *rows),
        tag("tfoot", tag("tr", *total)),
        style="width: 100%; max-width: 41rem",
    )
    return tag("div", _bar(context), table)


def _row(text: str, marker: str, tokens: str, language: str) -> Element:
    words = [tag("span", marker, style=MARKER), tag("span", f" {text}" if marker else text)]
    row = tag("tr", tag("td", *words, lang=language, style=LINE), tag("td", tokens, style=COUNT))
    if not text:
        row.set("hidden", "hidden")
    return row


def _bar(context: Context) -> Element:
    """The budget as a bar, and a line that says what its patterns are; the figures stand in the sentence below."""
    free = context.budget - context.used
    pieces = [("var(--explore-question)", context.text), (STRIPES, context.markers), ("none", free)]
    parts = [
        tag("span", style=f"width: {100 * tokens / context.budget:.1f}%; background: {fill}; height: 100%")
        for fill, tokens in pieces
    ]
    frame = "display: flex; height: 0.9em; border: 1px solid var(--explore-other); max-width: 41rem"
    key: list[Part] = []
    for (fill, _), name in zip(pieces, ("text", "markers", "free"), strict=True):
        box = f"display: inline-block; width: 1em; height: 0.8em; border: 1px solid; background: {fill}"
        key += [tag("span", style=box), f" {name}\u2003"]
    return tag("div", tag("div", *parts, style=frame), tag("p", *key, style="margin: 0 0 0.5em; font-size: 0.9em"),
               aria_hidden="true")  # fmt: skip


def account(context: Context) -> str:
    """What became of every passage of a prompt, in sentences; passages are named by their scores."""
    share = f" ({100 * context.markers / context.text:.0f} % of the text)" if context.markers else ""
    used = f"used {context.used}: {context.text} of text, {context.markers} of markers{share}"
    said = [f"Budget {context.budget}, {used}."]
    whole = [f"{each.passage.score:.2f}" for each in context.decisions if each.fate == "whole"]
    cut = [f"{each.passage.score:.2f}, {each.reason}" for each in context.decisions if each.fate == "cut"]
    out = [f"{each.passage.score:.2f} ({each.reason})" for each in context.decisions if each.fate == "left out"]
    said += [f"Whole: {', '.join(whole) or 'none'}."]
    said += [f"Cut: {', '.join(cut)}."] if cut else []
    said += [f"Left out: {', '.join(out)}."] if out else []
    return " ".join(said)


# ------------------------------------------------------------------ what each way of choosing takes


def choose(relevance: Sequence[float], costs: Sequence[int], budget: int) -> dict[str, list[int]]:
    """What three ways of choosing take of a ranking, as places in it (from 0), in the order in which they take.

    >>> choose([0.9, 0.5, 0.5], [30, 16, 16], budget=32)
    {'exact': [1, 2], 'relevance': [0], 'density': [1, 2]}
    """
    dense = density_order(relevance, costs)
    return {
        "exact": knapsack_exact(relevance, costs, budget),
        "relevance": fit_to_budget(costs, budget),
        "density": [dense[i] for i in fit_to_budget([costs[i] for i in dense], budget)],
    }


def choices(
    relevance: Sequence[float], costs: Sequence[int], budget: int, right: Sequence[int] = (), step: int = 10
) -> Figure:
    """Above, the sum of relevance that each way reaches at every budget; below, what it takes at this one.

    relevance, costs: of a ranking, best first; right: places in it (from 0) that hold the answer, marked ★. The
    budgets of the curves are the multiples of `step` up to 640. The dotted line is what could be had if passages
    could be divided. Raises ValueError for a budget beyond the axis and for more passages than there is room for.
    """
    if not 0 <= budget <= MOST:
        raise ValueError(f"the budget must lie between 0 and {MOST}, not {budget}")
    figure, ax = axes(height=4.9)
    ax.remove()
    top, bottom = figure.subplots(2, 1, height_ratios=[1.55, 1], sharex=True)
    budgets = range(0, MOST + 1, step)
    taken = {each: choose(relevance, costs, each) for each in budgets}
    bound = [_worth(relevance, knapsack_fractional(relevance, costs, each)) for each in budgets]
    highest = 1.1 * max(bound)
    top.plot(budgets, [100 * each / highest for each in bound], color=OTHER, linewidth=1.4, linestyle=(0, (1, 1.5)))
    now = choose(relevance, costs, budget)
    for method, (line, width) in STYLES.items():
        sums = [100 * _total(relevance, taken[each][method]) / highest for each in budgets]
        top.plot(budgets, sums, color=METHODS[method], linewidth=width, linestyle=line, drawstyle="steps-post")
    top.axvline(budget, color=INK, linewidth=1)
    top.plot([12, 38], [94, 94], color=OTHER, linewidth=1.4, linestyle=(0, (1, 1.5)))
    top.text(52, 94, "if divided", color=OTHER, va="center")
    for place, (method, (marker, size)) in enumerate(SIGNS.items(), start=1):
        at = 100 * _total(relevance, now[method]) / highest
        top.plot([budget], [at], marker, color=METHODS[method], markersize=size, clip_on=False)
        top.plot([25], [94 - 12 * place], marker, color=METHODS[method], markersize=size)
        top.text(52, 94 - 12 * place, method, color=METHODS[method], va="center")
    top.set(xlim=(0, MOST), ylim=(0, 100), yticks=[], ylabel="sum of relevance")
    for place, method in enumerate(METHODS):
        if len(now[method]) > BOXES:
            raise ValueError(f"{len(now[method])} passages are taken, and there is room for {BOXES}")
        chosen: list[int | None] = [*now[method], *[None] * (BOXES - len(now[method]))]
        widths = [0 if i is None else costs[i] for i in chosen]
        starts = [sum(widths[:box]) for box in range(BOXES)]
        bars = bottom.barh([place] * BOXES, widths, left=starts, height=0.72, color=METHODS[method],
                           edgecolor=PAPER, linewidth=[1.5 if width else 0 for width in widths])  # fmt: skip
        for i, bar, start, width in zip(chosen, bars, starts, widths, strict=True):
            name = "0" if i is None else f"{i + 1}{'★' * (i in right)}"
            label = bottom.text(start + width / 2, place, name, color=PAPER, ha="center", va="center", fontsize=10)
            label.set_alpha(0.0 if i is None else 1.0)
            label.set_in_layout(False)  # the layout is found sooner without
            bar.set_in_layout(False)
    bottom.axvline(budget, color=INK, linewidth=1)
    bottom.set(ylim=(2.6, -0.6), xticks=range(0, MOST + 1, 160), xlabel="budget, tokens")
    bottom.set_yticks(range(3), list(METHODS))
    bottom.tick_params(axis="y", left=False)
    bottom.spines["left"].set_visible(False)
    return figure


def choices_sentence(
    relevance: Sequence[float], costs: Sequence[int], budget: int, right: Sequence[int] = (), answer: bool = True
) -> str:
    """What the three ways take at a budget, with their sums; answer: say which of them keep a right passage."""
    now = choose(relevance, costs, budget)
    said = []
    for method, chosen in now.items():
        places = ", ".join(str(i + 1) for i in sorted(chosen)) or "nothing"
        said.append(f"{method} {_total(relevance, chosen):.1f} ({places})")
    bound = _worth(relevance, knapsack_fractional(relevance, costs, budget))
    text = f"Budget {budget}, sums of relevance: {'; '.join(said)}; if passages could be divided {bound:.1f}."
    if answer:
        keep = [method for method, chosen in now.items() if set(chosen) & set(right)]
        text += f" The answer is kept by {_listed(keep)}."
    return text


def _listed(names: Sequence[str]) -> str:
    return {0: "none of the three", 3: "all three"}.get(len(names), " and ".join(names))


def _total(relevance: Sequence[float], chosen: Sequence[int]) -> float:
    return sum(relevance[i] for i in chosen)


def _worth(relevance: Sequence[float], shares: Sequence[float]) -> float:
    return sum(share * value for share, value in zip(shares, relevance, strict=True))


def kept_by_budget(kept: Mapping[str, Sequence[int]], budgets: Sequence[int], of: int) -> Figure:
    """How many answers each way of choosing keeps in the prompt, at the given budgets.

    kept: for exact, relevance and density, the answers kept, one number a budget; of: the questions.
    """
    figure, ax = axes(height=3.2)
    for method, (line, width) in STYLES.items():
        marker, size = SIGNS[method]
        ax.plot(budgets, kept[method], marker=marker, markersize=size, color=METHODS[method],
                linewidth=width, linestyle=line)  # fmt: skip
    for place, (method, (marker, size)) in enumerate(SIGNS.items()):
        height = 0.1 * of * (3 - place) - 0.03 * of
        ax.plot([450], [height], marker, markersize=size, color=METHODS[method])
        ax.text(470, height, method, color=METHODS[method], va="center")
    ax.set(xlim=(min(budgets) - 20, max(budgets) + 20), ylim=(0, of), xticks=budgets,
           yticks=range(0, of + 1, of // 3), xlabel="budget, tokens",
           ylabel=f"answers kept, of {of}")  # fmt: skip
    return figure
