"""The full-text index: an embedded tantivy index, one document a page.

Adding a page that is there already replaces it, so the index can be fed again
from any earlier mark without harm. Body, title, headings and the anchors of
incoming links are separate fields with weights of their own. What a ranking needs of
every match, a page's key and date, lies in columns that are read without the pages.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import tantivy

from lycosa.plugins.plug_points import Candidate
from lycosa.records import Page, Record, Score
from lycosa.search.facets import Facets, count_facets
from lycosa.search.query import Wanted
from lycosa.search.query_compiler import Matching
from lycosa.search.ranking import Order, page_key
from lycosa.search.schema import SAMPLES, TEXT, IndexDamaged, damage_told, name_of, open_index
from lycosa.urls import domain_of, host_of, site_of

LONGEST_SNIPPET = 240
LONGEST_BODY = 200_000
LONGEST_BEGINNING = 20_000
"""So much of a page gives words to suggest."""
SORTS = {"best": "", "newest": "date", "relevance": "relevance"}
"""The orders in which results can come, and the column by which they are sorted; the best ones are found by words."""
_SORTED = {"newest": "newest first: when the page was written or fetched", "relevance": "relevance to the topic"}


class Document(Record, frozen=True):
    """A page as the index takes it; `group` is that of pages with nearly the same text, by default its own."""

    page: Page
    anchors: tuple[str, ...] = ()
    topic: str = ""
    at: float = 0.0
    relevance: float = 0.0
    group: int | None = None
    classes: tuple[str, ...] = ()


class Hit(Record, frozen=True):
    """A search result; `why` is how its score came about, where somebody put results in order.

    It was fetched `at`; `date` is when it was written, where it says so, else when it was fetched.
    `similar` pages of its group, which have nearly the same text, were found too and are not shown.
    """

    url: str
    title: str
    snippet: str
    site: str
    language: str
    at: float
    relevance: float
    score: float
    why: Score | None = None
    similar: int = 0
    group: int = 0
    date: float = 0.0
    topic: str = ""
    classes: tuple[str, ...] = ()


class Found(Record, frozen=True):
    """The answer to a query; of phrases that no page has, `loosened`, the words were looked for."""

    total: int
    hits: tuple[Hit, ...]
    loosened: tuple[str, ...] = ()


class _Answer(NamedTuple):
    """A query that was asked and the best pages for it."""

    query: Any
    total: int
    matches: list[_Match]
    loosened: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Match:
    """A page that matches, before it is read; with who put it in order, if anybody did."""

    address: Any
    score: float
    order: Order | None = None
    candidate: Candidate | None = None
    similar: int = 0
    group: int = 0
    sort: str = "best"

    def why(self) -> Score | None:
        """How it came to its place, where anybody can say."""
        if self.order and self.candidate:
            return self.order.ranking.explained(self.candidate)
        return Score(self.score, _SORTED[self.sort]) if self.sort in _SORTED else None


class IndexWriter:
    """Feeds the index. `marks` says how far each agent's journal is in it."""

    def __init__(self, folder: Path, memory: int) -> None:
        self._folder = folder
        self._index = open_index(folder, new=True)
        self._writer = self._index.writer(memory, 1)
        self.marks = read_marks(folder)

    def add(self, document: Document) -> None:
        """Add a page, replacing an earlier copy of it."""
        self._writer.delete_documents_by_term("url", document.page.url)
        self._writer.add_document(as_stored(document))

    def drop(self, url: str) -> None:
        """Take a page out."""
        self._writer.delete_documents_by_term("url", url)

    def commit(self, marks: dict[int, int]) -> None:
        """Make what was added searchable and durable, then note how far that is."""
        self._writer.commit()
        self._note(marks)

    def _note(self, marks: dict[int, int]) -> None:
        partial = self._folder / "marks.partial"
        partial.write_text(json.dumps(marks), "utf-8")
        partial.replace(self._folder / "marks.json")
        self.marks = dict(marks)

    def close(self) -> None:
        """Wait for merges; what was not committed is forgotten."""
        self._writer.rollback()
        self._writer.wait_merging_threads()


