"""From chunks that were found to passages that may enter a prompt: less text, word for word.

    Chunk ─► Hit ─► Passage      the whole chunk, or the sentences of it that are worth their tokens

Two ways to less. `keep` drops whole passages, by score. `extract` keeps the sentences that an `Extractor` names,
which is any function from a question and a text to pieces of the text: the best by a score, or what a model copies.
It is not believed. Each piece must stand in the passage (`find_quote`), else all of it is refused; and each is
widened to the whole sentences that it touches, so that no «not» stays behind.

What it does not see: a sentence that limits the one before it («This fails for n = 0.») and shares no word with the
question. And a sentence that the chunker has cut in two was cut before: what the chunk holds of it counts as one
(chunks from `split_structure` break a sentence only if it is longer than a chunk).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from .chunking import Chunk, merge_adjacent, sentences
from .hits import DECIMALS, check_k
from .quotes import find_quote
from .reranking import Scorer, score_texts

GAP = " … "  # stands where something of the chunk was left out (context.py builds on it)

Extractor = Callable[[str, str], Sequence[str]]


@dataclass(frozen=True)
class Passage:
    """Text that may enter a prompt: a chunk, whole or in pieces, and how relevant it is.

    spans: the pieces that are kept, as offsets in the article, in order; none means the whole chunk.
    """

    chunk: Chunk
    score: float
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def text(self) -> str:
        """The kept pieces, each as it stands in the article, with … wherever something of the chunk is left out."""
        if not self.spans:
            return self.chunk.text
        text = self.chunk.article.text
        kept = GAP.join(text[start:end] for start, end in self.spans)
        before = GAP.lstrip() if self.spans[0][0] > self.chunk.start else ""
        after = GAP.rstrip() if self.spans[-1][1] < self.chunk.end else ""
        return before + kept + after

    @property
    def cut(self) -> bool:
        """Whether something of the chunk is left out."""
        return bool(self.spans) and self.spans != ((self.chunk.start, self.chunk.end),)


class NotVerbatimError(ValueError):
    """An extractor returned something that does not stand in the passage. pieces: all that do not."""

    def __init__(self, pieces: Sequence[str], chunk: Chunk):
        self.pieces = tuple(pieces)
        super().__init__(
            f"{len(self.pieces)} of the extractor's pieces are no quotes of {chunk!r}, first {self.pieces[0]!r}: "
            "a piece must be whole words, at least three or a whole sentence; or use the whole passage"
        )


def keep(passages: Sequence[Passage], share: float = 0.5) -> list[Passage]:
    """The passages whose score is at least `share` of the best one's, in the order of the input.

    For scores whose zero means «nothing in common», as BM25's: there, half of the best means the same for every
    question, though its score does not. The best always stays: whether it is good enough is another question (see
    `rerank`'s minimum). Raises ValueError for a share outside 0 … 1 and for scores below 0 or without end.

    >>> from ragcore.chunking import split_words
    >>> passages = [Passage(chunk, score) for chunk, score in zip(split_words("a b c", size=1), [8.0, 4.0, 3.9])]
    >>> [passage.chunk.text for passage in keep(passages, share=0.5)]
    ['a', 'b']
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share must lie between 0 and 1, not be {share}")
    if strange := [passage.score for passage in passages if not 0 <= passage.score < inf]:
        raise ValueError(f"a share of the best needs finite scores of at least 0, not {strange[0]}")
    least = round(share * max((passage.score for passage in passages), default=0.0), DECIMALS)
    return [passage for passage in passages if round(passage.score, DECIMALS) >= least]


def extract(question: str, passage: Passage, extractor: Extractor) -> Passage | None:
    """The passage with only the sentences that the extractor points at, in their order; None if it names none.

    Neighbouring sentences become one span, so that … stands only where something is left out. The score stays.
    Raises NotVerbatimError (a ValueError) if one of the pieces does not stand in the passage; ValueError for a
    passage that is in pieces already; TypeError for an extractor that returns one text instead of a list.

    >>> from ragcore.chunking import split_words
    >>> (chunk,) = split_words("Sušte je. Neplatí, že se dají jíst syrové. Rostou v lese. Jsou hnědé.")
    >>> extract("?", Passage(chunk, 1.0), lambda question, text: ["se dají jíst", "Sušte je."]).text
    'Sušte je. Neplatí, že se dají jíst syrové. …'
    """
    if passage.spans:
        raise ValueError(f"{passage.chunk!r} is in pieces already: extract from the whole passage")
    chunk, text = passage.chunk, passage.chunk.text
    pieces = extractor(question, text)
    if isinstance(pieces, str):
        raise TypeError(f"an extractor must return a list of pieces, not one text, {pieces[:60]!r}")
    places = [(piece, find_quote(piece, text)) for piece in pieces]
    if refused := [piece for piece, place in places if place is None]:
        raise NotVerbatimError(refused, chunk)
    touched = [
        Chunk(chunk.article, chunk.start + a, chunk.start + b)
        for a, b in sentences(text)
        if any(place and place[0] < b and a < place[1] for _, place in places)
    ]
    spans = tuple((piece.start, piece.end) for piece in merge_adjacent(touched))
    return Passage(chunk, passage.score, spans) if spans else None


def best_sentences(scorer: Scorer, n: int = 3) -> Extractor:
    """An extractor: the n sentences with the highest score; those with a score of 0 or less are never taken.

    scorer: `by_coverage(index)` counts the words shared with the question by their idf. Equal scores: the earlier
    sentence. Raises ValueError for n < 1.

    >>> from ragcore import BM25, split_words
    >>> from ragcore.reranking import by_coverage
    >>> (chunk,) = split_words("Neplatí to pro n = 0. Platí to pro n ≥ 1.")
    >>> best_sentences(by_coverage(BM25([chunk])), n=1)("Platí to pro n = 0?", chunk.text)
    ['Neplatí to pro n = 0.']
    """
    check_k(n)

    def extractor(question: str, text: str) -> list[str]:
        found = [text[a:b] for a, b in sentences(text)]
        scores = [round(score, DECIMALS) for score in score_texts(scorer, question, found)]
        order = sorted((i for i, score in enumerate(scores) if score > 0), key=lambda i: -scores[i])
        return [found[i] for i in order[:n]]

    return extractor
