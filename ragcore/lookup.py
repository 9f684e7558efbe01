"""Lost in the middle, measured: does a model find one line among many, and does it matter where that line stands?

    brave lantern: 417          n lines «key: value»; the pair that is asked for stands at place 1 … n
    quiet harbor: 902
    …

    quiet harbor:               the question: its key once more, to be completed; right: the answer is 902

The task is key-value retrieval after Liu et al. 2023, made for a small model that only completes texts. Nothing but
the list precedes the question: with a solved example or an instruction one measures another curve. The same pairs
are asked for at every place, so two places differ in nothing but the place. Keys of two words share words («quiet
harbor», «quiet mirror»): a model that looks at one of them finds the wrong line.

    share of right answers p = r / m  (r right of m trials), Wilson's interval (1927) at 95 %, z = 1.96:
    (p + z²/2m ± z·√(p(1 − p)/m + z²/4m²)) / (1 + z²/m)

How hard a look-up is decides what one sees, and it is not what it looks like: the small model finds most hex keys,
and few of the two-word keys once a sentence stands before and behind the list. Count before you believe.
What it does not measure: whether the model *uses* what it finds.
"""

from __future__ import annotations

import csv
import json
import platform
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import sqrt
from pathlib import Path
from typing import Any

from .generation import Model, UnfinishedError

ADJECTIVES = """
amber ancient brave bright broken calm clever cold copper curious dark deep dusty early eager empty fair famous
fresh gentle golden happy heavy hidden hollow honest icy jolly kind large lazy light little lonely loud lucky
modern narrow noble old pale plain proud purple quick quiet rapid red rich rough round royal rusty salty shallow
sharp shiny silent silver simple slow small smooth soft solid steep strong sunny sweet swift tall tender thin
tidy tiny useful warm white wide wild wise wooden young
"""
NOUNS = """
anchor apple arrow badge basket beach bell bird boat bottle bridge brush bucket button candle carpet castle
chair circle cloud coin corner cottage curtain desk door dragon drum engine feather fence field flower forest
fork garden gate glove hammer harbor hat hill horse house island jacket kettle key kitchen ladder lake lamp
lantern leaf letter lion market meadow mirror moon mountain nail needle oven paper pencil piano picture pillow
plate pocket river road roof rope saddle sail school shadow ship shoe spoon stone table tower train tree tunnel
valley village wagon wall wheel window winter wolf
"""
FORM = "n lines «key: value», an empty line, «key:»"  # of the prompt; stands in the record of every measurement
COLUMNS = ("difficulty", "pairs", "position", "trial", "key", "value", "answer", "right")
Z = 1.96  # 95 %


def _one_word(n: int, rng: random.Random) -> list[str]:
    return rng.sample(NOUNS.split(), n)


def _two_words(n: int, rng: random.Random) -> list[str]:
    first, second = ADJECTIVES.split(), NOUNS.split()
    numbers = rng.sample(range(len(first) * len(second)), n)  # of the two-word keys in their order
    return [f"{first[i // len(second)]} {second[i % len(second)]}" for i in numbers]


def _hex(n: int, rng: random.Random) -> list[str]:
    keys: dict[str, None] = {}  # drawn one by one: a range of 2³² is too long for the 32 bits of a browser
    while len(keys) < n:
        keys[f"{rng.randrange(16**8):08x}"] = None
    return list(keys)


# n different keys of each kind: easy, the measurement, hard for people; and the measurement with a sentence before
# the list and one behind, which is what makes it too hard for a small model
KEYS: dict[str, Callable[[int, random.Random], list[str]]] = {
    "one-word": _one_word,
    "two-words": _two_words,
    "hex": _hex,
    "two-words-told": _two_words,
}
BEFORE = "A list of keys and their numbers.\n\n"
AFTER = "The number of the key that was asked for, copied from the list:\n"


@dataclass(frozen=True)
class LookUp:
    """A question that is asked: for which key, and which value is right. `position` counts from 1."""

    difficulty: str
    pairs: int
    position: int
    trial: int
    key: str
    value: str

    @property
    def point(self) -> tuple[str, int, int, int]:
        """What tells this look-up from every other one."""
        return self.difficulty, self.pairs, self.position, self.trial


@dataclass(frozen=True)
class Task(LookUp):
    """A look-up to be asked: its prompt."""

    prompt: str


