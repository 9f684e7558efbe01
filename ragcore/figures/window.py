"""Pictures of «The window is a budget»: a window as a bar, a conversation that fills it, tokens, their costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from ..budget import WindowBudget
from ..costs import Device, ModelShape, PriceEntry, kv_cache_bytes, price, time_to_first_token
from ..explore.html import Part, table, tag
from ..explore.theme import INK, OTHER, QUESTION, axes
from ..tokens import readable

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _stripes(meaning: str) -> str:
    return f"repeating-linear-gradient(45deg, var(--explore-{meaning}) 0 3px, transparent 3px 6px)"


DOTS = "radial-gradient(var(--explore-other) 1.5px, transparent 2px) 0 0 / 5px 5px"
FILLS = {  # part of a window -> how the bar shows it
    "system": "var(--explore-other)",
    "tools": DOTS,
    "history": _stripes("budget"),
    "documents": "var(--explore-question)",
    "answer": "var(--explore-relevant)",
}
FRAME = "border: 1px solid var(--explore-other); max-width: 41rem"

# ------------------------------------------------------------------ the window as a bar


def window_bar(window: int, parts: Mapping[str, int]) -> Element:
    """A window shared out among the parts of a prompt, as a bar and a table; what is left is the answer's.

    All numbers in thousands of tokens. Parts that are too large run out of the bar, and the answer has 0.
    """
    pieces: list[Element] = []
    rows: list[list[Part]] = []
    for name, tokens in {**parts, "answer": max(0, window - sum(parts.values()))}.items():
        share, fill = 100 * tokens / window, FILLS[name]
        pieces.append(tag("span", style=f"flex: none; width: {share:.1f}%; background: {fill}"))
        cell = tag("span", _swatch(fill), f" {name}", style="white-space: nowrap")
        rows.append([cell, f"{tokens}", f"{share:.0f}\u00a0%"])
    bar = tag("div", *pieces, style=f"display: flex; overflow: hidden; height: 1.8em; {FRAME}", aria_hidden="true")
    numbers = table(["part", "thousand tokens", "share"], rows, foot=["window", f"{window}", "100\u00a0%"])
    return tag("div", bar, _captioned(numbers, "What each part of the window gets"))


def bar_sentence(window: int, parts: Mapping[str, int]) -> str:
    """What the bar shows; if no answer fits, how much is too much."""
    used = sum(parts.values())
    named = ", ".join(f"{name} {n}" for name, n in parts.items())
    if used < window:
        answer = WindowBudget(window, parts).answer
        return f"In thousands of tokens: {named}. Of {window}, {answer} are left for the answer."
    over = f", {used - window} too many" if used > window else ""
    no_room = f"That is {used} of {window}{over}: no room for an answer. Make a part smaller."
    return f"In thousands of tokens: {named}. {no_room}"


def _swatch(fill: str) -> Element:
    box = "display: inline-block; width: 1em; height: 0.8em; border: 1px solid var(--explore-other)"
    return tag("span", style=f"{box}; background: {fill}", aria_hidden="true")


def _captioned(node: Element, caption: str) -> Element:
    node.insert(0, tag("caption", caption, style="caption-side: top; text-align: left"))
    return node


# ------------------------------------------------------------------ a conversation, turn by turn


def turns_kept(window: int, per_turn: int) -> int:
    """How many turns of a question and its answer a window holds.

    >>> turns_kept(32_768, 1_000)
    32
    """
    return window // per_turn


def conversation(turn: int, turns: int, per_turn: int, window: int, top: int) -> Element:
    """A column a turn: what question, answer and all before come to. Above the line of the window: striped.

    Below, a box a turn: filled if the model still reads it at `turn`, striped if it has fallen out. The columns and
    boxes of later turns are empty. top: tokens at the upper edge. Raises ValueError for a conversation above it.
    """
    if turns * per_turn > top:
        raise ValueError(f"{turns} turns of {per_turn} tokens are higher than the picture: {top}")
    first = max(0, turn - turns_kept(window, per_turn))  # turns that have fallen out
    columns, boxes = [], []
    for each in range(1, turns + 1):
        total = each * per_turn if each <= turn else 0
        inside = 100 * min(1.0, window / total) if total else 100
        fill = "var(--explore-question)"
        if inside < 100:
            fill = f"linear-gradient(to top, {fill} {inside:.0f}%, transparent 0), {_stripes('budget')}"
        columns.append(tag("span", style=f"height: {100 * total / top:.1f}%; background: {fill}"))
        state = (
            "var(--explore-question)" if first < each <= turn else _stripes("other") if each <= first else "none"
        )
        boxes.append(tag("span", style=f"background: {state}"))
    row = "display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; column-gap: 1px; max-width: 41rem"
    line = f"position: absolute; left: 0; right: 0; bottom: {100 * window / top:.1f}%; border-top: 2px dashed"
    chart = tag(
        "div",
        *columns,
        tag("div", style=line),
        style=f"{row}; height: 10rem; align-items: end; position: relative; border-bottom: 1px solid",
    )
    scale = [tag("span", f"{n}", style="grid-column: span 5; text-align: right") for n in range(5, turns + 1, 5)]
    numbers = tag("div", *scale, style=f"{row}; font-size: 0.8em")
    strip = tag("div", *boxes, style=f"{row}; height: 1.1em; {FRAME}")
    key = tag(
        "p",
        *(_swatch("var(--explore-question)"), " is read at this turn\u2003"),
        *(_swatch(_stripes("other")), " has fallen out"),
        style="margin: 0.2em 0; font-size: 0.9em",
    )
    dash = tag("span", style="display: inline-block; width: 2em; border-top: 2px dashed; vertical-align: middle")
    above = tag("p", dash, f" the window: {window:,} tokens", style="margin: 0; font-size: 0.9em")
    return tag("div", above, chart, numbers, strip, key, aria_hidden="true")


def conversation_sentence(turn: int, per_turn: int, window: int) -> str:
    """What the model reads at a turn, and what it no longer does."""
    total, out = turn * per_turn, max(0, turn - turns_kept(window, per_turn))
    said = f"Turn {turn}, {per_turn:,} tokens each: {total:,} tokens so far, the window has {window:,}."
    if not out:
        return f"{said} All of it fits."
    gone = "Turn 1 is" if out == 1 else f"Turns 1 to {out} are"
    return f"{said} {gone} no longer read; for the model the conversation begins with turn {out + 1}."


# ------------------------------------------------------------------ tokens, one by one

BOX = "display: inline-block; margin: 0 1px 0.35em; padding: 0 0.25em; border-radius: 3px; "
WHOLE = "border: 1px solid var(--explore-question)"
TINTED = f"{WHOLE}; background: var(--explore-tint)"
BROKEN = "border: 1px dashed var(--explore-budget); font-family: monospace; font-size: 0.85em"


def pieces_line(pieces: Sequence[bytes], language: str) -> Element:
    """A text cut into tokens: a box each, every second one tinted; a space is written ␣.

    A piece that begins or ends inside a letter shows those bytes, in a dashed box.
    """
    boxes = []
    for place, piece in enumerate(pieces):
        broken = is_broken(piece)
        look = BROKEN if broken else TINTED if place % 2 else WHOLE
        shown = readable(piece).replace(" ", "␣")
        boxes.append(tag("span", shown, style=BOX + look, **({"dir": "ltr"} if broken else {})))
    direction = {"dir": "rtl"} if language == "he" else {}
    return tag("p", *boxes, lang=language, style="max-width: 41rem; line-height: 1.9", **direction)


def is_broken(piece: bytes) -> bool:
    """Whether a piece begins or ends inside a letter.

    >>> is_broken("ář".encode()), is_broken(b"\\xd7")
    (False, True)
    """
    try:
        piece.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def pieces_sentence(pieces: Sequence[bytes], words: int) -> str:
    """How many tokens a sentence has, and how many of them split a letter."""
    count, broken = len(pieces), sum(map(is_broken, pieces))
    said = f"{words} words, {count} tokens: {count / words:.2f} a word."
    return f"{said} {broken} of them begin or end inside a letter." if broken else f"{said} No letter is split."


# ------------------------------------------------------------------ what tokens cost

LENGTHS = [2**power for power in range(5, 16)]  # 32 to 32,768 tokens
MIB = 2**20


def costs(models: Iterable[ModelShape], chosen: ModelShape, tokens: int, device: Device) -> Figure:
    """Above, the key-value cache of every model by the length of its prompt; below, the seconds until it answers.

    The chosen model is the thick line, its window the end of it, `tokens` the dot. Both scales are logarithmic: a
    step is ten times as much. Raises ValueError if the prompt does not fit into the model's window.
    """
    figure, ax = axes(height=5.2)
    ax.remove()
    top, bottom = figure.subplots(2, 1, sharex=True)
    shapes = [*(model for model in models if model.name != chosen.name), chosen]  # the chosen one on top
    for place, (panel, worth) in enumerate(((top, _mib), (bottom, _seconds))):
        for model in shapes:
            values = [worth(model, n, device) if n <= model.window else float("nan") for n in LENGTHS]
            ours = model is chosen
            panel.plot(LENGTHS, values, color=QUESTION if ours else OTHER, linewidth=3 if ours else 0.8)
        panel.plot([tokens], [worth(chosen, tokens, device)], "o", color=INK, markersize=9, clip_on=False)
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.grid(axis="y", color=OTHER, alpha=0.3, linewidth=0.6)
        panel.set_title(("key-value cache", "until the first token")[place], loc="left")
        panel.minorticks_off()
    top.set(xlim=(LENGTHS[0], LENGTHS[-1]), ylim=(0.3, 20_000))
    top.set_yticks([1, 10, 100, 1000, 10_000], ["1 MiB", "10", "100", "1,000", "10,000"])
    bottom.set(ylim=(0.0001, 20), xlabel="tokens of the prompt")
    bottom.set_yticks([0.001, 0.01, 0.1, 1, 10], ["1 ms", "10 ms", "0.1 s", "1 s", "10 s"])
    bottom.set_xticks([32, 256, 2048, 8192, 32768], ["32", "256", "2,048", "8,192", "32,768"])
    return figure


def _mib(model: ModelShape, tokens: int, device: Device) -> float:
    return kv_cache_bytes(model, tokens) / MIB


def _seconds(model: ModelShape, tokens: int, device: Device) -> float:
    return time_to_first_token(model, tokens, device)


def costs_sentence(model: ModelShape, tokens: int, device: Device, memory: float) -> str:
    """Memory and seconds of a prompt in figures; memory: the device's bytes, to say what is too large for it."""
    cache, seconds = kv_cache_bytes(model, tokens), time_to_first_token(model, tokens, device)
    weights = 2 * model.parameters
    wait = f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000 * seconds:.1f} ms"
    said = f"{model.name}, {tokens:,} tokens: a cache of {cache / MIB:,.1f} MiB beside weights of "
    said += f"{weights / MIB:,.0f} MiB; {wait} until the first token."
    if weights + cache > memory:
        said += f" (As if it fitted: this device has {memory / MIB:,.0f} MiB.)"
    return said


def price_table(entries: Iterable[PriceEntry], tokens: int) -> Element:
    """What a thousand prompts of so many tokens cost, all fresh and with nine tenths found in a cache."""
    rows: list[list[Part]] = []
    for entry in entries:
        fresh, kept = (1000 * price(tokens, 0, entry, cached) for cached in (0, tokens * 9 // 10))
        name = tag("span", entry.model, tag("br"), tag("small", f"{entry.date}"))
        rows.append([name, f"{fresh:.3f}", f"{kept:.3f}"])
    numbers = table(["hosted model, price of", "all fresh", "9/10 cached"], rows)
    return _captioned(numbers, f"A thousand prompts of {tokens:,} tokens, in dollars, answers not counted")
