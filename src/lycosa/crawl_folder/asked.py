"""What a crawl was asked for when it began, in its folder: by it the same order is known when it comes again."""

from __future__ import annotations

from pathlib import Path

import msgspec

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.durable import put_file
from lycosa.urls import normalise

KEPT = "asked.json"


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """A topic and where to begin, as somebody typed them."""

    topic: str = ""
    seeds: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    structures: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()

    @property
    def for_anything(self) -> bool:
        """Whether anything was asked for: without it an order means a crawl that is there."""
        return self != Asked()

    def plain(self) -> Asked:
        """The same however it is spelled, and in whatever order the pages are named; classes only correct a topic."""
        classes = () if self.topic else self.classes
        return Asked(
            " ".join(self.topic.split()).casefold(),
            tuple(sorted({normalise(seed) or seed for seed in self.seeds})),
            *(tuple(sorted(set(each))) for each in (self.examples, self.structures, classes)),
        )


def keep_asked(asked: Asked, folder: Path) -> None:
    """Keep what a crawl is asked for, unless that is known already."""
    if asked.for_anything and not (folder / KEPT).exists():
        put_file(folder / KEPT, msgspec.json.encode(asked))


def asked_of(folder: CrawlFolder) -> Asked:
    """What a crawl was asked for; of one begun by earlier code its topic and seeds."""
    try:
        return msgspec.json.decode((folder.path / KEPT).read_bytes(), type=Asked)
    except (FileNotFoundError, msgspec.DecodeError):
        began = folder.configuration()
        return Asked(began.topic.words, began.seeds, classes=began.topic.classes)
