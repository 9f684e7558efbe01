"""The chunks of a saved index: made when somebody asks for them, so that opening half a million takes no time.

    places[i] = number of the article, start, end, number of the section      articles: one JSON text after another

An article's text is read, and compared with its checksum, when its first chunk is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..chunking import Chunk
from ..corpus import Article
from ..indexfile import IndexFile, as_bytes, crc


class StoredChunks(Sequence[Chunk]):
    """All chunks of an index file, in their order, as a list would hold them."""

    def __init__(self, file: IndexFile):
        self._file = file
        self._places = file.array("places")
        self._ends = file.array("article_ends")
        self._checksums = file.array("article_checksums")
        self._text = file.mapped("articles")
        self._sections = [tuple(section) for section in file.json("sections")]
        self._articles: dict[int, Article] = {}

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Chunk: ...
    @overload
    def __getitem__(self, place: slice) -> list[Chunk]: ...
    def __getitem__(self, place: int | slice) -> Chunk | list[Chunk]:
        if isinstance(place, slice):
            return [self[i] for i in range(len(self))[place]]
        number, start, end, section = self._places[place].tolist()
        return Chunk(self._article(number), start, end, self._sections[section])

    def __iter__(self) -> Iterator[Chunk]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(other) == len(self) and all(map(Chunk.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]  # like a list

    def index(self, chunk: Any, start: int = 0, stop: int | None = None) -> int:
        """The place of a chunk; ValueError if it is not there."""
        if isinstance(chunk, Chunk):
            alike = (self._places[:, 1] == chunk.start) & (self._places[:, 2] == chunk.end)
            for i in np.flatnonzero(alike[start:stop]).tolist():
                if self[start + i] == chunk:
                    return int(start + i)
        raise ValueError(f"{chunk!r} is not in this index")

    def _article(self, number: int) -> Article:
        if number not in self._articles:
            start = self._ends[number - 1] if number else 0
            content = self._text[start : self._ends[number]]
            if crc(content) != self._checksums[number]:
                raise self._file.damaged(f"is damaged: article {number} is not the one that was written")
            self._articles[number] = Article(*json.loads(content.tobytes()))
        return self._articles[number]


def arrays_of(chunks: Sequence[Chunk]) -> dict[str, NDArray[Any]]:
    """What `StoredChunks` reads, for `indexfile.write`."""
    articles: dict[Article, int] = {}
    sections: dict[tuple[str, ...], int] = {}
    places = np.array([
        (
            articles.setdefault(chunk.article, len(articles)),
            chunk.start,
            chunk.end,
            sections.setdefault(tuple(chunk.section), len(sections)),
        )
        for chunk in chunks
    ], dtype=np.int64).reshape(-1, 4)  # fmt: skip
    texts = [as_bytes([a.id, a.title, a.language, a.text]) for a in articles]
    return {
        "places": places,
        "sections": as_bytes(list(sections)),
        "articles": np.concatenate([*texts, np.empty(0, np.uint8)]),
        "article_ends": np.cumsum([len(text) for text in texts], dtype=np.int64),
        "article_checksums": np.array([crc(text) for text in texts], dtype=np.uint32),
    }