def make_task(difficulty: str, pairs: int, position: int, trial: int) -> Task:
    """The look-up number `trial` among so many pairs, the asked one at `position` (from 1).

    Keys and values (three digits, all different) depend on difficulty, pairs and trial alone, on every machine; the
    position moves the asked pair and leaves the others in their order. `-told` has the same lists, with a sentence
    before and one behind. Raises ValueError for an unknown difficulty,
    for more pairs than there are keys or values, and for a position outside of the list.

    >>> print(make_task("two-words", 3, 2, trial=0).prompt)
    salty wheel: 223
    rough corner: 388
    rich jacket: 681
    <BLANKLINE>
    rough corner:
    """
    if difficulty not in KEYS:
        raise ValueError(f"difficulty must be one of {', '.join(KEYS)}, not {difficulty!r}")
    most = len(NOUNS.split()) if difficulty == "one-word" else 900
    if not 1 <= pairs <= most:
        raise ValueError(f"pairs must lie between 1 and {most} for {difficulty}, not {pairs}")
    if not 1 <= position <= pairs:
        raise ValueError(f"position must lie between 1 and {pairs}, the number of pairs, not {position}")
    if trial < 0:
        raise ValueError(f"trial must be at least 0, not {trial}")
    lists, told = difficulty.removesuffix("-told"), difficulty.endswith("-told")
    rng = random.Random(f"{lists}, {pairs} pairs, trial {trial}")  # a text as seed: the same everywhere
    keys = KEYS[difficulty](pairs, rng)
    values = [str(number) for number in rng.sample(range(100, 1000), pairs)]
    asked, *others = zip(keys, values, strict=True)
    ordered = [*others[: position - 1], asked, *others[position - 1 :]]
    lines = "".join(f"{key}: {value}\n" for key, value in ordered)
    before, after = (BEFORE, AFTER) if told else ("", "")
    return Task(difficulty, pairs, position, trial, *asked, prompt=f"{before}{lines}\n{after}{asked[0]}:")


