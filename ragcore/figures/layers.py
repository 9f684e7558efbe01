"""Pictures of «A prompt is a document»: a prompt layer by layer, and what examples in it are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import Element

from ..explore.html import tag
from ..explore.theme import OTHER, QUESTION, RELEVANT, axes
from ..prompting import build_prompt

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SYSTEM = "You fill a table of events. Rewrite the date of each."
FORMAT = "Write the answer as year-month-day, in digits."
EXAMPLES = (  # all written the usual way
    ("3 March 1998", "1998-03-03"),
    ("17 August 2011", "2011-08-17"),
    ("8 June 1975", "1975-06-08"),
    ("25 October 2004", "2004-10-25"),
)
OTHER_WAYS = (("3 March 1998", "1998-03-03"), ("August 17, 2011", "2011-08-17"))


class Date(NamedTuple):
    """A known case: a date as it came in, how it is written, and what it should become."""

    date: str
    kind: str
    expected: str


CASES = (  # turn about: written the usual way, written in another
    Date("30 November 2026", "usual", "2026-11-30"),
    Date("November 30, 2026", "other", "2026-11-30"),
    Date("5 May 1987", "usual", "1987-05-05"),
    Date("Feb 14, 1946", "other", "1946-02-14"),
    Date("12 July 1997", "usual", "1997-07-12"),
    Date("the 11th of May 1997", "other", "1997-05-11"),
    Date("23 April 1956", "usual", "1956-04-23"),
    Date("9/28/2003", "other", "2003-09-28"),
    Date("1 January 2000", "usual", "2000-01-01"),
    Date("December 9th, 1968", "other", "1968-12-09"),
    Date("19 September 1961", "usual", "1961-09-19"),
    Date("14.6.1822", "other", "1822-06-14"),
)


class Layers(NamedTuple):
    """What stands in a prompt."""

    system: str
    examples: Sequence[tuple[str, str]]
    format: str


def _wrong(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Every question with the answer of the next one: the form is right, the answer is not."""
    return [(asked, pairs[(i + 1) % len(pairs)][1]) for i, (asked, _) in enumerate(pairs)]


PROMPTS = {  # asked with every case
    "k0": Layers(SYSTEM, [], ""),
    "k0-words": Layers(SYSTEM, [], FORMAT),
    "k1": Layers(SYSTEM, EXAMPLES[:1], ""),
    "k2": Layers(SYSTEM, EXAMPLES[:2], ""),
    "k2-mixed": Layers(SYSTEM, OTHER_WAYS, ""),
    "k2-wrong": Layers(SYSTEM, _wrong(EXAMPLES[:2]), ""),
    "k4": Layers(SYSTEM, EXAMPLES, ""),
    "k4-reversed": Layers(SYSTEM, EXAMPLES[::-1], ""),
    "k4-wrong": Layers(SYSTEM, _wrong(EXAMPLES), ""),
}
TOGGLES = {  # asked with the first case only: system on or off, number of examples, format on or off
    f"{'system' if system else 'bare'}-{k}-{'format' if format else 'free'}": Layers(
        SYSTEM if system else "", EXAMPLES[:k], FORMAT if format else ""
    )
    for system in (True, False)
    for k in (0, 1, 2, 4)
    for format in (True, False)
}


def request(name: str, date: str) -> str:
    """The prompt of this name for a date. Its last line opens the answer: the model goes on from there."""
    system, examples, format = (PROMPTS | TOGGLES)[name]
    return build_prompt(system, [], date, "numbered", examples=examples, format=format).text + "\nAnswer:"


def layers_of(name: str, date: str) -> dict[str, str]:
    """The layers of that prompt, each with the empty line behind it: put together they are the prompt."""
    system, examples, format = (PROMPTS | TOGGLES)[name]
    prompt = build_prompt(system, [], date, "numbered", examples=examples, format=format)
    parts = {layer: text + "\n\n" for layer, text in prompt.layers.items() if text}
    return parts | {"question": prompt.layers["question"] + "\nAnswer:"}


# ------------------------------------------------------------------ pictures

PIECE = "text-align: left; white-space: pre-wrap; overflow-wrap: anywhere"
PLACES = (0, 1, 2, 4)  # numbers of examples
BLANK = "\u00a0"  # a text that is there and not seen


def prompt_by_layers(parts: Mapping[str, str], tokens: Mapping[str, int], answer: str) -> Element:
    """A prompt's layers, each with its name, its text and its tokens, and the answer below."""
    rows = [
        tag(
            "tr", tag("th", layer, scope="row"), tag("td", text.strip(), style=PIECE), tag("td", str(tokens[layer]))
        )
        for layer, text in parts.items()
    ]
    rows.append(
        tag("tr", tag("th", "→ answer", scope="row"), tag("td", tag("b", answer.strip()), style=PIECE), tag("td"))
    )
    head = tag("tr", *(tag("th", name, scope="col") for name in ("layer", "text", "tokens")))
    return tag("table", tag("thead", head), tag("tbody", *rows))


def prompt_sentence(tokens: Mapping[str, int], answer: str, expected: str) -> str:
    """What the prompt costs, how much of it are examples, and whether the answer will do.

    >>> prompt_sentence({"examples": 30, "question": 10}, " 2026-11-30", "2026-11-30")
    '40 tokens in all, 75 % of them examples. The model answers «2026-11-30»: right.'
    """
    total = sum(tokens.values())
    share = f"{100 * tokens['examples'] / total:.0f} % of them examples" if "examples" in tokens else "no examples"
    verdict = "right" if answer.strip() == expected else "wrong"
    return f"{total} tokens in all, {share}. The model answers «{answer.strip()}»: {verdict}."


def by_examples(points: Sequence[tuple[int, float, float, float]]) -> Figure:
    """Share of right answers by the number of examples: (k, share, lower, upper), with its interval.

    The picture has a place for 0, 1, 2 and 4 examples; what was not measured is not seen.
    """
    figure, ax = axes(height=2.8)
    found = {k: rest for k, *rest in points}
    for k in PLACES:
        share, lower, upper = found.get(k, (0.0, 0.0, 1.0))
        seen = k in found
        ax.plot([k, k], [100 * lower, 100 * upper], color=OTHER, linewidth=4, alpha=0.5 * seen)
        ax.text(k, 100 * share, "●" if seen else BLANK, color=QUESTION, ha="center", va="center")
        label = f"{100 * share:.0f} %" if seen else BLANK
        ax.text(k + 0.12, 100 * share, label, color=RELEVANT, va="center", fontsize=10)
    ax.set(xlim=(-0.4, PLACES[-1] + 0.7), ylim=(-5, 108), xticks=PLACES, yticks=range(0, 101, 25),
           xlabel="examples in the prompt", ylabel="right answers, %")  # fmt: skip
    return figure
