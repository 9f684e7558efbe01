"""In-context learning on a small model: dates rewritten, with and without examples in the prompt.

    python data/measured/make_examples.py     # needs xllamacpp and the small model

examples.csv         prompt (what stands in it), case, kind (usual or other: how the date is written), question,
                     expected, answer (as the model wrote it), whole (0: cut at max_tokens)
example_tokens.csv   system, examples, format, layer, words, gemma-3: the prompts of the first case, layer by layer;
                     white space behind a layer belongs to it
examples.json        the settings

The run goes on where it was stopped, case by case: all prompts have the same cases.
"""

import csv
import json
import sys
import time
from pathlib import Path

from ragcore.figures.layers import CASES, PROMPTS, TOGGLES, layers_of, request
from ragcore.generation import LocalModel, UnfinishedError
from ragcore.tokens import WORDS, Gguf

FOLDER = Path(__file__).parent
COLUMNS = ["prompt", "case", "kind", "question", "expected", "answer", "whole"]


def measure(seconds: float) -> None:
    file, until = FOLDER / "examples.csv", time.monotonic() + seconds
    known = set()
    if file.exists():
        with file.open(encoding="utf-8") as lines:
            known = {(row["prompt"], int(row["case"])) for row in csv.DictReader(lines)}
    model = LocalModel(max_tokens=14, stop=["\n"], context=1024)
    settings = {"prompts": list(PROMPTS), **model.settings}
    (FOLDER / "examples.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
    with file.open("a", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
        if not known:
            writer.writeheader()
        for number, case in enumerate(CASES):
            if time.monotonic() > until:
                break
            names = [*PROMPTS, *TOGGLES] if number == 0 else list(PROMPTS)
            for name in names:
                if (name, number) in known:
                    continue
                whole = 1
                try:
                    answer = model.generate(request(name, case.date))
                except UnfinishedError as error:
                    answer, whole = error.text, 0
                row = (name, number, case.kind, case.date, case.expected, answer, whole)
                writer.writerow(dict(zip(COLUMNS, row, strict=True)))
                lines.flush()


def count() -> None:
    gemma, rows = Gguf(), []
    for name in TOGGLES:
        parts = layers_of(name, CASES[0].date)
        for layer, text in parts.items():
            rows.append([name, layer, WORDS.count(text), gemma.count(text)])
        if sum(row[3] for row in rows if row[0] == name) != gemma.count(request(name, CASES[0].date)):
            raise RuntimeError(f"{name}: the layers do not add up to the prompt")
    with (FOLDER / "example_tokens.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["prompt", "layer", "words", "gemma-3"], *rows])


if __name__ == "__main__":
    measure(float(sys.argv[1]) if len(sys.argv) > 1 else 3600)
    count()
