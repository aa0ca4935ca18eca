"""T-Graphs where people keep them: as files that can be read and corrected, and in the folder of a crawl.

A T-Graph file is JSON with a mark and a version; what is no such file is refused with
one sentence. A crawl gets a copy as `treasure.json` when it begins and keeps that one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from lycosa.configuration import Configuration, ConfigurationError
from lycosa.link_graph.passages import Passage
from lycosa.link_graph.treasure_graph import MOST_LEVELS, Node, encoded
from lycosa.records import Record

OWN_COPY = "treasure.json"
FORMAT, VERSION = "lycosa T-Graph", 1
LARGEST_FILE = 64 * 1024**2
MOST_NODES = 50_000

Text = Annotated[str, Meta(max_length=20_000)]
Amount = Annotated[float, Meta(ge=0, le=1e12)]


class _Mark(msgspec.Struct):
    """What tells a T-Graph file from others."""

    format: str = ""
    version: int = 0


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A node as it is written."""

    distance: Annotated[int, Meta(ge=0, le=MOST_LEVELS)]
    page: Text
    main_heading: Text = ""
    section_headings: Text = ""
    nearest_heading: Text = ""
    boundary: Text = ""
    leads_to: tuple[Text, ...] = ()
    weight: Annotated[float, Meta(ge=0, le=1)] = 1.0
    tried: Amount = 0.0
    led: Amount = 0.0


class _Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A T-Graph as it is written."""

    format: str = FORMAT
    version: int = VERSION
    targets: tuple[Text, ...] = ()
    nodes: Annotated[tuple[_Entry, ...], Meta(max_length=MOST_NODES)]


class GraphFile(Record, frozen=True):
    """What a T-Graph file holds: what is aimed at, and the passages on the way there."""

    targets: tuple[str, ...]
    nodes: tuple[Node, ...]


# -- files ------------------------------------------------------------------------------------------


def write_graph(found: GraphFile, path: Path) -> None:
    """Write a T-Graph file, in one step."""
    ordered = sorted(found.nodes, key=lambda node: (node.distance, node.page))
    written = _Written(targets=found.targets, nodes=tuple(map(_entry, ordered)))
    _put(path, msgspec.json.format(msgspec.json.encode(written), indent=2) + b"\n")


def _entry(node: Node) -> _Entry:
    nearest, sections, main, boundary = node.passage.parts
    return _Entry(
        distance=node.distance,
        page=node.page,
        main_heading=main,
        section_headings=sections,
        nearest_heading=nearest,
        boundary=boundary,
        leads_to=node.leads_to,
        weight=node.weight,
        tried=node.tried,
        led=node.led,
    )


def _put(path: Path, data: bytes) -> None:
    """Several agents may do the same at the same time."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_graph(path: Path) -> GraphFile:
    """What a T-Graph file holds; a damaged, foreign or empty one is refused."""
    return _understood(_bytes_of(path), path)


def _bytes_of(path: Path) -> bytes:
    if not path.is_file():
        raise ConfigurationError(f"{path}: no such file; `lycosa treasure build` makes a T-Graph file")
    if path.stat().st_size > LARGEST_FILE:
        raise ConfigurationError(f"{path}: larger than any T-Graph file ({LARGEST_FILE} bytes at most)")
    return path.read_bytes()


def _understood(data: bytes, path: Path) -> GraphFile:
    try:
        mark = msgspec.json.decode(data, type=_Mark)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise _foreign(path) from None
    if mark.format != FORMAT:
        raise _foreign(path)
    if mark.version != VERSION:
        told = f"version {mark.version}, and this Lycosa reads version {VERSION}"
        raise ConfigurationError(f"{path}: a T-Graph of {told}; build it anew with `lycosa treasure build`")
    try:
        written = msgspec.json.decode(data, type=_Written)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        told = str(error).replace(" - at `$.", " at `")
        raise ConfigurationError(f"{path}: a damaged T-Graph: {told}; correct it, or build it anew") from None
    nodes = _nearest(_node(entry, place, path) for place, entry in enumerate(written.nodes))
    if not nodes:
        raise ConfigurationError(f"{path}: a T-Graph without nodes; build it anew with more pages, or with --backlinks")
    return GraphFile(written.targets, nodes)


def _foreign(path: Path) -> ConfigurationError:
    return ConfigurationError(f"{path}: no T-Graph file; `lycosa treasure build` makes one")


def _node(entry: _Entry, place: int, path: Path) -> Node:
    passage = Passage(entry.nearest_heading, entry.section_headings, entry.main_heading, entry.boundary)
    if not any(text.strip() for text in passage.parts):
        raise ConfigurationError(f"{path}: nodes[{place}] has no text to compare links with; remove it or give it some")
    return Node(entry.page, passage, entry.leads_to, entry.distance, entry.weight, entry.tried, entry.led)


def _nearest(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """The same passage is one node: that which is nearest to a target."""
    found: dict[str, Node] = {}
    for node in nodes:
        known = found.get(node.key)
        if known is None or node.distance < known.distance:
            found[node.key] = node
    return tuple(found.values())


# -- crawls -----------------------------------------------------------------------------------------


def keep_treasure(configuration: Configuration, folder: Path) -> None:
    """Copy the T-Graph that a crawl was told to use, and could read, into its folder, unless it has its own already."""
    own = folder / OWN_COPY
    if configuration.treasure.graph and not own.is_file():
        _put(own, _bytes_of(Path(configuration.treasure.graph)))


def given_graph(configuration: Configuration, folder: Path) -> GraphFile | None:
    """The T-Graph that a crawl begins with: its own copy, or where its configuration says; None where it has none."""
    own = folder / OWN_COPY
    if own.is_file():
        return read_graph(own)
    return read_graph(Path(configuration.treasure.graph)) if configuration.treasure.graph else None


def treasure_of(configuration: Configuration, folder: Path) -> bytes:
    """The same for a topic, as the strategy reads it."""
    found = given_graph(configuration, folder)
    return encoded(found.nodes) if found is not None else b""
