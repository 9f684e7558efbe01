"""The command line: `python -m ragcore COMMAND`, or `ragcore COMMAND`.

A command is a module here: `add` adds its arguments to the parser and names the function that runs it.

    index FOLDER      build the index of your notes, or bring it up to date
    ask QUESTION      an answer with its sources, or a refusal
    evaluate CSV      questions of your own: Hit@k, MRR, and why each failure failed
    compare CSV       the same questions with other terms and other passages
    info              what is in an index
    lookup            does a language model lose the middle of a long prompt?

Exit codes: 0 done, 1 something that a user can mend (one line on the standard error), 2 a wrong argument, 3 the
question was refused, 130 Ctrl-C. With --json a command prints one object, whose keys stay.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from ..generation import ModelError
from ..indexfile import DamagedIndexError
from . import ask, compare, evaluate, index, info, lookup, show

COMMANDS = (index, ask, evaluate, compare, info, lookup)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="ragcore",
        description="Retrieval-augmented generation, one idea a module: the book's own tools.",
        epilog="Exit codes: 0 done, 1 an error that you can mend, 2 a wrong argument, 3 a question refused, "
        "130 stopped.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    args = parser.parse_args(arguments)
    try:
        code: int = args.run(args) or 0
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has enough, as in `ragcore compare … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except DamagedIndexError as error:
        print(f"ragcore: {error}; run `ragcore index FOLDER` again", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"ragcore: {show.said(error)}", file=sys.stderr)
        return 1
    except (ValueError, TypeError, ImportError, ModelError) as error:
        print(f"ragcore: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("ragcore: stopped", file=sys.stderr)
        return 130
    return code
