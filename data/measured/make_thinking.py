"""What thinking brings, measured twice: by a small model that adds, and by a search that needs no model.

    python data/measured/make_thinking.py search     # no model; a few minutes of one core
    python data/measured/make_thinking.py sums       # needs xllamacpp and the small model; about ten minutes

beam.csv         the game of 24 on 200 games drawn from all 1,362: branching (k; 0: every possible step), tries (m),
                 beam (b), games, solved, pruned and not_proposed (how the others were lost), states (for which
                 steps were proposed), proposed, judged (thoughts whose verdict takes tries), path (steps that all
                 calls together had to read again); sums over all games
sums.csv         terms, way, trial, question, expected, answer (as Gemma 3 270M wrote it), tokens (of the answer, by
                 the model's own tokenizer), whole (0: cut at max_tokens)
sums.json        the settings

A run of `sums` goes on where it was stopped, trial by trial: all ways have the same sums.
"""

import csv
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ragcore.beam import Judge, Propose, Thought, beam_search, games, lost, solved, some, start, thoughts, tries
from ragcore.figures.thinking import sum_prompt
from ragcore.generation import LocalModel, UnfinishedError
from ragcore.tokens import Gguf

FOLDER = Path(__file__).parent
GAMES, SEED = 200, 19
BRANCHING, TRIES, BEAMS = (4, 8, 0), (0, 1, 3, 10), (1, 2, 3, 5, 8, 12, 20)
COUNTS = ("games", "solved", "pruned", "not_proposed", "states", "proposed", "judged", "path")
PLANS = ((2, "direct"), (3, "direct"), (3, "chained"), (3, "dots"), (3, "apart"))  # terms, way
TRIALS, MAX_TOKENS = 100, 32
COLUMNS = ["terms", "way", "trial", "question", "expected", "answer", "tokens", "whole"]


def drawn(count: int = GAMES) -> list[tuple[int, ...]]:
    """The games of the measurement."""
    return random.Random(SEED).sample(games(), count)


def remembered(judge: Judge) -> Judge:
    """The same judge, asked once about equal numbers."""
    known: dict[object, float] = {}

    def ask(state: Thought) -> float:
        if state.left not in known:
            known[state.left] = judge(state)
        return known[state.left]

    return ask


def count(roots: list[Thought], propose: Propose, judge: Judge, beam: int) -> dict[str, int]:
    """What a search with these settings does on all games."""
    total = dict.fromkeys(COUNTS, 0)
    for root in roots:
        levels = beam_search(root, propose, judge, beam)
        how = lost(levels)
        total["games"] += 1
        total["solved"] += solved(levels)
        if how:
            total[how[1].replace(" ", "_")] += 1
        states = 1
        for step, level in enumerate(levels):
            total["states"] += states
            total["proposed"] += len(level.proposed)
            total["judged"] += len(level.proposed) if step < len(levels) - 1 else 0
            total["path"] += states * step + len(level.proposed) * (step + 1)
            states = len(level.kept)
    return total


def searches() -> Iterator[dict[str, int]]:
    roots = [start(game) for game in drawn()]
    for m in TRIES:
        judge = remembered(tries(m))
        for k in BRANCHING:
            for beam in BEAMS:
                found = count(roots, some(k) if k else thoughts, judge, beam)
                yield {"branching": k, "tries": m, "beam": beam, **found}


def search() -> None:
    with (FOLDER / "beam.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["branching", "tries", "beam", *COUNTS], lineterminator="\n")
        writer.writeheader()
        for row in searches():
            writer.writerow(row)
            file.flush()


def sums(seconds: float) -> None:
    file, until, known = FOLDER / "sums.csv", time.monotonic() + seconds, set()
    if file.exists():
        with file.open(encoding="utf-8") as lines:
            known = {(int(row["terms"]), row["way"], int(row["trial"])) for row in csv.DictReader(lines)}
    model, gemma = LocalModel(max_tokens=MAX_TOKENS, stop=["\n"], context=512), Gguf()
    settings = {"plans": PLANS, "examples": 6, "digits": "1 to 9", **model.settings}
    (FOLDER / "sums.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
    with file.open("a", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
        if not known:
            writer.writeheader()
        for trial in range(TRIALS):
            if time.monotonic() > until:
                break
            for terms, way in PLANS:
                if (terms, way, trial) in known:
                    continue
                prompt, asked = sum_prompt(way, terms, trial)
                whole = 1
                try:
                    answer = model.generate(prompt)
                except UnfinishedError as error:
                    answer, whole = error.text, 0
                question = " + ".join(map(str, asked))
                row = (terms, way, trial, question, sum(asked), answer, gemma.count(answer), whole)
                writer.writerow(dict(zip(COLUMNS, row, strict=True)))
                lines.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["search"]:
        search()
    elif sys.argv[1:2] == ["sums"]:
        sums(float(sys.argv[2]) if len(sys.argv) > 2 else 3600)
    else:
        raise SystemExit(__doc__)
