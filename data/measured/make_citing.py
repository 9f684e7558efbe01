"""Does a small language model cite as it was told to? Its marks, and its quotes, in 20 answers under three prompts.

    python data/measured/make_citing.py     # needs xllamacpp and the small model; about eight minutes of one core

citing.csv       condition, question (its row in the English questions), raw: what Gemma 3 270M, a base model, wrote
                 to the first 20 direct questions. Every prompt holds the first three passages that BM25 finds by
                 stems in chunks of 80 words, numbered. A base model completes a text, so each prompt ends with
                 «Answer:», in the form of its examples (after the tagged form it often wrote another tag)
citing.json      the settings of the model and of the prompts

Conditions:  told    the four instructions, one of which asks for a citation after every claim
             shown   the four instructions and two made-up questions with cited answers
             json    the four instructions, the form asked for, and the same two made-up questions answered as JSON
"""

import csv
import json
from pathlib import Path

from ragcore import BM25, load_corpus, load_questions, split_words, stems
from ragcore.compression import Passage
from ragcore.generation import LocalModel, Model, UnfinishedError
from ragcore.prompting import Prompt, build_prompt, instructions

FOLDER = Path(__file__).parent
QUESTIONS, PASSAGES, MAX_TOKENS = 20, 3, 80
EXAMPLES = [
    ("Who keeps the key of the boathouse?", "The key is kept by the gardener [2]."),
    ("When is the library closed?", "It is closed on Mondays [1]. In August it is closed all day [1, 3]."),
]
FORM = '{"answer": "%s", "citations": [{"source_id": "%s", "quote": "%s"}], "sufficient": true}'
FORMAT = f"Answer as one JSON object: {FORM % ('…', '…', '…')}"
AS_JSON = [
    (EXAMPLES[0][0], FORM % ("The gardener keeps it.", "2", "the gardener keeps the key")),
    (EXAMPLES[1][0], FORM % ("On Mondays.", "1", "closed on Mondays")),
]
CONDITIONS = ("shown", "json", "told")


def prompts() -> list[tuple[str, int, Prompt]]:
    """Condition, question and prompt of every case; the prompt is sent with «Answer:» at its end."""
    chunks = [chunk for article in load_corpus("en") for chunk in split_words(article)]
    index, cases = BM25(chunks, stems), []
    direct = [row for row, question in enumerate(load_questions("en")) if question.kind == "direct"][:QUESTIONS]
    for condition in CONDITIONS:
        for row in direct:
            asked = load_questions("en")[row].text
            passages = [Passage(hit.chunk, hit.score) for hit in index.search(asked, PASSAGES)]
            examples = {"told": [], "shown": EXAMPLES, "json": AS_JSON}[condition]
            form = FORMAT if condition == "json" else ""
            system = instructions("en", id="1")
            prompt = build_prompt(system, passages, asked, "numbered", examples=examples, format=form)
            cases.append((condition, row, prompt))
    return cases


def local() -> LocalModel:
    return LocalModel(max_tokens=MAX_TOKENS)


def complete(model: Model, prompt: Prompt) -> str:
    """The first line that the model writes and that is not empty, to the limit of tokens at most."""
    text = ""
    pieces = model.stream(f"{prompt.text}\nAnswer:")
    try:
        for piece in pieces:
            text += piece
            if "\n" in text.lstrip():
                break
    except UnfinishedError:
        pass
    return text.strip().partition("\n")[0].strip()


if __name__ == "__main__":
    model = local()
    with (FOLDER / "citing.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["condition", "question", "raw"])
        for condition, row, prompt in prompts():
            writer.writerow([condition, row, complete(model, prompt)])
            file.flush()
    settings = {
        "prompt": "instructions, examples, form, 3 passages of 80 words, numbered, question, «Answer:»; English",
        "examples of «shown»": EXAMPLES,
        "examples of «json»": AS_JSON,
        "form of «json»": FORMAT,
        **model.settings,
    }
    text = json.dumps(settings, ensure_ascii=False, indent=1)
    (FOLDER / "citing.json").write_text(text + "\n", encoding="utf-8")
    print(f"citing.csv: {QUESTIONS * len(CONDITIONS)} answers")
