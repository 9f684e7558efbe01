"""Documents cut into passages small enough to rank and to read.

    W words, size s, overlap o:  chunks start at word 0, s − o, 2(s − o), …, until the last word is inside one

Two ways to cut: by counting words (`split_words`), and by the document's own structure (`split_structure`). And one
way back: neighbours that were found together are joined again (`merge_adjacent`).

Words are what white space separates, so no cut falls inside a word. A chunk refers to its article and
knows where it stands: `article.text[start:end] == chunk.text`, always.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil
from numbers import Integral

from .corpus import Article

_WORD = re.compile(r"\S+")
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_FENCE = r" {0,3}(?:`{3,}[^`\n]*|~{3,}.*)$"
_BLOCK = re.compile(
    rf"^(?={_FENCE}) *(`+|~+).*(?:\n(?! *\1).*)*(?:\n.*)?"  # fenced code, up to its closing fence or the end
    rf"|^#{{1,6}} .*$|(?:^(?!#{{1,6}} |{_FENCE}).*\S.*$\n?)+",  # a heading, or lines up to an empty one
    re.M,
)
_STOP = re.compile(r"(?<![.!?…])[.!?…]+[\"”“’»)*]*(?=\s+[\"“„‘«(*]*([^\W\d_]))")


@dataclass(frozen=True)
class Chunk:
    """A passage: the characters `start` to `end` of its article's text.

    section: the headings above it, outermost first, where the cutter knows them.
    """

    article: Article
    start: int
    end: int
    section: tuple[str, ...] = field(default=(), compare=False)

    @property
    def text(self) -> str:
        """The passage itself, sliced from its article."""
        return self.article.text[self.start : self.end]

    @property
    def key(self) -> tuple[str, int, int]:
        """What makes two chunks the same: article, start, end."""
        return self.article.id, self.start, self.end

    def __repr__(self) -> str:
        text = " ".join(self.text.split())
        return f"Chunk({self.article.id}[{self.start}:{self.end}] {text[:40]!r}{'…' if len(text) > 40 else ''})"


def split_words(text: Article | str, size: int = 80, overlap: int = 0) -> list[Chunk]:
    """Chunks of `size` words; each begins with the last `overlap` words of the one before.

    The last chunk may be shorter. Every phrase of up to overlap + 1 words stands whole in some chunk.
    A plain string is taken as an article without a name. Raises ValueError unless size ≥ 1 and
    0 ≤ overlap < size (an overlap as large as the size would never move on).

    >>> [chunk.text for chunk in split_words("a b c d e f g", size=3, overlap=1)]
    ['a b c', 'c d e', 'e f g']
    """
    _check(size, overlap)
    article = _article(text)
    words = [match.span() for match in _WORD.finditer(article.text)]
    starts = range(0, count_chunks(len(words), size, overlap) * (size - overlap), size - overlap)
    return [Chunk(article, words[i][0], words[min(i + size, len(words)) - 1][1]) for i in starts]


def count_chunks(words: int, size: int = 80, overlap: int = 0) -> int:
    """How many chunks W words give: 0 if W = 0, else max(1, ⌈(W − o) / (s − o)⌉).

    >>> count_chunks(1000, 80), count_chunks(1000, 80, overlap=20)
    (13, 17)
    """
    _check(size, overlap)
    if words < 0:
        raise ValueError(f"words must be at least 0, not {words}")
    return max(1, ceil((words - overlap) / (size - overlap))) if words else 0


def split_structure(text: Article | str, size: int = 80) -> list[Chunk]:
    r"""Chunks along headings, then paragraphs, then sentences, packed up to `size` words; never more.

    A heading begins a chunk and belongs to the text below it. Whole paragraphs are packed together while they
    fit; a paragraph that does not fit is cut into sentences, a sentence that does not fit into words. Chunks
    do not overlap, and nothing but white space lies between them. Each knows the headings above it.
    Fenced code is one paragraph, and a comment in it no heading. What it does not see: tables, lists.
    Raises ValueError unless size ≥ 1.

    >>> chunks = split_structure("# A\n\nOne. Two.\n\n## B\n\nThree four five. Six.", size=5)
    >>> [(chunk.section, chunk.text.split()) for chunk in chunks][1]
    (('A', 'B'), ['##', 'B', 'Three', 'four', 'five.'])
    """
    _check(size, 0)
    article = _article(text)
    chunks: list[Chunk] = []
    above: list[tuple[int, str]] = []  # the headings over the present place, with their levels
    start, end, count, body = -1, -1, 0, False  # the chunk that is being packed

    def close() -> None:
        nonlocal start, count, body
        if start >= 0:
            chunks.append(Chunk(article, start, end, tuple(title for _, title in above)))
        start, count, body = -1, 0, False

    for first, last, words, heading in _units(article.text, size):
        if count + words > size or (heading and body):
            close()
        if heading:
            above = [(level, title) for level, title in above if level < heading[0]] + [heading]
        start, end, count, body = first if start < 0 else start, last, count + words, body or not heading
    close()
    return chunks


def _units(text: str, size: int) -> Iterator[tuple[int, int, int, tuple[int, str] | None]]:
    """Pieces that are not cut further: (start, end, words, (level, title) of a heading).

    What follows a heading is cut so that its beginning fits into one chunk with it.
    """
    carried = 0  # words of the headings just above, in the same chunk
    for block in _BLOCK.finditer(text):
        start, end = block.start(), block.start() + len(block.group().rstrip())
        words = len(block.group().split())
        title = _HEADING.fullmatch(text, start, end)
        room = size - carried if carried < size else size
        if title and words <= size:
            yield start, end, words, (len(title[1]), title[2].strip())
            carried = carried + words if carried + words <= size else words
            continue
        if words <= room:
            yield start, end, words, None
        else:
            for a, b in sentences(text[start:end]):
                spans = [match.span() for match in _WORD.finditer(text, start + a, start + b)]
                while spans:
                    part, spans = spans[:room], spans[room:]
                    yield part[0][0], part[-1][1], len(part), None
                    room = size
        carried = 0


def sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text begin and end, white space left out; line breaks alone end none.

    A sentence ends at . ! ? or … before white space and a letter that is not small (with quotation marks between).
    What it does not see: an abbreviation before a name («prof. Novák») ends one, a sentence that begins with
    a digit, a small letter or the dash of a list does not. A single letter («J. Bernoulli») ends none.

    >>> text = "Platí P(1). „Dost?“ Viz např. článek J. Nováka."
    >>> [text[a:b] for a, b in sentences(text)]
    ['Platí P(1).', '„Dost?“', 'Viz např. článek J. Nováka.']
    """
    stops = (stop for stop in _STOP.finditer(text) if not stop[1].islower())
    cuts = [0, *(stop.end() for stop in stops if not _initial(text, stop.start())), len(text)]
    spans = []
    for a, b in pairwise(cuts):
        piece = text[a:b]
        if piece.strip():
            spans.append((a + len(piece) - len(piece.lstrip()), b - len(piece) + len(piece.rstrip())))
    return spans


