"""The order of results: what behaviour can do and what it cannot, and that every score says how it came about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.configuration.sections import Configuration, Ranking, Seconds
from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.indexing.index_process import open_writer
from lycosa.interface.commands.search import search_lines
from lycosa.plugins import registry as plugins
from lycosa.plugins.plug_points import NOTHING, Candidate, Signal
from lycosa.records import Page, Score
from lycosa.search.facets import Facets
from lycosa.search.index import Document, IndexReader, IndexWriter
from lycosa.search.query import understand
from lycosa.search.ranking import BehaviourRanking, Order, TextRanking, Unwatched, find_ranking, page_key

DAY = 86_400.0
NOW = 1.7e9
anything = st.floats(allow_nan=True, allow_infinity=True)
shares = st.floats(0.0, 1.0)
weights = st.builds(
    Ranking,
    by_importance=anything,
    by_behaviour=anything,
    by_clicks=anything,
    by_freshness=shares,
    cap=shares,
    half_life=st.floats(0.0, 1e9).map(Seconds),
)
signals = st.builds(Signal, anything, anything, anything)
ages = st.none() | st.floats(-1e12, 1e12)
texts = st.floats(0.0, 1e6, allow_subnormal=False)


@given(weights, texts, ages, signals)
def test_behaviour_raises_a_score_by_at_most_the_cap_and_never_lowers_it(
    given_weights: Ranking, text: float, age: float | None, signal: Signal
) -> None:
    ranking = BehaviourRanking(given_weights)
    before, after = ranking.score(Candidate(text, age)), ranking.score(Candidate(text, age, signal))
    assert before <= after <= before * (1 + given_weights.cap) * (1 + 1e-12)
    assert text <= before <= text * (1 + given_weights.by_freshness) * (1 + 1e-12)


@given(weights, texts, ages, signals)
def test_every_score_says_how_it_came_about(
    given_weights: Ranking, text: float, age: float | None, signal: Signal
) -> None:
    ranking, candidate = BehaviourRanking(given_weights), Candidate(text, age, signal)
    told = ranking.explained(candidate)
    words, factor = told.parts
    assert told.value == ranking.score(candidate)
    assert told.value == pytest.approx(words.value * factor.value)
    assert factor.value == pytest.approx(1 + math.fsum(part.value for part in factor.parts))


@given(st.lists(st.tuples(shares, shares, shares), min_size=2, max_size=2), shares)
def test_more_of_a_signal_is_never_worse(pair: list[tuple[float, float, float]], text: float) -> None:
    low, high = (tuple(map(pick, zip(*pair, strict=True))) for pick in (min, max))
    ranking = BehaviourRanking(Ranking())
    assert ranking.score(Candidate(text, None, Signal(*low))) <= ranking.score(Candidate(text, None, Signal(*high)))


def test_the_parts_by_hand() -> None:
    ranking = BehaviourRanking(Ranking())
    signal = Signal(0.5, 0.4, 0.25, visitors=12, weight=1.75, chosen=9, expected=3.5)
    told = ranking.explained(Candidate(8.0, 180 * DAY, signal))
    behaviour = 0.5 * 0.1 + 0.4 * 0.05 + 0.25 * 0.2
    assert told.value == pytest.approx(8 * (1 + behaviour + 0.05 / 2))
    lines = "\n".join(told.lines())
    assert "12 visitors" in lines
    assert "page weight 1.75" in lines
    assert "chosen 9 times for this query, 3.5 expected" in lines
    assert "180 days old, half as much every 180 days" in lines
    assert "(BM25)" in lines
    most = ranking.explained(Candidate(8.0, None, Signal(1.0, 1.0, 1.0)))
    assert most.value == pytest.approx(8 * 1.3), "0.35 in all, but 0.30 is the cap"


def test_freshness_halves_with_every_half_life() -> None:
    ranking = BehaviourRanking(Ranking(half_life=Seconds(10.0), by_freshness=0.5))
    found = [ranking.score(Candidate(1.0, age)) - 1.0 for age in (-5.0, 0.0, 10.0, 20.0)]
    assert found == pytest.approx([0.5, 0.5, 0.25, 0.125])
    assert ranking.score(Candidate(1.0, None)) == 1.0
    assert BehaviourRanking(Ranking(half_life=Seconds(0.0))).score(Candidate(1.0, 5.0)) == 1.0


def test_both_rankings_enter_by_the_plug_point() -> None:
    assert plugins.names("rankings") == ["bm25", "lycosa"]
    candidate = Candidate(2.0, 0.0, Signal(1.0, 1.0, 1.0))
    assert find_ranking(Configuration()).score(candidate) == pytest.approx(2 * 1.35)
    assert find_ranking(build({"ranking": {"cap": 0.0}})).score(candidate) == pytest.approx(2 * 1.05)
    words = find_ranking(Configuration(), "bm25")
    assert words.score(candidate) == words.explained(candidate).value == 2.0


# -- with an index ------------------------------------------------------------------------------------


class Told:
    """Signals as a test wants them."""

    def __init__(self, **clicks: float) -> None:
        self._clicks = {page_key(f"http://a.org/{name}"): value for name, value in clicks.items()}

    def of(self, pages: Sequence[int], query: str) -> Sequence[Signal]:
        return [Signal(clicks=self._clicks.get(page, 0.0)) for page in pages]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    """Pages p0 to p39 on bees, each a little less than the one before, and with one old twin."""
    folder = tmp_path_factory.mktemp("index")
    writer = IndexWriter(folder, 15_000_000)
    for number in range(40):
        text = "bees " * 40 + "filler " * number
        writer.add(Document(Page(f"http://a.org/p{number}", "", text=text), at=NOW))
    for name, at in (("old", NOW - 400 * DAY), ("new", NOW)):
        writer.add(Document(Page(f"http://a.org/{name}", "", text="wasps"), at=at))
    writer.add(Document(Page("http://a.org/written", "", text="wasps", published=NOW - 800 * DAY), at=NOW))
    writer.commit({})
    writer.close()
    return IndexReader(folder)


def order(signals: Told | Unwatched, depth: int = 100, **ranking: float) -> Order:
    return Order(BehaviourRanking(Ranking(**ranking)), signals, "bees", NOW, depth)


def names(urls: Sequence[str]) -> list[str]:
    return [url.rpartition("/")[2] for url in urls]


def test_with_nothing_known_and_one_date_the_order_is_that_of_the_words(reader: IndexReader) -> None:
    plain = reader.search(understand("bees"), 40)
    ranked = reader.search(understand("bees"), 40, order=order(Unwatched()))
    assert [hit.url for hit in ranked.hits] == [hit.url for hit in plain.hits]
    assert [hit.score for hit in ranked.hits] == pytest.approx([hit.score * 1.05 for hit in plain.hits])
    assert all(hit.why is None for hit in plain.hits)
    assert reader.ranking(understand("bees"), 40, order(Unwatched())) == [hit.url for hit in plain.hits]


def test_a_chosen_result_rises_and_says_why(reader: IndexReader) -> None:
    plain = reader.search(understand("bees"), 3)
    (first, *_) = reader.search(understand("bees"), 3, order=order(Told(p5=1.0))).hits
    assert names([first.url]) == ["p5"]
    assert first.score < plain.hits[0].score * 1.25
    assert isinstance(first.why, Score)
    assert first.why.value == first.score


def test_new_pages_come_before_old_ones_that_say_the_same(reader: IndexReader) -> None:
    found = reader.ranking(understand("wasps"), 3, order(Unwatched()))
    assert names(found) == ["new", "old", "written"], "fetched now, but written long ago"


def test_only_the_first_are_put_in_order(reader: IndexReader) -> None:
    found = names(reader.ranking(understand("bees"), 40, order(Told(p5=1.0, p30=1.0), depth=10)))
    assert found[0] == "p5"
    assert found[10:] == [f"p{number}" for number in range(10, 40)]


@pytest.mark.parametrize("size", [1, 7, 10, 16])
def test_pages_of_results_hold_every_result_once(reader: IndexReader, size: int) -> None:
    arranged = order(Told(p5=1.0, p9=0.5, p20=1.0), depth=25)
    whole = reader.ranking(understand("bees"), 40, arranged)
    turned = [
        hit.url
        for offset in range(0, 40, size)
        for hit in reader.search(understand("bees"), min(size, 40 - offset), offset, arranged).hits
    ]
    assert turned == whole
    assert sorted(turned) == sorted(set(turned))


def test_scores_fall_from_the_first_to_the_last(reader: IndexReader) -> None:
    arranged = order(Told(p5=1.0, p20=1.0), depth=10)
    scores = [hit.score for hit in reader.search(understand("bees"), 40, order=arranged).hits]
    assert scores == sorted(scores, reverse=True)


def test_an_index_of_an_older_layout_is_still_searched_and_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tantivy

    from lycosa.search import schema as layout

    def older() -> object:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("url", stored=True, tokenizer_name="raw")
        for name in ("title", "body", "headings", "anchors"):
            builder.add_text_field(name, stored=name in ("title", "body"), tokenizer_name="lycosa")
        for name in ("host", "domain", "language", "topic"):
            builder.add_text_field(name, stored=True, tokenizer_name="raw")
        builder.add_date_field("at", stored=True, indexed=True, fast=True)
        builder.add_float_field("relevance", stored=True, indexed=True, fast=True)
        return builder.build()

    monkeypatch.setattr(layout, "schema", older)
    made = layout.open_index(tmp_path / "index", new=True)
    writer = made.writer(15_000_000, 1)
    for name in ("a", "b"):
        writer.add_document(
            tantivy.Document(url=f"http://a.org/{name}", body="bees", title="hives" * (name == "b"), host="a.org")
        )
    writer.commit()
    writer.wait_merging_threads()
    monkeypatch.undo()
    older_reader = IndexReader(tmp_path / "index")
    assert names(older_reader.ranking(understand("bees"), 2, order(Told(b=1.0)))) == ["b", "a"]
    assert older_reader.search(understand("bees topic:595 site:a.org")).total == 0
    assert older_reader.facets(understand("bees"), 2) == Facets()
    assert older_reader.words(10) == older_reader.names("b", 10) == []
    assert names(older_reader.ranking(understand("hives"), 2)) == ["b"], "titles had a field for themselves"
    with pytest.raises(layout.IndexDamaged):
        IndexWriter(tmp_path / "index", 15_000_000)
    (tmp_path / "index" / "marks.json").write_text('{"0": 2}')
    built_again = open_writer(CrawlFolder(tmp_path), 15_000_000)
    assert built_again.marks == {}, "so the indexer reads every page again from the archive"
    built_again.close()


def test_words_alone_are_the_other_ranking(reader: IndexReader) -> None:
    by_words = Order(TextRanking(), Told(p5=1.0), "bees", NOW)
    assert names(reader.ranking(understand("bees"), 3, by_words)) == ["p0", "p1", "p2"]
    assert Signal() == NOTHING


def test_the_terminal_shows_how_a_score_came_about_where_that_is_wanted(reader: IndexReader) -> None:
    found = reader.search(understand("bees"), 1, order=order(Told(p5=1.0)))
    short, long = (search_lines("bees", found, explained=wanted) for wanted in (False, True))
    assert short == long[: len(short)]
    assert any("chosen 0 times for this query" in line for line in long[len(short) :])
