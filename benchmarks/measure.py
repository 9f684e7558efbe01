"""What every benchmark shares: interleaved rounds, medians and tails, memory, a warning about noise, a table.

    times = rounds({"ours": ask_ours, "theirs": ask_theirs}, questions)     seconds[name][round, question]
    summary = summarize(times, to="theirs")                                 medians, p99, ratios: one row a name
    print(table(summary)); save("bm25", {...})

All figures that count are ratios to another library in the same run. In each round every contestant answers every
question, and the order of the contestants moves on by one from round to round, so that a neighbour on the machine
slows all of them alike. A question's time is the median of its rounds; «median» and «p99» are then over questions.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results"
NOISE = 1.15  # a fixed piece of work that takes this much longer than its best time means that others are at work

Times = dict[str, np.ndarray]  # a contestant's seconds, [round, item]


def rounds(
    contestants: Mapping[str, Callable[[Any], object]],
    items: Sequence[Any] = (None,),
    count: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> Times:
    """Seconds of every contestant for every item in every round; one more round before, not counted, warms up.

    contestants: name ─► a function of one item (of None where there is but one thing to do). clock: the wall's,
    or `time.process_time`, which counts the processor's time of all threads of this process and no waiting.
    """
    names = list(contestants)
    seconds = {name: np.zeros((count, len(items))) for name in names}
    for number in range(-1, count):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            work = contestants[name]
            for i, item in enumerate(items):
                start = clock()
                work(item)
                if number >= 0:
                    seconds[name][number, i] = clock() - start
    return seconds


def summarize(times: Times, to: str) -> list[dict[str, Any]]:
    """One row a contestant: median, mean and p99 in milliseconds, and each as a ratio to those of `to`.

    A ratio says how many times as fast: above 1 the contestant is faster than `to`.
    """
    each = {name: np.median(seconds, axis=0) for name, seconds in times.items()}
    figures = {
        name: {"median": np.median(t) * 1e3, "mean": np.mean(t) * 1e3, "p99": np.percentile(t, 99) * 1e3}
        for name, t in each.items()
    }
    return [
        {
            "name": name,
            **{f"{figure}_ms": round(float(ms), 5) for figure, ms in own.items()},
            **{f"{figure}_ratio": round(float(figures[to][figure] / ms), 3) for figure, ms in own.items()},
        }
        for name, own in figures.items()
    ]


def throughput(work: Callable[[Sequence[Any]], object], items: Sequence[Any], count: int = 3) -> float:
    """Items a second when `work` is given all of them at once, on as many cores as it likes: median of rounds."""
    times = rounds({"all": work}, [items], count)["all"]
    return len(items) / float(np.median(times))


def memory(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What `work` gives, the megabytes that it held at most, and those that its result still holds.

    Counted is what the process has resident beyond its state before (Linux; elsewhere both are NaN).
    """
    gc.collect()
    try:
        Path("/proc/self/clear_refs").write_text("5")  # the peak so far is forgotten
        before = _resident("VmRSS")
    except OSError:
        return work(), float("nan"), float("nan")
    result = work()
    peak = _resident("VmHWM") - before
    gc.collect()
    return result, peak, _resident("VmRSS") - before


def _resident(field: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise OSError(f"this system does not tell {field}")


class Machine:
    """Who else is at work: a fixed piece of work is timed now and again; what varies is not ours.

    >>> machine = Machine(); machine.look(); machine.warning()  # '' on a quiet machine
    """

    def __init__(self) -> None:
        self._numbers = np.random.default_rng(0).random(200_000)
        self._seconds: list[float] = []
        self._load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0  # before we load it ourselves

    def look(self) -> None:
        """Time the fixed piece of work a few times; call it between measurements."""
        for _ in range(5):
            start = time.perf_counter()
            np.sort(self._numbers)
            self._seconds.append(time.perf_counter() - start)

    def spread(self) -> float:
        """How many times the best time the ninth of ten takes; 1 on a machine of one's own."""
        return float(np.percentile(self._seconds, 90) / min(self._seconds)) if self._seconds else 1.0

    def warning(self) -> str:
        """A sentence if the figures should not be trusted, else nothing."""
        if self.spread() < NOISE and self._load < 0.5:
            return ""
        return (
            f"NOISY: the same work took up to {self.spread():.2f} times its best time (load at the start: "
            f"{self._load:.1f}). Repeat this alone on the machine before you quote a figure."
        )

    def facts(self, *packages: str) -> dict[str, Any]:
        """The processor, the versions and the noise: what a figure needs beside it."""
        return {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "packages": {name: found for name in packages if (found := installed(name))},
            "noise": round(self.spread(), 3),
            "load_at_start": round(self._load, 2),
        }


def installed(package: str) -> str | None:
    """A package's version, or None: a peer that is not there is named and left out."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> str:
    """Rows as text, numbers to three digits, right-aligned; a value that is missing is a dash."""
    columns = columns or list(dict.fromkeys(key for row in rows for key in row))
    cells = [[_cell(row.get(column)) for column in columns] for row in rows]
    widths = [max(len(c), *(len(row[i]) for row in cells)) for i, c in enumerate(columns)]
    lines = []
    for row in [list(columns), *cells]:
        first, *rest = zip(row, widths, strict=True)
        lines.append("  ".join([f"{first[0]:<{first[1]}}", *(f"{cell:>{width}}" for cell, width in rest)]))
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None or value != value:
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def save(name: str, results: Mapping[str, Any]) -> Path:
    """Write results to benchmarks/results/<name>.json; they hold no paths and no names of this machine."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path
