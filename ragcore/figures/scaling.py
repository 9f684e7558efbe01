"""Pictures of «Beyond one machine»: what an index weighs, where one machine ends, what it waits and costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log10
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from ..explore.html import Part, tag
from ..explore.theme import BUDGET, INK, OTHER, QUESTION, RELEVANT, axes
from ..stores.scale import MACHINE, Setting, StoragePrices, Weight, monthly, room, slow_share, wait, weigh

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (10**5, 10**7, 10**9)
CELL = "padding: 0.2rem 0.3rem"  # narrow: four columns have to stand side by side on a phone
LEFT = f"text-align: left; {CELL}"
SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(N: int) -> str:
    """A power of ten as it is written: 10⁷."""
    return "10" + str(round(log10(N))).translate(SUPERSCRIPT)


def _three(number: float) -> str:
    """Three digits that count, without an exponent: 0.75, 15.4, 768, 1,940."""
    if number < 0.1:
        return f"{number:.2g}"
    places = next((places for places, least in ((0, 99.95), (1, 9.995)) if number >= least), 2)
    return f"{number:,.{places}f}"


def size(bytes: float) -> str:
    """Bytes in the unit that fits, three digits: 154 MB, 15.4 GB, 1.54 TB (thousands, not 1,024s)."""
    for unit, one in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if bytes >= 0.9995 * one:
            return f"{_three(bytes / one)} {unit}"
    return f"{_three(bytes / 1e3)} kB"


def seconds(time: float) -> str:
    """A time in the unit that fits: 0.58 ms, 77 ms, 76.8 s."""
    return f"{_three(1000 * time)} ms" if time < 0.9995 else f"{_three(time)} s"


def dollars(amount: float) -> str:
    """Money to the cent below ten, else to the dollar."""
    return f"${amount:,.2f}" if amount < 10 else f"${amount:,.0f}"


# ------------------------------------------------------------------ where one machine ends

LINES: tuple[tuple[str, str, object], ...] = (
    ("text", OTHER, (0, (1, 1))), ("postings", RELEVANT, (0, (4, 1.5))), ("vectors", QUESTION, "-"),
)  # fmt: skip


def one_machine(setting: Setting, memory: float = MACHINE) -> Figure:
    """What grows with the number of chunks, in bytes, and the line that one machine's memory draws.

    Both axes in powers of ten. vectors: with the links of their graph. The dot marks where postings and vectors,
    with headroom, fill the machine; the text waits on the disk.
    """
    figure, ax = axes(height=3.6)
    figure.set_layout_engine("none")
    ax.set_position((0.15, 0.14, 0.8, 0.82))
    x = (3.0, 10.0)
    for name, colour, line in LINES:
        y = [log10(_part(name, weigh(10**place, setting))) for place in x]
        ax.plot(x, y, color=colour, linestyle=line, linewidth=2)
    total = [log10(weigh(10**place, setting).memory / setting.replicas) for place in x]
    ax.plot(x, total, color=INK, linewidth=1.2)
    ax.plot(x, [log10(memory)] * 2, color=BUDGET, linewidth=1.6)
    ax.text(3.05, log10(memory) + 0.12, f"one machine: {memory / 2**30:.0f} GiB", color=BUDGET, fontsize=10)
    full = log10(max(1, room(memory, setting)))
    ax.plot([full], [log10(memory)], "o", color=BUDGET, markersize=9, clip_on=True)
    for place, (name, colour, line) in enumerate((*LINES, ("in memory", INK, "-"))):
        row = 8.05 - 0.62 * place
        ax.plot([7.35, 7.85], [row, row], color=colour, linestyle=line, linewidth=1.2 if name == "in memory" else 2)
        ax.text(7.95, row, name, color=colour, va="center", fontsize=10)
    ax.set(xlim=x, ylim=(4.5, 14), xlabel="chunks", ylabel="bytes")
    ax.set_xticks(range(3, 11), [power(10**place) for place in range(3, 11)])
    ax.set_yticks([6, 9, 12], ["MB", "GB", "TB"])
    return figure


def _part(name: str, weight: Weight) -> float:
    return float({"text": weight.text, "postings": weight.postings, "vectors": weight.vectors + weight.graph}[name])


def machine_sentence(setting: Setting, memory: float = MACHINE) -> str:
    """How many chunks fill the machine, and what makes up most of it."""
    one = weigh(1, setting)
    vectors = one.vectors + one.graph
    most = "the vectors" if vectors > one.postings else "the postings"
    share = max(vectors, one.postings) / (vectors + one.postings)
    links = f" ({_three(one.graph)} of them links)" if one.graph else ""
    full = f"{memory / 2**30:.0f} GiB of memory are full at {_count(room(memory, setting))} chunks"
    return (
        f"A chunk takes {_three(one.postings)} bytes of postings, {_three(vectors)} of vectors{links} and "
        f"{_three(one.text)} of text. {full}; {100 * share:.0f} % of that are {most}."
    )


def _count(number: float) -> str:
    for word, one in (("billion", 1e9), ("million", 1e6), ("thousand", 1e3)):
        if number >= 0.9995 * one:
            return f"{_three(number / one)} {word}"
    return f"{number:.0f}"


# ------------------------------------------------------------------ the table


def scale_table(setting: Setting, prices: StoragePrices, sizes: Sequence[int] = SIZES) -> Element:
    """What changes at each number of chunks: memory, disk, machines, waiting, money; a column a size.

    Whole machines have no price (–) where they do not hold a shard.
    """
    rows: list[tuple[str, list[str]]] = [
        ("vectors, one copy", [size(weigh(N, setting).vectors + weigh(N, setting).graph) for N in sizes]),
        ("postings, one copy", [size(weigh(N, setting).postings) for N in sizes]),
        ("memory, all copies", [size(weigh(N, setting).memory) for N in sizes]),
        ("disk, all copies", [size(weigh(N, setting).disk) for N in sizes]),
        ("memory a shard", [size(weigh(N, setting).memory / machines(setting)) for N in sizes]),
        ("128 GiB hold a shard", ["yes" if holds(N, setting) else "no" for N in sizes]),
        ("shards that would do", [f"{needed(N, setting):,}" for N in sizes]),
        ("wait, by words", [seconds(wait(N, setting).words) for N in sizes]),
        ("wait, by vector", [seconds(wait(N, setting).vector) for N in sizes]),
        ("a month, by the byte", [dollars(monthly(N, setting, prices)) for N in sizes]),
        (
            "a month, whole machines",
            [dollars(whole(N, setting, prices)) if holds(N, setting) else "–" for N in sizes],
        ),
    ]
    head: list[Part] = [tag("th", "chunks", scope="col", style=LEFT)]
    head += [tag("th", power(N), scope="col", style=CELL) for N in sizes]
    body = [
        tag("tr", tag("th", name, scope="row", style=LEFT),
            *(tag("td", text, style=f"white-space: nowrap; {CELL}") for text in cells))
        for name, cells in rows
    ]  # fmt: skip
    caption = tag("caption", "What changes with the number of chunks", style="caption-side: top; text-align: left")
    return tag("table", caption, tag("thead", tag("tr", *head)), tag("tbody", *body))


def machines(setting: Setting) -> int:
    """A machine for every shard of every replica."""
    return setting.shards * setting.replicas


def holds(N: float, setting: Setting, memory: float = MACHINE) -> bool:
    """Whether a machine's memory holds one shard."""
    return weigh(N, setting).memory / machines(setting) <= memory


