"""Commands about what the taxonomy lacks: propose, accept, reject."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import home
from lycosa.interface.commands.arguments import Commands, asked_crawl
from lycosa.interface.operations.proposals import accept_proposals, propose_anew
from lycosa.interface.shared.wording import print_json, printable
from lycosa.preparation.proposal_sources import Document
from lycosa.preparation.taxonomy_files import page_text, read_file
from lycosa.preparation.taxonomy_proposals import Numbered, OwnVocabulary
from lycosa.preparation.word_vectors import closeness
from lycosa.text import language_of, words

LARGEST_INPUT = 10_000_000
LANGUAGE = "en"


def add_actions(actions: Commands, shared: argparse.ArgumentParser) -> None:
    """What else can be typed after `lycosa topics`."""
    made = actions.add_parser("propose", help="what the topics lack, going by documents or a crawl", parents=[shared])
    made.add_argument("name", nargs="?", help="a crawl; without it and without documents: the open proposals")
    made.add_argument("--document", action="append", default=[], metavar="FILE|-", help="a text on your topic")
    made.add_argument("--node", default="", metavar="NAME", help="the topic that the documents or the crawl belong to")
    made.add_argument("--closeness", default="", metavar="NAME:MODEL", help="a model of word vectors to ask, too")
    made.add_argument("--limit", type=int, default=30, help="how many to print (30); --json prints all")
    made.set_defaults(run=propose)
    accept_ = actions.add_parser("accept", help="make the change that a proposal wants", parents=[shared])
    accept_.add_argument("--label", default="", help="the label of a new topic")
    accept_.set_defaults(run=accept)
    reject_ = actions.add_parser("reject", help="drop proposals; they do not come back", parents=[shared])
    reject_.add_argument("--undo", action="store_true", help="take the last rejection back")
    reject_.set_defaults(run=reject)
    accept_.add_argument("number", nargs="+", type=int, help="as printed by `topics propose`")
    reject_.add_argument("number", nargs="*", type=int, help="as printed by `topics propose`")


def propose(told: argparse.Namespace) -> int:
    """Propose anew, or show what is open."""
    own = OwnVocabulary(home(told.home))
    if not told.name and not told.document:
        return _shown(own.open(), told)
    model = closeness(told.closeness)
    documents = [_document(name) for name in dict.fromkeys(told.document)]
    crawl = asked_crawl(told) if told.name else None
    return _shown(propose_anew(own, crawl, documents, told.node, model), told)


def _document(name: str) -> Document:
    if name == "-":
        text = sys.stdin.read(LARGEST_INPUT)
    else:
        text = page_text(read_file(Path(name)))
    if not text.strip():
        raise ConfigurationError(f"{name}: no text could be read from it; use a file with text")
    language = language_of(words(text))
    if language not in ("", LANGUAGE):
        raise ConfigurationError(
            f"{name}: its language is {language!r}, not that of the topics ({LANGUAGE}); leave it out"
        )
    return Document(name, text)


def _shown(found: tuple[Numbered, ...], told: argparse.Namespace) -> int:
    if told.json:
        return print_json([{"number": each.number, **each.proposal.plain()} for each in found])
    if not found:
        print("nothing to propose; hand over more documents, or a crawl")
    shown = max(0, told.limit)
    for each in found[:shown]:
        print("\n".join(proposal_lines(each)))
    if len(found) > shown:
        print(f"{len(found) - shown} more; see them with --limit {len(found)}")
    return 0


def proposal_lines(numbered: Numbered) -> list[str]:
    """A proposal for a terminal."""
    proposal = numbered.proposal
    seen = f"; seen in {', '.join(proposal.documents[:3])}" if proposal.documents else ""
    return [
        printable(f"{numbered.number:>3}. [{proposal.strength.value:.2f}] {proposal.told()}"),
        printable(f"     {proposal.strength.why}{seen}"),
    ]


def accept(told: argparse.Namespace) -> int:
    """Make the changes that proposals want."""
    what, new = accept_proposals(OwnVocabulary(home(told.home)), told.number, told.label)
    if told.json:
        return print_json({"edit": what, "new_topics": new})
    made = f" (new: {', '.join(new)})" if new else ""
    print(printable(f"{what}{made}; `lycosa topics undo` takes it back"))
    return 0


def reject(told: argparse.Namespace) -> int:
    """Drop proposals for good, or take the last rejection back."""
    own = OwnVocabulary(home(told.home))
    if not told.undo and not told.number:
        raise ConfigurationError("nothing to reject; give the numbers of proposals, or --undo")
    if told.undo and told.number:
        raise ConfigurationError("--undo takes the last rejection back and needs no number; leave one of them out")
    changed = (own.take_back_rejection(),) if told.undo else own.reject(told.number)
    if told.json:
        kind = "opened" if told.undo else "rejected"
        return print_json({kind: [{"number": each.number, **each.proposal.plain()} for each in changed]})
    for each in changed:
        print(printable(f"{'open again' if told.undo else 'rejected'}: {each.number}. {each.proposal.told()}"))
    return 0
