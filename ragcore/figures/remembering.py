"""Pictures of «Memory»: what stands in the window turn by turn, and what each policy can still answer.

conversation ─play─► the windows of twenty turns, and the memory after them ─ask─► where each answer stands
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from ..corpus import data_folder
from ..explore.html import Part, table, tag
from ..explore.theme import BUDGET, INK, PAPER, QUESTION, RELEVANT, axes
from ..memory import Eviction, Memory, Role, Window, add, window
from ..tokens import WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONVERSATIONS = ("trip", "lesson", "library")
PLACES = {"window": "W", "summary": "S", "recalled": "R", "lost": "–"}
NAMES: dict[str, str] = {
    "oldest": "oldest first",
    "least_recently_used": "least recently used",
    "least_relevant": "least relevant",
    "summary": "summary",
}
FILLS = {
    "window": "var(--explore-relevant)",
    "summary": "var(--explore-question)",
    "recalled": "var(--explore-budget)",
    "now": "currentColor",
    "archive": "none",
    "later": "none",
}
SIGNS = {"window": "", "recalled": "↩", "now": "?", "archive": "", "later": ""}

# ------------------------------------------------------------------ the conversations and what they leave


@dataclass(frozen=True)
class Probe:
    """A question about an earlier turn: kind direct or paraphrase; its answer, verbatim in that turn.

    stale: what stood there before the user corrected it, or nothing.
    """

    question: str
    kind: str
    answer: str
    turn: int
    stale: str = ""


@dataclass(frozen=True)
class Conversation:
    """Turns, each a list of messages (role, text), and what can be asked about them afterwards."""

    name: str
    title: str
    system: str
    turns: tuple[tuple[tuple[Role, str], ...], ...]
    probes: tuple[Probe, ...]


def load_conversation(name: str) -> Conversation:
    """One of the book's conversations. Raises ValueError for an answer that does not stand once, in its turn."""
    if name not in CONVERSATIONS:
        raise ValueError(f"name must be one of {', '.join(CONVERSATIONS)}, not {name!r}")
    data = json.loads((data_folder() / "conversations" / f"{name}.json").read_text("utf-8"))
    turns = tuple(tuple((role, text) for role, text in turn) for turn in data["turns"])
    probes = tuple(Probe(**probe) for probe in data["probes"])
    for probe in probes:
        times = [sum(text.count(probe.answer) for _, text in turn) for turn in turns]
        if sum(times) != 1 or times[probe.turn - 1] != 1:
            raise ValueError(f"{name}: {probe.answer!r} must stand once, in turn {probe.turn}")
    return Conversation(name, data["title"], data["system"], turns, probes)


def play(conversation: Conversation, memory: Memory, turns: int | None = None) -> tuple[list[Window], Memory]:
    """The turns (or the first few) as they were written, each question and result read through a window.

    Gives the last window of every turn, with all that left during the turn, and the memory afterwards.
    """
    windows = []
    for messages in conversation.turns[:turns]:
        evicted: list[Eviction] = []
        for role, text in messages:
            memory = add(memory, role, text)
            if role in ("user", "result"):
                seen = window(memory)
                memory, evicted = seen.memory, [*evicted, *seen.evicted]
        windows.append(Window(seen.prompt, seen.budget, seen.used, seen.memory, tuple(evicted), seen.recalled))
    return windows, memory


def place_of(window: Window, answer: str) -> str:
    """Where in a prompt an answer stands: in an exchange of the window, in pinned facts or notes, in the summary,
    in what was recalled, or nowhere (lost)."""
    recalled = {id(passage) for passage in window.recalled}
    found = "lost"
    for passage in window.prompt.sources.values():
        if answer in " ".join(passage.text.split()):
            name = passage.chunk.article.id.split()[0]
            here = "recalled" if id(passage) in recalled else "window" if name == "turn" else name
            if found == "lost" or here == "window":
                found = here
    return found


@dataclass(frozen=True)
class Asked:
    """A probe, put after the last turn: where its answer stands, and where its stale form (lost: nowhere)."""

    conversation: str
    probe: Probe
    place: str
    stale: str


def ask_all(conversation: Conversation, memory: Memory) -> list[Asked]:
    """Every probe of a conversation as the next question to this memory, each from the same state."""
    asked = []
    for probe in conversation.probes:
        seen = window(add(memory, "user", probe.question))
        stale = place_of(seen, probe.stale) if probe.stale else "lost"
        asked.append(Asked(conversation.name, probe, place_of(seen, probe.answer), stale))
    return asked


def measure(policy: str, budget: int, recall_share: float) -> list[Asked]:
    """All probes of the three conversations, each after its twenty turns under one policy."""
    asked = []
    for name in CONVERSATIONS:
        conversation = load_conversation(name)
        _, memory = play(conversation, Memory(conversation.system, budget, policy, recall_share))
        asked += ask_all(conversation, memory)
    return asked


