"""From texts to postings: terms as numbers, then sorted by term.

    texts ─analyzer─► terms ─numbered─► ids, lengths ─inverted─► starts, docs, counts

Numbers are given in the order in which the terms first occur. Term i's postings are docs and counts from starts[i]
to starts[i + 1]: the chunks that hold it, in order, and how often. Long texts are inverted by numba where it is
installed (`inversion`), in two passes and without sorting; else numpy sorts. The results are the same.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis import Analyzer
from . import worth_compiling
from .cutting import terms_of_many

BATCH = 2048  # texts that a process takes at a time

Ids = NDArray[np.int32]
Lengths = NDArray[np.int64]


def numbered(
    texts: Iterable[str], analyzer: Analyzer, progress: bool = False, processes: int = 1
) -> tuple[dict[str, int], Ids, Lengths]:
    """The vocabulary, every text's terms as numbers, one text after the other, and how many terms each has.

    progress: show a bar (needs tqdm). processes: more than one share the work (the analyzer must be a function of
    a module, the calling script guarded by `if __name__ == "__main__"`); it pays from some ten thousand texts.

    >>> vocabulary, ids, lengths = numbered(["a rose is", "a daisy"], str.split)
    >>> list(vocabulary), ids.tolist(), lengths.tolist()
    (['a', 'rose', 'is', 'daisy'], [0, 1, 2, 0, 3], [3, 2])
    """
    vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
    ids, lengths = array("i"), array("q")
    for own, numbers, counts in _bar(_parts(_batches(texts), analyzer, processes), progress):
        ours = np.fromiter(map(vocabulary.__getitem__, own), np.int32, len(own))
        ids.frombytes(ours[numbers].tobytes())
        lengths.extend(counts)
    return dict(vocabulary), np.frombuffer(ids, np.int32), np.array(lengths, np.int64)


def inverted(ids: Ids, lengths: Lengths, terms: int) -> tuple[NDArray[np.int64], Ids, Ids]:
    """Where each term's postings start, the chunks that hold it, and how often they do.

    ids: the terms of all chunks, one chunk after the other, each 0 ≤ id < terms; lengths: how many each chunk has.

    >>> starts, docs, counts = inverted(np.array([0, 1, 0, 1], np.int32), np.array([3, 1]), terms=2)
    >>> starts.tolist(), docs.tolist(), counts.tolist()
    ([0, 1, 3], [0, 0, 1], [2, 1, 1])
    """
    if worth_compiling(len(ids)):
        from .inversion import count_and_fill

        starts, docs, counts = count_and_fill(ids, lengths, terms)
        return starts, docs, counts
    N = max(1, len(lengths))
    place = np.repeat(np.arange(len(lengths)), lengths.astype(np.intp))  # intp: a browser has 32 bits
    pairs, how_often = np.unique(ids.astype(np.int64) * N + place, return_counts=True)
    n_t = np.bincount((pairs // N).astype(np.intp), minlength=terms)
    starts = np.concatenate([[0], np.cumsum(n_t)]).astype(np.int64)
    return starts, (pairs % N).astype(np.int32), how_often.astype(np.int32)


Part = tuple[list[str], NDArray[np.intp], list[int]]  # distinct terms, the texts' terms as places in them, lengths


def _number(analyzer: Analyzer, texts: Sequence[str]) -> Part:
    """One batch by itself, so that another process can do it."""
    terms, counts = terms_of_many(analyzer, texts)
    places: defaultdict[str, int] = defaultdict(count().__next__)
    numbers = np.fromiter(map(places.__getitem__, terms), np.intp, len(terms))
    return list(places), numbers, counts


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    left = iter(texts)
    while batch := list(islice(left, BATCH)):
        yield batch


def _parts(batches: Iterator[list[str]], analyzer: Analyzer, processes: int) -> Iterator[Part]:
    work = partial(_number, analyzer)
    if processes == 1:
        yield from map(work, batches)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:  # forking under threads may hang
        yield from pool.map(work, batches)


def _bar(parts: Iterator[Part], shown: bool) -> Iterator[Part]:
    if not shown:
        yield from parts
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("a progress bar needs tqdm: pip install 'ragcore[progress]'") from None
    bar: Any
    with tqdm(unit=" texts") as bar:
        for part in parts:
            yield part
            bar.update(len(part[2]))
