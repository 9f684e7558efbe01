"""Put a folder of notes into an engine, and see that it answers as the package does.

    python deploy/move.py my-notes notes.db                    # an embedded file
    python deploy/move.py my-notes http://127.0.0.1:19530      # a server or a cluster: another address

Needs pip install 'ragcore[stores]'. The second line was tried with the embedded engine behind a port, never with a
cluster.
"""

import sys

from ragcore import BM25, read_folder, split_words, stems
from ragcore.stores.milvus import MilvusStore


def move(folder: str, address: str) -> tuple[int, float]:
    """Fill the store at an address with a folder's chunks: how many, and the largest difference of a score.

    The questions are the beginnings of the first hundred chunks.
    """
    chunks = [chunk for article in read_folder(folder) for chunk in split_words(article)]
    index = BM25(chunks, stems)
    with MilvusStore(address) as store:
        store.fill(index)
    difference = 0.0
    with MilvusStore(address) as store:
        for question in [" ".join(chunk.text.split()[:8]) for chunk in chunks[:100]]:
            pairs = zip(store.search(question), index.search(question), strict=True)
            difference = max([difference, *(abs(theirs.score - ours.score) for theirs, ours in pairs)])
        return len(store), difference


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    count, difference = move(*sys.argv[1:])
    print(f"{count:,} chunks are there; no score differs by more than {difference:.0e} from the package's.")
