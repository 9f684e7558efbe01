"""An index of a folder of your own notes, kept up to date: what has not changed is not read again.

    folder ─list_files─► files ─changed?─► text ─cut─► chunks ─analyzer─► terms ─► BM25 ─► index on disk
                                   └── no: text, chunks and terms from the cache ──┘

A file with the size and time of last time is not opened. Another one is read, and if its bytes are known, under
whatever name, it is neither cut nor made into terms; those two are the slow part. The postings are built anew each
time: idf and the mean length are facts of *all* chunks, so one more note changes the impact of every term, and no
honest index can leave the others as they are.

The store is the hidden folder `.ragcore` of the notes, unless you name another. Its `notes.json` says which index
is valid, and is replaced in one step after all else is written (`notestore`). So whoever kills the indexer leaves
the old index, or none, and the next run finds in the cache what this one has done.

What it does not see: a change that keeps a file's size *and* its time (`reread=True` opens every file), and notes
in other formats than .md and .txt.
"""

from __future__ import annotations

import hashlib
import time
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .analysis import ANALYZERS
from .bm25 import BM25
from .chunking import Chunk
from .corpus import Article, decode, list_files, parse_article
from .extractive import ExtractiveModel
from .generation import Model
from .indexfile import DamagedIndexError
from .notestore import FORMAT, Cache, File, Manifest, Place, Settings
from .rag import Rag

STORE = ".ragcore"
THRESHOLD, MINIMUM = 0.15, 0.25  # of `Rag` and of `ExtractiveModel`
LARGEST = 10_000_000  # bytes; a larger file is hardly a note
FRESH = 2_000_000_000  # ns within which a file may change once more without its time telling

Progress = Callable[[Sequence[str]], Iterable[str]]


@dataclass(frozen=True)
class Update:
    """What `update` found and did; paths below the folder.

    renamed: (old, new), of the same bytes. unchanged: how many. skipped: every file that the index does not hold,
    and why. read: files opened. computed: texts cut and made into terms; the others came from the cache.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    removed: tuple[str, ...]
    unchanged: int
    skipped: dict[str, str]
    read: int
    computed: int
    chunks: int


@dataclass(frozen=True)
class Notes:
    """An opened index: what is searched, how it was made, and what is not in it and why.

    threshold: the nearness below which a question is refused; minimum: how much of it a sentence must hold to be
    quoted. Those of `Rag` and `ExtractiveModel`, unless others were chosen for this index (`keep`).
    """

    store: Path
    index: BM25
    settings: Settings
    paths: tuple[str, ...]
    skipped: dict[str, str]
    threshold: float
    minimum: float

    @property
    def articles(self) -> list[Article]:
        """The notes that hold at least a word, in the order of their paths."""
        return list(dict.fromkeys(chunk.article for chunk in self.index.chunks))

    def rag(
        self,
        model: Model | None = None,
        *,
        threshold: float | None = None,
        minimum: float | None = None,
        k: int = 5,
        language: str = "en",
    ) -> Rag:
        """The book's `Rag` on this index. model: one that quotes, if not said; the others: those of the index."""
        analyzer = self.index.analyzer
        least = self.minimum if minimum is None else minimum
        quoting = ExtractiveModel(minimum=least, analyzer=analyzer)
        near = self.threshold if threshold is None else threshold
        rag = Rag([], model=model or quoting, analyzer=analyzer, k=k, threshold=near, language=language)
        rag.index = self.index
        return rag


# ------------------------------------------------------------------ opening


def open_notes(store: str | Path) -> Notes:
    """The index in a store. Raises ValueError if there is none, DamagedIndexError if it is not what was written."""
    store = Path(store)
    manifest = _manifest(store)
    index = _load(store / manifest.index, manifest.settings)
    threshold = THRESHOLD if manifest.threshold is None else manifest.threshold
    minimum = MINIMUM if manifest.minimum is None else manifest.minimum
    return Notes(store, index, manifest.settings, tuple(manifest.notes), manifest.skipped, threshold, minimum)


