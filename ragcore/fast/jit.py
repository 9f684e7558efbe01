"""Loops that numba compiles (the extra `fast`), once a machine: what was compiled is kept for the next process.

Import this only where numba is known to be installed, and worth the second that importing it takes.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

Loop = TypeVar("Loop", bound=Callable[..., Any])

# numba keeps a function until its own file changes; ours call each other, so the kept name holds all their sources
_SOURCES = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
_STAMP = f"_{zlib.crc32(_SOURCES):08x}"


def jit(function: Loop) -> Loop:
    """The function, compiled at its first call; other threads go on while it runs.

    Strict arithmetic: sums are those of numpy to the bit. Where nothing can be kept (no folder may be written to),
    it is compiled in every process.
    """
    function.__qualname__ += _STAMP
    try:
        compiled: Loop = numba.njit(function, nogil=True, cache=True)
    except RuntimeError:  # «no locator available»
        compiled = numba.njit(function, nogil=True)
    return compiled
