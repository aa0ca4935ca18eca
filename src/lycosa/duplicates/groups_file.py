"""Groups of near-duplicates as bytes: the arrays as they are, with a version and a digest in front.

Bytes come from a file, and a file may be torn or of another version: what is not exactly
what was written is refused, so that the caller makes the groups anew from the kept sketches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

_MARK = b"lycosa-near-duplicates-1\n"
_DIGEST = 16
_KINDS = {"keys": "<u8", "sketches": "<u8", "filled": "<u1", "group": "<i4", "before": "<u4", "after": "<u4"}
_WIDTHS = {"sketches": 8}
_ROW_BYTES = sum(np.dtype(kind).itemsize * _WIDTHS.get(name, 1) for name, kind in _KINDS.items())


@dataclass(frozen=True, slots=True)
class Kept:
    """The rows of all pages; `NearDuplicates` says what they mean."""

    keys: NDArray[np.uint64]
    sketches: NDArray[np.uint64]
    filled: NDArray[np.uint8]
    group: NDArray[np.int32]
    before: NDArray[np.uint32]
    after: NDArray[np.uint32]


def to_bytes(kept: Kept) -> bytes:
    """The rows, written down."""
    arrays = [getattr(kept, field.name).astype(_KINDS[field.name], copy=False) for field in fields(kept)]
    data = b"".join(array.tobytes() for array in arrays)
    return _MARK + xxhash.xxh3_128_digest(data) + data


def from_bytes(data: bytes) -> Kept:
    """The rows that were written down. Raises ValueError for anything else."""
    begin = len(_MARK) + _DIGEST
    body = memoryview(data)[begin:]
    if data[: len(_MARK)] != _MARK or xxhash.xxh3_128_digest(body) != data[len(_MARK) : begin]:
        raise ValueError("these bytes are no near-duplicates, or damaged; make the groups anew from the kept sketches")
    rows = len(body) // _ROW_BYTES
    arrays: dict[str, NDArray[Any]] = {}
    for name, kind in _KINDS.items():
        shape = (rows, _WIDTHS[name]) if name in _WIDTHS else (rows,)
        size = math.prod(shape) * np.dtype(kind).itemsize
        arrays[name] = np.frombuffer(body[:size], kind).reshape(shape).astype(np.dtype(kind).newbyteorder("="))
        body = body[size:]
    return Kept(**arrays)
