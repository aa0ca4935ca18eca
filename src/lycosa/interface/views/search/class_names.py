"""What the topics of results are called: the captions of a crawl's decimal classes.

Only numbers and captions are read, which takes a moment; the words of the classes, by
which pages are classified, are of no use here.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.class_scheme import scheme_of_crawl
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.topics.classification.scheme import digits_of, written


class TopicNames:
    """Captions by class numbers."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._captions: dict[str, str] = {}
        for line in (line for text in texts for line in text.splitlines()):
            number, *rest = line.split("\t", 2)
            if rest and not line.startswith("#"):
                self._captions[digits_of(number.strip())] = " ".join(rest[0].split())

    @classmethod
    def of_crawl(cls, folder: CrawlFolder) -> TopicNames:
        """Those of a crawl's own classification, or of the shipped one."""
        try:
            own = scheme_of_crawl(folder.configuration(), folder.path)
        except (ConfigurationError, OSError):
            own = ()
        return cls(text for _, text in own) if own else cls(_shipped())

    def caption(self, number: str) -> str:
        """What a class is about, or the nearest one that it lies in; '' where nobody knows."""
        digits = digits_of(number)
        while digits and digits not in self._captions:
            digits = digits[:-1]
        return self._captions.get(digits, "")

    def named(self, number: str) -> str:
        """A number with its caption; what is no number stays as it is."""
        if not number.replace(".", "").isdigit():
            return number
        return f"{written(digits_of(number))} {self.caption(number)}".rstrip()


def _shipped() -> list[str]:
    folder = files("lycosa").joinpath("data/classes")
    return [each.read_text("utf-8") for each in folder.iterdir() if each.name.endswith(".tsv")]
