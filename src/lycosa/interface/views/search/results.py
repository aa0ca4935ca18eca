"""The answer to a question, or the sentence that says why there is none and what to do."""

from __future__ import annotations

from lycosa.crawl_folder.folder import CrawlError
from lycosa.records import Record
from lycosa.search.facets import Facets
from lycosa.search.index import Found

_NO_ACCESS = ("permission denied", "access is denied", "lockfile", "lockbusy")


class Answer(Record, frozen=True):
    """What was found; or `trouble`, a word for programs, with a `sentence` for people and what to do about it."""

    found: Found | None = None
    facets: Facets = Facets()
    correction: str = ""
    trouble: str = ""
    sentence: str = ""
    todo: str = ""

    @property
    def status(self) -> int:
        """The HTTP status: 503 where it is worth trying again later."""
        return 503 if self.trouble in ("damaged", "locked") else 200


def phrases_loosened(found: Found) -> str:
    """The sentence about phrases whose words were looked for instead; '' where there are none."""
    if not found.loosened:
        return ""
    listed = ", ".join(f"“{phrase}”" for phrase in found.loosened)
    return f"No page has {listed} word for word; these are pages with the words."


def unanswered(name: str, error: Exception, *, there: bool, running: bool) -> Answer:
    """Why the index of a crawl gives no answer; whether it is there at all, and whether the crawl runs."""
    told = str(error).lower()
    if isinstance(error, CrawlError):
        return Answer(trouble="damaged", sentence=f"The index of {told}.", todo="")
    if not there and running:
        sentence = f"The crawl “{name}” has no index yet: it is being built. It appears soon after the first pages."
        return Answer(trouble="building", sentence=sentence, todo="Try again in a moment.")
    if not there:
        sentence = f"The crawl “{name}” has no index yet. It appears soon after its first pages."
        return Answer(trouble="no index", sentence=sentence, todo=f"Begin or go on with: lycosa resume {name}")
    if any(word in told for word in _NO_ACCESS):
        sentence = f"The index of “{name}” is locked: this server may not read it now."
        todo = "Look who owns the folder “index” of the crawl, and whether another program holds it; then try again."
        return Answer(trouble="locked", sentence=sentence, todo=todo)
    sentence = f"The index of “{name}” is damaged or of an older kind and cannot be searched."
    if running:
        return Answer(
            trouble="damaged", sentence=sentence, todo="Try again soon: the crawl builds it from its archive."
        )
    todo = f"Nothing is lost. It is built again from the archive by: lycosa resume {name}"
    return Answer(trouble="damaged", sentence=sentence, todo=todo)
