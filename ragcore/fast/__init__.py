"""The same results sooner, for large collections: numba (the extra `fast`) compiles the loops where it is there.

    building   texts to postings, in two passes        cutting     stems and trigrams of many texts at once
    paths      which way a question goes               stored      the chunks of a saved index, made when asked for
    compiled   exhaustive or columns, with numba       maxscore    without it
    scan       a dense search that looks in bytes first

Nothing of this changes a result: BM25's scores, order and ties are those of its plain methods to the bit.
"""

import sys
from functools import cache
from importlib.util import find_spec

LARGE = 1_000_000  # numbers: looping over them in numpy takes longer than loading the compiler


def worth_compiling(size: int) -> bool:
    """Whether a loop over so many numbers should be a compiled one: it is worth loading numba, or that is done.

    To have small indexes compiled as well, import numba.
    """
    return sys.modules.get("numba") is not None or (size > LARGE and _installed())


@cache
def _installed() -> bool:
    return find_spec("numba") is not None
