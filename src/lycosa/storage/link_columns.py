"""The links of a visited page as the journal keeps them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence

from lycosa.records import Link, Links, Record


class LinkColumns(Record, frozen=True):
    """The links of a page, column by column: a text with a line a link, so that a column is stored and read as one."""

    urls: str = ""
    anchors: str = ""
    scores: bytes = b""
    tag_paths: str = ""

    @classmethod
    def of(cls, links: Sequence[Link], scores: Iterable[float]) -> LinkColumns:
        """The columns of links with their scores."""
        columns = Links.of(links)
        return cls(columns.url_lines, columns.anchors, array("d", scores).tobytes(), columns.tag_paths)

    def __len__(self) -> int:
        return len(self.scores) // array("d").itemsize

    @property
    def size(self) -> int:
        """How many characters they have."""
        return len(self.urls) + len(self.anchors) + len(self.scores) + len(self.tag_paths)

    def rows(self) -> Iterator[tuple[str, str, float, str]]:
        """URL, anchor, score and tag path of each link."""
        if not self.urls:
            return iter(())
        urls, anchors, tag_paths = (column.split("\n") for column in (self.urls, self.anchors, self.tag_paths))
        return zip(urls, anchors, array("d", self.scores), tag_paths, strict=True)
