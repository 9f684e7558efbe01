"""What a command prints: lines and tables for people (by rich, on a terminal, if installed), or one JSON."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..notes import STORE

WIDTH = 88  # of running text


def add_store(parser: argparse.ArgumentParser) -> None:
    """The arguments of every command that opens an index: which one, and --json."""
    parser.add_argument("--notes", type=Path, default=Path(), metavar="FOLDER",
                        help="the folder that was indexed (default: this one)")  # fmt: skip
    add_common(parser)


def add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--index", type=Path, metavar="PATH",
                        help=f"where the index lies (default: {STORE} in the folder of notes)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def store_of(args: argparse.Namespace) -> Path:
    """Where the index lies. Raises ValueError for a folder of notes, or of the index, that is none."""
    if args.index is not None:
        if args.index.exists() and not args.index.is_dir():
            raise ValueError(f"{str(args.index)!r} is a file: --index takes the folder of an index")
        return Path(args.index)
    if not args.notes.is_dir():
        raise ValueError(f"{str(args.notes)!r} is not a folder")
    return Path(args.notes) / STORE


def said(error: OSError) -> str:
    """An error of the system, in words that say what to do where that is known."""
    name = error.filename
    if name is None:
        return str(error)
    if isinstance(error, FileNotFoundError):
        return f"there is no file {str(name)!r}: paths count from the present folder, {Path.cwd()}"
    if isinstance(error, PermissionError):
        return f"no permission for {str(name)!r}: ask whoever owns it, or use a copy"
    if isinstance(error, IsADirectoryError):
        return f"{str(name)!r} is a folder: name a file in it"
    return str(error)


def as_json(value: dict[str, Any]) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table, numbers to the right, with rules on a terminal that is wide enough; no cell is ever cut off."""
    cells = [[f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    right = [all(isinstance(row[i], int | float) or row[i] == "–" for row in rows) for i in range(len(head))]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    if sum(widths) + 3 * len(widths) + 1 <= room and (rich := _rich()):
        rich_table = rich.table.Table(box=rich.box.SIMPLE_HEAD, padding=(0, 1))
        for name, number in zip(head, right, strict=True):
            rich_table.add_column(name, justify="right" if number else "left")
        for row in cells:
            rich_table.add_row(*map(rich.markup.escape, row))
        rich.console.Console().print(rich_table)
        return
    gap = " " if room and sum(widths) + 2 * (len(widths) - 1) > room else "  "
    for row in [list(head), *cells]:
        parts = [
            f"{cell:>{width}}" if number else f"{cell:<{width}}"
            for cell, width, number in zip(row, widths, right, strict=True)
        ]
        print(gap.join(parts).rstrip())


def progress(items: Sequence[str]) -> Iterable[str]:
    """The items, with a bar on the standard error if that is a terminal: by rich, or by tqdm, or none."""
    if not sys.stderr.isatty():
        return items
    if rich := _rich():
        console = rich.console.Console(stderr=True)
        bar: Iterable[str] = rich.progress.track(items, "reading", console=console, transient=True)
        return bar
    try:
        from tqdm import tqdm
    except ImportError:
        return items
    bar = tqdm(items, unit="notes", leave=False)
    return bar


def _rich() -> Any:
    try:
        import rich.box
        import rich.console
        import rich.markup
        import rich.progress
        import rich.table
    except ImportError:
        return None
    return rich
