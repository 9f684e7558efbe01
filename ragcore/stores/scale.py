"""What an index weighs, how long a question waits and what it costs, at any number of chunks: arithmetic.

    text      N · t                                 postings   N · p · 8 bytes (the chunk's number, its impact)
    vectors   N · d · B                             graph      N · 2 · M · 4 bytes (links to neighbours), or none
    memory    R · h · (postings + vectors + graph)  disk       R · (text + postings + vectors + graph)
    wait      words: N/S · r · 8 / β        vectors: N/S · d · B / β, with a graph v · (d · B / β + a)
    month     memory · price of memory + disk · price of disk

    N      chunks             t   bytes of text a chunk       p   postings a chunk: its different terms
    r      postings that a question reads, for each chunk: its frequent words read most of the index
    d, B   numbers a vector, bytes a number                   M   links a chunk has on the graph's upper layers
    R, S   replicas (whole copies), shards (parts, each on its own machine)            h   headroom
    β, a   bytes a second that a machine reads from memory, seconds until a scattered read begins
    v      vectors that a search of the graph looks at, in each shard

M: the lowest layer of HNSW (Malkov and Yashunin 2020) has 2·M links a chunk; the few on the layers above are left
out. v grows about with the logarithm of N and with the share of neighbours that one wants to find: here it is a
number that you set. β, a, h, v and the network are assumptions, round and yours to change.

What it does not know: queues, more than one question at a time, the engine's own processes (a Milvus cluster has
many), caches, disks that are read while searching, what is skipped in the postings (chapter 21), taxes.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from ..corpus import data_folder

POSTING, LINK = 8, 4  # bytes: two numbers of 4 bytes, one
HOURS = 730  # a month
MACHINE = 128 * 2**30  # bytes of memory in the machine of data/storage_prices.csv


@dataclass(frozen=True)
class Setting:
    """The assumptions, except the number of chunks. links = 0: exact search, no graph.

    The defaults of text, postings and read are those of the book's English corpus in chunks of 80 words, by stems.
    Raises ValueError for numbers that cannot be.
    """

    dimensions: int = 384
    bytes_per_number: float = 4
    postings: float = 53
    text: float = 420
    links: int = 0
    shards: int = 1
    replicas: int = 1
    read: float = 3.15  # postings that a question by words reads, for each chunk of the shard
    visited: int = 2_000
    bandwidth: float = 20e9
    scattered: float = 100e-9
    network: float = 0.5e-3
    headroom: float = 1.25

    def __post_init__(self) -> None:
        for name in ("dimensions", "shards", "replicas", "visited"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("bytes_per_number", "bandwidth"):
            if not (isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)}")
        for name in ("postings", "text", "links", "read", "scattered", "network"):
            if not (isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise ValueError(f"{name} must be at least 0, not {getattr(self, name)}")
        if not self.headroom >= 1:
            raise ValueError(f"headroom is a factor of at least 1, not {self.headroom}")


@dataclass(frozen=True)
class Weight:
    """Bytes of one copy, and what all copies take."""

    text: float
    postings: float
    vectors: float
    graph: float
    memory: float
    disk: float


def weigh(N: float, setting: Setting) -> Weight:
    """What N chunks weigh, in bytes.

    >>> million = weigh(10**6, Setting())
    >>> million.vectors, million.postings, million.graph, million.memory
    (1536000000, 424000000, 0, 2450000000.0)
    """
    _chunks(N)
    text, postings = N * setting.text, N * setting.postings * POSTING
    vectors = N * setting.dimensions * setting.bytes_per_number
    graph = N * 2 * setting.links * LINK
    searched = postings + vectors + graph
    memory, disk = setting.headroom * searched, text + searched
    R = setting.replicas
    return Weight(text, postings, vectors, graph, R * memory, R * disk)


def room(memory: float, setting: Setting) -> int:
    """How many chunks fit into so many bytes of memory, in one copy.

    >>> room(MACHINE, Setting())
    56097532
    """
    if not memory >= 0:
        raise ValueError(f"memory must be at least 0 bytes, not {memory}")
    one = weigh(1, setting)
    return int(memory / (one.memory / setting.replicas))


@dataclass(frozen=True)
class Wait:
    """Seconds of one question, by its words and by its vector; both go to all shards at once."""

    words: float
    vector: float


def wait(N: float, setting: Setting) -> Wait:
    """How long a question waits for a machine that does nothing else.

    The network is paid once, and once more where several shards must be asked.

    >>> alone, spread = wait(10**7, Setting()), wait(10**7, Setting(shards=16))
    >>> f"{alone.vector:.3f} s, {spread.vector:.3f} s"
    '0.768 s, 0.049 s'
    """
    _chunks(N)
    part = N / setting.shards
    vector = setting.dimensions * setting.bytes_per_number
    network = setting.network * (1 if setting.shards == 1 else 2)
    words = part * setting.read * POSTING / setting.bandwidth
    exact = part * vector / setting.bandwidth
    graph = min(setting.visited, part) * (vector / setting.bandwidth + setting.scattered)
    return Wait(network + words, network + (graph if setting.links else exact))


def slow_share(shards: int, slow: float = 0.01) -> float:
    """The share of questions that meet at least one slow shard: 1 − (1 − s)^S.

    slow: the share s of a single shard's answers that are slow (Dean and Barroso 2013).

    >>> round(slow_share(100), 2)
    0.63
    """
    if shards < 1 or not 0 <= slow <= 1:
        raise ValueError(f"at least 1 shard, and a share up to 1, not {shards} and {slow}")
    return float(1 - (1 - slow) ** shards)


# ------------------------------------------------------------------ money


@dataclass(frozen=True)
class StoragePrices:
    """What a byte costs, in dollars a month: in memory (with the machine around it) and on a disk."""

    memory: float
    disk: float


def monthly(N: float, setting: Setting, prices: StoragePrices) -> float:
    """Dollars a month for all copies: memory and disk, as if they were sold by the byte."""
    weight = weigh(N, setting)
    return weight.memory * prices.memory + weight.disk * prices.disk


def load_storage_prices(path: str | Path | None = None) -> StoragePrices:
    """The prices of a CSV file, by default data/storage_prices.csv: of one day, soon out of date.

    >>> prices = load_storage_prices()
    >>> f"a GB for a month: {1e9 * prices.memory:.2f} in memory, {1e9 * prices.disk:.2f} on disk"
    'a GB for a month: 4.55 in memory, 0.08 on disk'
    """
    path = Path(path or data_folder() / "storage_prices.csv")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = {row["what"]: row for row in csv.DictReader(file)}
    found = {}
    for what in ("memory", "disk"):
        try:
            row = rows[what]
            months = {"hour": 1 / HOURS, "month": 1}[row["per"]]
            found[what] = float(row["price"]) / (float(row["bytes"]) * months)
        except (KeyError, ValueError, ZeroDivisionError):
            raise ValueError(f"{path.name}: needs a row {what!r} with bytes, price and per (hour, month)") from None
    return StoragePrices(**found)


def _chunks(N: float) -> None:
    if not (isfinite(N) and N >= 1):
        raise ValueError(f"N must be a number of chunks, at least 1, not {N}")
