"""Does a small language model say that the sources are silent when it was told to?

    python data/measured/make_refusals.py     # needs xllamacpp and the small model; about six minutes of one core

refusals.csv     condition, question (its row in the English questions), kind, held, raw: what Gemma 3 270M, a base
                 model, wrote to the first 20 direct questions and to the 20 that no article answers. Every prompt
                 holds the first three passages that BM25 finds by stems, chunks of 80 words, tagged; held: whether
                 one of them holds the answer. A base model completes a text, so each prompt ends with «<answer>»
refusals.json    the settings of the model and of the prompts

Conditions:  told    the four instructions
             untold  without the third, «If the sources do not answer the question, write: …»
             shown   the four instructions and two made-up cases, one that is answered and one that is not
"""

import csv
import json
from pathlib import Path

from ragcore import BM25, load_corpus, load_questions, right_chunks, split_words, stems
from ragcore.compression import Passage
from ragcore.generation import LocalModel, Model, UnfinishedError
from ragcore.prompting import PHRASES, build_prompt, instructions

FOLDER = Path(__file__).parent
PASSAGES, MAX_TOKENS = 3, 60
SILENT = PHRASES["en"].say_not_there.format(not_there=PHRASES["en"].not_there)
EXAMPLES = [
    ("Who keeps the key of the boathouse?", "The key is kept by the gardener [S2]."),
    ("How tall is the lighthouse?", PHRASES["en"].not_there),
]
CONDITIONS = ("told", "untold", "shown")
Row = dict[str, object]


def system(condition: str) -> str:
    lines = instructions("en").splitlines()
    return "\n".join(line for line in lines if condition != "untold" or line != SILENT)


def asked() -> list[int]:
    """The rows of the questions: the first 20 direct ones, and all that have no answer."""
    questions = list(enumerate(load_questions("en")))
    direct = [row for row, question in questions if question.kind == "direct"][:20]
    return direct + [row for row, question in questions if question.kind == "unanswerable"]


def prompts() -> list[tuple[Row, str]]:
    """What is known of every case before the model is asked, and its prompt."""
    chunks = [chunk for article in load_corpus("en") for chunk in split_words(article)]
    index, questions, cases = BM25(chunks, stems), load_questions("en"), []
    for condition in CONDITIONS:
        for row in asked():
            question = questions[row]
            hits = index.search(question.text, PASSAGES)
            right = right_chunks(question, chunks) if question.article else []
            passages = [Passage(hit.chunk, hit.score) for hit in hits]
            examples = EXAMPLES if condition == "shown" else ()
            prompt = build_prompt(system(condition), passages, question.text, examples=examples).text
            known = {"condition": condition, "question": row, "kind": question.kind,
                     "held": int(any(hit.chunk in right for hit in hits))}  # fmt: skip
            cases.append((known, f"{prompt}\n\n<answer>\n"))
    return cases


def local() -> LocalModel:
    return LocalModel(max_tokens=MAX_TOKENS, stop=["\n"])


def complete(model: Model, prompt: str) -> str:
    """What the model writes, to the end of the line; an answer that reaches the limit ends there."""
    try:
        return model.generate(prompt).strip()
    except UnfinishedError as error:
        return error.text.strip()


if __name__ == "__main__":
    model = local()
    with (FOLDER / "refusals.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["condition", "question", "kind", "held", "raw"], lineterminator="\n")
        writer.writeheader()
        for known, prompt in prompts():
            writer.writerow(known | {"raw": complete(model, prompt)})
            file.flush()
    settings = {
        "prompt": "instructions, 3 passages of 80 words, tagged, question, «<answer>»; English",
        "examples of «shown»": EXAMPLES,
        **model.settings,
    }
    text = json.dumps(settings, ensure_ascii=False, indent=1)
    (FOLDER / "refusals.json").write_text(text + "\n", encoding="utf-8")
    print("refusals.csv: 120 answers")