def keep(store: str | Path, threshold: float, minimum: float) -> None:
    """Remember when this index refuses. Raises ValueError unless 0 ≤ threshold ≤ 1 and 0 < minimum ≤ 1."""
    if not 0 <= threshold <= 1 or not 0 < minimum <= 1:
        raise ValueError(f"threshold and minimum must lie between 0 and 1, not be {threshold} and {minimum}")
    manifest = _manifest(Path(store))
    manifest.threshold, manifest.minimum = threshold, minimum
    manifest.write(Path(store))


def _manifest(store: Path) -> Manifest:
    if (manifest := Manifest.read(store)) is None:
        raise ValueError(
            f"there is no index in {store}: make one with `ragcore index FOLDER`, or name the folder that was "
            "indexed with --notes FOLDER"
        )
    return manifest


def facts(notes: Notes) -> dict[str, Any]:
    """An index in numbers, after every part of it was checked. Raises DamagedIndexError if one is damaged."""
    notes.index.verify()
    index, lengths = notes.index, [len(chunk.text.split()) for chunk in notes.index.chunks]
    return {
        "notes": len(notes.paths), "skipped": len(notes.skipped), "words": sum(lengths), "chunks": len(index),
        "longest_chunk": max(lengths, default=0), "terms": len(index.vocabulary), **asdict(notes.settings),
        "k1": index.k1, "b": index.b, "threshold": notes.threshold, "minimum": notes.minimum,
        "bytes": sum(file.stat().st_size for file in notes.store.iterdir() if file.is_file()),
    }  # fmt: skip


# ------------------------------------------------------------------ building and bringing up to date


def update(
    folder: str | Path,
    store: str | Path | None = None,
    settings: Settings | None = None,
    *,
    largest: int = LARGEST,
    reread: bool = False,
    progress: Progress = iter,
) -> Update:
    """Build the index of a folder, or bring it up to date; gives what has changed since the last time.

    store: where it lies; `folder/.ragcore` if not said. settings: if not said those of the last time, or the
    defaults. largest: bytes that a note may have. reread: open every file, whatever its size and time say.
    progress: is given the paths and gives them on, as tqdm does. A damaged index is built anew. Raises ValueError
    for a folder without a note that can be read (an index that is there stays), and if another run is at work.
    """
    folder = Path(folder)
    store = folder / STORE if store is None else Path(store)
    files, skipped = list_files(folder)
    if not files:
        why = f"; left out: {_some(skipped)}" if skipped else ""
        raise ValueError(f"no .md or .txt file in {str(folder)!r}{why}")
    store.mkdir(parents=True, exist_ok=True)
    try:
        old = Manifest.read(store)
    except DamagedIndexError:
        old = None
    settings = settings or (old.settings if old else Settings())
    before = old.notes if old else {}

    now: dict[str, File] = {}
    articles: list[Article] = []
    places: list[list[Place]] = []
    with Cache(store, settings) as cache:
        reader = Reader(folder, cache, before, largest, reread)
        for path in progress(files):
            try:
                now_here, text, chunks = reader.note(path)
            except (ValueError, OSError) as error:
                skipped[path] = "no permission to read" if isinstance(error, PermissionError) else str(error)
                continue
            if not chunks:
                skipped[path] = "empty"
            now[path] = now_here
            articles.append(parse_article(text, unicodedata.normalize("NFC", path)))
            places.append(chunks)
        if not any(places):
            raise ValueError(f"no note in {str(folder)!r} can be read: {_some(skipped)}")
        skipped = dict(sorted(skipped.items()))
        name = _name(settings, now)
        if not (old and old.index == name and _whole(store / name, settings)):
            _build(articles, places, settings).save(store / name)
        kept = (old.threshold, old.minimum) if old and old.settings == settings else (None, None)
        Manifest(name, settings, now, skipped, *kept).write(store)
        cache.keep_only({sha for _, _, sha in now.values()})
        _tidy(store, name)
    return _compare(before, now, skipped, reader.read, cache.computed, sum(map(len, places)))


