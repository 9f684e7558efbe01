"""`ragcore info`: what is in an index, after all of it was checked."""

from __future__ import annotations

import argparse
from typing import Any

from ..notes import facts, open_notes
from . import show


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "info", help="what is in an index", description="The facts of an index; every part of it is checked."
    )
    show.add_store(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    notes = open_notes(show.store_of(args))
    numbers = facts(notes)
    if args.json:
        show.as_json({**numbers, "paths": list(notes.paths), "skipped_files": notes.skipped})
        return
    print(f"{numbers['notes']} notes with {numbers['words']:,} words, "
          f"{numbers['skipped']} {'file' if numbers['skipped'] == 1 else 'files'} skipped")  # fmt: skip
    print(f"{numbers['chunks']:,} passages, the longest of {numbers['longest_chunk']} words; "
          f"{numbers['terms']:,} different terms")  # fmt: skip
    print(f"made by {notes.settings}; k₁ = {numbers['k1']}, b = {numbers['b']}")
    print(f"refuses below threshold {notes.threshold:.3f}, quotes from minimum {notes.minimum:.3f}")
    print("every part is as it was written")
