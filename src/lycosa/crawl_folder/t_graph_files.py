"""T-Graphs where people keep them: as files that can be read and corrected, and in the folder of a crawl.

A T-Graph file is JSON with a mark and a version; what is no such file is refused with
one sentence, a slip in it with its line and column. A crawl gets a copy as
`treasure.json` when it begins and keeps that one.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.input_files import bytes_of_file
from lycosa.durable import put_file
from lycosa.link_graph.t_graph.graph import MOST_LEVELS, Node, encoded
from lycosa.link_graph.t_graph.passages import Passage
from lycosa.records import Record

OWN_COPY = "treasure.json"
FORMAT, VERSION = "lycosa T-Graph", 1
LARGEST_FILE = 64 * 1024**2
MOST_NODES = 50_000
ANEW = "build it anew with `lycosa treasure build`"

_BYTE = re.compile(r"(?:JSON is malformed: )?(.+) \(byte ([0-9]+)\)")
_HALF = re.compile(rb"(?<!\\)(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{2})(?!\\u[dD][c-fC-F])")
"""The first half of a character that is written as two, without the second."""

Text = Annotated[str, Meta(max_length=20_000)]
Amount = Annotated[float, Meta(ge=0, le=1e12)]


class _Mark(msgspec.Struct):
    """What tells a T-Graph file from others."""

    format: Any = ""
    version: Any = 0


_Kind = TypeVar("_Kind", bound=msgspec.Struct)


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
    nodes: tuple[_Entry, ...]


class GraphFile(Record, frozen=True):
    """What a T-Graph file holds: what is aimed at, and the passages on the way there."""

    targets: tuple[str, ...]
    nodes: tuple[Node, ...]


# -- files ------------------------------------------------------------------------------------------


def write_graph(found: GraphFile, path: Path) -> None:
    """Write a T-Graph file, in one step."""
    ordered = sorted(found.nodes, key=lambda node: (node.distance, node.page))
    written = _Written(targets=found.targets, nodes=tuple(map(_entry, ordered)))
    put_file(path, msgspec.json.format(msgspec.json.encode(written), indent=2) + b"\n")


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


def read_graph(path: Path, otherwise: str = ANEW) -> GraphFile:
    """What a T-Graph file holds; a damaged, foreign or empty one is refused with what to do `otherwise`."""
    return _understood(_bytes_of(path, otherwise), path, otherwise)


def _bytes_of(path: Path, otherwise: str = ANEW) -> bytes:
    instead = "`lycosa treasure build` makes a T-Graph file" if otherwise == ANEW else otherwise
    return bytes_of_file(path, LARGEST_FILE, instead).removeprefix(BOM_UTF8)


def _understood(data: bytes, path: Path, otherwise: str) -> GraphFile:
    mark = _decoded(data, _Mark, path, otherwise)
    if mark.format != FORMAT:
        raise _foreign(path, otherwise)
    if mark.version != VERSION:
        told = f"version {mark.version!r:.40}, and this Lycosa reads version {VERSION}"
        raise ConfigurationError(f"{path}: a T-Graph of {told}; {otherwise}")
    written = _decoded(data, _Written, path, otherwise)
    if len(written.nodes) > MOST_NODES:
        told = f"has {len(written.nodes):,} nodes; at most {MOST_NODES:,} are read"
        raise ConfigurationError(f"{path}: {told}; remove the others, or {otherwise}")
    nodes = _nearest(_node(entry, place, path) for place, entry in enumerate(written.nodes))
    if not nodes:
        more = f"{ANEW}, with more pages or with --backlinks" if otherwise == ANEW else otherwise
        raise ConfigurationError(f"{path}: a T-Graph without nodes; {more}")
    return GraphFile(written.targets, nodes)


def _decoded(data: bytes, kind: type[_Kind], path: Path, otherwise: str) -> _Kind:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        if kind is _Mark:
            raise _foreign(path, otherwise) from None
        told = str(error).replace(" - at `$.", " at `")
        raise ConfigurationError(f"{path}: a damaged T-Graph: {told}; correct it there, or {otherwise}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if not data.lstrip().startswith(b"{"):
            raise _foreign(path, otherwise) from None
        told = _slip(data, str(error))
        raise ConfigurationError(f"{path}: {told}; correct it there, or {otherwise}") from None
    except RecursionError:
        raise _foreign(path, otherwise) from None


def _slip(data: bytes, error: str) -> str:
    """Where JSON is wrong, and why."""
    try:
        data.decode()
        why, at = _why_and_byte(data, error)
    except UnicodeDecodeError as wrong:
        why, at = "this is no UTF-8 text", wrong.start
    lines = data[:at].decode("utf-8", "replace").split("\n")
    return f"line {len(lines)}, column {len(lines[-1]) + 1}: damaged JSON ({why})"


def _why_and_byte(data: bytes, error: str) -> tuple[str, int]:
    told = _BYTE.fullmatch(error)
    why, at = (told[1], int(told[2])) if told else ("the file ends too soon", len(data))
    half = _HALF.search(data, 0, at)
    if half or "surrogate" in why:
        return "half of a character that is written as two", half.start(1) if half else at - 6
    return why, at - why.startswith("trailing")


def _foreign(path: Path, otherwise: str) -> ConfigurationError:
    advice = "`lycosa treasure build` makes one" if otherwise == ANEW else otherwise
    return ConfigurationError(f"{path}: no T-Graph file; {advice}")


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
        put_file(own, _bytes_of(Path(configuration.treasure.graph)))


def given_graph(configuration: Configuration, folder: Path) -> GraphFile | None:
    """The T-Graph that a crawl begins with: its own copy, or where its configuration says; None where it has none."""
    own = folder / OWN_COPY
    given = configuration.treasure.graph
    if own.is_file():
        return read_graph(own, _instead_of_copy(given))
    return read_graph(Path(given)) if given else None


def _instead_of_copy(given: str) -> str:
    """What helps where a crawl's own copy is damaged: the file that it was made from, which it takes once more."""
    if given and Path(given).is_file():
        return f"remove it, and the crawl takes its copy of {given} anew"
    return "begin a crawl of another --name with a T-Graph that `lycosa treasure build` makes"


def treasure_of(configuration: Configuration, folder: Path) -> bytes:
    """The same for a topic, as the strategy reads it."""
    found = given_graph(configuration, folder)
    return encoded(found.nodes) if found is not None else b""