def as_stored(document: Document) -> Any:
    """A page as tantivy keeps it."""
    page, site, key = document.page, site_of(document.page.url), page_key(document.page.url)
    body, headings = page.text[:LONGEST_BODY], " \n".join(page.headings)
    stored = tantivy.Document(
        url=page.url,
        title=page.title,
        body=[body, page.title, *document.anchors],
        words="\n".join((page.title, headings, body[:LONGEST_BEGINNING])),
        name=name_of(page.title),
        host=host_of(site),
        domain=domain_of(site),
        language=page.language,
        topic=document.topic,
        at=datetime.fromtimestamp(document.at, UTC),
        relevance=document.relevance,
        key=key,
        date=_date(document),
        group=key if document.group is None else document.group,
        sample=key % SAMPLES,
    )
    for number in document.classes:
        stored.add_text("classes", number)
    for number in {each[:size] for each in document.classes for size in range(1, len(each) + 1)}:
        stored.add_text("within", number)
    return stored


def _date(document: Document) -> float:
    """When a page was written, as far as it says so and can be believed; else when it was fetched."""
    published = document.page.published
    return float(document.at if published is None else min(published, document.at))


def read_marks(folder: Path) -> dict[int, int]:
    """How far the index is; an empty index has no marks, whatever the file says."""
    try:
        return {int(agent): int(row) for agent, row in json.loads((folder / "marks.json").read_text("utf-8")).items()}
    except (FileNotFoundError, ValueError):
        return {}


class IndexReader:
    """Answers queries; sees new pages after `refresh`."""

    def __init__(self, folder: Path) -> None:
        if not (folder / "meta.json").exists():
            raise IndexDamaged(f"{folder}: there is no index yet; it appears soon after the crawl's first pages")
        self._index = open_index(folder, new=False)
        self._matching = Matching(self._index)

    @damage_told()
    def refresh(self) -> None:
        """See what was committed by now."""
        self._index.reload()

    def __len__(self) -> int:
        return int(self._index.searcher().num_docs)

    @damage_told()
    def search(
        self, wanted: Wanted, limit: int = 10, offset: int = 0, order: Order | None = None, sort: str = "best"
    ) -> Found:
        """The best pages for a query, by the words alone or in the order of a ranking; or those first by `sort`."""
        answer = self._answer(wanted, offset + limit, order, sort)
        if answer is None:
            return Found(0, ())
        searcher, shown = self._index.searcher(), answer.matches[offset:]
        snippets = tantivy.SnippetGenerator.create(searcher, answer.query, self._index.schema, TEXT)
        snippets.set_max_num_chars(LONGEST_SNIPPET)
        dates = _column(searcher, "date", [each.address for each in shown])
        hits = (_hit(searcher.doc(each.address), each, snippets, date) for each, date in zip(shown, dates, strict=True))
        return Found(answer.total, tuple(hits), answer.loosened)

    @damage_told()
    def facets(self, wanted: Wanted, total: int) -> Facets:
        """What the matches of a query have in common, of which there are so many."""
        return count_facets(self._index.searcher(), self._matching, wanted, total)

    @damage_told()
    def ranking(self, wanted: Wanted, limit: int, order: Order | None = None) -> list[str]:
        """The URLs of the best pages and nothing else, for those who want many."""
        answer = self._answer(wanted, limit, order)
        searcher = self._index.searcher()
        return [searcher.doc(each.address).get_first("url") for each in answer.matches] if answer else []

    def words(self, most: int) -> list[tuple[str, int]]:
        """The most frequent words as they are written, with how many pages have them."""
        return self._terms("words", "", None, most)

    def completions(self, prefix: str, beside: Sequence[str], most: int) -> list[tuple[str, int]]:
        """Words that begin so, on pages that have one of those `beside` them."""
        return self._terms("words", prefix, self._matching.any_of(beside) if beside else None, most)

    def names(self, prefix: str, most: int) -> list[tuple[str, int]]:
        """What pages are called that begin so."""
        return self._terms("name", prefix, None, most)

    @damage_told()
    def _terms(self, field: str, prefix: str, within: Any, most: int) -> list[tuple[str, int]]:
        try:
            return list(self._index.searcher().terms_with_prefix(field, prefix, within, limit=most))
        except ValueError:  # an index of an older layout, which the crawl will build anew
            return []

    @damage_told()
    def pages_with(self, word: str) -> int:
        """How many pages have a word in some form."""
        return self._matching.pages_with(self._index.searcher(), word)

    def _answer(self, wanted: Wanted, number: int, order: Order | None, sort: str = "best") -> _Answer | None:
        """The best matches; where phrases that no page has left nothing, those of their words."""
        searcher = self._index.searcher()
        loosened: tuple[str, ...] = ()
        query = self._matching.query(wanted)
        if query is None:
            return None
        total, matches = self._matches(searcher, query, number, order, wanted, sort)
        if not total and (loosened := self._matching.nowhere(searcher, wanted.phrases)):
            query = self._matching.query(wanted.loosened(loosened))
            total, matches = self._matches(searcher, query, number, order, wanted, sort)
        return _Answer(query, total, matches, loosened)

    def _matches(
        self, searcher: Any, query: Any, number: int, order: Order | None, wanted: Wanted, sort: str = "best"
    ) -> tuple[int, list[_Match]]:
        """How many pages match, and the best of them; a ranking puts only the first `depth` in order.

        Of these, one page stands for all of its group, unless somebody asks for a group.
        """
        depth = order.depth if order else 0
        result = searcher.search(query, limit=number + depth, count=True, order_by_field=SORTS[sort] or None)
        total, found = int(result.count or 0), result.hits
        if SORTS[sort]:
            arranged = [_Match(address, score or 0.0, sort=sort) for score, address in found[:depth]]
        else:
            arranged = self._arranged(searcher, found[:depth], order) if order and found else []
        if not any(field == "group" for field, _ in wanted.filters):
            arranged = self._one_of_each_group(searcher, arranged)
        rest = (_Match(address, score or 0.0, sort=sort) for score, address in found[depth:])
        return total, [*arranged, *rest][:number]

    def _one_of_each_group(self, searcher: Any, arranged: list[_Match]) -> list[_Match]:
        try:
            groups = searcher.fast_field_values("group", [each.address for each in arranged])
        except ValueError:  # an index of an older layout, which the crawl will build anew
            return arranged
        first: dict[int, int] = {}
        kept: list[_Match] = []
        for each, group in zip(arranged, groups, strict=True):
            if group in first:
                best = kept[first[group]]
                kept[first[group]] = replace(best, similar=best.similar + 1)
            else:
                first[group] = len(kept)
                kept.append(replace(each, group=group or 0))
        return kept

    def _arranged(self, searcher: Any, found: Sequence[tuple[float, Any]], order: Order) -> list[_Match]:
        addresses = [address for _, address in found]
        try:
            keys = searcher.fast_field_values("key", addresses)
            dates = searcher.fast_field_values("date", addresses)
        except ValueError:  # an index of an older layout, which the crawl will build anew
            keys, dates = [page_key(searcher.doc(each).get_first("url")) for each in addresses], [None] * len(found)
        arranged = order.arranged([score for score, _ in found], keys, dates)
        return [_Match(addresses[place], score, order, candidate) for place, score, candidate in arranged]

    @damage_told()
    def urls(self) -> set[str]:
        """All pages in the index, for audits."""
        searcher = self._index.searcher()
        result = searcher.search(tantivy.Query.all_query(), limit=max(1, searcher.num_docs))
        return {searcher.doc(address).get_first("url") for _, address in result.hits}


