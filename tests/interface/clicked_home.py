"""A home in which people did things: a watched site, a site known by its logs, a crawl's own store; some hostile."""

from __future__ import annotations

import time
from pathlib import Path

from small_crawl import a_crawl, a_full_crawl

from lycosa.click_records import ClickEvent, PageClicks, Source, WatchedSite, day_of
from lycosa.crawl_folder.t_graph_files import GraphFile, write_graph
from lycosa.link_graph.t_graph.graph import Node as Passed
from lycosa.link_graph.t_graph.passages import Passage
from lycosa.preparation.taxonomy_files import OwnTaxonomy
from lycosa.preparation.taxonomy_proposals import OwnVocabulary
from lycosa.records import Score
from lycosa.storage.click_store import ClickStore
from lycosa.topics.semantic_checker.proposals import PAGE, SUBTOPIC, TERM, VARIANT, Proposal
from lycosa.topics.taxonomy import Node

ATTACK = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>'
WATCHED, LOGGED, HOSTILE = "wolf.example", "https://logs.example", f"evil.example/{ATTACK}"
KAKCHO = "http://blog.kakcho.com/"
KEY = "k3y_of-wolf"
VISITORS = [
    {8, 1, 5}, {10, 8, 1}, {6}, {7}, {9}, {11}, {12}, {1, 8, 10}, {4}, {2}, {8, 3}, {13}, {8, 10}, {8}, {1, 5},
]  # fmt: skip
PAGES = [
    PageClicks(KAKCHO, 73, 60, 753898, ascii_sum=5634244, downloads=1, created=1e9, last_access=1.7e9),
    PageClicks("http://blog.kakcho.com/b", 10, 9, 60000, ascii_sum=200000, length=40),
    PageClicks("http://blog.kakcho.com/c"),
]
SPOKEN = Score(0.8, f"seen often {ATTACK}", (Score(0.8, f"close {ATTACK}"),))
PROPOSALS = (
    Proposal(VARIANT, words=("waders",), term="birds", strength=SPOKEN, documents=("https://birds.example/1",)),
    Proposal(TERM, "birds", ("plumage-count",), strength=SPOKEN, documents=(ATTACK, "javascript:window.attacked=1")),
    Proposal(SUBTOPIC, "birds", ("heron", "stork", "ibis"), strength=SPOKEN, texts=("Herons wade in water.",)),
    Proposal(PAGE, "birds", strength=SPOKEN, pages=("https://birds.example/heron",)),
)


def visited(site: str, url: str, visitor: int, actions: set[int], days_ago: int = 0, **more: object) -> ClickEvent:
    """A visit of somebody who did these things."""
    at = time.time() - 86_400 * days_ago
    name = visitor.to_bytes(16, "big")
    view = f"{visitor}-{days_ago}-{hash(url)}".encode()
    told = dict.fromkeys(actions, 1)
    return ClickEvent(
        site, url, at, day_of(at), name, view, 0, active=4000, dwell=9000, actions=told, **more  # type: ignore[arg-type]
    )  # fmt: skip


def a_clicked_home(home: Path) -> Path:
    """The home with everything in it."""
    a_full_crawl(home)
    a_crawl(home, "young")
    with ClickStore(home / "clicks") as store:
        store.put_site(WatchedSite(WATCHED, KEY, ("https://wolf.example:8443",), 1e9))
        events = [visited(WATCHED, f"https://{WATCHED}/p1", n, did) for n, did in enumerate(VISITORS)]
        events += [visited(WATCHED, f"https://{WATCHED}/old", n, {1}, 40) for n in range(3)]
        events += [visited(WATCHED, f"https://{WATCHED}/?q={ATTACK}", 99, {1, 3}, 1, rating=4, referrer=ATTACK)]
        store.add_events(events, {(WATCHED, f"too-long {ATTACK}"): 3, ("", "unknown-site"): 2})
        store.add_pages(LOGGED, Source.LOG, PAGES, refusals={"robot": 12})
        store.add_pages(HOSTILE, Source.LOG, [PageClicks("javascript://x/%0awindow.attacked=1", 5, 5)])
    with ClickStore(home / "crawls" / "spiders" / "clicks") as store:
        store.add_shown("wolf spider", ["https://spiders.example/species/1"], day=day_of(time.time()))
        store.add_events([visited("spiders.example", "https://spiders.example/species/1", n, {1, 8},
                                  source=Source.SEARCH, query="wolf spider") for n in range(4)])  # fmt: skip
    return home


def with_proposals(home: Path) -> OwnVocabulary:
    """Have proposals wait for a decision."""
    own = OwnVocabulary(home)
    own.propose(PROPOSALS)
    return own


def with_hostile_topic(home: Path) -> None:
    """Have a topic whose words attack whoever looks."""
    node = Node("evil", f"Evil {ATTACK}", description=ATTACK, pages=("javascript:window.attacked=1", f"http://e/{ATTACK}"),
                texts=(ATTACK,))  # fmt: skip
    OwnTaxonomy(home).change(lambda taxonomy: taxonomy.with_node(node), f"added {ATTACK}")


def a_treasure_crawl(home: Path, nodes: int = 60) -> None:
    """A crawl that goes by a T-Graph, which has a hostile node, too."""
    folder = a_crawl(home, "hunt", strategy="treasure")
    made = [
        Passed(f"http://site.example/{n}", Passage(f"Nests {n}", "", "Birds", f"nest number {n}"), distance=n % 3,
               leads_to=(f"http://site.example/{n - 1}",))
        for n in range(nodes)
    ]  # fmt: skip
    made.append(Passed("javascript:window.attacked=1", Passage(ATTACK, ATTACK, ATTACK, ATTACK), distance=1))
    graph = home / "graph.json"
    write_graph(GraphFile(("http://site.example/0", f"http://e.example/{ATTACK}"), tuple(made)), graph)
    folder.change(f"treasure.graph={graph}")
