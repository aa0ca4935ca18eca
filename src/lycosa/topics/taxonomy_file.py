"""A taxonomy as text that people can write by hand: TOML with one `[[topic]]` table per node.

What is written here reads back as the same taxonomy. Texts go in and out; who
opens files is somebody else's business, except for the taxonomy that is shipped.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Any

import msgspec

from lycosa.topics.taxonomy import Node, Taxonomy, TaxonomyError

_HEADER = re.compile(r"[ \t]*\[\[[ \t]*topic[ \t]*\]\]")
_IN_LINE = re.compile(r'[\\"\x00-\x08\x0a-\x1f\x7f]')
_IN_BLOCK = re.compile(r'[\\\x00-\x08\x0b-\x1f\x7f]|"(?="")')
_NOT_WRITABLE = re.compile(r"[\ud800-\udfff]")
_UNKNOWN_FIELD = re.compile(r"unknown field `([^`]+)`")


class _Written(msgspec.Struct, forbid_unknown_fields=True):
    """A `[[topic]]` table."""

    id: str
    label: str = ""
    parent: str = ""
    description: str = ""
    classes: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


def parse(text: str, origin: str = "taxonomy") -> Taxonomy:
    """The taxonomy in a text; `origin` names it in errors."""
    return joined([(origin, text)])


def joined(sources: Iterable[tuple[str, str]]) -> Taxonomy:
    """One taxonomy of several texts, each with its name; a parent may be in another text."""
    nodes: list[Node] = []
    places: list[str] = []
    for origin, text in sources:
        for node, place in _placed(text, origin):
            nodes.append(node)
            places.append(place)
    return Taxonomy(nodes, places)


def _placed(text: str, origin: str) -> list[tuple[Node, str]]:
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TaxonomyError(f"{origin}: not valid TOML: {error}") from None
    except RecursionError:
        raise TaxonomyError(f"{origin}: not a taxonomy: nested too deeply") from None
    other = [key for key in raw if key != "topic"]
    if other or not isinstance(raw.get("topic", []), list):
        raise TaxonomyError(f"{origin}: unknown key {(*other, 'topic')[0]!r}; a taxonomy has only [[topic]] tables")
    tables = raw.get("topic", [])
    lines = [number for number, line in enumerate(text.split("\n"), 1) if _HEADER.match(line)]
    if len(lines) == len(tables):
        return [
            (_node(table, f"{origin}:{line}"), f"{origin}:{line}") for table, line in zip(tables, lines, strict=True)
        ]
    return [(_node(table, origin), origin) for table in tables]


def _node(table: Any, place: str) -> Node:
    try:
        told = msgspec.convert(table, _Written)
    except msgspec.ValidationError as error:
        raise TaxonomyError(f"{place}: {_explain(error, table)}") from None
    return Node(
        told.id.strip(),
        _folded(told.label),
        told.parent.strip(),
        _folded(told.description),
        tuple(filter(None, map(str.strip, told.classes))),
        tuple(filter(None, map(str.strip, told.pages))),
        tuple(filter(None, map(str.strip, told.examples))),
    )


def _folded(phrase: str) -> str:
    return " ".join(phrase.split())


def _explain(error: msgspec.ValidationError, table: Any) -> str:
    who = f"topic {table['id']!r}" if isinstance(table, dict) and isinstance(table.get("id"), str) else "a topic"
    unknown = _UNKNOWN_FIELD.search(str(error))
    if unknown is None:
        return f"{who}: {str(error).replace('`$.', '`').replace('Object', 'it')}"
    known = _Written.__struct_fields__
    near = difflib.get_close_matches(unknown[1], known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
    return f"{who} has the unknown key {unknown[1]!r}; {hint}"


def written(taxonomy: Taxonomy) -> str:
    """The taxonomy as TOML for people, in its own order."""
    return "\n".join(_table(node) for node in taxonomy)


def _table(node: Node) -> str:
    lines = ["[[topic]]", f"id = {_line(node.id)}"]
    if node.parent:
        lines.append(f"parent = {_line(node.parent)}")
    lines.append(f"label = {_line(node.label)}")
    if node.description:
        lines.append(f"description = {_line(node.description)}")
    if node.classes:
        lines.append(f"classes = [{', '.join(map(_line, node.classes))}]")
    if node.pages:
        lines += ["pages = [", *(f"  {_line(page)}," for page in node.pages), "]"]
    if node.texts:
        lines += ["examples = [", *(_block(text) + "," for text in node.texts), "]"]
    return "\n".join(lines) + "\n"


def _line(phrase: str) -> str:
    return f'"{_IN_LINE.sub(_escape, _writable(phrase))}"'


def _block(text: str) -> str:
    return f'"""\n{_IN_BLOCK.sub(_escape, _writable(text))}\n"""'


def _writable(text: str) -> str:
    """What UTF-8 cannot hold becomes a replacement character."""
    return _NOT_WRITABLE.sub("\ufffd", text)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    return "\\" + char if char in '"\\' else f"\\u{ord(char):04x}"


@lru_cache(maxsize=1)
def shipped() -> Taxonomy:
    """The taxonomy that comes with Lycosa."""
    folder = files("lycosa").joinpath("data/taxonomy")
    found = sorted((each for each in folder.iterdir() if each.name.endswith(".toml")), key=lambda each: each.name)
    return joined((each.name, each.read_text("utf-8")) for each in found)
