"""`ragcore lookup`: does a language model lose the middle of a long prompt?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .. import lookup
from ..generation import LocalModel, OpenAIModel

DESCRIPTION = """Measure how well a language model finds one line among many, by the place of that line.

Every question is a list of «key: number» lines and one of the keys once more; the answer is right if it is that
key's number. The answers go to a CSV file, one line each, as they come. Stop with Ctrl-C whenever you like: the
same command goes on where it ended. At the end a table is printed and written to <name>_summary.csv.

Without --base-url a small model on this computer is asked (Gemma 3 270M; pip install 'ragcore[local]')."""


def add(commands: Any) -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = commands.add_parser(
        "lookup", help="measure «lost in the middle» on a model", description=DESCRIPTION, formatter_class=form
    )
    add = parser.add_argument
    add("--out", type=Path, required=True, metavar="FILE", help="the CSV file of raw answers, new or to go on with")
    add("--pairs", type=int, nargs="+", default=[25, 50, 100], metavar="N",
        help="lengths of the list (default: 25 50 100)")  # fmt: skip
    add("--positions", type=int, default=5, metavar="N", help="places, spread from first to last (default: 5)")
    add("--trials", type=int, default=100, metavar="N", help="questions at every place (default: 100)")
    add("--difficulty", choices=list(lookup.KEYS), default="two-words",
        help="one common word, two words (default), eight hex digits; -told: a sentence around them")  # fmt: skip
    local = parser.add_argument_group("a model on this computer")
    local.add_argument("--gguf", type=Path, metavar="FILE", help="another model than the packaged one")
    local.add_argument("--threads", type=int, default=1, metavar="N", help="cores to compute on (default: 1)")
    remote = parser.add_argument_group("a model behind an OpenAI-compatible endpoint (key: OPENAI_API_KEY)")
    remote.add_argument("--base-url", metavar="URL", help="the endpoint, such as http://localhost:11434/v1")
    remote.add_argument("--model", metavar="NAME", help="the endpoint's name of the model")
    remote.add_argument("--completions", action="store_true",
                        help="a base model, that completes a text instead of chatting")  # fmt: skip
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    tasks = lookup.plan(args.difficulty, args.pairs, args.positions, args.trials)
    if not args.out.parent.is_dir():
        raise ValueError(f"there is no folder {args.out.parent} for --out")
    model = _lookup_model(args)
    lookup.run(model, tasks, args.out, model.settings, progress=True)
    points = lookup.summarise(lookup.read_rows(args.out))  # of the whole file, earlier runs too
    lookup.write_summary(points, args.out.with_name(f"{args.out.stem}_summary.csv"))
    print("difficulty  pairs  position  right  of  share (95 % interval)")
    for p in points:
        print(f"{p.difficulty:<10}  {p.pairs:>5}  {p.position:>8}  {p.right:>5}  {p.trials:>2}  "
              f"{p.accuracy:.2f} ({p.low:.2f} to {p.high:.2f})")  # fmt: skip


def _lookup_model(args: argparse.Namespace) -> LocalModel | OpenAIModel:
    """A line is all that is asked for; a model that chats may say a word or two around the number."""
    if (args.base_url is None) != (args.model is None):
        raise ValueError(
            "--base-url and --model belong together: give both, or neither for the model on this computer"
        )
    if args.base_url is None:
        return LocalModel(args.gguf, max_tokens=8, stop=["\n"], threads=args.threads)
    if args.completions:
        return OpenAIModel(args.model, args.base_url, chat=False, max_tokens=8, stop=["\n"])
    return OpenAIModel(args.model, args.base_url, max_tokens=32)
