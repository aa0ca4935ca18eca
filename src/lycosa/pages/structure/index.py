"""The structures of a collection: which pages are built like a page, how many, and what templates there are.

A page joins the template it is most like, or founds one. What distinguishes it from
the founder is all that is kept of a page, so a hundred thousand pages are a few dozen
megabytes; pages of equal structure share one entry. Searching looks for templates
first and then at the most promising pages of these: likeness is exact, but of a very
large template only the first few thousand different structures are looked at.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias

import msgspec
import numpy as np
import xxhash
from numpy.typing import NDArray

from lycosa.pages.structure.neighbours import HASHES, GlanceTable, Neighbours, Signature, glance_of, signature_of
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.pages.structure.sketch import ALIKE, SAME_TEMPLATE, Features, features_of, in_both, share
from lycosa.records import Record

DOUBT = 0.2
"""How far the estimate of a likeness may be wrong."""
MOST_TEMPLATES = 12
"""Templates that a search looks into."""
FOUNDER_SHARE = 0.5
"""A template is looked into if its founder seems at least so much of the wanted likeness."""
MOST_ENTRIES = 2048
"""Different structures of a template that a search looks at."""
CLOSER_LOOKS = 64
"""Structures whose likeness is worked out exactly, at least."""

_VERSION = 1

Numbers: TypeAlias = NDArray[np.int64]


class Template(Record, frozen=True):
    """Pages that are built alike: their number, the page that came first, and the code of its structure."""

    number: int
    pages: int
    founder: str
    structure: bytes


@dataclass(slots=True)
class _Group:
    """A template at work: its founder, the founder's features and the entries of its pages.

    For each entry, one after the other, `apart` has the features that it or the founder has, but not both;
    `ends` says where those of each entry end, after a 0, and `sizes` how many features it has.
    """

    founder: str
    structure: bytes
    features: Features
    entries: array[int] = field(default_factory=lambda: array("q"))
    apart: array[int] = field(default_factory=lambda: array("I"))
    ends: array[int] = field(default_factory=lambda: array("q", (0,)))
    sizes: array[int] = field(default_factory=lambda: array("q"))
    pages: int = 0

    def put(self, entry: int, apart: bytes, size: int) -> None:
        """Keep what sets an entry apart."""
        self.apart.frombytes(apart)
        self.ends.append(len(self.apart))
        self.sizes.append(size)
        self.entries.append(entry)

    def first_entries(self) -> Numbers:
        """The entries that a search looks at; like all that it sees of these arrays a copy, so that they may grow."""
        return np.frombuffer(self.entries[:MOST_ENTRIES], np.int64)

    def apart_of(self, entry: int) -> tuple[bytes, int]:
        """What sets an entry apart, and how many features it has."""
        place = bisect_left(self.entries, entry)
        return self.apart[self.ends[place] : self.ends[place + 1]].tobytes(), self.sizes[place]

    def likenesses(self, features: Features, places: Numbers) -> NDArray[np.float64]:
        """The exact likeness of some entries, in ascending order, from what sets them apart from the founder.

        Of the features that an entry has in common with the founder, we share what we share with the
        founder; each feature that sets it apart is ours too or not, and adds or takes away one.
        """
        with_founder = in_both(features, self.features)
        ends = np.frombuffer(self.ends[: MOST_ENTRIES + 1], np.int64)
        sizes = np.frombuffer(self.sizes[:MOST_ENTRIES], np.int64)
        if len(places) == len(ends) - 1:
            apart, ends = np.frombuffer(self.apart[: ends[-1]], np.uint32), ends[1:]
        else:
            spans = zip(ends.take(places).tolist(), ends.take(places + 1).tolist(), strict=True)
            apart = np.frombuffer(b"".join([self.apart[begin:end].tobytes() for begin, end in spans]), np.uint32)
            ends = (ends[1:] - ends[:-1]).take(places).cumsum()
        adds = np.where(with_founder, -1, 1)
        place = features.searchsorted(apart)
        change = np.zeros(len(apart) + 1, np.int64)
        np.multiply(adds.take(place, mode="clip"), features.take(place, mode="clip") == apart, out=change[1:])
        at_end = change.cumsum().take(ends)
        both = np.count_nonzero(with_founder) + at_end
        both[1:] -= at_end[:-1]
        return np.asarray(both / (len(features) + sizes.take(places) - both))


@dataclass(slots=True)
class _Entry:
    """The pages of one and the same structure, and their template."""

    group: int
    keys: dict[str, None]


class _Saved(msgspec.Struct, array_like=True):
    """What is written down of an index."""

    version: int
    same: float
    groups: list[tuple[str, bytes]]
    entries: list[tuple[int, bytes, int, list[str], bytes]]
    glances: bytes


class StructureIndex:
    """Structures by key, found by likeness. A key that is added again has a new structure."""

    def __init__(self, same: float = SAME_TEMPLATE) -> None:
        self.same = same
        self._groups: list[_Group] = []
        self._neighbours = Neighbours()
        self._entries: list[_Entry] = []
        self._glances = GlanceTable()
        self._twins: dict[bytes, int] = {}
        self._entry_of: dict[str, int] = {}

    def __len__(self) -> int:
        """The number of pages."""
        return len(self._entry_of)

    def __contains__(self, key: str) -> bool:
        return key in self._entry_of

    def add(self, key: str, skeleton: Skeleton) -> int:
        """Put a page into its template, a new one if need be. The number of the template."""
        self.remove(key)
        features = features_of(skeleton)
        digest = _digest(features)
        number = self._twins.get(digest)
        if number is None:
            number = self._twins[digest] = self._new_entry(key, skeleton, features)
        entry = self._entries[number]
        entry.keys[key] = None
        self._groups[entry.group].pages += 1
        self._entry_of[key] = number
        return entry.group

    def remove(self, key: str) -> bool:
        """Forget a page; False if it is not here."""
        number = self._entry_of.pop(key, None)
        if number is None:
            return False
        entry = self._entries[number]
        del entry.keys[key]
        self._groups[entry.group].pages -= 1
        return True

    def _new_entry(self, key: str, skeleton: Skeleton, features: Features) -> int:
        signature = signature_of(features)
        group = self._nearest(features, signature)
        if group is None:
            group = self._neighbours.add(signature)
            self._groups.append(_Group(key, skeleton.to_bytes(), features))
        apart = np.setxor1d(features, self._groups[group].features, assume_unique=True).tobytes()
        self._groups[group].put(len(self._entries), apart, len(features))
        self._entries.append(_Entry(group, {}))
        return self._glances.add(glance_of(signature))

    def _nearest(self, features: Features, signature: Signature) -> int | None:
        """The template that is most like a structure, if it is like enough."""
        found = self._neighbours.near(signature, MOST_TEMPLATES, self.same - DOUBT)
        likest = max(((share(features, self._groups[each].features), -each) for each in found), default=(0.0, 0))
        return -likest[1] if likest[0] >= self.same else None

    def template_of(self, skeleton: Skeleton) -> int | None:
        """The number of the template that a structure belongs to, or None."""
        features = features_of(skeleton)
        twin = self._twins.get(_digest(features))
        if twin is not None:
            return self._entries[twin].group
        return self._nearest(features, signature_of(features))

    def count(self, skeleton: Skeleton) -> int:
        """How many pages have that structure, which is to say that template."""
        number = self.template_of(skeleton)
        return 0 if number is None else self._groups[number].pages

    def template(self, number: int) -> Template:
        """A template by its number."""
        group = self._groups[number]
        return Template(number, group.pages, group.founder, group.structure)

    def templates(self) -> list[Template]:
        """All templates that have pages, those with most pages first."""
        found = [self.template(number) for number, group in enumerate(self._groups) if group.pages]
        return sorted(found, key=lambda template: (-template.pages, template.number))

    def keys_of(self, number: int) -> list[str]:
        """The pages of a template."""
        return [key for entry in self._groups[number].entries for key in self._entries[entry].keys]

    def like(self, skeleton: Skeleton, most: int = 10, at_least: float = ALIKE) -> list[tuple[str, float]]:
        """The pages that are most like a structure, with their likeness, best first."""
        features = features_of(skeleton)
        found: list[tuple[str, float]] = []
        for number, likeness in self._ranked(features, most, at_least):
            found += [(key, likeness) for key in islice(self._entries[number].keys, most - len(found))]
            if len(found) >= most:
                break
        return found

    def _ranked(self, features: Features, most: int, at_least: float) -> list[tuple[int, float]]:
        """Entries by their exact likeness, after a look at the estimates where they are many."""
        signature = signature_of(features)
        near = self._neighbours.near(signature, MOST_TEMPLATES, at_least * FOUNDER_SHARE)
        if not near:
            return []
        groups = [self._groups[number] for number in near]
        firsts = [group.first_entries() for group in groups]
        entries = np.concatenate(firsts)
        chosen = self._promising(signature, entries, max(CLOSER_LOOKS, 2 * most), at_least)
        likenesses, begin = [], 0
        for group, first in zip(groups, firsts, strict=True):
            end = begin + len(first)
            places = chosen[chosen.searchsorted(begin) : chosen.searchsorted(end)] - begin
            likenesses.append(group.likenesses(features, places))
            begin = end
        likeness = np.concatenate(likenesses)
        entries = entries.take(chosen)
        order = np.lexsort((entries, -likeness))[: np.count_nonzero(likeness >= at_least)]
        return list(zip(entries.take(order).tolist(), likeness.take(order).tolist(), strict=True))

    def _promising(self, signature: Signature, entries: Numbers, most: int, at_least: float) -> Numbers:
        """Where among some entries the most promising ones are, in ascending order: all of a few, else by estimates."""
        if len(entries) <= most:
            return np.arange(len(entries))
        estimates = self._glances.estimates(glance_of(signature), entries)
        likest = np.argsort(-estimates, kind="stable")[:most]
        return np.sort(likest[estimates[likest] >= at_least - DOUBT])

    def to_bytes(self) -> bytes:
        """The index as bytes; pages that were removed leave no trace, templates keep their numbers."""
        kept = [number for number, entry in enumerate(self._entries) if entry.keys]
        digests = {number: digest for digest, number in self._twins.items()}
        rows = [
            (entry.group, *self._groups[entry.group].apart_of(number), list(entry.keys), digests[number])
            for number, entry in ((number, self._entries[number]) for number in kept)
        ]
        groups = [(group.founder, group.structure) for group in self._groups]
        glances = self._glances.written(np.array(kept, np.int64))
        return msgspec.msgpack.encode(_Saved(_VERSION, self.same, groups, rows, glances))

    @classmethod
    def from_bytes(cls, written: bytes) -> StructureIndex:
        """The index that was written; a ValueError if the bytes are none."""
        try:
            saved = msgspec.msgpack.decode(written, type=_Saved)
            if saved.version != _VERSION or len(saved.glances) != HASHES * len(saved.entries):
                raise ValueError("another version")
            return cls(saved.same)._filled(saved)
        except (msgspec.MsgspecError, ValueError, IndexError) as error:
            raise ValueError("this is not an index of structures; build it anew from the pages") from error

    def _filled(self, saved: _Saved) -> StructureIndex:
        for founder, structure in saved.groups:
            features = features_of(Skeleton.from_bytes(structure))
            self._neighbours.add(signature_of(features))
            self._groups.append(_Group(founder, structure, features))
        self._glances = GlanceTable(np.frombuffer(saved.glances, np.uint8).reshape(-1, HASHES).copy())
        for number, (group, apart, size, keys, digest) in enumerate(saved.entries):
            self._groups[group].put(number, apart, size)
            self._entries.append(_Entry(group, dict.fromkeys(keys)))
            self._groups[group].pages += len(keys)
            self._twins[digest] = number
            self._entry_of.update(dict.fromkeys(keys, number))
        return self


def _digest(features: Features) -> bytes:
    return xxhash.xxh3_128_digest(features.tobytes())