class Reader:
    """Gives notes, and opens as few files for it as it can."""

    def __init__(self, folder: Path, cache: Cache, before: dict[str, File], largest: int, reread: bool):
        self.folder, self.cache, self.largest = folder, cache, largest
        self.before = {} if reread else before
        self.begun, self.read = time.time_ns(), 0

    def note(self, path: str) -> tuple[File, str, list[Place]]:
        """A note: its file's facts, text, chunks. Raises ValueError for no text, OSError if it can't be read."""
        facts = (self.folder / path).stat()
        size, changed = facts.st_size, facts.st_mtime_ns
        if size > self.largest:
            raise ValueError(f"too large, {size:,} bytes of at most {self.largest:,}")
        last_size, last_change, sha = self.before.get(path, (-1, -1, ""))
        found = self.cache.get(sha) if (size, changed) == (last_size, last_change) else None
        if found is None:
            content = (self.folder / path).read_bytes()
            self.read, sha = self.read + 1, hashlib.sha256(content).hexdigest()
            found = self.cache.get(sha) or self.cache.add(sha, decode(content))
        trusted = changed < self.begun - FRESH
        return (size, changed if trusted else -1, sha), *found


def _tidy(store: Path, index: str) -> None:
    """Remove earlier indexes, and what a killed run has left behind."""
    for file in store.iterdir():
        of_index = ".bm25" in file.name and file.name != index
        if of_index or (file.name.startswith("notes.") and file.suffix != ".json"):
            file.unlink(missing_ok=True)


def _some(skipped: dict[str, str]) -> str:
    rest = f" and {len(skipped) - 3} more" if len(skipped) > 3 else ""
    return "; ".join(f"{path} ({why})" for path, why in list(skipped.items())[:3]) + rest


def _name(settings: Settings, notes: dict[str, File]) -> str:
    """A name that only an index of the same texts under the same paths with the same settings has."""
    facts = [FORMAT, str(settings), [(path, sha) for path, (_, _, sha) in notes.items()]]
    return f"index-{hashlib.sha256(repr(facts).encode()).hexdigest()[:16]}.bm25"


def _load(path: Path, settings: Settings) -> BM25:
    own = settings.analyzer not in ANALYZERS
    try:
        return BM25.load(path, settings.function() if own else None)
    except FileNotFoundError:
        raise DamagedIndexError(f"{path} is missing") from None
    except KeyError as error:
        raise DamagedIndexError(f"{path} has no {error}: another version of ragcore wrote it") from None


def _whole(path: Path, settings: Settings) -> bool:
    try:
        _load(path, settings).verify()
    except DamagedIndexError:
        return False
    return True


def _build(articles: Sequence[Article], places: Sequence[Sequence[Place]], settings: Settings) -> BM25:
    """An index of chunks whose terms are known: no text is made into terms again."""
    chunks, terms = [], {}
    for article, found in zip(articles, places, strict=True):
        for start, end, section, known in found:
            chunk = Chunk(article, start, end, tuple(section))
            chunks.append(chunk)
            terms[chunk.text] = known
    index = BM25(chunks, lambda text: terms[text].splitlines())
    index.analyzer = settings.function()  # from here on for questions
    return index


def _compare(
    before: dict[str, File], now: dict[str, File], skipped: dict[str, str], read: int, computed: int, chunks: int
) -> Update:
    added = [path for path in now if path not in before]
    removed = [path for path in before if path not in now]
    renamed = []
    for path in list(added):
        twin = next((old for old in removed if before[old][2] == now[path][2]), None)
        if twin is not None:
            renamed.append((twin, path))
            added.remove(path)
            removed.remove(twin)
    both = [path for path in now if path in before]
    changed = [path for path in both if before[path][2] != now[path][2]]
    return Update(
        tuple(added), tuple(changed), tuple(renamed), tuple(removed), len(both) - len(changed),
        skipped, read, computed, chunks,
    )  # fmt: skip
