"""The Cranfield collection: abstracts of aerodynamics, questions, and the documents that answer them.

It is read here and put into an index exactly as crawled pages are, so what is measured is
the search that people get: the same fields, the same weights, the same reading of a query.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from lycosa.configuration import ConfigurationError
from lycosa.lab.search_quality import DEPTH, Comparison, PlainBM25, quality
from lycosa.lab.wikispeedia import data_folder
from lycosa.records import Page, Record
from lycosa.search.index import Document, IndexReader, IndexWriter, index_terms
from lycosa.search.query import understand
from lycosa.text import stop_words, words

DOCUMENTS, QUERIES, JUDGEMENTS = "cran.all.1400", "cran.qry", "cranqrel.correct"
LARGEST = 256 * 1024**2
_MEMORY = 64 * 1024**2
_SITE = "http://cranfield.localhost/"
_RECORD = re.compile(r"\.I\s+(\d+)\s*")
_FIELD = re.compile(r"\.([A-Z])\s*")


class Abstract(Record, frozen=True):
    """A document."""

    title: str
    text: str


class Collection(Record, frozen=True):
    """Documents by number, queries and judgements by the query's position; lines that judge nothing are counted."""

    name: str
    documents: dict[str, Abstract]
    queries: dict[str, str]
    judgements: dict[str, frozenset[str]]
    ignored: int = 0


def find_cranfield(written: str = "") -> Path:
    """The folder of the collection, known to hold its three files."""
    folder = Path(written).expanduser() if written else data_folder() / "cranfield"
    for name in (DOCUMENTS, QUERIES, JUDGEMENTS):
        if not (folder / name).is_file():
            raise ConfigurationError(
                f"{folder}: there is no {name}; unpack the data and name its folder with --collection, "
                "or set LYCOSA_DATA"
            )
    return folder


def read_collection(folder: Path) -> Collection:
    """The collection in a folder."""
    records = _records(_text(folder / DOCUMENTS))
    documents = {number: Abstract(_plain(fields.get("T", "")), fields.get("W", "")) for number, fields in records}
    asked = _records(_text(folder / QUERIES))
    queries = {str(place): _plain(fields.get("W", "")) for place, (_, fields) in enumerate(asked, 1)}
    judged: dict[str, set[str]] = {}
    ignored = 0
    for line in filter(str.strip, _text(folder / JUDGEMENTS).splitlines()):
        parts = line.split()
        if len(parts) == 4 and parts[0] in queries and parts[2] in documents and parts[3] in ("0", "1"):
            if parts[3] == "1":
                judged.setdefault(parts[0], set()).add(parts[2])
        else:
            ignored += 1
    if not judged:
        raise ConfigurationError(f"{folder}: {JUDGEMENTS} judges no document of the collection; unpack the data anew")
    judgements = {query: frozenset(relevant) for query, relevant in judged.items()}
    return Collection(folder.name, documents, queries, judgements, ignored)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise ConfigurationError(f"{path}: larger than {LARGEST // 1024**2} MiB; name a collection of that format")
        return path.read_text("utf-8", "replace")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read ({error.strerror}); unpack the data anew") from None


def _records(text: str) -> list[tuple[str, dict[str, str]]]:
    """Each record's number and its fields; a field that comes twice goes on where it stopped."""
    found: list[tuple[str, dict[str, list[str]]]] = []
    current: list[str] = []
    for line in text.splitlines():
        if begin := _RECORD.fullmatch(line):
            found.append((str(int(begin[1])), {}))
            current = []
        elif found and (field := _FIELD.fullmatch(line)):
            current = found[-1][1].setdefault(field[1], [])
        else:
            current.append(line)
    return [(number, {name: "\n".join(lines) for name, lines in fields.items()}) for number, fields in found]


def _plain(text: str) -> str:
    return " ".join(text.split())


def compare(collection: Collection) -> Comparison:
    """Our search beside plain BM25: with the stems of the index, and with those of the topics."""
    whole = {number: f"{each.title}\n{each.text}" for number, each in collection.documents.items()}
    asked = {query: collection.queries[query] for query in collection.judgements}
    same, porter = PlainBM25(whole, _same_terms), PlainBM25(whole)
    rankings = {
        "lycosa": search_rankings(collection.documents, asked),
        "plain BM25, same stems": {query: same.ranking(typed) for query, typed in asked.items()},
        "plain BM25, Porter stems": {query: porter.ranking(typed) for query, typed in asked.items()},
    }
    return Comparison(
        collection.name,
        len(collection.documents),
        len(asked),
        sum(map(len, collection.judgements.values())),
        tuple(quality(name, found, collection.judgements) for name, found in rankings.items()),
    )


def search_rankings(documents: Mapping[str, Abstract], queries: Mapping[str, str]) -> dict[str, list[str]]:
    """What our search returns for each query, from an index that is made for it and removed again."""
    with tempfile.TemporaryDirectory(prefix="lycosa-lab-") as made:
        folder = Path(made)
        writer = IndexWriter(folder, _MEMORY)
        for number, each in documents.items():
            writer.add(Document(Page(_SITE + number, each.title, text=each.text, language="en")))
        writer.commit({})
        writer.close()
        reader = IndexReader(folder)
        return {
            query: [url.removeprefix(_SITE) for url in reader.ranking(understand(typed), DEPTH)]
            for query, typed in queries.items()
        }


def _same_terms(text: str) -> list[str]:
    stop = stop_words()["en"]
    return index_terms(" ".join(word for word in words(text) if word not in stop))
