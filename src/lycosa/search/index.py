"""The full-text index: an embedded tantivy index, one document a page.

Adding a page that is there already replaces it, so the index can be fed again
from any earlier mark without harm. Body, title, headings and the anchors of
incoming links are separate fields with weights of their own.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import tantivy

from lycosa.records import Page, Record
from lycosa.search.query import Wanted
from lycosa.urls import domain_of, host_of, site_of

WEIGHTS = {"title": 0.4, "headings": 0.3, "anchors": 0.4, "body": 1.0}
"""A word is rarer in a title than in bodies, and titles are short, so BM25 itself gives much for it there already."""
LONGEST_SNIPPET = 240
LONGEST_BODY = 200_000
_ANALYSER = "lycosa"


class IndexDamaged(Exception):
    """The index cannot be opened; it can be built again from the archive."""


class Document(Record, frozen=True):
    """A page as the index takes it."""

    page: Page
    anchors: tuple[str, ...] = ()
    topic: str = ""
    at: float = 0.0
    relevance: float = 0.0


class Hit(Record, frozen=True):
    """A search result."""

    url: str
    title: str
    snippet: str
    site: str
    language: str
    at: float
    relevance: float
    score: float


class Found(Record, frozen=True):
    """The answer to a query."""

    total: int
    hits: tuple[Hit, ...]


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("url", stored=True, tokenizer_name="raw")
    for name in ("title", "body"):
        builder.add_text_field(name, stored=True, tokenizer_name=_ANALYSER)
    for name in ("headings", "anchors"):
        builder.add_text_field(name, stored=False, tokenizer_name=_ANALYSER)
    for name in ("host", "domain", "language", "topic"):
        builder.add_text_field(name, stored=True, tokenizer_name="raw")
    builder.add_date_field("at", stored=True, indexed=True, fast=True)
    builder.add_float_field("relevance", stored=True, indexed=True, fast=True)
    return builder.build()


def _open(folder: Path) -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        index = tantivy.Index(_schema(), path=str(folder))
    except ValueError as error:
        raise IndexDamaged(f"{folder}: {error}") from error
    index.register_tokenizer(_ANALYSER, _analyser())
    return index


@lru_cache(maxsize=1)
def _analyser() -> Any:
    analyser = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(60),
        tantivy.Filter.lowercase(),
        tantivy.Filter.stemmer("english"),
    ):
        analyser = analyser.filter(step)
    return analyser.build()


def index_terms(text: str) -> list[str]:
    """The terms of a text as the index has them."""
    return list(_analyser().analyze(text))


class IndexWriter:
    """Feeds the index. `marks` says how far each agent's journal is in it."""

    def __init__(self, folder: Path, memory: int) -> None:
        self._folder = folder
        self._index = _open(folder)
        self._writer = self._index.writer(memory, 1)
        self.marks = read_marks(folder)

    def add(self, document: Document) -> None:
        """Add a page, replacing an earlier copy of it."""
        page, site = document.page, site_of(document.page.url)
        self._writer.delete_documents_by_term("url", page.url)
        self._writer.add_document(
            tantivy.Document(
                url=page.url,
                title=page.title,
                body=page.text[:LONGEST_BODY],
                headings=" \n".join(page.headings),
                anchors=" \n".join(document.anchors),
                host=host_of(site),
                domain=domain_of(site),
                language=page.language,
                topic=document.topic,
                at=datetime.fromtimestamp(document.at, UTC),
                relevance=document.relevance,
            )
        )

    def drop(self, url: str) -> None:
        """Take a page out."""
        self._writer.delete_documents_by_term("url", url)

    def commit(self, marks: dict[int, int]) -> None:
        """Make what was added searchable and durable, then note how far that is."""
        self._writer.commit()
        partial = self._folder / "marks.partial"
        partial.write_text(json.dumps(marks), "utf-8")
        partial.replace(self._folder / "marks.json")
        self.marks = dict(marks)

    def close(self) -> None:
        """Wait for merges; what was not committed is forgotten."""
        self._writer.rollback()
        self._writer.wait_merging_threads()


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
        self._index = _open(folder)

    def refresh(self) -> None:
        """See what was committed by now."""
        self._index.reload()

    def __len__(self) -> int:
        return int(self._index.searcher().num_docs)

    def search(self, wanted: Wanted, limit: int = 10, offset: int = 0) -> Found:
        """The best pages for a query."""
        query = self._query(wanted)
        if query is None:
            return Found(0, ())
        searcher = self._index.searcher()
        result = searcher.search(query, limit=limit, offset=offset, count=True)
        snippets = tantivy.SnippetGenerator.create(searcher, query, self._index.schema, "body")
        snippets.set_max_num_chars(LONGEST_SNIPPET)
        hits = [self._hit(searcher.doc(address), score, snippets) for score, address in result.hits]
        return Found(int(result.count or 0), tuple(hits))

    def ranking(self, wanted: Wanted, limit: int) -> list[str]:
        """The URLs of the best pages and nothing else, for those who want many."""
        query = self._query(wanted)
        if query is None:
            return []
        searcher = self._index.searcher()
        return [searcher.doc(address).get_first("url") for _, address in searcher.search(query, limit=limit).hits]

    def _hit(self, stored: Any, score: float, snippets: Any) -> Hit:
        snippet = snippets.snippet_from_doc(stored).to_html() or _beginning(stored.get_first("body") or "")
        at = stored.get_first("at")
        return Hit(
            stored.get_first("url"),
            stored.get_first("title") or stored.get_first("url"),
            snippet,
            stored.get_first("host"),
            stored.get_first("language") or "",
            at.replace(tzinfo=UTC).timestamp() if at else 0.0,
            stored.get_first("relevance") or 0.0,
            score,
        )

    def urls(self) -> set[str]:
        """All pages in the index, for audits."""
        searcher = self._index.searcher()
        result = searcher.search(tantivy.Query.all_query(), limit=max(1, searcher.num_docs))
        return {searcher.doc(address).get_first("url") for _, address in result.hits}

    def _query(self, wanted: Wanted) -> Any | None:
        must, must_not = tantivy.Occur.Must, tantivy.Occur.MustNot
        clauses = []
        if wanted.words or wanted.phrases:
            clauses.append((must, self._text(wanted.words, wanted.phrases)))
        for word in wanted.without:
            clauses.append((must_not, self._text([word], [])))
        for field, value in wanted.filters:
            clauses.append((must, self._filter(field, value)))
        if not any(occur == must for occur, _ in clauses):
            return None
        return tantivy.Query.boolean_query(clauses)

    def _text(self, words: Sequence[str], phrases: Sequence[str]) -> Any:
        parts = [*words, *(f'+"{phrase}"' for phrase in phrases)]
        return self._index.parse_query(" ".join(parts), list(WEIGHTS), field_boosts=WEIGHTS)

    def _filter(self, field: str, value: str) -> Any:
        term = tantivy.Query.term_query
        if field != "site":
            return term(self._index.schema, field, value)
        should = tantivy.Occur.Should
        names = [(should, term(self._index.schema, name, value)) for name in ("host", "domain")]
        return tantivy.Query.boolean_query(names)


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
