"""Documents cut into passages small enough to rank and to read.

    W words, size s, overlap o:  chunks start at word 0, s − o, 2(s − o), …, until the last word is inside one

Words are what white space separates, so no cut falls inside a word. A chunk refers to its article and
knows where it stands: `article.text[start:end] == chunk.text`, always.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil

from .corpus import Article

_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Chunk:
    """A passage: the characters `start` to `end` of its article's text."""

    article: Article
    start: int
    end: int

    @property
    def text(self) -> str:
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
    article = Article("", "", "", text) if isinstance(text, str) else text
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


def _check(size: int, overlap: int) -> None:
    if size < 1:
        raise ValueError(f"size must be at least 1 word, not {size}")
    if not 0 <= overlap < size:
        raise ValueError(f"overlap must be at least 0 and below size, not overlap {overlap} with size {size}")
