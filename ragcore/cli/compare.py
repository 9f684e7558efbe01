"""`ragcore compare QUESTIONS.csv`: the same notes and questions, with other terms and other passages."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..comparison import Row, compare, grid
from ..corpus import read_questions
from ..notes import open_notes
from . import show

DESCRIPTION = """Try other settings on the notes of an index: terms, ways to cut, sizes, overlaps, side by side.

shared: words that neighbours share. in two: answers of which no passage holds one whole.

Every setting is compared with the index's own on the same questions: on how many it puts the answer higher, on how
many lower, and how often a coin would differ as much (p, sign test). The more settings are tried, the better the
best of them looks by chance: believe a p only below 0.05 divided by their number. The index is not changed."""


def add(commands: Any) -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = commands.add_parser(
        "compare", help="other terms and passages, side by side", description=DESCRIPTION, formatter_class=form
    )
    parser.add_argument("questions", type=Path, metavar="QUESTIONS.csv")
    parser.add_argument("--analyzers", nargs="+", default=["words", "stems", "trigrams"], metavar="NAME",
                        help="default: words stems trigrams")  # fmt: skip
    parser.add_argument("--cuts", nargs="+", choices=["structure", "words"], default=["structure", "words"])
    parser.add_argument("--sizes", nargs="+", type=int, default=[40, 80, 160], metavar="WORDS",
                        help="default: 40 80 160")  # fmt: skip
    parser.add_argument("--overlaps", nargs="+", type=int, default=[0, 20], metavar="WORDS",
                        help="with --cuts words (default: 0 20)")  # fmt: skip
    parser.add_argument("--k", type=int, default=5, metavar="N", help="passages that an answer gets (default: 5)")
    show.add_store(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    notes = open_notes(show.store_of(args))
    tried = grid(args.analyzers, args.cuts, args.sizes, args.overlaps)
    rows, left_out = compare(notes, read_questions(args.questions), tried, args.k)
    if args.json:
        show.as_json({"k": args.k, "questions": rows[0].questions, "left_out": [q.text for q in left_out],
                      "settings": [row.facts() for row in rows]})  # fmt: skip
        return
    for question in left_out:
        print(f"Left out, its answer is not in the index: {question.text}")
    print(f"{rows[0].questions} questions; the first line is the index as it is.")
    head = ["terms", "cut by", "size", "shared", "passages", "in two", f"Hit@{args.k}", "MRR"]
    show.table([*head, "better", "worse", "p"], [_cells(row) for row in rows])
    if (others := len(rows) - 1) > 1:
        print(f"{others} settings were tried: believe a difference only if its p is below {0.05 / others:.4f}.")


def _cells(row: Row) -> list[Any]:
    s, test = row.settings, row.test
    compared = [test.first, test.second, test.p] if test else ["–", "–", "–"]
    return [s.analyzer, s.cut, s.size, s.overlap, row.chunks, row.cut_in_two, row.hit_rate, row.mrr, *compared]