def _initial(text: str, stop: int) -> bool:
    """Whether a single letter stands before this place, as in «J. Bernoulli»."""
    return text[stop - 1 : stop].isalpha() and not text[max(0, stop - 2) : stop - 1].isalnum()


def merge_adjacent(chunks: Iterable[Chunk]) -> list[Chunk]:
    """Chunks of one article that overlap or touch become one, in the order of the document; no word stands twice.

    Chunks touch if only white space lies between them. Articles keep the order in which they first appear.
    The joined text is sliced from the article, so passages that really repeat are not lost.

    >>> a, b, c = split_words("A. B. A. B. C.", size=2)
    >>> [chunk.text for chunk in merge_adjacent([b, a])]
    ['A. B. A. B.']
    """
    by_article: dict[Article, list[Chunk]] = {}
    for chunk in chunks:
        by_article.setdefault(chunk.article, []).append(chunk)
    merged: list[Chunk] = []
    for group in by_article.values():
        group.sort(key=lambda chunk: (chunk.start, chunk.end))
        joined = group[:1]
        for chunk in group[1:]:
            before = joined[-1]
            if chunk.article.text[before.end : chunk.start].strip():
                joined.append(chunk)
            else:
                joined[-1] = Chunk(before.article, before.start, max(before.end, chunk.end), before.section)
        merged += joined
    return merged


def _article(text: Article | str) -> Article:
    if not isinstance(text, Article | str):
        raise TypeError(f"an Article or a text is needed, not {type(text).__name__}")
    return Article("", "", "", text) if isinstance(text, str) else text


def _check(size: int, overlap: int) -> None:
    if not (isinstance(size, Integral) and isinstance(overlap, Integral)):
        raise TypeError(f"size and overlap must be whole numbers of words, not {size!r} and {overlap!r}")
    if size < 1:
        raise ValueError(f"size must be at least 1 word, not {size}")
    if not 0 <= overlap < size:
        raise ValueError(f"overlap must be at least 0 and below size, not overlap {overlap} with size {size}")