def found(asked: Sequence[Asked], kind: str) -> list[bool]:
    """For every question of a kind (direct, paraphrase), in order, whether its answer stands in the prompt."""
    return [one.place != "lost" for one in asked if one.probe.kind == kind]


# ------------------------------------------------------------------ the window, turn by turn


def status(seen: Window, turn: int, number: int) -> str:
    """What a turn is to the window of the present turn: now, later, window, recalled or archive."""
    name = f"turn {number}"
    if number >= turn:
        return "now" if number == turn else "later"
    if any(exchange.name == name for exchange in seen.memory.exchanges):
        return "window"
    return "recalled" if any(passage.chunk.article.id == name for passage in seen.recalled) else "archive"


def shares(seen: Window) -> dict[str, int]:
    """The tokens of a window by what they are for: window, summary, recalled, fixed, free; in words."""
    counted = {"window": 0, "summary": 0, "recalled": 0}
    recalled = {id(passage) for passage in seen.recalled}
    for passage in seen.prompt.sources.values():
        kind = (
            "recalled" if id(passage) in recalled else passage.chunk.article.id.split()[0].replace("turn", "window")
        )
        if kind in counted:
            counted[kind] += (
                WORDS.count(passage.text) + 1 + WORDS.count(passage.chunk.article.title) + 2
            )  # its tags
    return {"fixed": seen.used - sum(counted.values()), **counted, "free": seen.budget - seen.used}


def facts_of(conversation: Conversation) -> dict[str, int]:
    """The answers of the probes and the turns in which they were told, in their order."""
    return {probe.answer: probe.turn for probe in sorted(conversation.probes, key=lambda probe: probe.turn)}


def fact_now(seen: Window, turn: int, answer: str, told: int) -> str:
    """Where a fact stands at a turn, in words."""
    if told >= turn:
        return "just told" if told == turn else "not told yet"
    words = {"window": "window", "summary": "summary", "recalled": "recalled", "lost": "archive only"}
    return words[place_of(seen, answer)]


def window_view(conversation: Conversation, windows: Sequence[Window], turn: int) -> Element:
    """The budget as a bar, the twenty turns as boxes, and the facts with the places where they stand now."""
    seen = windows[turn - 1]
    frame = "display: flex; height: 0.9em; border: 1px solid var(--explore-other); max-width: 41rem"
    fills = {**FILLS, "fixed": FILLS["now"], "free": "none"}
    pieces = [
        tag("span", style=f"width: {100 * tokens / seen.budget:.1f}%; background: {fills[name]}; height: 100%")
        for name, tokens in shares(seen).items()
    ]
    boxes = [_box(number, status(seen, turn, number)) for number in range(1, len(windows) + 1)]
    rows: list[list[Part]] = [
        [answer, f"{told}", fact_now(seen, turn, answer, told)] for answer, told in facts_of(conversation).items()
    ]
    facts = table(["fact", "turn", "stands in"], rows)
    facts.set("style", "width: 100%; max-width: 41rem")
    line = "display: flex; flex-wrap: wrap; gap: 3px; margin: 0.6em 0; max-width: 41rem"
    return tag(
        "div",
        tag("div", *pieces, style=frame, aria_hidden="true"),
        tag("div", *boxes, style=line, aria_hidden="true"),
        _key(),
        facts,
    )  # fmt: skip


def _box(number: int, kind: str) -> Element:
    other = "color: var(--explore-other); border: 1px"
    own = {
        "now": "color: currentColor; border: 2px solid",
        "later": f"{other} solid; opacity: 0.35",
        "archive": f"{other} dashed",
    }
    filled = f"color: var(--explore-paper); background: {FILLS[kind]}; border: 1px solid {FILLS[kind]}"
    shape = "box-sizing: border-box; min-width: 2em; text-align: center; font-size: 0.8em; line-height: 1.7"
    return tag("span", f"{number}{SIGNS[kind]}", style=f"{shape}; {own.get(kind, filled)}")


def _key() -> Element:
    """What the fills of the bar and of the boxes say."""
    parts = []
    for kind, name in (("now", "system message, question"), ("window", "in the window"), ("summary", "summary"),
                       ("recalled", "↩ recalled"), ("archive", "archive only")):  # fmt: skip
        line = "dashed" if kind == "archive" else "solid"
        box = f"display: inline-block; width: 1em; height: 0.8em; border: 1px {line}; background: {FILLS[kind]}"
        parts.append(tag("span", tag("span", style=box), f" {name}\u2003", style="white-space: nowrap"))
    return tag("p", *(part for each in parts for part in (each, " ")), style="margin: 0 0 0.5em; font-size: 0.9em",
               aria_hidden="true")  # fmt: skip


