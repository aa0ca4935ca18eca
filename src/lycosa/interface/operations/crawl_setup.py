"""Calls that help to set up a crawl: which topics texts or pages are about (C3), and where to begin (N1).

Texts are only read, so everybody who may look may ask. Pages and search engines are
asked over the network in the operator's name, so that is for those who may operate.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

import msgspec

from lycosa.configuration import settings
from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.interface.operations.calls import Call, Office, call
from lycosa.interface.operations.contact import with_contact
from lycosa.interface.operations.crawls import Address, Setting, checked_settings, example_page
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.tokens import Role
from lycosa.preparation import seed_engines, seeds
from lycosa.preparation.page_fetching import NotHad, PageVisitor
from lycosa.preparation.seed_search import Proposal
from lycosa.preparation.taxonomy_files import OwnTaxonomy, page_text
from lycosa.preparation.taxonomy_proposals import OwnVocabulary
from lycosa.records import Page
from lycosa.topics.mapper import Fit, Mapper, Mapping
from lycosa.topics.taxonomy import Taxonomy

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=200_000)]
Contact = Annotated[str, msgspec.Meta(max_length=300)]
PAGES_WITHIN = 20.0
MOST_RESULTS = 20


class Texts(Message, frozen=True, forbid_unknown_fields=True):
    """Documents to be mapped."""

    texts: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1, max_length=50)]


class Pages(Message, frozen=True, forbid_unknown_fields=True):
    """Pages to be fetched and mapped, with texts beside them; settings say how they are fetched."""

    urls: Annotated[tuple[Address, ...], msgspec.Meta(min_length=1, max_length=20)]
    texts: Annotated[tuple[Text, ...], msgspec.Meta(max_length=50)] = ()
    contact: Contact = ""
    settings: Annotated[tuple[Setting, ...], msgspec.Meta(max_length=100)] = ()


class Term(Message, frozen=True):
    """A word that decided, and its share in the score."""

    term: str
    share: float


class TopicFit(Message, frozen=True):
    """A topic, how well it fits, the words that decided it, and pages to begin with."""

    id: str
    path: str
    score: float
    best: bool
    terms: tuple[Term, ...]
    pages: tuple[str, ...]


class PageMissed(Message, frozen=True):
    """A page that could not be read."""

    url: str
    why: str


class Matched(Message, frozen=True):
    """Topics from the best down; `why` where none fits."""

    topics: tuple[TopicFit, ...]
    why: str
    missed: tuple[PageMissed, ...] = ()


@call("POST", "/topics/map", Role.READ)
def map_texts(office: Office, body: Texts) -> Matched:
    """Which topics of the tree texts are about, and the words that decided it."""
    return _matched(office, body.texts)


@call("POST", "/topics/map/pages", Role.OPERATE)
def map_pages(office: Office, body: Pages) -> Matched:
    """Which topics of the tree pages are about: they are fetched for it, as a crawl would."""
    urls = [example_page(url) for url in body.urls]
    configuration = _configuration(office, urls, body.contact, body.settings)
    texts, missed = asyncio.run(_read(urls, configuration))
    if not texts and not body.texts:
        return Matched((), "none of the pages could be read", missed)
    return _matched(office, [*texts, *body.texts], missed)


class SeedsWanted(Message, frozen=True, forbid_unknown_fields=True):
    """What pages to begin with should be about."""

    query: Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
    settings: Annotated[tuple[Setting, ...], msgspec.Meta(max_length=100)] = ()


class SeedProposal(Message, frozen=True):
    """A page to begin with, and how many engines agree on it."""

    url: str
    title: str
    why: str


class SeedProposals(Message, frozen=True):
    """Pages to begin with, the best first; `note` says what a person should know."""

    seeds: tuple[SeedProposal, ...]
    note: str = ""


@call("POST", "/seeds/find", Role.OPERATE)
def suggest_seeds(office: Office, body: SeedsWanted) -> SeedProposals:
    """Pages that the known search engines agree on: those of engines.txt, else the indexes of all crawls here."""
    configuration = settings.build({}, checked_settings(body.settings), "settings")
    try:
        known = seed_engines.known_engines(office.home)
    except ConfigurationError:
        return SeedProposals((), "No search engine is known here yet; crawls with an index become one by themselves.")
    asked = seed_engines.engines(known, office.home, configuration)
    found = asyncio.run(seeds.find_seeds(body.query, asked, MOST_RESULTS, configuration))
    chosen = [*found.seeds, *found.second][:MOST_RESULTS]
    return SeedProposals(tuple(map(_proposal, chosen)), "" if chosen else "The search engines agree on no page.")


def _proposal(each: Proposal) -> SeedProposal:
    return SeedProposal(each.url, each.title, each.why)


def _matched(office: Office, texts: Sequence[str], missed: tuple[PageMissed, ...] = ()) -> Matched:
    taxonomy = OwnTaxonomy(office.home).load()
    known = OwnVocabulary(office.home).vocabulary()
    found = _mapper(taxonomy).map([known.in_known_words(text) for text in texts])
    return Matched(tuple(_fit(fit, found, taxonomy) for fit in found.ranked), found.why, missed)


def _fit(fit: Fit, found: Mapping, taxonomy: Taxonomy) -> TopicFit:
    terms = tuple(Term(each.term, each.share) for each in fit.terms)
    return TopicFit(fit.id, fit.path, fit.score, fit.id in found.best, terms, taxonomy[fit.id].pages)


@lru_cache(maxsize=1)
def _mapper(taxonomy: Taxonomy) -> Mapper:
    return Mapper(taxonomy)


def _configuration(office: Office, urls: Sequence[str], contact: str, wanted: Sequence[str]) -> Configuration:
    raw = {"seeds": list(urls), "fetching": {"contact": contact}}
    configuration = settings.build(raw, checked_settings(wanted), "settings")
    return with_contact(office.home, configuration, ask=False)


async def _read(urls: Sequence[str], configuration: Configuration) -> tuple[list[str], tuple[PageMissed, ...]]:
    async with PageVisitor(configuration) as visitor:
        came = await visitor.pages(dict.fromkeys(urls), PAGES_WITHIN)
    texts = [page_text(page) for page in came.values() if isinstance(page, Page)]
    empty = [PageMissed(url, "no text could be read from it") for url, page in came.items()
             if isinstance(page, Page) and not page_text(page)]  # fmt: skip
    failed = [PageMissed(url, page.why) for url, page in came.items() if isinstance(page, NotHad)]
    return [text for text in texts if text], (*failed, *empty)


CALLS: list[Call] = [map_texts, map_pages, suggest_seeds]
