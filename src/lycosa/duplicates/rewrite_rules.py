"""Rewrites of URLs that may or may not matter on a site, and the evidence for and against each (M1, DUST).

A rewrite alone knows nothing of any site: it says which URLs it would take for the same.
Evidence says whether it may. It counts contents, not URLs: a thousand addresses of one
error page prove nothing. A rule is used from three contents on that were the same in both
forms, if none was seen to differ. One that differs ends it until fifty more agree, a
second one until a hundred more do, a third one for good. Evidence is kept for the place
where it was found and for the whole site; for the site only what comes from different places counts.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

import msgspec

NEEDED = 3
"""Contents that must agree before a rule is used."""
NEEDED_AGAIN = 50
"""Contents that must agree after a contradiction, for each contradiction so far."""
FORGIVEN = 2
"""With more contradictions than these a rule is not used again."""
MOST_COUNTED = 16
MOST_EXAMPLES = 3
MOST_PLACES = 32
"""Places of a site for which a rewrite has evidence of its own."""
MOST_PARAMETERS = 16
"""Addresses with more parameters than these teach nothing."""

_DEFAULT_PAGE = re.compile(r"(?:index|default)\.(?:x?html?|shtml?|php[345]?|aspx?|jspx?|cgi|pl|cfm)", re.IGNORECASE)
_LOW_ESCAPE = re.compile(r"%[0-9a-f]{2}")


class Kind(StrEnum):
    """What a rewrite changes."""

    CASE = "lower-case path"
    PAGE = "default page"
    SLASH = "trailing slash"
    PARAMETER = "drop parameter"
    ORDER = "sort parameters"


class Rewrite(NamedTuple):
    """A way to write URLs anew; `name` is the parameter or the default page it is about.

    Addresses are paths with their queries, as they stand behind the site in a normalised URL.
    """

    kind: Kind
    name: str = ""

    def form(self, address: str) -> str:
        """The address without what this rewrite takes for meaningless; itself where there is nothing such."""
        path, mark, query = address.partition("?")
        match self.kind:
            case Kind.CASE:
                return lowered(path) + mark + query
            case Kind.PAGE:
                return path[: -len(self.name)] + mark + query if path.endswith("/" + self.name) else address
            case Kind.SLASH:
                return path[:-1] + mark + query if _ends_with_slash(path) else address
            case Kind.PARAMETER:
                return joined(path, without(query, self.name)) if self.name in query else address
            case Kind.ORDER:
                return joined(path, in_order(query)) if "&" in query else address

    def place(self, form: str) -> str:
        """The part of the site that a form belongs to: a page with its parameters, or a first directory."""
        path = form.partition("?")[0]
        if self.kind in (Kind.PARAMETER, Kind.ORDER):
            return path
        if self.kind is Kind.CASE:
            path = lowered(path)
        return path[: path.find("/", 1) + 1] or "/"

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".rstrip()


def lowered(path: str) -> str:
    """A path in lower case; escapes stay in upper case, as they are in every normalised URL."""
    low = path.lower()
    return _LOW_ESCAPE.sub(lambda found: found[0].upper(), low) if "%" in low else low


def _ends_with_slash(path: str) -> bool:
    return len(path) > 1 and path[-1] == "/" and path[-2] != "/"


def name_of(pair: str) -> str:
    """The name of a parameter as it is written."""
    return pair.partition("=")[0]


def without(query: str, name: str) -> str:
    """A query without a parameter."""
    return "&".join([pair for pair in query.split("&") if name_of(pair) != name])


def with_value(query: str, name: str, pair: str) -> str:
    """A query in which a parameter has one certain value, in its first place."""
    pairs = query.split("&")
    place = next((place for place, each in enumerate(pairs) if name_of(each) == name), None)
    if place is None:
        return query
    return "&".join([*pairs[:place], pair, *(each for each in pairs[place + 1 :] if name_of(each) != name)])


def in_order(query: str) -> str:
    """A query with its parameters sorted by name; those of one name stay in their order."""
    return "&".join(sorted(query.split("&"), key=name_of))


def joined(path: str, query: str) -> str:
    """An address of path and query."""
    return f"{path}?{query}" if query else path


def default_page(path: str) -> str:
    """The name of the default page that a path ends in, or ''."""
    name = path[path.rfind("/") + 1 :]
    return name if _DEFAULT_PAGE.fullmatch(name) else ""


def explanations(one: str, other: str) -> list[Rewrite]:
    """The rewrites of which each alone makes two addresses the same."""
    (path, _, query), (other_path, _, other_query) = one.partition("?"), other.partition("?")
    if path == other_path:
        tried = _by_query(query, other_query)
    elif query == other_query:
        names = sorted({default_page(path), default_page(other_path)} - {""})
        tried = [Rewrite(Kind.CASE), Rewrite(Kind.SLASH), *(Rewrite(Kind.PAGE, name) for name in names)]
    else:
        return []
    return [rewrite for rewrite in tried if rewrite.form(one) == rewrite.form(other)]


def _by_query(query: str, other: str) -> list[Rewrite]:
    if max(query.count("&"), other.count("&")) >= MOST_PARAMETERS:
        return []
    names = {name_of(pair) for pair in set(query.split("&")).symmetric_difference(other.split("&"))} - {""}
    if len(names) == 1:
        return [Rewrite(Kind.PARAMETER, names.pop())]
    return [] if names else [Rewrite(Kind.ORDER)]


class Evidence(msgspec.Struct, array_like=True, gc=False):
    """What speaks for and against a rewrite, at one place or on the whole site.

    `forms` counts contents for which the rewritten address itself was seen. `pair` is a value that
    the parameter was seen with, for sites where the address without it was not, and may mean nothing.
    """

    agreements: int = 0
    contradictions: int = 0
    forms: int = 0
    pair: str = ""
    counted: set[bytes] = msgspec.field(default_factory=set)
    examples: list[tuple[str, str]] = msgspec.field(default_factory=list)
    against: tuple[str, str] | None = None

    @property
    def needed(self) -> int:
        """Agreements from which on the rule is used; 0 where nothing can help it any more."""
        if self.contradictions > FORGIVEN:
            return 0
        return self.contradictions * NEEDED_AGAIN or NEEDED

    @property
    def form_seen(self) -> bool:
        """Whether rewritten addresses are known to work."""
        return self.forms >= NEEDED

    @property
    def active(self) -> bool:
        """Whether the rule is used."""
        return 0 < self.needed <= self.agreements and (self.form_seen or bool(self.pair))

    @property
    def standing(self) -> tuple[int, int, bool]:
        """What decides: agreements, contents whose rewritten address was seen, and whether the rule is used."""
        return self.agreements, self.forms, self.active

    def agree(self, tokens: tuple[bytes, ...], examples: tuple[str, str], form_seen: bool, pair: str) -> None:
        """One more content is the same in both forms, unless one of its tokens was counted before."""
        if self.contradictions > FORGIVEN:
            return
        self.pair = self.pair or pair
        if form_seen and not self.form_seen and (formed := b"form" + tokens[-1]) not in self.counted:
            self.counted.add(formed)
            self.forms += 1
        if self.agreements >= max(MOST_COUNTED, self.needed) or not self.counted.isdisjoint(tokens):
            return
        self.counted.update(tokens)
        self.agreements += 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(examples)

    def contradict(self, examples: tuple[str, str]) -> None:
        """Two forms have different contents: what agreed before no longer counts."""
        self.contradictions += 1
        self.agreements = self.forms = 0
        self.against = examples
        self.counted.clear()

    def told(self) -> str:
        """For people."""
        most = "at least " if self.agreements >= max(MOST_COUNTED, self.needed) else ""
        told = f"{most}{self.agreements} contents agree, {self.contradictions or 'none'} differ"
        if self.active:
            return told
        return f"{told}; not used " + (f"before {self.needed} agree" if self.needed else "any more")


class RuleEvidence(msgspec.Struct, array_like=True):
    """All evidence about one rewrite on a site: of the site as a whole, and of its places."""

    site: Evidence = msgspec.field(default_factory=Evidence)
    places: dict[str, Evidence] = msgspec.field(default_factory=dict)

    def at(self, place: str) -> Evidence | None:
        """The evidence by which the rewrite may be used at a place. What a place has against it outweighs the site."""
        own = self.places.get(place)
        if own is not None and (own.active or own.contradictions):
            return own if own.active else None
        return self.site if self.site.active else None

    def about(self, place: str) -> Evidence | None:
        """The evidence of a place, to be added to; None where there are too many places already."""
        found = self.places.get(place)
        if found is None:
            if len(self.places) >= MOST_PLACES and not self._forget():
                return None
            found = self.places[place] = Evidence()
        return found

    def _forget(self) -> bool:
        """Make room by forgetting the oldest place that decides nothing."""
        for place, evidence in self.places.items():
            if not evidence.active and not evidence.contradictions:
                del self.places[place]
                return True
        return False

    @property
    def active(self) -> bool:
        """Whether the rewrite is used anywhere."""
        return self.site.active or any(each.active for each in self.places.values())
