"""`ragcore index FOLDER`: build the index of a folder of notes, or bring it up to date."""

from __future__ import annotations

import argparse
import shlex
import sys
import textwrap
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import Any

from ..indexfile import DamagedIndexError
from ..notes import LARGEST, Update, open_notes, update
from ..notestore import Manifest, Settings
from . import show

DESCRIPTION = """Build the index of a folder of notes (.md and .txt), or bring it up to date.

Files that have not changed are not read again. What is hidden (.git, .ragcore) is left alone. The index lies in
FOLDER/.ragcore; delete that folder and nothing is left of it. Stop with Ctrl-C whenever you like: the old index
stays, and the next run goes on."""

TOLD = 10  # paths of a kind that are listed; --json has them all


def add(commands: Any) -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = commands.add_parser(
        "index", help="build the index of your notes, or bring it up to date", description=DESCRIPTION,
        formatter_class=form,
    )  # fmt: skip
    add = parser.add_argument
    add("notes", type=Path, metavar="FOLDER", help="the folder of notes")
    add("--analyzer", metavar="NAME",
        help="words, stems (default), trigrams; snowball_xx or lemmas_xx for a language")  # fmt: skip
    add("--cut", choices=["structure", "words"],
        help="along headings, paragraphs and sentences (default), or by counting words")  # fmt: skip
    add("--size", type=int, metavar="WORDS", help="words of a passage at most (default: 80)")
    add("--overlap", type=int, metavar="WORDS", help="words that neighbours share, with --cut words")
    add("--largest", type=float, default=LARGEST / 1e6, metavar="MB",
        help="skip files above so many megabytes (default: %(default)g)")  # fmt: skip
    add("--reread", action="store_true", help="open every file, also those that look unchanged")
    show.add_common(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    store = show.store_of(args)
    if not 0 < args.largest < inf:
        raise ValueError(f"--largest must be above 0, not {args.largest:g}")
    try:
        made = update(args.notes, store, _settings(args, store), largest=int(args.largest * 1e6),
                      reread=args.reread, progress=show.progress)  # fmt: skip
    except PermissionError as error:
        raise ValueError(f"{show.said(error)}; --index PATH puts the index elsewhere") from None
    except KeyboardInterrupt:
        print("ragcore: what was read is kept; the same command goes on from there", file=sys.stderr)
        raise
    notes = open_notes(store)
    if args.json:
        show.as_json({**asdict(made), "settings": asdict(notes.settings), "store": str(store)})
        return
    _tell(made)
    print(f"{len(notes.paths)} notes in {made.chunks} passages, by {notes.settings}.")
    if args.index is not None or args.notes.resolve() != Path.cwd():  # a question asked here would not find it
        name, folder = ("--notes", args.notes) if args.index is None else ("--index", args.index)
        print(f'Ask with: ragcore ask "…" {shlex.join([name, str(folder)])}')


def _settings(args: argparse.Namespace, store: Path) -> Settings | None:
    """What was asked for, the rest as it was; None if nothing was asked for."""
    asked = {name: getattr(args, name) for name in ("analyzer", "cut", "size", "overlap")}
    asked = {name: value for name, value in asked.items() if value is not None}
    if not asked:
        return None
    try:
        manifest = Manifest.read(store)
    except DamagedIndexError:  # it will be built anew
        manifest = None
    before = asdict(manifest.settings) if manifest else {}
    if asked.get("cut") == "structure":
        before.pop("overlap", None)
    return Settings(**before | asked)


def _tell(made: Update) -> None:
    for what, paths in (("added", made.added), ("changed", made.changed), ("removed", made.removed),
                        ("renamed", [f"{old} → {new}" for old, new in made.renamed])):  # fmt: skip
        if paths:
            more = f" and {len(paths) - TOLD} more" if len(paths) > TOLD else ""
            line = f"{len(paths)} {what}: {', '.join(paths[:TOLD])}{more}"
            print(textwrap.fill(line, show.WIDTH, subsequent_indent="  ", break_long_words=False,
                                break_on_hyphens=False))  # fmt: skip
    if made.unchanged:
        print(f"{made.unchanged} unchanged")
    if made.skipped:
        print(f"{len(made.skipped)} skipped:")
        for path, why in list(made.skipped.items())[:TOLD]:
            print(f"  {path}: {why}")
        if len(made.skipped) > TOLD:
            print(f"  … and {len(made.skipped) - TOLD} more (--json lists them all)")