def window_sentence(conversation: Conversation, windows: Sequence[Window], turn: int) -> str:
    """What the present window holds, what left and came back in this turn, and how many facts still stand in it."""
    seen = windows[turn - 1]
    kept = [number for number in range(1, turn) if status(seen, turn, number) == "window"]
    told = {answer: number for answer, number in facts_of(conversation).items() if number < turn}
    there = sum(place_of(seen, answer) != "lost" for answer in told)
    left = _and([str(each.exchange.turn) for each in seen.evicted])
    back = _and(list(dict.fromkeys(passage.chunk.article.id.split()[1] for passage in seen.recalled)))
    return (
        f"Turn {turn}: {seen.used} of {seen.budget} tokens. Turns in the window: {spans(kept) or 'none'}."
        f" Left now: {left or 'none'}. Recalled: {back or 'none'}."
        f" Of {len(told)} facts told before, {there} stand in the prompt."
    )


def spans(numbers: Sequence[int]) -> str:
    """Whole numbers with their runs drawn together.

    >>> spans([1, 3, 4, 5, 9])
    '1, 3–5, 9'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


# ------------------------------------------------------------------ what each policy can still answer


def fates(asked: dict[str, Sequence[Asked]]) -> Figure:
    """For every policy two bars, of the questions in the same words and in others: where their answers stand."""
    figure, ax = axes(height=4.3)
    colours = {"window": RELEVANT, "summary": QUESTION, "recalled": BUDGET, "lost": PAPER}
    most = max(len(found(each, "direct")) for each in asked.values())
    for row, (policy, each) in enumerate(asked.items()):
        ax.text(0, 3 * row - 0.95, NAMES[policy], ha="left", va="center")
        for line, kind in enumerate(("direct", "paraphrase")):
            left, height = 0, 3 * row + 0.85 * line
            for place, colour in colours.items():
                count = sum(one.place == place and one.probe.kind == kind for one in each)
                ax.barh(height, count, 0.75, left=left, color=colour, edgecolor=INK, linewidth=0.8)
                ink = INK if place == "lost" else PAPER
                number = str(count) if count else "\u00a0"  # the same texts in every state
                ax.text(left + count / 2, height, number, color=ink, ha="center", va="center_baseline")
                left += count
    ticks = [3 * row + 0.85 * line for row in range(len(asked)) for line in range(2)]
    ax.set_yticks(ticks, ["same words", "other words"] * len(asked))
    ax.set(xlim=(0, most), ylim=(3 * len(asked) - 1.2, -2.6), xlabel="questions")
    ax.set_xticks(range(0, most + 1, 3))
    names = zip((-5, 0.6, 6.7, 12.9), ("window", "summary", "recalled", "nowhere"), colours.values(), strict=True)
    for x, name, colour in names:
        ax.barh(-2.1, 0.8, 0.6, left=x, color=colour, edgecolor=INK, linewidth=0.8, clip_on=False)
        ax.text(x + 1.1, -2.1, name, ha="left", va="center")
    return figure


def fates_sentence(asked: dict[str, Sequence[Asked]]) -> str:
    """How many answers stand in the prompt, by policy and kind of question."""
    said = [
        f"{NAMES[policy]} {sum(found(each, 'direct'))} and {sum(found(each, 'paraphrase'))}"
        for policy, each in asked.items()
    ]
    most = len(found(next(iter(asked.values())), "direct"))
    begin = f"Answers in the prompt, asked in the same words and in other words, of {most} each: "
    return begin + "; ".join(said) + "."


def facts_table(asked: dict[str, Sequence[Asked]], conversation: str) -> Element:
    """For every fact of a conversation and every policy two letters: asked in the same words, then in others."""
    facts: dict[tuple[int, str], dict[str, list[Asked]]] = {}
    for policy, each in asked.items():
        for one in each:
            if one.conversation == conversation:
                facts.setdefault((one.probe.turn, one.probe.answer), {}).setdefault(policy, []).append(one)
    narrow = "padding: 0.1em 0.2em; text-align: center; border: none"
    head = [tag("th", NAMES[policy], scope="col", style=narrow) for policy in asked]
    body = []
    for (turn, answer), by in sorted(facts.items()):
        # the fact above its letters: side by side there is no room on a phone
        above = "padding: 0.5em 0.2em 0; text-align: left; border: none"
        name = tag("th", f"{turn}: {answer}", scope="rowgroup", colspan=f"{len(asked)}", style=above)
        cells = [tag("td", " ".join(PLACES[one.place] for one in by[policy]), style=narrow) for policy in asked]
        body.append(tag("tbody", tag("tr", name), tag("tr", *cells)))
    style = "width: 100%; max-width: 34rem; table-layout: fixed; font-size: 0.9em"
    return tag("table", tag("thead", tag("tr", *head)), *body, style=style)


def facts_sentence(asked: dict[str, Sequence[Asked]], conversation: str) -> str:
    """Which facts of a conversation no question finds, by policy, by their turns."""
    said = []
    for policy, each in asked.items():
        mine = [one for one in each if one.conversation == conversation]
        turns = {one.probe.turn for one in mine}
        there = {one.probe.turn for one in mine if one.place != "lost"}
        said.append(f"{NAMES[policy]}: {', '.join(map(str, sorted(turns - there))) or 'none'}")
    return "Turns whose fact neither question finds: " + "; ".join(said) + "."
