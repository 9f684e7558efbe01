"""Put a folder of notes into an engine, and see that it answers as the package does.

    python deploy/move.py my-notes notes.db                    # an embedded file
    python deploy/move.py my-notes http://127.0.0.1:19530      # a server or a cluster: another address

What the store held before is replaced. It is compared with the package over the beginnings of the first hundred
chunks, the first ten places of each; if a score differs by 1e-5 or more, the script says so and ends with 1.

Needs pip install 'ragcore[stores]'. The second line was tried with the embedded engine behind a port, never with a
cluster.
"""

import sys
from math import inf

from ragcore import BM25, read_folder, split_words, stems
from ragcore.stores.milvus import MilvusStore

NEAR = 1e-5  # scores in the engine have 4 bytes


def move(folder: str, address: str) -> tuple[int, int, float]:
    """Fill the store at an address with a folder's chunks: how many, questions asked, the largest difference.

    The difference is that of two scores at the same place, or of the same chunk; infinite if a hit is missing.
    """
    chunks = [chunk for article in read_folder(folder) for chunk in split_words(article)]
    index = BM25(chunks, stems)
    with MilvusStore(address) as store:
        store.fill(index)
    questions = [" ".join(chunk.text.split()[:8]) for chunk in chunks[:100]]
    with MilvusStore(address) as store:  # opened anew: what it knows comes from the engine
        return len(store), len(questions), max([0.0, *(differ(store, index, question) for question in questions)])


def differ(store: MilvusStore, index: BM25, question: str) -> float:
    """How far the store's first ten are from the index's."""
    theirs, ours = store.search(question), index.search(question, max(1, len(index)))
    if len(theirs) != len(ours[:10]):
        return inf
    own = {hit.chunk.key: hit.score for hit in ours}
    at_place = [abs(their.score - our.score) for their, our in zip(theirs, ours, strict=False)]
    of_chunk = [abs(hit.score - own.get(hit.chunk.key, inf)) for hit in theirs]
    return max([0.0, *at_place, *of_chunk])


def main() -> str | None:
    """What went wrong, for sys.exit; None if nothing did."""
    if len(sys.argv) != 3:
        return __doc__
    try:
        count, asked, difference = move(*sys.argv[1:])
    except (ImportError, OSError, ValueError) as error:  # no engine, nobody there, no notes
        return f"move.py: {error}"
    if difference >= NEAR:
        return f"{count:,} chunks are there, but a score differs by {difference:.0e}: this is another ranking."
    print(f"{count:,} chunks are there; {asked} questions asked, no score differs by {NEAR:.5f} or more from ours.")
    return None


if __name__ == "__main__":
    sys.exit(main())
