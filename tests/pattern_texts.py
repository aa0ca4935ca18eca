"""Texts that reach every part of a regular expression: what leads there, a repeated piece, and an end.

Patterns are taken apart as `re` itself does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

Pattern = re.Pattern[Any]
Nodes = list[Any]

MANY = 100
"""A repetition of so many or more counts as without end."""
PICKS = 6
"""Choices of letters and ways through a pattern that are tried."""
COMMON = " a01\n<>=-_.,:;/\"'&%?#()[]{}\\|*+@~\tAé。\0"
ENDS = ("", "\x01\n")
REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
LEAVES = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY)


class Texts:
    """Makes texts out of the parts of one pattern."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern, self.wide = pattern, isinstance(pattern.pattern, str)
        self.parsed = _parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
        written = [chr(code) for code in _literals(self.parsed.data)]
        self._letters = dict.fromkeys([*written, *COMMON])
        self._matching: dict[str, list[str]] = {}

    def text(self, written: str) -> Any:
        return written if self.wide else written.encode("latin-1", "ignore")

    def letters(self, leaf: Any) -> list[str]:
        """Letters that one place of the pattern takes."""
        key = repr(leaf)
        if key not in self._matching:
            alone = _compiler.compile(_parser.SubPattern(self.parsed.state, [leaf]), self.pattern.flags)
            self._matching[key] = [each for each in self._letters if alone.match(self.text(each))] or [""]
        return self._matching[key]

    def sample(self, nodes: Nodes, pick: int) -> str:
        """A text for parts of the pattern."""
        return "".join(self._one(node, pick) for node in nodes)

    def _one(self, node: Any, pick: int) -> str:
        op, value = node
        if op in LEAVES:
            letters = self.letters(node)
            return letters[pick % len(letters)]
        if op in REPEATS:
            return self.sample(value[2].data, pick) * max(value[0], pick % 2 if value[1] < MANY else 0)
        if op is _constants.BRANCH:
            return self.sample(value[1][pick % len(value[1])].data, pick)
        return "".join(self.sample(part.data, pick) for part in _inside(node))

    def repetitions(self) -> Iterator[tuple[Nodes, Nodes, Nodes]]:
        """Each repetition without end: what stands before it, what is repeated, what follows."""
        yield from _repetitions(self.parsed.data, [], [])


def _inside(node: Any) -> list[Any]:
    """The parts of a group, whatever its kind; a lookaround takes no text."""
    op, value = node
    if op is _constants.SUBPATTERN:
        return [value[3]]
    return [value] if op is _constants.ATOMIC_GROUP else []


def _literals(nodes: Nodes) -> Iterator[int]:
    for match in re.finditer(r"LITERAL, (\d+)", repr(nodes)):
        yield int(match[1])


def _repetitions(nodes: Nodes, before: Nodes, after: Nodes) -> Iterator[tuple[Nodes, Nodes, Nodes]]:
    for place, node in enumerate(nodes):
        op, value = node
        head, tail = before + nodes[:place], nodes[place + 1 :] + after
        if op in REPEATS:
            if value[1] >= MANY:
                yield head, value[2].data, tail
            yield from _repetitions(value[2].data, head, tail)
        elif op is _constants.BRANCH:
            for way in value[1]:
                yield from _repetitions(way.data, head, tail)
        elif op in (_constants.ASSERT, _constants.ASSERT_NOT):
            yield from _repetitions(value[1].data, head, tail)
        for part in _inside(node):
            yield from _repetitions(part.data, head, tail)


def tries(texts: Texts, before: Nodes, body: Nodes) -> dict[tuple[str, str, str], None]:
    """Texts for a repetition, each as its beginning, the repeated piece and the end."""
    found = {}
    for pick in range(PICKS):
        head, piece = texts.sample(before, pick), texts.sample(body, pick)
        for end in ENDS:
            found[head, piece, end] = found["", head + piece, end] = found["", piece, end] = None
    return {(head, piece, end): None for head, piece, end in found if piece}


def is_reached(texts: Texts, method: str, before: Nodes, body: Nodes, after: Nodes) -> bool:
    """Whether the pattern takes a long run of some piece."""
    read = texts.pattern.search if method == "finditer" else getattr(texts.pattern, method)
    for pick in range(PICKS):
        for then in range(PICKS):
            run = texts.sample(body, pick) * 80
            written = texts.text(texts.sample(before, then) + run + texts.sample(after, then))
            match = read(written)
            if run and match and len(match[0]) >= len(run):
                return True
    return False
