"""The Cranfield collection: abstracts of aerodynamics, questions, and the documents that answer them.

It is read here and put into an index exactly as crawled pages are, so what is measured is
the search that people get: the same fields, the same weights, the same reading of a query.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from lycosa.click_records import ShownResult
from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.lab.search_quality import DEPTH, Comparison, PlainBM25, Rankings, quality
from lycosa.lab.simulated_clicks import CAREFUL, PLACES, RANDOM, Notes, Visitors
from lycosa.lab.wikispeedia import data_folder
from lycosa.plugins.plug_points import NOTHING, Signal
from lycosa.records import Page, Record
from lycosa.search.click_model import Choice, chosen_results
from lycosa.search.index import Document, IndexReader, IndexWriter
from lycosa.search.query import understand
from lycosa.search.ranking import Order, Signals, find_ranking
from lycosa.search.schema import index_terms
from lycosa.text import stop_words, words

DOCUMENTS, QUERIES, JUDGEMENTS = "cran.all.1400", "cran.qry", "cranqrel.correct"
LARGEST = 256 * 1024**2
_MEMORY = 64 * 1024**2
SESSIONS = 100
"""So many simulated people ask each query; results are put in order anew after every tenth."""
ROUNDS = 10
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
    rankings: dict[str, Rankings] = {
        "lycosa": search_rankings(collection.documents, asked),
        "plain BM25, same stems": {query: same.ranking(typed) for query, typed in asked.items()},
        "plain BM25, Porter stems": {query: porter.ranking(typed) for query, typed in asked.items()},
    }
    return _compared(collection, rankings)


def compare_clicks(collection: Collection, sessions: int = SESSIONS, seed: int = 0) -> Comparison:
    """Our search after simulated people chose among its results, beside the same search that nobody used."""
    asked = {query: collection.queries[query] for query in collection.judgements}
    with indexed(collection.documents) as reader:
        unused = rankings_of(reader, asked)
        rankings: dict[str, Rankings] = {
            "lycosa, careful clicks": used(reader, collection, CAREFUL, sessions, seed),
            "lycosa, no clicks": unused,
            "lycosa, random clicks": used(reader, collection, RANDOM, sessions, seed),
        }
    return _compared(collection, rankings, "lycosa, no clicks")


def _compared(collection: Collection, rankings: Mapping[str, Rankings], baseline: str = "") -> Comparison:
    return Comparison(
        collection.name,
        len(collection.documents),
        len(collection.judgements),
        sum(map(len, collection.judgements.values())),
        tuple(quality(name, found, collection.judgements) for name, found in rankings.items()),
        baseline,
    )


def used(
    reader: IndexReader, collection: Collection, visitors: Visitors, sessions: int = SESSIONS, seed: int = 0
) -> dict[str, list[str]]:
    """What our search returns after so many people asked each query; it learns while they come."""
    asked = {query: collection.queries[query] for query in collection.judgements}
    notes = Notes(seed)
    for done in range(ROUNDS):
        times = sessions * (done + 1) // ROUNDS - sessions * done // ROUNDS
        shown = rankings_of(reader, asked, ChosenBefore(notes.results()), PLACES)
        notes.visit(shown, collection.judgements, visitors, times)
    return rankings_of(reader, asked, ChosenBefore(notes.results()))


class ChosenBefore:
    """What choices among results say, and nothing else."""

    def __init__(self, results: Sequence[ShownResult]) -> None:
        named = (ShownResult(each.query, _SITE + each.url, each.shown, each.chosen) for each in results)
        self._chosen = chosen_results(named)

    def of(self, pages: Sequence[int], query: str) -> Sequence[Signal]:
        """Of each page how often it was chosen."""
        known = self._chosen.get(query, {})
        return [_signal(known[page]) if page in known else NOTHING for page in pages]


def _signal(choice: Choice) -> Signal:
    return Signal(clicks=choice.value, chosen=choice.chosen, expected=choice.expected)


def search_rankings(documents: Mapping[str, Abstract], queries: Mapping[str, str]) -> dict[str, list[str]]:
    """What our search returns for each query, from an index that is made for it and removed again."""
    with indexed(documents) as reader:
        return rankings_of(reader, queries)


@contextmanager
def indexed(documents: Mapping[str, Abstract]) -> Iterator[IndexReader]:
    """An index of the documents, removed again afterwards."""
    with tempfile.TemporaryDirectory(prefix="lycosa-lab-") as made:
        folder = Path(made)
        writer = IndexWriter(folder, _MEMORY)
        for number, each in documents.items():
            writer.add(Document(Page(_SITE + number, each.title, text=each.text, language="en")))
        writer.commit({})
        writer.close()
        yield IndexReader(folder)


def rankings_of(
    reader: IndexReader, queries: Mapping[str, str], signals: Signals | None = None, number: int = DEPTH
) -> dict[str, list[str]]:
    """The first so many that an index returns for each query, in the default ranking where signals are given."""
    configuration = Configuration()
    ranking, depth = find_ranking(configuration), configuration.ranking.depth
    found = {}
    for query, typed in queries.items():
        order = Order(ranking, signals, query, 0.0, depth) if signals else None
        found[query] = [url.removeprefix(_SITE) for url in reader.ranking(understand(typed), number, order)]
    return found


def _same_terms(text: str) -> list[str]:
    stop = stop_words()["en"]
    return index_terms(" ".join(word for word in words(text) if word not in stop))
