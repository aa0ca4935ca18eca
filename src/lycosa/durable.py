"""Files that survive: whatever happens while one is written, and be it the power, the old or the new one is there."""

from __future__ import annotations

import io
import os
from pathlib import Path


def replace_file(path: Path, text: str, *, durable: bool = True) -> None:
    """Replace a small file in one step; one that is not `durable` may be lost with the power."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    partial.replace(path)
    if durable:
        sync(path.parent)


def sync(path: Path) -> None:
    """Make a file durable, or the names in a folder: until then a power cut may undo what was created or renamed."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_all(file: io.FileIO, data: bytes) -> None:
    """Write all of the data, however little the system takes at a time."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def put_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; several agents may do the same at the same time."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
