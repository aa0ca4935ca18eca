"""Edits of the topic tree: each is one step that undo takes back, and says what was done."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from lycosa.configuration import settings
from lycosa.configuration.settings import ConfigurationError
from lycosa.interface.operations.contact import with_contact
from lycosa.interface.shared.messages import Message
from lycosa.preparation.examples import gather_examples
from lycosa.preparation.taxonomy_files import OwnTaxonomy
from lycosa.topics.taxonomy import Node, Taxonomy


class Edited(Message, frozen=True):
    """What was done to the topics, and to which."""

    edit: str
    id: str = ""


def texts_of_pages(
    base: Path, urls: Sequence[str], contact: str = "", wanted: Sequence[str] = (), *, ask: bool = True
) -> list[str]:
    """What pages say: they are fetched for it, as a crawl would, in the name of a contact."""
    configuration = settings.build({"seeds": list(urls), "fetching": {"contact": contact}}, wanted, "command line")
    return asyncio.run(gather_examples(urls, with_contact(base, configuration, ask=ask)))


def give_examples(own: OwnTaxonomy, node: Node, brought: Sequence[tuple[str, str]]) -> str:
    """Give a topic examples, each a URL (or '') and a text; says what was done."""

    def add(taxonomy: Taxonomy) -> Taxonomy:
        known = taxonomy[node.id]
        pages = dict.fromkeys((*known.pages, *(url for url, _ in brought if url)))
        texts = dict.fromkeys((*known.texts, *(text.strip() for _, text in brought if text.strip())))
        return taxonomy.with_node(msgspec.structs.replace(known, pages=tuple(pages), texts=tuple(texts)))

    what = f"gave {node.label!r} {len(brought)} more example{'s' if len(brought) > 1 else ''}"
    own.change(add, what)
    return what


def take_page(own: OwnTaxonomy, node: Node, url: str) -> str:
    """Take an exemplary page from a topic; says what was done."""

    def without(taxonomy: Taxonomy) -> Taxonomy:
        known = taxonomy[node.id]
        return taxonomy.with_node(
            msgspec.structs.replace(known, pages=tuple(page for page in known.pages if page != url))
        )

    what = f"took the page {url} from {node.label!r}"
    own.change(without, what)
    return what


def add_topic(own: OwnTaxonomy, new: Node, under: str = "") -> Edited:
    """A new topic, under the topic of that name; without an id it gets one made of its label."""
    made: list[str] = []

    def add(taxonomy: Taxonomy) -> Taxonomy:
        id = new.id or taxonomy.free_id(new.label)
        if id in taxonomy:
            raise ConfigurationError(f"topic {id!r} is there already: {taxonomy.path(id)}; choose another --id")
        made.append(id)
        parent = taxonomy.find(under).id if under else ""
        return taxonomy.with_node(msgspec.structs.replace(new, id=id, parent=parent))

    what = f"added {new.label!r}"
    own.change(add, what)
    return Edited(what, made[0])


def remove_topic(own: OwnTaxonomy, name: str) -> Edited:
    """Remove a topic and all below it."""
    taxonomy = own.load()
    node = taxonomy.find(name)
    below = len(taxonomy.below(node.id))
    what = f"removed {node.label!r}" + (f" and {below} below it" if below else "")
    own.change(lambda taxonomy: taxonomy.without(node.id), what)
    return Edited(what, node.id)


def rename_topic(own: OwnTaxonomy, name: str, label: str) -> Edited:
    """Give a topic another label."""
    node = own.load().find(name)
    what = f"renamed {node.label!r} to {label!r}"
    own.change(lambda taxonomy: taxonomy.renamed(node.id, label), what)
    return Edited(what, node.id)


def move_topic(own: OwnTaxonomy, name: str, under: str = "") -> Edited:
    """Put a topic, and all below it, under another one, or at the top."""
    taxonomy = own.load()
    node = taxonomy.find(name)
    above = taxonomy.find(under) if under else None
    what = f"moved {node.label!r} " + (f"under {above.label!r}" if above else "to the top")
    own.change(lambda taxonomy: taxonomy.moved(node.id, above.id if above else ""), what)
    return Edited(what, node.id)
