"""The logs of a crawl's processes, a part at a time."""

from __future__ import annotations

import re

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.server_paths import without_paths
from lycosa.interface.shared.wording import printable

LARGEST_PART = 64 * 1024
_PROCESS = re.compile(r"crawl|indexer|agent-[0-9]{1,3}")


class LogPart(Message, frozen=True):
    """Some lines of a log; ask again with `next` for those that follow."""

    process: str
    lines: tuple[str, ...]
    next: int


def log_names(folder: CrawlFolder) -> list[str]:
    """The processes of a crawl that have a log."""
    return sorted(path.stem for path in (folder.path / "logs").glob("*.log"))


def log_part(folder: CrawlFolder, process: str, after: int = -1) -> LogPart:
    """Whole lines after a place, at most so many bytes of them; the last ones where `after` is negative."""
    try:
        with (folder.path / "logs" / f"{process}.log").open("rb") as file:
            size = file.seek(0, 2)
            start = max(0, size - LARGEST_PART) if after < 0 or after > size else after
            file.seek(start)
            data = file.read(LARGEST_PART)
    except FileNotFoundError:
        return LogPart(process, (), 0)
    if after < 0 and start > 0:
        cut = data.find(b"\n") + 1
        start, data = start + cut, data[cut:]
    end = data.rfind(b"\n") + 1 or (len(data) if len(data) == LARGEST_PART else 0)
    lines = data[:end].decode("utf-8", "replace").replace("\r", "\n").splitlines()
    return LogPart(process, tuple(printable(without_paths(line)) for line in lines if line.strip()), start + end)


def log_process(named: str | None) -> str:
    """The process whose log is meant; the crawl itself where it is none."""
    return named if named and _PROCESS.fullmatch(named) else "crawl"
