"""The links of a visited page as the journal keeps them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from lycosa.records import Record


class LinkColumns(Record, frozen=True):
    """The links of a page, column by column: a text with a line a link, so that a column is stored and read as one."""

    urls: str = ""
    anchors: str = ""
    scores: bytes = b""
    tag_paths: str = ""

    @classmethod
    def of(
        cls, urls: Sequence[str], anchors: Sequence[str], scores: Sequence[float], tag_paths: Sequence[str]
    ) -> LinkColumns:
        """The columns of links, one or more."""
        return cls(_lines(urls), _lines(anchors), array("d", scores).tobytes(), _lines(tag_paths))

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


def _lines(texts: Sequence[str]) -> str:
    """Texts as lines; they hold no line ends, but nothing comes of it where one does."""
    if "\n" in "".join(texts):
        texts = [text.replace("\n", " ") for text in texts]
    return "\n".join(texts)
