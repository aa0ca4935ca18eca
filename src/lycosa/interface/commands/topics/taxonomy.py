"""Commands about topics: show the taxonomy, map documents to it, edit it, undo."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import home
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.operations.topic_edits import (
    Edited,
    add_topic,
    give_examples,
    move_topic,
    remove_topic,
    rename_topic,
    texts_of_pages,
)
from lycosa.interface.shared.wording import print_json, printable
from lycosa.preparation.taxonomy_files import OwnTaxonomy, load_taxonomy, page_text, read_file
from lycosa.preparation.taxonomy_proposals import OwnVocabulary
from lycosa.topics.mapper import MARGIN, Fit, Mapper, Mapping
from lycosa.topics.taxonomy import Node, Taxonomy

LARGEST_INPUT = 10_000_000
SHOWN = 5
DOCUMENTS = {"nargs": "*", "metavar": "FILE|URL|-"}


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> Commands:
    """What can be typed after `lycosa topics`; more actions may be added to those returned."""
    topics = commands.add_parser("topics", help="what can be looked for: show, map, edit", parents=[shared])
    actions = topics.add_subparsers(dest="action", metavar="ACTION", required=True)
    seen = action(actions, "show", "the tree of topics, or one topic with its texts", shared)
    seen.add_argument("name", nargs="?", help="an id, a path, or a part of one: birds, or Arts and music.Architecture")
    seen.set_defaults(run=show)
    mapping = action(actions, "map", "which topics documents are about", shared)
    mapping.add_argument("document", **DOCUMENTS)  # type: ignore[arg-type]
    mapping.add_argument("--text", action="append", default=[], metavar="TEXT", help="a text itself")
    mapping.add_argument("--margin", type=float, default=MARGIN, help="how near to the best is best too (0.05)")
    mapping.set_defaults(run=map_documents)
    for each in (seen, mapping):
        each.add_argument("--taxonomy", metavar="PATH", help="another one: a TOML file, or a folder of examples")
    fetching_options(mapping)
    _edit_commands(actions, shared)
    action(actions, "undo", "take the last edit back", shared).set_defaults(run=undo)
    return actions


def _edit_commands(actions: Commands, shared: argparse.ArgumentParser) -> None:
    edit = action(actions, "edit", "change the taxonomy", shared)
    edits = edit.add_subparsers(dest="edit", metavar="EDIT", required=True)
    add = action(edits, "add", "a new topic", shared)
    add.add_argument("label")
    add.add_argument("--under", default="", metavar="NAME", help="the topic above it (default: none)")
    add.add_argument("--id", default="", help="a short name (default: made of the label)")
    add.add_argument("--description", default="")
    add.add_argument("--class", action="append", default=[], dest="classes", metavar="NUMBER", help="598, 746.92")
    add.add_argument("--text", action="append", default=[], metavar="TEXT", help="an exemplary text")
    add.set_defaults(run=edit_add)
    remove = action(edits, "remove", "a topic and all below it", shared)
    rename = action(edits, "rename", "give a topic another label", shared)
    move = action(edits, "move", "put a topic under another one", shared)
    example = action(edits, "example", "give a topic more exemplary pages or texts", shared)
    for each, run in ((remove, edit_remove), (rename, edit_rename), (move, edit_move), (example, edit_example)):
        each.add_argument("name", help="the topic: an id, a path, or a part of one")
        each.set_defaults(run=run)
    rename.add_argument("label")
    move.add_argument("--under", default="", metavar="NAME", help="the new topic above it (default: the top)")
    example.add_argument("document", **DOCUMENTS)  # type: ignore[arg-type]
    example.add_argument("--text", action="append", default=[], metavar="TEXT", help="a text itself")
    fetching_options(example)


def action(actions: Commands, name: str, told: str, shared: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """One more thing that can be typed after `lycosa topics`."""
    return actions.add_parser(name, help=told, parents=[shared])


def fetching_options(parser: argparse.ArgumentParser) -> None:
    """How URLs among the documents are fetched."""
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="how URLs are fetched")
    parser.add_argument("--contact", default="", help="where site owners can reach you, when URLs are fetched")


# -- looking ----------------------------------------------------------------------------------------


def _taxonomy(told: argparse.Namespace) -> Taxonomy:
    return load_taxonomy(Path(told.taxonomy)) if told.taxonomy else OwnTaxonomy(home(told.home)).load()


def show(told: argparse.Namespace) -> int:
    """The tree of topics, or one topic."""
    taxonomy = _taxonomy(told)
    if not told.name:
        if told.json:
            return print_json([_plain(taxonomy, node) for node in taxonomy])
        print("\n".join(tree_lines(taxonomy)))
        return 0
    node = taxonomy.find(told.name)
    if told.json:
        return print_json(_plain(taxonomy, node))
    print("\n".join(_node_lines(taxonomy, node)))
    return 0


def _plain(taxonomy: Taxonomy, node: Node) -> dict[str, Any]:
    own = {name: getattr(node, name) for name in node.__struct_fields__}
    return own | {"path": taxonomy.path(node.id), "children": [child.id for child in taxonomy.children(node.id)]}


def tree_lines(taxonomy: Taxonomy) -> list[str]:
    """The tree for a terminal."""
    lines = []
    for root in taxonomy.roots():
        for node in (root, *taxonomy.below(root.id)):
            label = "  " * len(taxonomy.ancestors(node.id)) + node.label
            lines.append(printable(f"{label:44} {node.id:24} {' '.join(node.classes)}").rstrip())
    return lines or ["there are no topics"]


def _node_lines(taxonomy: Taxonomy, node: Node) -> list[str]:
    lines = [f"{taxonomy.path(node.id)} ({node.id})", f"  {node.description}" if node.description else ""]
    lines.append(f"  classes: {', '.join(node.classes)}" if node.classes else "")
    below = taxonomy.children(node.id)
    lines.append(f"  below it: {', '.join(child.label for child in below)}" if below else "")
    lines += [f"  page: {page}" for page in node.pages]
    lines += [f"  text {place}: {' '.join(text.split())}" for place, text in enumerate(node.texts, 1)]
    return [printable(line) for line in lines if line]


# -- mapping ----------------------------------------------------------------------------------------


def map_documents(told: argparse.Namespace) -> int:
    """Which topics documents are about."""
    if not 0 <= told.margin <= 1:
        raise ConfigurationError(f"--margin {told.margin:g} is not possible; use a share from 0 to 1")
    texts = [text for _, text in documents(told)]
    if not told.taxonomy:
        texts = list(map(OwnVocabulary(home(told.home)).vocabulary().in_known_words, texts))
    found = Mapper(_taxonomy(told)).map(texts, told.margin)
    if told.json:
        print_json(plain_mapping(found))
    else:
        print("\n".join(mapping_lines(found)))
    return 0 if found.best else 1


def plain_mapping(found: Mapping) -> dict[str, Any]:
    """A mapping as plain values."""
    return {
        "best": list(found.best),
        "why": found.why,
        "ranked": [_plain_fit(fit) for fit in found.ranked],
        "foreign": [{"document": each.document, "language": each.language} for each in found.foreign],
    }


def _plain_fit(fit: Fit) -> dict[str, Any]:
    terms = [{"term": each.term, "share": each.share} for each in fit.terms]
    return {"id": fit.id, "path": fit.path, "score": fit.score, "terms": terms}


def mapping_lines(found: Mapping) -> list[str]:
    """A mapping for a terminal: the best marked, each with the words that decided."""
    lines = [found.why] if found.why else []
    shown = max(SHOWN, len(found.best))
    for fit in found.ranked[:shown]:
        mark = "*" if fit.id in found.best else " "
        terms = ", ".join(f"{each.term} {each.share:.0%}" for each in fit.terms[:SHOWN])
        lines.append(printable(f"{mark} {fit.score:.3f}  {fit.path} ({fit.id}): {terms}"))
    lines += [
        f"document {each.document} is set apart: its language is {each.language!r}, not that of the topics"
        for each in found.foreign
    ]
    return lines


def documents(told: argparse.Namespace) -> list[tuple[str, str]]:
    """What the person brought: where it is from (a URL, or ''), and its text."""
    urls = [name for name in told.document if "://" in name]
    fetched = dict(zip(urls, _fetched(told, urls), strict=True))
    found = [("", text) for text in told.text]
    for name in told.document:
        found.append((name, fetched[name]) if name in fetched else ("", _read(name)))
    if not found:
        raise ConfigurationError("nothing to read; give files, URLs, - for standard input, or --text TEXT")
    return found


def _read(name: str) -> str:
    if name == "-":
        return sys.stdin.read(LARGEST_INPUT)
    text = page_text(read_file(Path(name)))
    if not text:
        raise ConfigurationError(f"{name}: no text could be read from it; use a file with text")
    return text


def _fetched(told: argparse.Namespace, urls: Sequence[str]) -> list[str]:
    if not urls:
        return []
    return texts_of_pages(home(told.home), urls, told.contact, told.set)


# -- editing ----------------------------------------------------------------------------------------


def _tell_edited(told: argparse.Namespace, edited: Edited) -> int:
    if told.json:
        return print_json({"edit": edited.edit, "id": edited.id})
    print(printable(f"{edited.edit}; `lycosa topics undo` takes it back"))
    return 0


def edit_add(told: argparse.Namespace) -> int:
    """A new topic."""
    description = told.description or ("" if told.text else told.label)
    new = Node(told.id, told.label, "", description, tuple(told.classes), texts=tuple(filter(None, told.text)))
    return _tell_edited(told, add_topic(OwnTaxonomy(home(told.home)), new, told.under))


def edit_remove(told: argparse.Namespace) -> int:
    """Remove a topic and all below it."""
    return _tell_edited(told, remove_topic(OwnTaxonomy(home(told.home)), told.name))


def edit_rename(told: argparse.Namespace) -> int:
    """Give a topic another label."""
    return _tell_edited(told, rename_topic(OwnTaxonomy(home(told.home)), told.name, told.label))


def edit_move(told: argparse.Namespace) -> int:
    """Put a topic, and all below it, under another one."""
    return _tell_edited(told, move_topic(OwnTaxonomy(home(told.home)), told.name, told.under))


def edit_example(told: argparse.Namespace) -> int:
    """Give a topic more exemplary pages or texts."""
    own = OwnTaxonomy(home(told.home))
    node = own.load().find(told.name)
    return _tell_edited(told, Edited(give_examples(own, node, documents(told)), node.id))


def undo(told: argparse.Namespace) -> int:
    """Take the last edit back."""
    what = OwnTaxonomy(home(told.home)).undo()
    if told.json:
        return print_json({"undone": what})
    print(printable(f"undone: {what}"))
    return 0