def _column(searcher: Any, name: str, addresses: Sequence[Any]) -> list[Any]:
    try:
        return list(searcher.fast_field_values(name, addresses))
    except ValueError:  # an index of an older layout, which the crawl will build anew
        return [None] * len(addresses)


def _hit(stored: Any, match: _Match, snippets: Any, date: float | None) -> Hit:
    body = stored.get_first(TEXT) or ""
    snippet = snippets.snippet_from_doc(tantivy.Document(**{TEXT: body})).to_html() or _beginning(body)
    at = stored.get_first("at")
    fetched = at.replace(tzinfo=UTC).timestamp() if at else 0.0
    return Hit(
        stored.get_first("url"),
        stored.get_first("title") or stored.get_first("url"),
        snippet,
        stored.get_first("host"),
        stored.get_first("language") or "",
        fetched,
        stored.get_first("relevance") or 0.0,
        match.score,
        match.why(),
        match.similar,
        match.group,
        fetched if date is None else date,
        stored.get_first("topic") or "",
        tuple(stored.get_all("classes")),
    )


def _beginning(body: str) -> str:
    text = body[:LONGEST_SNIPPET]
    for raw, safe in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(raw, safe)
    return text


def remove(folder: Path) -> None:
    """Remove a damaged index, so that it is built again."""
    for path in folder.glob("*"):
        with contextlib.suppress(IsADirectoryError):
            path.unlink()
