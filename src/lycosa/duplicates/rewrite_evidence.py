"""What is learned of the spellings of one site's URLs, from a bounded sample of what was seen of it (M1, DUST).

An address whose content was seen before is compared with those that had it; what would make
both the same is considered from then on. A rewrite that is considered is first held against
the whole sample, then against everything that comes. So a page costs next to nothing on a
site without duplicates, and no rule is used before what speaks against it was looked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeAlias, TypeVar

from lycosa.duplicates.rewrite_rules import (
    Evidence,
    Kind,
    Rewrite,
    RuleEvidence,
    explanations,
    in_order,
    joined,
    name_of,
    with_value,
    without,
)
from lycosa.urls import fingerprint

MOST_REWRITES = 24
"""Rewrites of a site that are considered."""
ALIKE = 4
"""Addresses of one content that a new one is compared with."""
MOST_ALIKE = 16
"""Addresses of one content that are compared at all: more of them say nothing new."""
_ROUNDS = 8

_TURNS = list(Kind)
ALL_KINDS = frozenset(Kind)

Step: TypeAlias = tuple[Rewrite, Evidence]
Used: TypeAlias = tuple[Rewrite, RuleEvidence]
Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """A mapping in bounded memory: of two generations the older is forgotten when the younger is full."""

    __slots__ = ("_half", "_old", "_young")

    def __init__(self, most: int) -> None:
        self._half = max(1, most // 2)
        self._young: dict[Key, Value] = {}
        self._old: dict[Key, Value] = {}

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def get(self, key: Key) -> Value | None:
        """What was put under a key lately."""
        found = self._young.get(key)
        return found if found is not None else self._old.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Remember something."""
        if len(self._young) >= self._half and key not in self._young:
            self._old, self._young = self._young, {}
        self._young[key] = value

    def items(self) -> Iterator[tuple[Key, Value]]:
        """All that is remembered, each key once, the older generation first."""
        yield from [(key, value) for key, value in self._old.items() if key not in self._young]
        yield from list(self._young.items())


class SiteSample:
    """What was seen lately of a site: contents by address, addresses by content, and by what rewrites would do."""

    __slots__ = ("alike", "contents", "forms", "most")

    def __init__(self, most: int) -> None:
        self.most = most
        self.contents: Recent[str, bytes] = Recent(most)
        self.alike: Recent[bytes, list[str]] = Recent(most)
        self.forms: dict[Rewrite, Recent[int, tuple[bytes, str]]] = {}

    def forms_of(self, rewrite: Rewrite) -> Recent[int, tuple[bytes, str]]:
        """The contents of the forms that a rewrite gave."""
        found = self.forms.get(rewrite)
        if found is None:
            found = self.forms[rewrite] = Recent(self.most)
        return found


