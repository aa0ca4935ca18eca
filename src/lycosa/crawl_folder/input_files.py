"""Files that people name, read within bounds, and files of a crawl's folder, written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from lycosa.configuration.settings import ConfigurationError

LARGEST_FILE = 32 * 1024**2
"""A page that somebody saved; real ones are far smaller."""


def check_output(target: Path, crawls: Path) -> None:
    """Refuse to write among the files that crawls keep, and where nothing can be written."""
    if target.resolve().is_relative_to(crawls.resolve()):
        raise ConfigurationError(f"{target}: lies among the files of crawls; choose another place to write to")
    if not target.absolute().parent.is_dir():
        raise ConfigurationError(f"{target.parent} is no folder; make it first, or choose another place to write to")


def bytes_of_file(path: Path, largest: int, instead: str, called: str = "") -> bytes:
    """What a file that a person named holds; what cannot be read is refused with what to do `instead`.

    Nothing but a file is opened: a device may have no end, and a pipe may never begin.
    """
    called = called or str(path)
    try:
        if not path.is_file():
            why = "is a folder" if path.is_dir() else "is no file" if path.exists() else "no such file"
            raise ConfigurationError(f"{called}: {why}; {instead}")
        with path.open("rb") as file:
            data = file.read(largest + 1) if path.stat().st_size <= largest else None
    except OSError as error:
        raise ConfigurationError(f"{called}: cannot be read ({error.strerror}); {instead}") from None
    if data is None or len(data) > largest:
        raise ConfigurationError(f"{called}: is larger than {largest >> 20} MiB; {instead}")
    return data
