"""The tree of topics (C1): what a person can ask for, and what each topic sounds like.

A taxonomy never changes: an edit returns another one, so whoever holds one keeps
what was read, and undoing is keeping the older. Every taxonomy is whole from the
start: one with a cycle, a double id, an unknown parent or an empty node is refused
with the place of the fault. Reading and writing files is not done here.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cached_property

import msgspec

from lycosa.configuration.settings import ConfigurationError
from lycosa.records import Record

MOST_CHOICES = 8
MOST_ENDS = 8
"""Ends of an unknown name for which topics are looked for, the longest first."""
_ID = re.compile(r"[^\W_]+(?:-+[^\W_]+)*")
_WORD = re.compile(r"[^\W_]+")


class TaxonomyError(ConfigurationError):
    """The taxonomy cannot be used, or has no such topic; the message says where and what to do."""


class AmbiguousName(TaxonomyError):
    """Several topics go by the name; the message lists them."""


class Node(Record, frozen=True):
    """A topic: a phrase for people, decimal classes, and exemplary pages (URLs) and texts."""

    id: str
    label: str
    parent: str = ""
    description: str = ""
    classes: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


class Taxonomy:
    """All topics as a tree; `places` says where each node was written, for errors."""

    def __init__(self, nodes: Iterable[Node], places: Sequence[str] = ()) -> None:
        self.nodes = tuple(nodes)
        self._places = tuple(places) or ("taxonomy",) * len(self.nodes)
        self._at: dict[str, int] = {}
        for number, node in enumerate(self.nodes):
            self._check_alone(node, number)
        self._children: dict[str, list[str]] = {"": []}
        for number, node in enumerate(self.nodes):
            self._check_parent(node, number)
            self._children.setdefault(node.parent, []).append(node.id)
        self._check_cycles()

    # -- is it whole? ---------------------------------------------------------------------------

    def _check_alone(self, node: Node, number: int) -> None:
        place = self._places[number]
        if not _ID.fullmatch(node.id) or node.id != node.id.lower():
            raise TaxonomyError(f"{place}: id {node.id!r} is not possible; use lower case letters, digits and hyphens")
        if node.id in self._at:
            first = self._places[self._at[node.id]]
            raise TaxonomyError(f"topic {node.id!r} is there twice, at {first} and at {place}; rename one of them")
        if not node.label.strip():
            raise TaxonomyError(f"{place}: topic {node.id!r} is empty: it has no label; give it a phrase for people")
        if not (node.description.strip() or node.pages or any(text.strip() for text in node.texts)):
            raise TaxonomyError(
                f"{place}: topic {node.id!r} is empty: it has neither text, page nor description; add one of them"
            )
        self._at[node.id] = number

    def _check_parent(self, node: Node, number: int) -> None:
        if node.parent and node.parent not in self._at:
            hint = _hint(difflib.get_close_matches(node.parent, self._at, 1), "add it, or leave parent out")
            raise TaxonomyError(
                f"{self._places[number]}: topic {node.id!r} has the unknown parent {node.parent!r}; {hint}"
            )

    def _check_cycles(self) -> None:
        fine: set[str] = set()
        for node in self.nodes:
            way: dict[str, None] = {}
            at = node.id
            while at and at not in fine:
                if at in way:
                    ring = [*list(way)[list(way).index(at) :], at]
                    raise TaxonomyError(
                        f"{self.place(at)}: topics go round in a circle: {' -> '.join(ring)}; give one another parent"
                    )
                way[at] = None
                at = self[at].parent
            fine.update(way)

    # -- looking --------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __contains__(self, id: object) -> bool:
        return id in self._at

    def __getitem__(self, id: str) -> Node:
        if id not in self._at:
            raise TaxonomyError(f"no topic has the id {id!r}; {_hint(difflib.get_close_matches(id, self._at, 1))}")
        return self.nodes[self._at[id]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Taxonomy) and self.nodes == other.nodes

    def __hash__(self) -> int:
        return hash(self.nodes)

    def place(self, id: str) -> str:
        """Where a node was written."""
        return self._places[self._at[id]]

    def roots(self) -> tuple[Node, ...]:
        """The topmost topics."""
        return tuple(self[id] for id in self._children[""])

    def children(self, id: str) -> tuple[Node, ...]:
        """The topics right under one."""
        return tuple(self[child] for child in self._children.get(self[id].id, ()))

    def ancestors(self, id: str) -> tuple[Node, ...]:
        """The topics above one, the topmost first."""
        found = []
        at = self[id].parent
        while at:
            found.append(self[at])
            at = self[at].parent
        return tuple(reversed(found))

    def below(self, id: str) -> tuple[Node, ...]:
        """All topics under one, each after its parent."""
        found = []
        waiting = list(reversed(self.children(id)))
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting.extend(reversed(self.children(node.id)))
        return tuple(found)

    def top(self, id: str) -> Node:
        """The topmost topic over one, which may be itself."""
        return next(iter(self.ancestors(id)), self[id])

    def path(self, id: str) -> str:
        """The labels from the top down: `Life sciences and nature.Birds`."""
        return ".".join(node.label for node in (*self.ancestors(id), self[id]))

    # -- finding by name ------------------------------------------------------------------------

    def find(self, name: str) -> Node:
        """The topic of an id, a path, or a part of a path that ends at it.

        Case, `_`, space and `/` do not matter. Where a name fits a topic and some below
        it, the upper one is meant; where it fits topics apart, it is refused with the choices.
        """
        if name in self._at:
            return self[name]
        named = _words(name)
        found = self._whole_paths.get(named) or self._parts.get(named, [])
        highest = [id for id in found if not any(node.id in found for node in self.ancestors(id))]
        if len(highest) == 1:
            return self[highest[0]]
        if highest:
            choices = ", ".join(f"{self.path(id)} ({id})" for id in highest[:MOST_CHOICES])
            more = f" and {len(highest) - MOST_CHOICES} more" if len(highest) > MOST_CHOICES else ""
            raise AmbiguousName(f"{name!r} may be one of several topics; say which: {choices}{more}")
        raise TaxonomyError(f"no topic is called {name!r}; {self._near(named)}")

    @cached_property
    def _whole_paths(self) -> dict[tuple[str, ...], list[str]]:
        found: dict[tuple[str, ...], list[str]] = {}
        for node in self.nodes:
            found.setdefault(_words(self.path(node.id)), []).append(node.id)
        return found

    @cached_property
    def _parts(self) -> dict[tuple[str, ...], list[str]]:
        """What ends at a topic: its label, and its label after those above it; and its id."""
        found: dict[tuple[str, ...], list[str]] = {}
        for node in self.nodes:
            part: tuple[str, ...] = ()
            named = {_words(node.id)}
            for above in (node, *reversed(self.ancestors(node.id))):
                part = _words(above.label) + part
                named.add(part)
            for each in named:
                found.setdefault(each, []).append(node.id)
        return found

    def _near(self, named: tuple[str, ...]) -> str:
        """Topics that the end of an unknown name fits; else those with a name like it, or like its end."""
        ends = [named[begin:] for begin in range(len(named[:MOST_ENDS]))]
        ids = next((self._parts[end] for end in ends if end in self._parts), [])[:3]
        if not ids:
            known = {" ".join(part): ids[0] for part, ids in self._parts.items()}
            likes = (difflib.get_close_matches(" ".join(end), known, 3) for end in ends)
            ids = [known[each] for each in next(filter(None, likes), [])]
        return _hint(list(dict.fromkeys(map(self.path, ids))), "see `lycosa topics show`")

    # -- editing: each returns another taxonomy -------------------------------------------------

    def _with(self, nodes: Iterable[Node]) -> Taxonomy:
        kept = tuple(nodes)
        places = [self.place(node.id) if node.id in self._at else "the new topic" for node in kept]
        return Taxonomy(kept, places)

    def with_node(self, node: Node) -> Taxonomy:
        """The taxonomy with one more topic, or with the topic of that id replaced."""
        if node.id in self._at:
            return self._with(node if old.id == node.id else old for old in self.nodes)
        return self._with((*self.nodes, node))

    def without(self, id: str) -> Taxonomy:
        """The taxonomy without a topic and all below it."""
        gone = {self[id].id, *(node.id for node in self.below(id))}
        return self._with(node for node in self.nodes if node.id not in gone)

    def renamed(self, id: str, label: str) -> Taxonomy:
        """The taxonomy with another label on a topic; its id stays."""
        return self.with_node(msgspec.structs.replace(self[id], label=" ".join(label.split())))

    def moved(self, id: str, parent: str = "") -> Taxonomy:
        """The taxonomy with a topic, and all below it, under another one ('': at the top)."""
        return self.with_node(msgspec.structs.replace(self[id], parent=parent))

    def with_text(self, id: str, text: str) -> Taxonomy:
        """The taxonomy with one more exemplary text for a topic."""
        node = self[id]
        return self.with_node(msgspec.structs.replace(node, texts=_with_one(node.texts, text.strip())))

    def with_page(self, id: str, url: str) -> Taxonomy:
        """The taxonomy with one more exemplary page for a topic."""
        node = self[id]
        return self.with_node(msgspec.structs.replace(node, pages=_with_one(node.pages, url.strip())))

    def free_id(self, label: str) -> str:
        """An id made of a label that no topic has yet."""
        return id_of(label, self._at)


def id_of(label: str, taken: Container[str] = ()) -> str:
    """An id made of a label, with a number behind it where it is taken."""
    plain = "".join(char for char in unicodedata.normalize("NFKD", label) if not unicodedata.combining(char))
    made = "-".join(_WORD.findall(plain.lower()))
    wanted = made if _ID.fullmatch(made) and made == made.lower() else "topic"
    number, found = 1, wanted
    while found in taken:
        number += 1
        found = f"{wanted}-{number}"
    return found


def _with_one(known: tuple[str, ...], one: str) -> tuple[str, ...]:
    return known if not one or one in known else (*known, one)


def _words(name: str) -> tuple[str, ...]:
    """The words of a name: case and everything between words do not matter."""
    return tuple(_WORD.findall(name.casefold()))


def _hint(near: Sequence[str], otherwise: str = "") -> str:
    if near:
        return f"did you mean {' or '.join(repr(each) for each in near)}?"
    return otherwise or "see `lycosa topics show`"
