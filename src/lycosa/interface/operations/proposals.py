"""Calls about what the topics lack (C4): what a crawl proposes, and deciding about it.

Accepting is an edit of the topics like any other; `/topics/undo` takes it back. Looking
for proposals reads many pages, so one crawl at a time is looked through.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Annotated

import msgspec

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.interface.operations.calls import Call, Office, call
from lycosa.interface.operations.crawls import CrawlName
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.tokens import Role
from lycosa.plugins.plug_points import Closeness
from lycosa.preparation.proposal_sources import CrawledPages, Document, make_proposals
from lycosa.preparation.taxonomy_proposals import Desk, Numbered, OwnVocabulary

MOST_SEEN, LONGEST_TOLD = 5, 2000
_one_look = threading.Lock()


class Evidence(Message, frozen=True):
    """A part of the case for a proposal."""

    value: float
    why: str


class ProposalTold(Message, frozen=True):
    """A proposal: what would change, how strong the case is, and where it was seen."""

    number: int
    kind: str
    told: str
    node: str
    words: tuple[str, ...]
    term: str
    strength: float
    why: str
    evidence: tuple[Evidence, ...]
    seen: tuple[str, ...]
    pages: tuple[str, ...]

    @classmethod
    def of(cls, each: Numbered) -> ProposalTold:
        """An open proposal with its number."""
        told, strength = each.proposal, each.proposal.strength
        evidence = tuple(Evidence(part.value, part.why) for part in strength.parts)
        return cls(
            each.number, told.kind, sentence(each), told.node, told.words, told.term, strength.value, strength.why,
            evidence, told.documents[:MOST_SEEN], told.pages[:MOST_SEEN],
        )  # fmt: skip


def sentence(each: Numbered) -> str:
    """What a proposal would change."""
    return each.proposal.told()[:LONGEST_TOLD]


class ProposalsAsked(Message, frozen=True):
    """Which of the open proposals."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = 50
    offset: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0


class ProposalList(Message, frozen=True):
    """Some of so many open proposals, and what was rejected last ('' for nothing)."""

    total: int
    proposals: tuple[ProposalTold, ...]
    last_rejected: str = ""


@call("GET", "/topics/proposals", Role.READ)
def list_proposals(office: Office, asked: ProposalsAsked) -> ProposalList:
    """The proposals that wait for a decision."""
    return proposals_told(OwnVocabulary(office.home).noted(), asked.limit, asked.offset)


def proposals_told(desk: Desk, limit: int, offset: int = 0) -> ProposalList:
    """Open proposals, and the last rejection."""
    part = desk.open[offset : offset + limit]
    rejected = sentence(desk.rejected[-1]) if desk.rejected else ""
    return ProposalList(len(desk.open), tuple(map(ProposalTold.of, part)), rejected)


class LookedThrough(Message, frozen=True, forbid_unknown_fields=True):
    """A crawl to look through, and the topic that it belongs to ('' to find it out)."""

    crawl: CrawlName
    topic: Annotated[str, msgspec.Meta(max_length=1000)] = ""


@call("POST", "/topics/proposals", Role.OPERATE)
def find_proposals(office: Office, body: LookedThrough) -> ProposalList:
    """Replace the open proposals by what the pages of a crawl say."""
    folder = office.library.crawl(body.crawl)
    if not _one_look.acquire(blocking=False):
        raise CrawlError("a crawl is being looked through already; try again when that has ended")
    try:
        own = OwnVocabulary(office.home)
        propose_anew(own, folder, (), body.topic)
        return proposals_told(own.noted(), ProposalsAsked().limit)
    finally:
        _one_look.release()


class Chosen(Message, frozen=True):
    """Which proposal."""

    number: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]


class Judgement(Message, frozen=True, forbid_unknown_fields=True):
    """A decision; `told` is what the proposal was read as, so that another one under its number is not meant."""

    told: Annotated[str, msgspec.Meta(max_length=LONGEST_TOLD)] = ""
    label: Annotated[str, msgspec.Meta(max_length=200, description="what a new topic is called")] = ""


class Decided(Message, frozen=True):
    """What was decided, and the ids of new topics."""

    what: str
    new_topics: tuple[str, ...] = ()


@call("POST", "/topics/proposals/{number}/accept", Role.OPERATE)
def accept_proposal(office: Office, asked: Chosen, body: Judgement) -> Decided:
    """Make the change that a proposal wants."""
    own = OwnVocabulary(office.home)
    _check_same(own, asked.number, body.told)
    what, new = accept_proposals(own, [asked.number], body.label)
    return Decided(what, tuple(new))


@call("POST", "/topics/proposals/{number}/reject", Role.OPERATE)
def reject_proposal(office: Office, asked: Chosen, body: Judgement) -> Decided:
    """Drop a proposal; it does not come back."""
    own = OwnVocabulary(office.home)
    _check_same(own, asked.number, body.told)
    (rejected,) = own.reject([asked.number])
    return Decided(f"rejected: {sentence(rejected)}")


@call("POST", "/topics/proposals/undo", Role.OPERATE)
def undo_rejection(office: Office) -> Decided:
    """Open the proposal that was rejected last again."""
    return Decided(f"open again: {sentence(OwnVocabulary(office.home).take_back_rejection())}")


def _check_same(own: OwnVocabulary, number: int, told: str) -> None:
    """Refuse to decide about another proposal than somebody saw: numbers begin anew with every look."""
    there = {each.number: each for each in own.open()}
    if told and number in there and sentence(there[number]) != told:
        raise CrawlError("the proposals have changed meanwhile; load the page again, then decide")


CALLS: list[Call] = [
    list_proposals, find_proposals, undo_rejection, accept_proposal, reject_proposal,
]  # fmt: skip


def propose_anew(
    own: OwnVocabulary,
    crawl: CrawlFolder | None,
    documents: Sequence[Document] = (),
    node: str = "",
    model: Closeness | None = None,
) -> tuple[Numbered, ...]:
    """Replace the open proposals by what documents or a crawl say; `node` is the topic that these belong to."""
    vocabulary = own.vocabulary()
    meant = vocabulary.taxonomy.find(node).id if node else ""
    crawled = CrawledPages(crawl) if crawl else None
    return own.propose(make_proposals(vocabulary, documents, crawled, meant, own.refusals(), model))


def accept_proposals(own: OwnVocabulary, numbers: Sequence[int], label: str = "") -> tuple[str, list[str]]:
    """Make the changes that proposals want; what was done, and the ids of topics that are new."""
    before = own.vocabulary().taxonomy
    what, taxonomy = own.accept(numbers, label)
    return what, [node.id for node in taxonomy if node.id not in before]
