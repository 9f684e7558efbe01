"""An index on disk: named arrays in one file, written whole or not at all, memory-mapped, checksummed.

    8 bytes magic · header's length (u64) · header's CRC-32 (u32) · header (JSON) · arrays, each at a multiple of 64

The header holds the kind of index, its facts, and every array's type, shape, place and CRC-32. A file that is
cut short, changed or of another version raises `DamagedIndexError`; it never gives a wrong answer.
"""

from __future__ import annotations

import json
import os
import struct
import tempfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"ragcore\x02"
_START = struct.Struct("<8sQI")
_ALIGN = 64


class DamagedIndexError(ValueError):
    """The file is not an index, or not the one that was written."""


def crc(array: NDArray[Any]) -> int:
    """The CRC-32 of an array's bytes."""
    return zlib.crc32(np.ascontiguousarray(array).data)


def as_bytes(value: Any) -> NDArray[np.uint8]:
    """Plain lists and strings as an array of their JSON."""
    return np.frombuffer(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"), dtype=np.uint8)


def write(path: str | Path, kind: str, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Write an index file; an interruption at any point leaves the old file, or none, never half of one."""
    path = Path(path)
    arrays = {name: np.ascontiguousarray(array, array.dtype.newbyteorder("<")) for name, array in arrays.items()}
    table: dict[str, dict[str, Any]] = {}
    offset = 0  # counted from the first array
    for name, array in arrays.items():
        table[name] = {"dtype": array.dtype.str, "shape": array.shape, "offset": offset, "crc": crc(array)}
        offset += -(-array.nbytes // _ALIGN) * _ALIGN
    header = json.dumps(
        {"kind": kind, "facts": facts, "arrays": table, "size": offset}, ensure_ascii=False
    ).encode()
    header += b" " * (-(_START.size + len(header)) % _ALIGN)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_START.pack(MAGIC, len(header), zlib.crc32(header)) + header)
            for array in arrays.values():
                file.write(array.tobytes() + bytes(-array.nbytes % _ALIGN))
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask | 0o600)  # a temporary file is private; an index is a file like any other
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class IndexFile:
    """An index file, opened: its facts, and its arrays on demand. Header and size are checked here."""

    def __init__(self, path: str | Path, kind: str):
        self.path = Path(path)
        with self.path.open("rb") as file:
            start = file.read(_START.size)
            if len(start) < _START.size or start[:7] != MAGIC[:7]:
                raise self.damaged("is not an index of ragcore")
            magic, length, checksum = _START.unpack(start)
            if magic != MAGIC:
                raise self.damaged(f"has format {magic[7]}, this version reads {MAGIC[7]}; build the index anew")
            header = file.read(min(length, self.path.stat().st_size))
        if len(header) < length or zlib.crc32(header) != checksum:
            raise self.damaged("has a damaged header")
        content = json.loads(header)
        if content["kind"] != kind:
            raise self.damaged(f"holds an index of kind {content['kind']!r}, not {kind!r}")
        self.facts: dict[str, Any] = content["facts"]
        self._table: dict[str, dict[str, Any]] = content["arrays"]
        self._base = _START.size + length
        if (size := self.path.stat().st_size) != self._base + content["size"]:
            raise self.damaged(f"has {size:,} bytes instead of {self._base + content['size']:,}")

    def damaged(self, why: str) -> DamagedIndexError:
        return DamagedIndexError(f"{self.path} {why}")

    def mapped(self, name: str) -> NDArray[Any]:
        """An array, memory-mapped and not yet checked."""
        entry = self._table[name]
        shape = tuple(entry["shape"])
        if 0 in shape:
            return np.empty(shape, dtype=entry["dtype"])
        return np.memmap(
            self.path, dtype=entry["dtype"], mode="r", offset=self._base + entry["offset"], shape=shape
        )

    def array(self, name: str) -> NDArray[Any]:
        """An array whose checksum has been compared."""
        array = self.mapped(name)
        if crc(array) != self._table[name]["crc"]:
            raise self.damaged(f"is damaged: its {name} are not those that were written")
        return array

    def json(self, name: str) -> Any:
        """What `as_bytes` made an array of."""
        return json.loads(self.array(name).tobytes())

    def verify(self) -> None:
        """Compare every checksum; raises DamagedIndexError at the first that differs."""
        for name in self._table:
            self.array(name)
