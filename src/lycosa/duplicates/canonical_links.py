"""Pages that name another URL as their canonical one, and whether that can be believed (M9).

A page's word counts only against itself: it is a duplicate of the URL that it names once
that one was fetched and says the same. Where the other page fails, leads elsewhere, names
a third one or says something else, the claim is not believed, and both pages stay. What is
held of a page is a copy: a digest, and whatever its owner needs to compare texts that are
not equal. No clock and no file; memory is bounded, and a claim that is forgotten leaves
its page where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

import msgspec

from lycosa.duplicates.rewrite_evidence import Recent
from lycosa.records import Record

MOST_PAGES = 50_000
"""Pages of which it is remembered what became of them: about 20 MB."""
MOST_CLAIMS = 20_000
"""Claims that wait for the pages they name, or are believed."""
CLAIMS_PER_PAGE = 100
TOO_OFTEN = 5
"""A page that so many others name wrongly, and none rightly, is not compared any more: their template names it."""


class Verdict(StrEnum):
    """What is thought of a claim, as catalogues have it."""

    WAITS = "canonical-waits"
    BELIEVED = "canonical-believed"
    DIFFERS = "canonical-differs"
    FAILS = "canonical-fails"
    REDIRECTS = "canonical-redirects"
    LOOP = "canonical-loop"
    CHAIN = "canonical-chain"
    TEMPLATE = "canonical-template"
    NOINDEX = "canonical-noindex"


TOLD = {
    Verdict.WAITS: "it has not been fetched yet",
    Verdict.BELIEVED: "it says the same",
    Verdict.DIFFERS: "it says something else",
    Verdict.FAILS: "it cannot be fetched",
    Verdict.REDIRECTS: "it leads elsewhere",
    Verdict.LOOP: "it names this page in turn, or leads back to it",
    Verdict.CHAIN: "it names a third page",
    Verdict.TEMPLATE: "many pages name it that say something else",
    Verdict.NOINDEX: "it asks not to be indexed",
}
"""What became of the page that is named, for people."""
HAS_IT_NOT = frozenset((Verdict.DIFFERS, Verdict.FAILS, Verdict.REDIRECTS))
"""Verdicts by which the page that is named does not have the text of the one that names it."""


class Copy(Record, frozen=True):
    """What is held of a page: the digest of its text, and where the whole lies."""

    digest: bytes
    file: str = ""
    offset: int = 0
    size: int = 0


class Named(Record, frozen=True):
    """What became of a page: a copy with the URL that it names itself, or where it leads, or neither: it failed."""

    copy: Copy | None = None
    names: str = ""
    target: str = ""
    noindex: bool = False

    def says(self) -> tuple[object, ...]:
        """What a claim is judged by."""
        return self.copy and self.copy.digest, self.names, self.target, self.noindex


class Judged(Record, frozen=True):
    """A claim of a page that came earlier, judged now; `anew` if it was believed and is no more."""

    url: str
    target: str
    verdict: Verdict
    anew: bool = False


Alike: TypeAlias = Callable[[Copy, Copy], bool]
Recollect: TypeAlias = Callable[[str], Named | None]
_Claims: TypeAlias = dict[str, dict[str, Copy]]


class CanonicalClaims:
    """The claims of one agent's pages.

    `alike` compares two copies whose digests differ; `recollect` says what became of a page that is not in memory.
    """

    def __init__(self, alike: Alike, recollect: Recollect, kept: bytes | None = None) -> None:
        self._alike, self._recollect = alike, recollect
        self._pages: Recent[str, Named] = Recent(MOST_PAGES)
        self._wrongly: Recent[str, int] = Recent(MOST_CLAIMS)
        self._waiting: _Claims = {}
        self._believed: _Claims = {}
        self._targets: dict[str, str] = {}
        self.changed = False
        """Whether there are claims that `statistics` has not told yet."""
        self._recall(kept)

    # -- claims ---------------------------------------------------------------------------------

    def claim(self, url: str, target: str, copy: Copy) -> Verdict:
        """A page came and names another URL; that it came must have been told before."""
        named = self._pages.get(target) or self._recollect(target)
        if named is None:
            self._note(self._waiting, url, target, copy)
            return Verdict.WAITS
        verdict = self._verdict(url, target, copy, named)
        if verdict is Verdict.BELIEVED:
            self._note(self._believed, url, target, copy)
        return verdict

    def claims(self, url: str, target: str) -> bool:
        """Whether a page names a URL and is not known to be wrong."""
        return url in self._waiting.get(target, ()) or url in self._believed.get(target, ())

    def became(self, url: str, named: Named) -> list[Judged]:
        """A page came, failed for good or led elsewhere: judge those that name it."""
        self._forget(url)
        before = self._pages.get(url)
        self._pages.put(url, named)
        if url not in self._waiting and (url not in self._believed or (before and before.says() == named.says())):
            return []
        return [*self._judge(url, named, self._waiting.pop(url, {})), *self._judge_again(url, named)]

    def _judge(self, target: str, named: Named, waiting: dict[str, Copy]) -> list[Judged]:
        found = []
        for url, copy in waiting.items():
            verdict = self._verdict(url, target, copy, named)
            del self._targets[url]
            self.changed = True
            if verdict is Verdict.BELIEVED:
                self._note(self._believed, url, target, copy)
            found.append(Judged(url, target, verdict))
        return found

    def _judge_again(self, target: str, named: Named) -> list[Judged]:
        """Claims that were believed and are no more: their pages must be looked at again."""
        found = []
        for url, copy in list(self._believed.get(target, {}).items()):
            verdict = self._verdict(url, target, copy, named)
            if verdict is not Verdict.BELIEVED:
                self._drop(self._believed, url, target)
                found.append(Judged(url, target, verdict, anew=True))
        return found

    def _verdict(self, url: str, target: str, copy: Copy, named: Named) -> Verdict:
        if url in (named.names, named.target):
            return Verdict.LOOP
        if named.copy is None:
            return Verdict.REDIRECTS if named.target else Verdict.FAILS
        if named.names and named.names != target:
            return Verdict.CHAIN
        if named.noindex:
            return Verdict.NOINDEX
        if copy.digest == named.copy.digest:
            self._wrongly.put(target, 0)
            return Verdict.BELIEVED
        wrongly = self._wrongly.get(target) or 0
        if wrongly >= TOO_OFTEN and target not in self._believed:
            return Verdict.TEMPLATE
        alike = self._alike(copy, named.copy)
        self._wrongly.put(target, 0 if alike else wrongly + 1)
        return Verdict.BELIEVED if alike else Verdict.DIFFERS

    # -- memory ---------------------------------------------------------------------------------

    def _note(self, claims: _Claims, url: str, target: str, copy: Copy) -> None:
        if len(claims.get(target, ())) < CLAIMS_PER_PAGE and len(self._targets) < MOST_CLAIMS:
            claims.setdefault(target, {})[url] = copy
            self._targets[url] = target
            self.changed = True

    def _drop(self, claims: _Claims, url: str, target: str) -> None:
        del claims[target][url]
        if not claims[target]:
            del claims[target]
        del self._targets[url]
        self.changed = True

    def _forget(self, url: str) -> None:
        """A page came again: what it claimed before counts no more."""
        target = self._targets.get(url)
        if target is not None:
            self._drop(self._waiting if url in self._waiting.get(target, ()) else self._believed, url, target)

    def statistics(self) -> bytes:
        """The claims that wait or are believed, to be kept."""
        self.changed = False
        return msgspec.msgpack.encode((self._waiting, self._believed))

    def _recall(self, kept: bytes | None) -> None:
        if kept:
            self._waiting, self._believed = msgspec.msgpack.decode(kept, type=tuple[_Claims, _Claims])
            claims = [*self._waiting.items(), *self._believed.items()]
            self._targets = {url: target for target, of_target in claims for url in of_target}