def spread(pairs: int, count: int = 5) -> list[int]:
    """So many positions, evenly from the first place to the last.

    Raises ValueError unless 2 ≤ count ≤ pairs.

    >>> spread(25), spread(50)
    ([1, 7, 13, 19, 25], [1, 13, 26, 38, 50])
    """
    if not 2 <= count <= pairs:
        raise ValueError(f"the number of positions must lie between 2 and {pairs}, the pairs, not be {count}")
    gaps = count - 1
    return [1 + (2 * i * (pairs - 1) + gaps) // (2 * gaps) for i in range(count)]  # halves go up


def plan(difficulty: str, pairs: Sequence[int], positions: int = 5, trials: int = 100) -> list[Task]:
    """All look-ups of a measurement: every length at every position, so many trials each.

    Trial by trial, so that a run which is stopped half-way has measured every point equally often.
    """
    if trials < 1:
        raise ValueError(f"trials must be at least 1, not {trials}")
    points = [(n, position) for n in pairs for position in spread(n, positions)]
    return [make_task(difficulty, n, position, trial) for trial in range(trials) for n, position in points]


def is_right(answer: str, value: str) -> bool:
    """Whether the first number of three digits in the answer, standing alone, is the value.

    >>> is_right(" 417", "417"), is_right("The number is 417.", "417"), is_right("4170", "417")
    (True, True, False)
    """
    number = re.search(r"\b[0-9]{3}\b", answer)
    return number is not None and number[0] == value


# ------------------------------------------------------------------ asking, and the file of raw answers


@dataclass(frozen=True)
class Row(LookUp):
    """A look-up that was asked, as it stands in the file; white space in the answer is one space each."""

    answer: str
    right: bool


def ask(model: Model, task: Task) -> Row:
    """The model's answer to one look-up. An answer that reached its limit of tokens counts as far as it came."""
    try:
        answer = model.generate(task.prompt)
    except UnfinishedError as error:
        if error.reason != "length":
            raise
        answer = error.text
    answer = " ".join(answer.split())
    right = is_right(answer, task.value)
    return Row(task.difficulty, task.pairs, task.position, task.trial, task.key, task.value, answer, right)


def run(
    model: Model, tasks: Sequence[Task], path: str | Path, settings: Mapping[str, Any], progress: bool = False
) -> list[Row]:
    """Every answer of the plan, those that the file holds already and those asked for now; each is written at once.

    path: a CSV file; beside it `<name>.json` records the settings, the date and the machine. A run that was stopped
    goes on where it ended (a last line cut in two is asked again); a larger plan adds to the file.
    settings: all that decides an answer (`model.settings`). progress: show a bar (needs tqdm).
    Raises ValueError if the file was made with other settings, or holds rows that are not these look-ups'.
    """
    path = Path(path)
    _same_settings(path, settings)
    rows = {row.point: row for row in _resume(path)}
    for task in tasks:
        row = rows.get(task.point)
        if row and (row.key, row.value) != (task.key, task.value):
            raise ValueError(f"{path} asks for {row.key!r}, this program for {task.key!r}: use a new file")
    left = [task for task in tasks if task.point not in rows]
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for task in _bar(left, len(tasks), progress):
            row = rows[task.point] = ask(model, task)
            writer.writerow([*row.point, row.key, row.value, row.answer, int(row.right)])
            file.flush()
    return [rows[task.point] for task in tasks]


def read_rows(path: str | Path) -> list[Row]:
    """The raw answers in a file. Raises ValueError, with the line's number, for a line that is none."""
    path = Path(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    if not lines or lines[0] != ",".join(COLUMNS):
        raise ValueError(f"{path} is no file of look-ups: its first line must be {','.join(COLUMNS)}")
    rows: dict[tuple[str, int, int, int], Row] = {}
    for number, line in enumerate(lines[1:], start=2):
        try:
            difficulty, pairs, position, trial, key, value, answer, right = next(csv.reader([line], strict=True))
            row = Row(difficulty, int(pairs), int(position), int(trial), key, value, answer,
                      {"1": True, "0": False}[right])  # fmt: skip
        except (ValueError, KeyError, StopIteration, csv.Error):
            raise ValueError(f"{path}, line {number}, is no answer: {line!r}") from None
        if rows.setdefault(row.point, row) is not row:
            raise ValueError(f"{path}, line {number}: this look-up stands there twice")
    return list(rows.values())


def _resume(path: Path) -> list[Row]:
    """The rows of a file, begun if need be; a last line without its end is removed."""
    text = path.read_bytes() if path.exists() else b""
    complete = text[: text.rfind(b"\n") + 1]
    if not complete:
        complete = (",".join(COLUMNS) + "\n").encode()
    if complete != text:
        path.write_bytes(complete)
    return read_rows(path)


def _same_settings(path: Path, settings: Mapping[str, Any]) -> None:
    """Writes the record beside the file; raises ValueError if one with other settings stands there."""
    if path.suffix != ".csv":
        raise ValueError(f"the file of answers must end in .csv, not be {path.name}")
    record = path.with_suffix(".json")
    settings = json.loads(json.dumps({"prompt": FORM, **settings}))  # as they read back: tuples are lists
    if record.exists():
        try:
            before = json.loads(record.read_text(encoding="utf-8"))["settings"]
        except (ValueError, TypeError, KeyError):
            raise ValueError(f"{record} is no record of a measurement: use a new file") from None
        for name in sorted({*before, *settings}):
            if before.get(name) != settings.get(name):
                was, now = before.get(name), settings.get(name)
                raise ValueError(f"{path} was made with {name} = {was!r}, not {now!r}: use a new file")
    elif path.exists():
        raise ValueError(f"{path} has no record of its settings ({record.name}): use a new file")
    else:
        made = {"begun": datetime.now(UTC).strftime("%Y-%m-%d"), "machine": platform.machine(),
                "system": platform.system(), "python": platform.python_version()}  # fmt: skip
        part = record.with_suffix(".part")
        text = json.dumps({"settings": settings, **made}, indent=1, ensure_ascii=False)
        part.write_text(text + "\n", encoding="utf-8")
        part.replace(record)  # whole or not at all


def _bar(tasks: Sequence[Task], total: int, shown: bool) -> Iterable[Task]:
    if not shown:
        return tasks
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("a progress bar needs tqdm: pip install 'ragcore[progress]'") from None
    bar: Iterable[Task] = tqdm(tasks, total=total, initial=total - len(tasks), unit="question")
    return bar


# ------------------------------------------------------------------ what the answers say


@dataclass(frozen=True)
class Point:
    """How many look-ups were right at one place, and the interval in which the share may well lie."""

    difficulty: str
    pairs: int
    position: int
    trials: int
    right: int
    low: float
    high: float

    @property
    def accuracy(self) -> float:
        return self.right / self.trials


def wilson(right: int, trials: int, z: float = Z) -> tuple[float, float]:
    """The interval in which the true share of right answers may well lie, if `right` of `trials` were right.

    Unlike p ± z·√(p(1 − p)/m) it never leaves 0 … 1, and has a width for 0 and for all right too.
    Raises ValueError unless 0 ≤ right ≤ trials and trials ≥ 1.

    >>> [round(bound, 3) for bound in wilson(8, 10)]
    [0.49, 0.943]
    """
    if trials < 1 or not 0 <= right <= trials:
        raise ValueError(f"right must lie between 0 and trials, and trials be at least 1, not {right} of {trials}")
    p, m = right / trials, trials
    middle, half = p + z * z / (2 * m), z * sqrt(p * (1 - p) / m + z * z / (4 * m * m))
    return max(0.0, (middle - half) / (1 + z * z / m)), min(1.0, (middle + half) / (1 + z * z / m))


def summarise(rows: Iterable[Row]) -> list[Point]:
    """For every difficulty, length and position: trials, right answers, Wilson's interval.

    Difficulties in the order in which they were first asked, then by length and position.
    """
    points: dict[tuple[str, int, int], list[bool]] = {}
    for row in rows:
        points.setdefault((row.difficulty, row.pairs, row.position), []).append(row.right)
    seen = list(dict.fromkeys(difficulty for difficulty, _, _ in points))
    order = sorted(points, key=lambda point: (seen.index(point[0]), *point[1:]))
    return [Point(*at, len(points[at]), sum(points[at]), *wilson(sum(points[at]), len(points[at]))) for at in order]


def write_summary(points: Iterable[Point], path: str | Path) -> None:
    """The points as a CSV file; shares with four decimals."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["difficulty", "pairs", "position", "trials", "right", "accuracy", "low", "high"])
        for p in points:
            shares = (f"{share:.4f}" for share in (p.accuracy, p.low, p.high))
            writer.writerow([p.difficulty, p.pairs, p.position, p.trials, p.right, *shares])
