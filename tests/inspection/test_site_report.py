"""What is told of a crawl's sites: rules, order, canonical links and change classes of all its agents together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import build
from lycosa.crawl_folder.counts import Counts
from lycosa.crawling import site_priorities as site_places
from lycosa.crawling import url_rewriting as spellings
from lycosa.duplicates.url_rewriter import DustRules
from lycosa.frontier.site_priority import SitePlace
from lycosa.inspection import site_report as telling
from lycosa.inspection.site_report import KnownSites, known_sites
from lycosa.queue_records import Changes, SiteRecord, State, UrlRecord, url_key
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.catalogue import VisitRow
from lycosa.urls import fingerprint

SITE = "https://a.example"
DAY = 86_400.0
BEGIN = 1_750_000_000.0


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[list[AgentStore]]:
    made = [AgentStore(tmp_path / str(number)) for number in range(2)]
    yield made
    for store in made:
        store.close()


def settings(**urls: object) -> Configuration:
    return build({"name": "known", "urls": urls})


def keep(store: AgentStore, marks: dict[str, bytes]) -> None:
    store.commit(Batch(Changes(), marks=marks))


def order(**new_links: int) -> dict[str, bytes]:
    """The mark of an agent that knows how many links the sitemaps of sites bring."""
    places = [SitePlace(f"https://{name}.example", number) for name, number in new_links.items()]
    return {site_places.MARK: msgspec.msgpack.encode(places)}


def verdicts(**numbers: int) -> dict[str, bytes]:
    """The mark of an agent that has judged canonical links."""
    return {"counts": msgspec.msgpack.encode(Counts(canonical=numbers))}


def dust(site: str) -> dict[str, bytes]:
    """The mark of an agent that has seen that a slash at the end means nothing on a site."""
    rules = DustRules()
    for number in range(4):
        for end in ("", "/"):
            rules.see(f"{site}/d/{number}{end}", bytes([number]) * 16)
    return {spellings.MARK: rules.statistics()}


def fetch(store: AgentStore, pages: dict[str, str], state: State = State.DONE) -> None:
    """Pages that were fetched when all began, with the class that a sitemap gives to each."""
    urls = {f"{SITE}/{name}": changes for name, changes in pages.items()}
    numbered = enumerate(urls.items(), 1)
    records = [UrlRecord(url, state, number=number, changes=changes) for number, (url, changes) in numbered]
    known = {url_key(0, fingerprint(record.url)): record for record in records}
    rows = [VisitRow(url, BEGIN, 0, "fetched", digest="00", relevance=0.5) for url in urls]
    store.commit(Batch(Changes(known, sites={0: SiteRecord(0, SITE)}), rows))


def test_of_agents_that_have_done_nothing_nothing_is_known(stores: list[AgentStore]) -> None:
    assert known_sites(stores, settings(), BEGIN) == KnownSites()
    assert known_sites([], settings(), BEGIN) == KnownSites()


def test_rules_of_all_agents_are_told_as_far_as_the_settings_use_them(stores: list[AgentStore]) -> None:
    keep(stores[0], dust(SITE))
    keep(stores[1], dust("https://b.example"))
    found = known_sites(stores, settings(), BEGIN).rules
    assert {rule.site for rule in found} == {SITE, "https://b.example"}
    assert all(rule.used and rule.agreements >= 3 for rule in found)
    assert known_sites(stores, settings(learn_spellings=False), BEGIN).rules == ()


def test_sites_of_all_agents_are_in_one_order_and_equals_go_by_name(
    stores: list[AgentStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(stores[0], order(m=9, a=2))
    keep(stores[1], order(z=30, c=9))
    found = known_sites(stores, settings(), BEGIN).order
    assert [place.site[8] for place in found] == ["z", "c", "m", "a"]
    monkeypatch.setattr(telling, "MOST_PLACES", 2)
    assert known_sites(stores, settings(), BEGIN).order == found[:2], "the best, whoever knows them"


def test_verdicts_on_canonical_links_are_added_up(stores: list[AgentStore]) -> None:
    keep(stores[0], verdicts(believed=3))
    keep(stores[1], verdicts(believed=4, loop=1))
    found = known_sites(stores, settings(), BEGIN).canonical
    assert found == {"believed": 7, "loop": 1}


def test_pages_are_counted_by_class_and_due_when_their_time_has_come(stores: list[AgentStore]) -> None:
    fetch(stores[0], {"a": "monthly", "b": "hourly"})
    fetch(stores[1], {"c": "hourly", "d": "yearly"})
    soon = known_sites(stores, settings(), BEGIN).classes
    assert soon == (("hourly", 2, 0), ("monthly", 1, 0), ("yearly", 1, 0)), "those that change most often come first"
    later = known_sites(stores, settings(), BEGIN + 90 * DAY).classes
    assert later[:2] == (("hourly", 2, 2), ("monthly", 1, 1))


def test_pages_that_went_away_are_in_no_class(stores: list[AgentStore]) -> None:
    fetch(stores[0], {"a": "daily"})
    fetch(stores[1], {"b": "daily"}, State.FAILED)
    assert known_sites(stores, settings(), BEGIN).classes == (("daily", 1, 0),)


def test_all_of_it_can_be_written_as_json(stores: list[AgentStore]) -> None:
    keep(stores[0], dust(SITE) | order(a=2) | verdicts(fails=1))
    fetch(stores[0], {"a": "daily"})
    plain = json.loads(json.dumps(known_sites(stores, settings(), BEGIN).plain()))
    (rule,) = plain.pop("spellings")
    assert (rule["site"], rule["used"]) == (SITE, True)
    assert plain == {
        "site_order": [{"site": SITE, "new_links": 2}],
        "change_classes": {"daily": {"pages": 1, "due": 0}},
        "canonical_links": {"fails": 1},
    }
