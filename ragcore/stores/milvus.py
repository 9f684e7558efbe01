"""A store in Milvus: an embedded engine file today, a cluster tomorrow, by another address.

    MilvusStore("notes.db")                        the engine inside this process, its files in the folder notes.db
    MilvusStore("http://host:19530")     a server or a cluster; the token from MILVUS_TOKEN

What lies there, in two collections a filling:

    chunks     key (of article, start, end), where it stands, its section, its impacts as a sparse vector searched
               by inner product, its vector searched by cosine, exactly (FLAT)
    texts      the articles, whole, and the statistics of the filling, as JSON cut into parts

A chunk refers to its article, so the articles go in too, each version once. A filling goes into a new pair of
collections, ragcore_1, ragcore_2 and so on, and becomes the store in one step at its end, by an alias: a filling
that was killed has changed nothing, and the next one clears away its remains. So only one process may fill at a
time. Whoever has the store open meanwhile finds the collection of the old filling gone, and goes on with the new
one (`_again`); a number is never used twice, or they would search it with the statistics of another.

Measured with pymilvus 3.0.2 and milvus-lite 3.2.2 (the engine that was written anew in Python; older versions keep
other files and score otherwise). No cluster could be run where this was written: what is said of one rests on its
documentation. The embedded engine lets one process in at a time, has no passwords, and listens on a port of the
loopback, where every program of the machine can reach it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from hashlib import sha256
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..analysis import Analyzer
from ..bm25 import BM25
from ..chunking import Chunk
from ..corpus import Article
from ..fusion import C
from ..hits import Hit, check_k
from . import DEPTH
from .impacts import DIMENSIONS, Sparse, Statistics
from .memory import check_chunks

MOST_HITS = 16_384  # what a Milvus server gives at most
BATCH = 500  # rows a message
PART = 16_000  # characters; at most 64,000 bytes, and a field takes 65,535
NO_TERMS: Sparse = {DIMENSIONS: 1.0}  # a chunk without terms: an empty sparse vector would be refused
STATISTICS = "statistics"
NAME = re.compile(r"(?!.*_\d+$)[A-Za-z]\w*", re.ASCII)  # of a store; its fillings are numbered: name_1, name_2
QUIET = {"grpc.keepalive_time_ms": 600_000}  # every 10 s, the default, is too often for the embedded engine
_users: Counter[str] = Counter()  # stores of this process on each embedded file

P = ParamSpec("P")
R = TypeVar("R")


def _again(method: Callable[Concatenate[MilvusStore, P], R]) -> Callable[Concatenate[MilvusStore, P], R]:
    """Ask once more where the store was filled anew, by another one, since this one was opened."""

    @wraps(method)
    def asked(self: MilvusStore, /, *args: P.args, **options: P.kwargs) -> R:
        from pymilvus import MilvusException

        try:
            return method(self, *args, **options)
        except MilvusException:
            if self._present() in ("", self.collection):
                raise  # something else is wrong
            self._find()
            return method(self, *args, **options)

    return asked


class MilvusStore:
    """A `Store` that is kept by Milvus; what its methods give is said there.

    address: a path that ends in .db, or an http address. name: of the store, letters, digits and _, with no number
    at its end. analyzer: only for a store that was filled with one of your own. token: else MILVUS_TOKEN of the
    environment. Raises ImportError without pymilvus, ValueError for a name or an address that is none,
    ConnectionError if nothing answers there within `timeout` seconds, or if another process has the file open.
    `timeout` is for the opening alone; what fails later is a pymilvus.MilvusException.
    """

    def __init__(
        self, address: str | Path, name: str = "ragcore", analyzer: Analyzer | None = None,
        token: str | None = None, timeout: float = 5,
    ):  # fmt: skip
        if not NAME.fullmatch(name):
            raise ValueError(f"name must be letters, digits and _, with no number at its end, not {name!r}")
        self.address, self.name = str(address), name
        self._file = None if "://" in self.address else os.path.abspath(self.address)
        self._analyzer, self._articles = analyzer, dict[str, Article]()
        self._client = connect(self.address, token, timeout)
        if self._file:
            _users[self._file] += 1
        try:
            self._find()
        except BaseException:
            self.close()
            raise

    def _find(self) -> None:
        """Find the present filling behind the alias, if there is one, and read its statistics."""
        self.statistics: Statistics | None = None
        self.collection, self._dimensions = self._present(), 0
        if not self.collection:
            return
        for collection in (self.collection, self._texts):
            self._client.load_collection(collection)
        fields = self._client.describe_collection(self.collection)["fields"]
        self._dimensions = next((int(field["params"]["dim"]) for field in fields if field["name"] == "vector"), 0)
        self.statistics = Statistics.from_json(self._read([STATISTICS])[STATISTICS], self._analyzer)

    def _present(self) -> str:
        """The collection that is the store at this moment, or no name: another process may have filled it anew."""
        if not self._client.has_collection(self.name):
            return ""
        return str(self._client.describe_alias(self.name)["collection_name"])

    # -------------------------------------------------------------- putting in and taking out

    def fill(self, index: BM25, vectors: ArrayLike | None = None) -> None:
        rows, statistics = check_chunks(index.chunks, vectors), Statistics.of(index)
        old = self._present()
        fresh = f"{self.name}_{1 + int(old.rpartition('_')[2] or 0)}"
        self._sweep(old)  # what a killed filling has left
        self._create(fresh, rows.shape[1])
        self._write(f"{fresh}_texts", [(STATISTICS, STATISTICS, statistics.to_json())])
        self._put(fresh, statistics, index.chunks, rows)
        self._client.flush(fresh)  # into its files: the list of late writes is slow to search
        if old:
            self._client.alter_alias(fresh, self.name)
        else:
            self._client.create_alias(fresh, self.name)
        self.collection, self.statistics, self._dimensions = fresh, statistics, rows.shape[1]
        self._sweep(fresh)  # the old one

    @_again
    def add(self, chunks: Sequence[Chunk], vectors: ArrayLike | None = None) -> None:
        statistics = self._filled()
        self._put(self.collection, statistics, chunks, check_chunks(chunks, vectors, self._dimensions))

    @_again
    def delete(self, article: str) -> int:
        self._filled()
        chosen = f'article == "{_hash(article)}"'
        counted = self._client.query(self.collection, filter=chosen, output_fields=["count(*)"])
        for collection in (self.collection, self._texts):
            self._client.delete(collection, filter=chosen)
        self._articles.clear()
        return int(counted[0]["count(*)"])

    @_again
    def __len__(self) -> int:
        if not self.collection:
            self._find()  # it may have been filled since this one was opened
        if not self.collection:
            return 0
        return int(self._client.query(self.collection, output_fields=["count(*)"])[0]["count(*)"])

    # -------------------------------------------------------------- searching

    @_again
    def search(self, question: str, k: int = 10) -> list[Hit]:
        self._check(k)
        asked = self._filled().question(question)
        if not asked:
            return []
        found = self._client.search(
            self.collection, [asked], anns_field="impacts", limit=k, output_fields=PLACE,
            search_params={"metric_type": "IP"},
        )[0]  # fmt: skip
        return self._hits([row for row in found if row["distance"] > 0])

    @_again
    def search_vector(self, vector: ArrayLike, k: int = 10) -> list[Hit]:
        self._check(k)
        found = self._client.search(
            self.collection, [self._vector(vector)], anns_field="vector", limit=k, output_fields=PLACE,
            search_params={"metric_type": "COSINE"},
        )[0]  # fmt: skip
        return self._hits(found)

    @_again
    def search_hybrid(
        self, question: str, vector: ArrayLike, k: int = 10, depth: int = DEPTH
    ) -> list[Hit]:  # fmt: skip
        from pymilvus import AnnSearchRequest, RRFRanker

        self._check(k)
        self._check(depth)
        asked, near = self._filled().question(question), self._vector(vector)
        by: list[tuple[str, Any, str]] = [("vector", near, "COSINE")]
        if asked:  # a question without a word is searched by its vector alone
            by.insert(0, ("impacts", asked, "IP"))
        requests = [
            AnnSearchRequest([sought], field, {"metric_type": metric}, limit=depth)
            for field, sought, metric in by
        ]  # fmt: skip
        found = self._client.hybrid_search(
            self.collection, requests, RRFRanker(C), limit=k, output_fields=PLACE
        )[0]  # fmt: skip
        return self._hits(found)

    def close(self) -> None:
        self._client.close()
        file, self._file = self._file, None  # closed twice is closed once: others may still use the file
        if not file:
            return
        _users[file] -= 1
        if not _users[file]:  # the last store on this file: let the next process in
            from milvus_lite import server_manager_instance

            server_manager_instance.release_server(file)

    def __enter__(self) -> MilvusStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -------------------------------------------------------------- what lies in the engine

    @property
    def _texts(self) -> str:
        return f"{self.collection}_texts"

    def _sweep(self, keep: str) -> None:
        """Throw away all fillings of this store but one."""
        for collection in self._client.list_collections():
            if re.fullmatch(rf"{self.name}_\d+(_texts)?", collection) and collection.removesuffix("_texts") != keep:
                self._client.drop_collection(collection)

    def _create(self, name: str, dimensions: int) -> None:
        """An empty pair of collections. Strong: a search sees everything that was written before it."""
        from pymilvus import DataType

        for collection, fields in ((name, CHUNK_FIELDS), (f"{name}_texts", TEXT_FIELDS)):
            schema, index = self._client.create_schema(auto_id=False), self._client.prepare_index_params()
            for field, kind, options in fields:
                schema.add_field(field, DataType[kind], **options)
            index.add_index("impacts", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
            if dimensions and collection == name:
                schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimensions)
                index.add_index("vector", index_type="FLAT", metric_type="COSINE")
            self._client.create_collection(collection, schema=schema, consistency_level="Strong")
            self._client.create_index(collection, index, sync=False)  # nothing is there yet to wait for
            self._client.load_collection(collection)

    def _put(self, name: str, statistics: Statistics, chunks: Sequence[Chunk], rows: NDArray[np.float64]) -> None:
        """Chunks with their impacts and vectors; their articles first, so that no chunk is without one."""
        for article in dict.fromkeys(chunk.article for chunk in chunks):
            text = json.dumps([article.id, article.title, article.language, article.text], ensure_ascii=False)
            self._write(f"{name}_texts", [(_source(article), _hash(article.id), text)])
        for first in range(0, len(chunks), BATCH):
            batch = [_row(chunk, statistics) for chunk in chunks[first : first + BATCH]]
            if rows.shape[1]:
                for row, vector in zip(batch, rows[first : first + BATCH].tolist(), strict=True):
                    row["vector"] = vector
            self._client.upsert(name, batch)

    def _write(self, name: str, texts: Iterable[tuple[str, str, str]]) -> None:
        for source, article, text in texts:
            parts = [text[i : i + PART] for i in range(0, len(text), PART)]
            rows = [
                {"key": f"{source} {number}", "source": source, "article": article, "part": number, "text": part,
                 "impacts": NO_TERMS}
                for number, part in enumerate(parts)
            ]  # fmt: skip
            for first in range(0, len(rows), BATCH):
                self._client.upsert(name, rows[first : first + BATCH])

    def _read(self, sources: Iterable[str]) -> dict[str, str]:
        """Texts by their source, put together from their parts."""
        parts: dict[str, dict[int, str]] = {}
        for source in sources:
            found = self._client.query(
                self._texts, filter=f'source == "{source}"', output_fields=["part", "text"], limit=MOST_HITS
            )
            parts[source] = {row["part"]: row["text"] for row in found}
        return {source: "".join(part for _, part in sorted(numbered.items())) for source, numbered in parts.items()}

    def _hits(self, found: Sequence[Any]) -> list[Hit]:
        places = [row["entity"] for row in found]
        missing = {place["source"] for place in places} - self._articles.keys()
        if len(self._articles) + len(missing) > 1_000:  # the articles last used stay here, but not all of them
            self._articles.clear()
            missing = {place["source"] for place in places}
        for source, text in self._read(missing).items():
            self._articles[source] = Article(*json.loads(text))
        chunks = [
            Chunk(self._articles[place["source"]], place["start"], place["end"], tuple(place["section"]))
            for place in places
        ]
        scores = [float(row["distance"]) for row in found]
        return [Hit(*pair, rank) for rank, pair in enumerate(zip(chunks, scores, strict=True), start=1)]

    # -------------------------------------------------------------- what is checked

    def _filled(self) -> Statistics:
        if self.statistics is None:
            self._find()  # it may have been filled since this one was opened
        if self.statistics is None:
            raise ValueError(f"{self.address} holds no {self.name!r} yet: fill it, store.fill(BM25(chunks, stems))")
        return self.statistics

    def _check(self, k: int) -> None:
        check_k(k)
        if k > MOST_HITS:
            raise ValueError(f"Milvus gives at most {MOST_HITS} hits, not {k}")

    def _vector(self, vector: ArrayLike) -> list[float]:
        self._filled()
        row = np.asarray(vector, np.float64)
        if not self._dimensions:
            raise ValueError("this store was filled without vectors: fill it with them")
        if row.shape != (self._dimensions,) or not np.isfinite(row).all():
            raise ValueError(
                f"the question's vector needs {self._dimensions} finite numbers, not shape {row.shape}"
            )
        return [float(component) for component in row]


# ------------------------------------------------------------------ the address


def connect(address: str, token: str | None = None, timeout: float = 5) -> Any:
    """A client of the Milvus at an address; what it raises is said at `MilvusStore`."""
    try:
        from pymilvus import MilvusClient, MilvusException
    except ImportError:
        raise ImportError("this store needs pymilvus: pip install 'ragcore[stores]'") from None
    if "://" not in address:
        if not address.endswith(".db"):
            raise ValueError(f"address must be a path that ends in .db, or http://host:port, not {address!r}")
        if not Path(address).parent.is_dir():
            raise ValueError(f"there is no folder {str(Path(address).parent)!r} to keep {address!r} in")
        if Path(address).is_dir() and os.listdir(address) and not (Path(address) / "LOCK").exists():
            raise ValueError(
                f"{address!r} is a folder of something else: the engine would put its files among them"
            )
        try:
            import milvus_lite  # noqa: F401  (pymilvus starts it, and says less when it is not there)
        except ImportError:
            none = "; for Windows there is none, use the address of a server" if sys.platform == "win32" else ""
            raise ImportError(f"an embedded file needs milvus-lite: pip install 'ragcore[stores]'{none}") from None
    elif not address.startswith(("http://", "https://")):
        raise ValueError(f"address must be a path that ends in .db, or http://host:port, not {address!r}")
    elif "@" in address:  # it would stand in every message about it
        raise ValueError("a password does not belong into the address: give user:password as the token")
    token = os.environ.get("MILVUS_TOKEN", "") if token is None else token
    options = {} if "://" in address else {"grpc_options": QUIET}
    try:
        return MilvusClient(address, token=token, timeout=timeout, **options)
    except MilvusException as error:
        if "://" in address:
            raise ConnectionError(
                f"no Milvus answers at {address} within {timeout} s, or it refuses the token: {error.message}"
            ) from error
        raise ConnectionError(
            f"the embedded engine cannot open {address}: another process has it open, or it is no file of "
            f"milvus-lite 3.2 or newer ({error.message})"
        ) from error


# ------------------------------------------------------------------ rows

_WORD: dict[str, Any] = {"max_length": 128}
CHUNK_FIELDS: list[tuple[str, str, dict[str, Any]]] = [
    ("key", "VARCHAR", {"is_primary": True, **_WORD}), ("article", "VARCHAR", _WORD), ("source", "VARCHAR", _WORD),
    ("start", "INT64", {}), ("end", "INT64", {}), ("section", "JSON", {}), ("impacts", "SPARSE_FLOAT_VECTOR", {}),
]  # fmt: skip
TEXT_FIELDS: list[tuple[str, str, dict[str, Any]]] = [
    ("key", "VARCHAR", {"is_primary": True, **_WORD}), ("article", "VARCHAR", _WORD), ("source", "VARCHAR", _WORD),
    ("part", "INT64", {}), ("text", "VARCHAR", {"max_length": 65_535}),
    ("impacts", "SPARSE_FLOAT_VECTOR", {}),  # of no use: a collection must have a vector
]  # fmt: skip
PLACE = ["source", "start", "end", "section"]


def _hash(*fields: object) -> str:
    """A name that needs no quoting in a filter, whatever stands in a text: 32 hexadecimal digits."""
    return sha256(json.dumps(fields).encode()).hexdigest()[:32]


def _source(article: Article) -> str:
    return _hash(article.id, article.title, article.language, article.text)


def _row(chunk: Chunk, statistics: Statistics) -> dict[str, Any]:
    return {
        "key": _hash(*chunk.key), "article": _hash(chunk.article.id), "source": _source(chunk.article),
        "start": chunk.start, "end": chunk.end, "section": list(chunk.section),
        "impacts": statistics.chunk(chunk.text) or NO_TERMS,
    }  # fmt: skip
