"""What proposals are made of: pages as a crawl has them in catalogue and archive, and texts that people hand over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from written_visits import Written, new_crawl, write

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.preparation import proposal_sources as proposing
from lycosa.preparation.proposal_sources import CrawledPages, Document, make_proposals
from lycosa.records import Link
from lycosa.storage.link_columns import LinkColumns
from lycosa.topics.semantic_checker.proposals import PAGE, SUBTOPIC, TERM, Proposal, Refusals, refusal_of
from lycosa.topics.taxonomy import Node, Taxonomy
from lycosa.topics.vocabulary import Vocabulary

SITE = "https://a.example"
SILK = "Spiders catch prey in webs of silk, and a wolf spider hunts insects on the ground."
BUNDLE = "Spiders and silk. The chelicera, spinneret and pedipalp of prey."
PALPS = "The spider uses its pedipalp to hold prey. The pedipalp of a spider near the webs and silk."
SPIDERS = Node("spiders", "Spiders", description="Spiders, webs, silk and prey", texts=(SILK,))
RAILWAYS = Node("railways", "Railways", description="Trains, locomotives and tracks")


def vocabulary(*pages: str) -> Vocabulary:
    """Two topics, the first with known examples."""
    known = Node(SPIDERS.id, SPIDERS.label, description=SPIDERS.description, texts=SPIDERS.texts, pages=pages)
    return Vocabulary(Taxonomy([known, RAILWAYS]))


def visit(name: str, relevance: float | None, text: str = SILK, links: tuple[str, ...] = (), **facts: Any) -> Written:
    """A page of the site that was fetched, and names that it links to."""
    number = len(links)
    urls = tuple(f"{SITE}/{each}" for each in links)
    columns = LinkColumns.of(list(map(Link, urls)), (0.0,) * number)
    body = f"<title>{name}</title><main><p>{text}</p></main>"
    told = {"relevance": relevance, "language": "en", "links": columns, **facts}
    return Written(f"{SITE}/{name}", 1.0, body, facts=told)


def crawled(home: Path, *visits: Written) -> CrawlFolder:
    folder = new_crawl(home)
    write(folder, list(visits))
    return folder


def names(pages: CrawledPages) -> list[str]:
    return [page.url.removeprefix(f"{SITE}/") for page in pages.pages]


def of_kind(kind: str, found: list[Proposal]) -> list[Proposal]:
    return [each for each in found if each.kind == kind]


def examples(found: list[Proposal]) -> list[str]:
    """The pages that are proposed as examples, by name."""
    return [each.pages[0].removeprefix(f"{SITE}/") for each in of_kind(PAGE, found)]


def test_the_most_relevant_pages_are_read_without_copies_and_other_languages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = crawled(
        tmp_path,
        visit("unjudged", None),
        visit("middle", 0.5),
        visit("best", 0.9, language=""),
        visit("copy", 0.95, duplicate_of=f"{SITE}/best"),
        visit("german", 0.97, language="de"),
        visit("nowhere", 0.98, size=0),
        Written(f"{SITE}/failed", 1.0, facts={"relevance": 0.99}),
    )
    assert names(CrawledPages(folder)) == ["best", "middle", "unjudged"]
    assert names(CrawledPages(folder, "de")) == ["german", "best"]
    monkeypatch.setattr(proposing, "MOST_PAGES", 2)
    assert names(CrawledPages(folder)) == ["best", "middle"]


def test_a_page_says_what_it_said_last_and_nothing_where_the_archive_is_damaged(tmp_path: Path) -> None:
    folder = crawled(tmp_path, visit("page", 0.9, "What it said before."), visit("page", 0.4, f"And now. {SILK}"))
    pages = CrawledPages(folder)
    (page,) = pages.pages
    assert (page.relevance, page.title) == (0.4, "page")
    assert pages.text(page) == f"page\nAnd now. {SILK}"
    for file in folder.archive.iterdir():
        file.write_bytes(b"")
    assert pages.text(page) == ""


def test_candidates_are_relevant_and_rank_higher_where_others_link_to_them(tmp_path: Path) -> None:
    links = {"a": ("linked", "b"), "b": ("linked",), "weak": ("linked",)}
    relevance = {"a": 0.9, "b": 0.8, "linked": 0.7, "weak": 0.01, "alone": 0.6}
    pages = CrawledPages(
        crawled(tmp_path, *(visit(name, relevance[name], links=links.get(name, ())) for name in relevance))
    )
    assert 0.01 < pages.threshold < 0.6
    ranks = {each.title: each.rank for each in pages.candidates}
    assert list(ranks) == ["a", "b", "linked", "alone"]
    assert ranks["linked"] > ranks["b"] > ranks["a"] > ranks["alone"] == 0.0


def test_a_crawl_that_has_fetched_nothing_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CrawlError, match="has fetched nothing yet"):
        CrawledPages(new_crawl(tmp_path))


def test_without_documents_only_relevant_pages_propose_and_beside_documents_none(tmp_path: Path) -> None:
    fovea = "The fovea of spiders near webs and silk. A spider has a fovea."
    pages = CrawledPages(crawled(tmp_path, visit("good", 0.8, fovea), visit("bad", 0.0, PALPS)))
    (term,) = of_kind(TERM, make_proposals(vocabulary(), [], pages))
    assert (term.node, term.words, term.documents) == ("spiders", ("fovea",), (f"{SITE}/good",))
    (other,) = of_kind(TERM, make_proposals(vocabulary(), [Document("palps.txt", PALPS)], pages))
    assert (other.words, other.documents) == (("pedipalp",), ("palps.txt",))
    assert make_proposals(vocabulary(), []) == []


def test_a_subtopic_comes_with_passages_and_pages_of_the_texts_it_was_seen_in(tmp_path: Path) -> None:
    told = [Document(f"{number}.txt", f"{SILK} {BUNDLE}", f"{SITE}/{number}" if number else "") for number in range(4)]
    (subtopic,) = of_kind(SUBTOPIC, make_proposals(vocabulary(), told))
    assert set(subtopic.words) == {"chelicera", "spinneret", "pedipalp"}
    assert subtopic.texts == ("The chelicera, spinneret and pedipalp of prey.",), "alike passages stand once"
    assert subtopic.pages == (f"{SITE}/1", f"{SITE}/2"), "of the first three, those that have a URL"
    pages = CrawledPages(crawled(tmp_path, *(visit(str(number), 0.8, f"{SILK} {BUNDLE}") for number in range(4))))
    (found,) = of_kind(SUBTOPIC, make_proposals(vocabulary(), [], pages))
    assert (found.texts, len(found.pages)) == (subtopic.texts, 3)


def test_exemplary_pages_are_for_the_topic_of_the_best_pages_or_the_one_that_is_told(tmp_path: Path) -> None:
    crawl = crawled(tmp_path, visit("a", 0.8, links=("b",)), visit("b", 0.8, links=()), visit("off", 0.0))
    pages = CrawledPages(crawl)
    found = make_proposals(vocabulary(), [], pages)
    assert examples(found) == ["b", "a"], "as relevant, and linked to"
    assert {each.node for each in of_kind(PAGE, found)} == {"spiders"}
    told = make_proposals(vocabulary(), [], pages, "railways")
    assert {each.node for each in of_kind(PAGE, told)} == {"railways"}


def test_known_and_refused_examples_are_not_proposed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = CrawledPages(crawled(tmp_path, *(visit(name, 0.9 - place / 10) for place, name in enumerate("abcd"))))
    assert examples(make_proposals(vocabulary(f"{SITE}/b"), [], pages)) == ["a", "c", "d"]
    first = of_kind(PAGE, make_proposals(vocabulary(), [], pages))[0]
    monkeypatch.setattr(proposing, "PAGES_PROPOSED", 2)
    refused = Refusals([refusal_of(first)])
    assert examples(make_proposals(vocabulary(), [], pages, refusals=refused)) == ["b", "c"]
