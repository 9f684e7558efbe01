"""A model that needs nothing and invents nothing: it answers with sentences of the sources, word for word.

    prompt ─read_prompt─► sources, question ─► the sentences that hold most of the question ─► «Sentence. [S1]»

It is the book's default, so that every chapter runs without a key, and the measure for others: what it says is in
the sources. It does not understand: a sentence that shares the question's words and answers another question is
quoted all the same. And it cannot be ordered about, since it obeys nothing that it reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .analysis import Analyzer, stems
from .bm25 import BM25
from .chunking import Chunk, sentences
from .corpus import Article
from .prompting import PHRASES, read_prompt
from .reranking import by_coverage, score_texts

# where a paragraph, an item of a list, a heading or the row of a table begins
_LINE = re.compile(r"\n\s*\n|^(?:[-*] |\d+\. )|\n(?=[#|])", re.M)
_END = re.compile(r"[.!…][\"”“’»)*]*\Z")  # of a sentence that is whole and asks nothing


class ExtractiveModel:
    """Quotes the best sentences of a prompt's sources with their ids, or says that the sources do not say.

    n: sentences at most. minimum: how much of the question a sentence must hold to be quoted, from 0 to 1, by the
    weight of its terms (`by_coverage`, weighed among the prompt's own sentences). analyzer: what makes the terms.
    The prompt must be in the tagged or the numbered form; for one without sources the answer is a refusal, in the
    language of the prompt's own instructions.

    >>> from ragcore import split_words
    >>> from ragcore.compression import Passage
    >>> from ragcore.prompting import build_prompt
    >>> source = Passage(split_words("Momentum damps swings. Graphs have edges.")[0], 0.9)
    >>> ExtractiveModel().generate(build_prompt("", [source], "What damps the swings?").text)
    'Momentum damps swings. [S1]'
    """

    def __init__(self, n: int = 3, minimum: float = 0.25, analyzer: Analyzer = stems):
        if n < 1:
            raise ValueError(f"n must be at least 1 sentence, not {n}")
        if not 0 < minimum <= 1:
            raise ValueError(f"minimum must lie above 0 and at most be 1, not {minimum}")
        self.n, self.minimum, self.analyzer = n, minimum, analyzer

    def generate(self, prompt: str) -> str:
        """The answer, in the order of the sources."""
        sources, question = read_prompt(prompt)
        found = [(id, sentence) for id, text in sources.items() for sentence in _sentences(text)]
        index = BM25([_chunk(sentence) for _, sentence in found], self.analyzer)
        scores = score_texts(by_coverage(index), question, [sentence for _, sentence in found])
        best = sorted((i for i, score in enumerate(scores) if score >= self.minimum), key=lambda i: -scores[i])
        if not best:
            silent = (phrases.not_there for phrases in PHRASES.values() if phrases.not_there in prompt)
            return next(silent, PHRASES["en"].not_there)
        return " ".join(f"{found[i][1]} [{found[i][0]}]" for i in sorted(best[: self.n]))

    def stream(self, prompt: str) -> Iterator[str]:
        """The answer word by word."""
        return iter(re.findall(r"\S+\s*", self.generate(prompt)))


def _sentences(text: str) -> list[str]:
    """The whole sentences of a source, each on one line: no headings, no tables, and nothing cut at its edges."""
    lines = (line.strip() for line in _LINE.split(text) if not line.startswith(("#", "|")))
    found = [" ".join(line[a:b].split()) for line in lines for a, b in sentences(line)]
    return [sentence for sentence in found if _END.search(sentence) and not _first_letter(sentence).islower()]


def _first_letter(sentence: str) -> str:
    return next((letter for letter in sentence if letter.isalnum()), "")


def _chunk(sentence: str) -> Chunk:
    return Chunk(Article("", "", "", sentence), 0, len(sentence))