class SiteDust:
    """The rewrites that are considered on one site."""

    __slots__ = ("_for_paths", "_for_queries", "_kinds", "evidence", "pages", "rules", "spared", "turns")

    def __init__(self, rules: dict[Rewrite, RuleEvidence] | None = None, kinds: frozenset[Kind] = ALL_KINDS) -> None:
        self.rules, self._kinds = rules or {}, kinds
        self._for_paths: list[Used] = []
        self._for_queries: list[Used] = []
        self.evidence, self.turns = 0, 0
        """How often evidence, and what is made of addresses, may have changed."""
        self.pages, self.spared = 0, 0
        """Pages learned from, and addresses that were to be fetched in spite of the rules."""
        if self.rules:
            self._choose()

    @property
    def has_rules(self) -> bool:
        """Whether there is anything that rewrites addresses."""
        return bool(self._for_paths or self._for_queries)

    def use(self, kinds: frozenset[Kind]) -> None:
        """Use rewrites of these kinds only; evidence of others is gathered all the same."""
        self._kinds = kinds
        self._choose()

    def _choose(self) -> None:
        """Find out anew which rewrites are used, in the order in which they are."""
        self.turns += 1
        used = [(rewrite, self.rules[rewrite]) for rewrite in sorted(self.rules, key=_turn)]
        used = [(rewrite, rule) for rewrite, rule in used if rewrite.kind in self._kinds and rule.active]
        self._for_queries = [each for each in used if each[0].kind in (Kind.PARAMETER, Kind.ORDER)]
        self._for_paths = [each for each in used if each not in self._for_queries]

    def learn(self, sample: SiteSample, address: str, content: bytes) -> None:
        """A page was seen."""
        self.pages += 1
        before = sample.contents.get(address)
        sample.contents.put(address, content)
        for rewrite in self.rules:
            self._look(rewrite, sample, address, content, before not in (None, content))
        if before == content:
            return
        others = sample.alike.get(content) or []
        if len(others) < MOST_ALIKE:
            sample.alike.put(content, [*others, address])
            for other in others[-ALIKE:]:
                if other != address and sample.contents.get(other) == content:
                    self._suggest(sample, address, other, content)

    def _suggest(self, sample: SiteSample, address: str, other: str, content: bytes) -> None:
        """Consider what would make two addresses of one content the same, alone or after what is known already."""
        found = explanations(address, other)
        direct = bool(found)
        one, two = (address, other) if direct else (self.rewritten(address)[0], self.rewritten(other)[0])
        for rewrite in found if direct else explanations(one, two) if one != two else ():
            if rewrite not in self.rules:
                if len(self.rules) >= MOST_REWRITES:
                    continue
                self.rules[rewrite] = RuleEvidence()
                self.evidence += 1
                for seen, had in sample.contents.items():
                    self._look(rewrite, sample, seen, had, False)
            if not direct:
                self._agree(rewrite, sample, (one, two), rewrite.form(one), content)

    def _look(self, rewrite: Rewrite, sample: SiteSample, address: str, content: bytes, changed: bool) -> None:
        """Compare a page with the one of the same form. One that changed itself is not held against the other."""
        form = rewrite.form(address)
        forms, key = sample.forms_of(rewrite), hash(form)
        known = forms.get(key)
        if form == address:
            if known is None:
                return
        elif known is None:
            plain = sample.contents.get(form)
            known = None if plain is None else (plain, form)
        if known is not None and known[1] != address:
            if known[0] == content:
                self._agree(rewrite, sample, (address, known[1]), form, content)
            elif not changed:
                self._contradict(rewrite, (address, known[1]), form)
        forms.put(key, (content, address))

    def _agree(self, rewrite: Rewrite, sample: SiteSample, pair: tuple[str, str], form: str, content: bytes) -> None:
        rule, place = self.rules[rewrite], rewrite.place(form)
        seen = rewrite.kind is Kind.ORDER or form in pair or sample.contents.get(form) == content
        value, local = _value(rewrite, pair), rule.about(place)
        before = rule.site.standing, local and local.standing
        if local is not None:
            local.agree((content,), pair, seen, value)
        rule.site.agree((content, fingerprint(place)), pair, seen, value)
        after = rule.site.standing, local and local.standing
        if before != after:
            self.evidence += 1
            self._choose()

    def _contradict(self, rewrite: Rewrite, pair: tuple[str, str], form: str) -> None:
        rule = self.rules[rewrite]
        local = rule.about(rewrite.place(form))
        if local is not None:
            local.contradict(pair)
        rule.site.contradict(pair)
        self.evidence += 1
        self._choose()

    def contradict(self, one: str, other: str) -> None:
        """Two addresses are known to have different contents."""
        for rewrite in explanations(one, other):
            if rewrite in self.rules or len(self.rules) < MOST_REWRITES:
                self.rules.setdefault(rewrite, RuleEvidence())
                self._contradict(rewrite, (one, other), rewrite.form(one))

    def spares(self, one_in: int) -> bool:
        """Whether one more address may be fetched in spite of the rules: one for so many pages.

        Of pages, not of links: a site that invents a hundred session ids a page would have no end otherwise.
        """
        if self.spared * one_in > self.pages:
            return False
        self.spared += 1
        return True

    def rewritten(self, address: str) -> tuple[str, list[Step]]:
        """An address as the rules write it, and the rules that did. One that does not settle is left as it is."""
        steps: list[Step] = []
        path, _, query = address.partition("?")
        if self._for_paths:
            for _ in range(_ROUNDS):
                before = path
                path = self._path(path, steps)
                if path == before:
                    break
            else:
                return address, []
        if query and self._for_queries:
            query = self._query(path, query, steps)
        return (joined(path, query), steps) if steps else (address, steps)

    def _path(self, path: str, steps: list[Step]) -> str:
        for rewrite, rule in self._for_paths:
            form = rewrite.form(path)
            if form != path and (evidence := rule.at(rewrite.place(form))) is not None:
                steps.append((rewrite, evidence))
                path = form
        return path

    def _query(self, path: str, query: str, steps: list[Step]) -> str:
        for rewrite, rule in self._for_queries:
            evidence = rule.at(path) if rewrite.name in query else None
            if evidence is None:
                continue
            if rewrite.kind is Kind.ORDER:
                form = in_order(query)
            elif evidence.form_seen:
                form = without(query, rewrite.name)
            else:
                form = with_value(query, rewrite.name, evidence.pair)
            if form != query:
                steps.append((rewrite, evidence))
                query = form
        return query


def _value(rewrite: Rewrite, pair: tuple[str, str]) -> str:
    """The parameter with the value that the earlier of two addresses has; '' where either has none."""
    if rewrite.kind is not Kind.PARAMETER:
        return ""
    queries = [address.partition("?")[2].split("&") for address in pair]
    found = [next((each for each in query if name_of(each) == rewrite.name), "") for query in queries]
    return found[1] or found[0]


def _turn(rewrite: Rewrite) -> tuple[int, str]:
    """Paths come before queries, and the order of parameters last."""
    return _TURNS.index(rewrite.kind), rewrite.name