def needed(N: float, setting: Setting, memory: float = MACHINE) -> int:
    """The fewest shards that fit a machine each."""
    return max(1, -int(-weigh(N, setting).memory / setting.replicas // memory))


def whole(N: float, setting: Setting, prices: StoragePrices, memory: float = MACHINE) -> float:
    """Dollars a month if every shard of every copy rents a machine for itself alone."""
    return machines(setting) * memory * prices.memory + weigh(N, setting).disk * prices.disk


def scale_sentence(setting: Setting, prices: StoragePrices, sizes: Sequence[int] = SIZES) -> str:
    """Which sizes the machines hold, and what the largest waits and costs; how many questions meet a slow shard."""
    fits = [power(N) for N in sizes if holds(N, setting)]
    held = f"A machine of 128 GiB holds a shard at {_listed(fits)} chunks" if fits else "No size fits"
    last, count = sizes[-1], machines(setting)
    copies = f" in {setting.replicas} copies" if setting.replicas > 1 else ""
    split = f"{setting.shards} shard{'s' * (setting.shards > 1)}{copies}: {count} machine{'s' * (count > 1)}"
    tail = (
        f"{100 * slow_share(setting.shards):.0f} % of the questions meet a slow shard, if each is slow once in 100"
    )
    waits = f"{seconds(wait(last, setting).words)} by words and {seconds(wait(last, setting).vector)} by vector"
    cost = dollars(monthly(last, setting, prices))
    return (
        f"{split}. {held}. At {power(last)} a question waits {waits}, and a month costs {cost} by the byte. {tail}."
    )


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def with_prices(prices: StoragePrices, memory_per_gb: float) -> StoragePrices:
    """The same prices, but for a GB of memory."""
    return replace(prices, memory=memory_per_gb / 1e9)
