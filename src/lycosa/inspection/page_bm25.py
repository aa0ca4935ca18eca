"""The raw BM25 of a crawl's pages, as the importance value asks for it (P4).

The catalogue keeps Okapi as a share of the most that any text could reach; that most
follows from the topic's terms and what the agents counted, so the raw value comes back
without reading a page. For words that are not the crawl's topic its index answers.
"""

from __future__ import annotations

import msgspec

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.reading_apart import LONG, read_apart
from lycosa.crawl_folder.stores import reading
from lycosa.crawl_folder.topic import topic_of
from lycosa.records import Record
from lycosa.scoring.importance import MOST_BM25
from lycosa.search.index import IndexReader
from lycosa.search.query import understand
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.topics.okapi import Okapi, Statistics, topic_terms

_COLUMNS = ("url", "at", "outcome", "relevance", "duplicate_of", "aside", "placeholder")


class CrawlRelevance(Record, frozen=True):
    """The raw BM25 of every page of a crawl, 0 where nothing fits, and in words where it is from."""

    bm25: dict[str, float]
    how: str


@read_apart(LONG)
def crawl_relevance(folder: CrawlFolder, words: str = "") -> CrawlRelevance:
    """By page, how well it fits the crawl's topic, or these words; those kept out of the index are left out."""
    configuration = folder.configuration()
    with reading(folder) as stores:
        kept = _kept_relevance(stores)
        if words:
            found = _by_index(folder, words)
            return CrawlRelevance({url: found.get(url, 0.0) for url in kept}, f"BM25 of the index for {words!r}")
        if configuration.page_scorer != "okapi":
            told = f"the crawl's page scorer {configuration.page_scorer!r}, its 0 to 1 taken as 0 to {MOST_BM25:g}"
            return CrawlRelevance({url: MOST_BM25 * value for url, value in kept.items()}, told)
        topic = topic_of(configuration, folder.path)
        okapi = Okapi(topic_terms(topic.label, topic.examples), configuration.relevance)
        okapi.hear(sum(map(_counted, stores), Statistics()))
    told = f"Okapi for the crawl's topic, at most {okapi.bound:.2f}"
    return CrawlRelevance({url: okapi.bound * value for url, value in kept.items()}, told)


def _kept_relevance(stores: list[AgentStore]) -> dict[str, float]:
    """Every page that counts, with its relevance when it was last fetched."""
    found: dict[str, float] = {}
    for store in stores:
        for _, row in catalogue.history(store, columns=_COLUMNS):
            if row.outcome != "fetched":
                continue
            if row.duplicate_of or row.aside or row.placeholder:
                found.pop(row.url, None)
            else:
                found[row.url] = row.relevance or 0.0
    return found


def _counted(store: AgentStore) -> Statistics:
    """What an agent's page scorer counted: the first of the strategy's parts."""
    mark = store.mark("statistics")
    parts = msgspec.msgpack.decode(mark, type=list[bytes]) if mark is not None else []
    return msgspec.msgpack.decode(parts[0], type=Statistics) if parts else Statistics()


def _by_index(folder: CrawlFolder, words: str) -> dict[str, float]:
    wanted = understand(words)
    if not (wanted.words or wanted.phrases):
        raise ConfigurationError(f"--topic {words!r} has no words to look for; name what the pages should be about")
    reader = IndexReader(folder.index)
    return {hit.url: hit.score for hit in reader.search(wanted, max(1, len(reader))).hits}
