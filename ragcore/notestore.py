"""What lies on disk beside an index of notes: the settings, the list of files, and a memo of what was computed.

    notes.json      which index is valid, how it was made, and for every file: size, time, SHA-256 of its bytes
    cache.sqlite    SHA-256 and settings  ─►  the text, its chunks, their terms

The first is replaced in one step and decides. The second is a memo: true whatever happened to the first, safe to
delete, and written as the work goes on, so that a run that was killed has not worked in vain.
"""

from __future__ import annotations

import json
import os
import sqlite3
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .analysis import ANALYZERS, Analyzer, lemmas, snowball
from .chunking import Chunk, split_structure, split_words
from .corpus import Article, parse_article
from .indexfile import DamagedIndexError

FORMAT = 1  # of both files
TOGETHER = 100  # texts that the cache writes in one go, and that a kill may lose

File = tuple[int, int, str]  # size in bytes, time of the last change in ns, SHA-256
Place = tuple[int, int, list[str], str]  # a chunk's start, end and section, and its terms, one a line


@dataclass(frozen=True)
class Settings:
    """How notes are cut, and what is a term. Raises ValueError for what can't be.

    analyzer: words, stems, trigrams; with a language snowball_it, lemmas_de. cut: `structure` along headings,
    paragraphs and sentences, `words` by counting. overlap: words that neighbours share, where words are counted.
    """

    analyzer: str = "stems"
    cut: str = "structure"
    size: int = 80
    overlap: int = 0

    def __post_init__(self) -> None:
        if self.cut not in ("structure", "words"):
            raise ValueError(f"cut must be structure or words, not {self.cut!r}")
        if self.cut == "structure" and self.overlap:
            raise ValueError("chunks cut along the structure do not overlap: cut by words, or leave the overlap 0")
        split_words("", self.size, self.overlap)  # raises for sizes that can't be

    def split(self, article: Article) -> list[Chunk]:
        """The chunks of a note."""
        by_words = self.cut == "words"
        return split_words(article, self.size, self.overlap) if by_words else split_structure(article, self.size)

    def function(self) -> Analyzer:
        """The analyzer itself. Raises ImportError if it needs a package that is not there."""
        name, _, language = self.analyzer.partition("_")
        if self.analyzer in ANALYZERS:
            return ANALYZERS[self.analyzer]
        if name in ("snowball", "lemmas") and language:
            return {"snowball": snowball, "lemmas": lemmas}[name](language)
        names = ", ".join(ANALYZERS)
        raise ValueError(f"analyzer must be {names}, snowball_xx or lemmas_xx, not {self.analyzer!r}")

    def __str__(self) -> str:
        shared = f", {self.overlap} shared" if self.cut == "words" else ""
        return f"{self.analyzer}, cut by {self.cut} to {self.size} words{shared}"


@dataclass
class Manifest:
    """The content of notes.json. notes: a file's facts by its path, with time −1 where it could not be trusted."""

    index: str
    settings: Settings
    notes: dict[str, File]
    skipped: dict[str, str] = field(default_factory=dict)
    threshold: float | None = None
    minimum: float | None = None

    @classmethod
    def read(cls, store: Path) -> Manifest | None:
        """None if there is none; raises DamagedIndexError if it can't be read."""
        path = store / "notes.json"
        if not path.is_file():
            return None
        try:
            content = json.loads(path.read_bytes())
            if content.pop("format") != FORMAT:
                raise ValueError("written by another version of ragcore")
            notes = {name: (int(size), int(time), str(sha)) for name, (size, time, sha) in content["notes"].items()}
            return cls(**content | {"settings": Settings(**content["settings"]), "notes": notes})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedIndexError(f"{path} is damaged ({error})") from None

    def write(self, store: Path) -> None:
        """Replace notes.json, in one step."""
        content = json.dumps({"format": FORMAT, **asdict(self)}, ensure_ascii=False, indent=0)
        new = store / f"notes.{os.getpid()}"
        with new.open("w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(store / "notes.json")


class Cache:
    """Texts by the SHA-256 of their bytes, cut and made into terms with one kind of settings.

    A context; it locks the store, so that one run at a time is at work. Raises ValueError if another one is,
    PermissionError where it can't write, OSError if the disk is full. A damaged cache is begun anew, also if the
    damage comes to light in the middle.
    """

    def __init__(self, store: Path, settings: Settings):
        self.path, self.settings, self.analyzer = store / "cache.sqlite", settings, settings.function()
        self.key = json.dumps([FORMAT, asdict(settings)])
        self.computed = 0

    def __enter__(self) -> Cache:
        try:
            self._open()
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise ValueError(f"another run is at work on {self.path.parent}: wait for its end") from None
            raise PermissionError(f"cannot write to {self.path.parent}: {error}") from None
        except sqlite3.DatabaseError:
            self._begin_anew()
        return self

    def _open(self) -> None:
        connection = sqlite3.connect(self.path, timeout=0, isolation_level=None)
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            columns = "sha, settings, text, chunks, PRIMARY KEY (sha, settings)"
            connection.execute(f"CREATE TABLE IF NOT EXISTS texts ({columns})")
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error:
            connection.close()
            raise
        self.connection = connection

    def _begin_anew(self) -> None:
        for name in (self.path, f"{self.path}-journal"):
            Path(name).unlink(missing_ok=True)
        self._open()

    def _run(self, query: str, values: tuple[str, ...] = ()) -> list[Any]:
        """The rows of a query; of an empty cache if the file turns out to be damaged."""
        try:
            return self.connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            unreadable = "Could not decode" in str(error)
            if isinstance(error, sqlite3.OperationalError) and not unreadable:  # a full disk is no damage
                raise
            self.connection.close()
            self._begin_anew()
            return self.connection.execute(query, values).fetchall()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if self.connection.in_transaction:
                self._run("COMMIT")  # what was done before an error or Ctrl-C is kept
        except sqlite3.OperationalError as another:
            error = error or another
        finally:
            self.connection.close()
        if isinstance(error, sqlite3.OperationalError):
            raise OSError(f"cannot write to {self.path.parent} ({error}): is the disk full?") from None

    def get(self, sha: str) -> tuple[str, list[Place]] | None:
        """A text and its chunks; None if it is not known."""
        rows = self._run("SELECT text, chunks FROM texts WHERE sha = ? AND settings = ?", (sha, self.key))
        try:
            return (rows[0][0], json.loads(rows[0][1])) if rows else None
        except ValueError:  # damaged, but not so that SQLite would see it
            return None

    def add(self, sha: str, text: str) -> tuple[str, list[Place]]:
        """Cut a text, make its terms, remember both."""
        chunks: list[Place] = []
        for chunk in self.settings.split(parse_article(text, "")):
            terms = self.analyzer(chunk.text)
            chunks.append((chunk.start, chunk.end, list(chunk.section), "\n".join(terms)))
        row = sha, self.key, text, json.dumps(chunks, ensure_ascii=False)
        self._run("INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?)", row)
        self.computed += 1
        if self.computed % TOGETHER == 0:
            self._run("COMMIT")
            self._run("BEGIN IMMEDIATE")
        return text, chunks

    def keep_only(self, shas: set[str]) -> None:
        """Forget the texts that are in no note any more, and what was made with other settings."""
        known = {sha for (sha,) in self._run("SELECT sha FROM texts WHERE settings = ?", (self.key,))}
        self._run("DELETE FROM texts WHERE settings != ?", (self.key,))
        for sha in known - shas:
            self._run("DELETE FROM texts WHERE sha = ?", (sha,))
