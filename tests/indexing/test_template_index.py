"""The structures of a crawl's pages follow its journals: every page once, as last fetched, whatever happens to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trying
from hypothesis import strategies as st

from lycosa.configuration.settings import build
from lycosa.crawl_folder import stored_pages
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.indexing.indexer import Indexer
from lycosa.indexing.template_index import Structures
from lycosa.pages.document import read_structure
from lycosa.queue_records import Changes, SiteRecord
from lycosa.records import Response
from lycosa.search.index import IndexReader, IndexWriter
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.archive import Archive
from lycosa.storage.catalogue import VisitRow

ARTICLE = "<title>t</title><main><h1>a</h1><p>b<p>c<p>d</main><aside><ul><li>e<li>f</ul></aside>"
LISTING = "<title>t</title><table><tr><td>a<td>b<tr><td>c<td>d</table><form><input><button>go</button></form>"
PROFILE = "<title>t</title><dl><dt>a<dd>b<dt>c<dd><img><dd>e</dl><footer><nav><a href=/>x</a></nav></footer>"
TEXT = "only words"
BODIES = {"article": ARTICLE, "listing": LISTING, "profile": PROFILE}
KINDS = {kind: read_structure(body.encode()) for kind, body in BODIES.items()}
SITE = "https://a.example"

Fetch = tuple[str, str, dict[str, object]]


@pytest.fixture
def folder(tmp_path: Path) -> CrawlFolder:
    made = CrawlFolder(tmp_path / "crawls" / "built")
    made.create(build({"name": "built"}))
    return made


def page(path: str, kind: str, **facts: object) -> Fetch:
    return f"{SITE}/{path}", BODIES.get(kind, kind), facts


def fetch(folder: CrawlFolder, pages: Sequence[Fetch], agent: int = 0) -> None:
    """Let an agent of the crawl have fetched these pages, after whatever it had fetched before."""
    with AgentStore(folder.agent(agent) / "store") as store:
        archive = Archive(folder.archive, f"agent-{agent}", store.position(), 1 << 30)
        rows = []
        for place, (url, body, facts) in enumerate(pages):
            kind = str(facts.pop("mime", "text/html"))
            whole = body.encode()
            (kept,) = archive.append([Response(url, 200, (("Content-Type", kind),), whole, whole, 1.0)])
            found = {"outcome": "fetched", "file": kept.file, "offset": kept.offset, "size": kept.length, **facts}
            rows.append(VisitRow(url=url, at=float(place + 1), agent=agent, **found))  # type: ignore[arg-type]
        site = SiteRecord(0, SITE, 0, 0.0, len(rows), 0)
        store.commit(Batch(Changes(sites={0: site}), rows, position=archive.position))
        archive.close()
    (folder.agent(agent) / "store" / "ready").touch()


def counts(structures: Structures) -> dict[str, int]:
    return {kind: structures.count(skeleton) for kind, skeleton in KINDS.items()}


def test_pages_are_found_by_structure_with_the_size_of_their_template(folder: CrawlFolder) -> None:
    fetch(folder, [page("1", "article"), page("2", "listing"), page("3", "article"), page("4", "profile")])
    structures = Structures.open(folder)
    assert structures.update() == 4
    found = structures.like(KINDS["article"], 10)
    assert [(each.url, each.likeness, each.template_pages) for each in found] == [
        (f"{SITE}/1", 1.0, 2),
        (f"{SITE}/3", 1.0, 2),
    ]
    assert structures.count(f"{SITE}/2") == 1
    assert structures.count(f"{SITE}/unknown") == 0
    clusters = structures.templates()
    assert [(each.pages, each.founder) for each in clusters] == [(2, f"{SITE}/1"), (1, f"{SITE}/2"), (1, f"{SITE}/4")]
    assert clusters[0].examples == (f"{SITE}/1", f"{SITE}/3")
    assert clusters[0].skeleton == KINDS["article"]
    assert structures.template_count == 3


def test_the_latest_version_of_a_page_counts(folder: CrawlFolder) -> None:
    fetch(folder, [page("1", "article"), page("2", "article")])
    structures = Structures.open(folder)
    structures.update()
    fetch(folder, [page("1", "listing"), page("2", "article")])
    again = Structures.open(folder)
    assert again.update() == 2
    assert again.update() == 0
    assert (len(again), counts(again)) == (2, {"article": 1, "listing": 1, "profile": 0})
    assert again.count(f"{SITE}/1") == 1


def test_what_search_must_not_find_is_not_found_by_structure_but_pages_aside_are(folder: CrawlFolder) -> None:
    fetch(
        folder,
        [
            page("noindex", "article", noindex=True),
            page("copy", "article", duplicate_of=f"{SITE}/1"),
            page("failed", "article", outcome="failed"),
            page("text", TEXT, mime="text/plain"),
            page("aside", "article", aside=True),
        ],
    )
    structures = Structures.open(folder)
    structures.update()
    assert [each.url for each in structures.like(KINDS["article"], 10)] == [f"{SITE}/aside"]
    fetch(folder, [page("aside", "article", noindex=True)])
    structures.update()
    assert len(structures) == 0


def test_agents_have_marks_of_their_own(folder: CrawlFolder) -> None:
    folder.create(build({"name": "built", "agents": 2}))
    fetch(folder, [page("1", "article"), page("2", "article")], agent=0)
    fetch(folder, [page("3", "article")], agent=1)
    structures = Structures.open(folder)
    structures.update()
    assert dict(structures.marks) == {0: 2, 1: 1}
    fetch(folder, [page("4", "article")], agent=1)
    assert Structures.open(folder).update() == 1


@pytest.mark.parametrize("place", [0, 5, 16, 17, 40, 200, -1])
def test_a_damaged_file_is_made_again(folder: CrawlFolder, place: int) -> None:
    fetch(folder, [page(str(number), kind) for number, kind in enumerate([*BODIES, *BODIES])])
    whole = Structures.open(folder)
    whole.update()
    data = bytearray(whole.path.read_bytes())
    data[place] ^= 0x55
    whole.path.write_bytes(data)
    again = Structures.open(folder)
    assert len(again) == 0
    assert again.update() == 6
    assert again.templates() == whole.templates()
    whole.path.write_bytes(data[: len(data) // 2])
    assert Structures.open(folder).update() == 6
    assert Structures.open(folder).update() == 0, "it was saved again"


def test_the_indexer_hands_pages_over_so_that_each_is_parsed_once(
    folder: CrawlFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(folder, [page(str(number), kind) for number, kind in enumerate([*BODIES, *BODIES])])
    parsed: list[object] = []
    read_page = stored_pages.read_page
    monkeypatch.setattr(stored_pages, "read_page", lambda *one, **how: parsed.append(one) or read_page(*one, **how))
    writer = IndexWriter(folder.index, 15_000_000)
    structures = Structures.open(folder)
    with AgentStore(folder.agent(0) / "store", readonly=True) as store:
        indexer = Indexer(writer, folder.archive, [store], structures=structures)
        assert indexer.follow() == 6
        assert structures.follow([store], indexer.marks) == 0
    writer.close()
    assert len(parsed) == 6
    assert dict(structures.marks) == indexer.marks == {0: 6}
    assert counts(structures) == dict.fromkeys(BODIES, 2)


def test_structures_behind_the_index_catch_up_and_never_leave_a_gap(folder: CrawlFolder) -> None:
    fetch(folder, [page("1", "article"), page("2", "listing"), page("3", "profile")])
    writer = IndexWriter(folder.index, 15_000_000)
    structures = Structures.open(folder)
    with AgentStore(folder.agent(0) / "store", readonly=True) as store:
        Indexer(writer, folder.archive, [store]).follow(1)
        before = Indexer(writer, folder.archive, [store])
        before.follow(2)
        before.commit()
        later = Indexer(writer, folder.archive, [store], structures=structures)
        assert later.follow() == 1
        assert len(structures) == 0, "the third row is not the next one"
        assert structures.follow([store], {0: 2}, most=1) == 1
        assert structures.follow([store], later.marks) == 2
        assert structures.follow([store], later.marks) == 0
    writer.close()
    assert counts(structures) == dict.fromkeys(BODIES, 1)


def test_pages_aside_are_not_in_the_index_even_if_they_once_were(folder: CrawlFolder) -> None:
    fetch(folder, [page("1", "article"), page("2", "article"), page("3", "article", aside=True)])
    fetch(folder, [page("2", "listing", aside=True)])
    writer = IndexWriter(folder.index, 15_000_000)
    with AgentStore(folder.agent(0) / "store", readonly=True) as store:
        indexer = Indexer(writer, folder.archive, [store])
        indexer.follow()
        indexer.commit()
    writer.close()
    assert IndexReader(folder.index).urls() == {f"{SITE}/1"}
    assert indexer.counts == {"indexed": 2, "aside": 2}


def test_beyond_the_bound_pages_are_counted_and_those_inside_stay(folder: CrawlFolder) -> None:
    fetch(folder, [page(str(number), "article") for number in range(5)])
    structures = Structures(folder, most_pages=3)
    structures.update()
    assert (len(structures), structures.beyond, structures.full) == (3, 2, True)
    fetch(folder, [page("0", "listing"), page("9", "listing")])
    structures.update()
    assert (len(structures), structures.beyond) == (3, 3)
    assert counts(structures)["article"] == 3
    assert Structures.open(folder).beyond == 3


def test_a_large_file_is_the_bound_too(folder: CrawlFolder) -> None:
    fetch(folder, [page("1", "article")])
    structures = Structures(folder, largest_file=100)
    structures.update()
    assert structures.full
    fetch(folder, [page("2", "article")])
    structures.update()
    assert (len(structures), structures.beyond) == (1, 1)


def test_the_size_of_the_file_is_looked_at_during_a_long_update_too(folder: CrawlFolder) -> None:
    tags = ("ul", "ol", "dl", "table", "section", "form", "nav", "aside", "header", "footer", "main", "article")
    shapes = [f"<title>t</title>{f'<{tag}><div><{tag}>x</{tag}></div></{tag}>' * 40}" for tag in tags]
    fetch(folder, [page(tag, shape) for tag, shape in zip(tags, shapes, strict=True)])
    structures = Structures(folder, largest_file=1_500)
    structures.update()
    assert 0 < len(structures) < len(tags)
    assert structures.beyond == len(tags) - len(structures)


def test_while_crawling_the_file_is_written_when_a_tenth_is_new(folder: CrawlFolder) -> None:
    fetch(folder, [page(str(number), "article") for number in range(40)])
    structures = Structures.open(folder)
    structures.update()
    fetch(folder, [page(f"more-{number}", "listing") for number in range(5)])
    with AgentStore(folder.agent(0) / "store", readonly=True) as store:
        structures.follow([store], most=3)
        structures.save_if_grown()
        assert len(Structures.open(folder)) == 40
        structures.follow([store])
        structures.save_if_grown()
        assert len(Structures.open(folder)) == 45


def test_pages_that_change_again_and_again_leave_nothing_behind(folder: CrawlFolder) -> None:
    structures = Structures.open(folder)
    sizes = []
    for number in range(8):
        fetch(folder, [page("1", f"<title>t</title><div>{'<p>x' * 2**number}</div>{ARTICLE}")])
        structures.update()
        sizes.append(len(structures._index._entries))
    assert max(sizes) <= 4
    assert len(structures) == 1


def test_a_page_that_cannot_be_read_from_the_archive_is_passed_over(folder: CrawlFolder) -> None:
    fetch(folder, [page("1", "article", size=7), page("2", "article")])
    structures = Structures.open(folder)
    structures.update()
    assert f"{SITE}/1" not in structures
    assert f"{SITE}/2" in structures


@trying(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    visits=st.lists(st.tuples(st.integers(0, 4), st.sampled_from([*BODIES, TEXT]), st.booleans()), max_size=12),
    stops=st.lists(st.integers(0, 12), max_size=3),
)
def test_each_url_counts_exactly_once_whenever_one_looks(
    visits: list[tuple[int, str, bool]], stops: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = CrawlFolder(tmp_path_factory.mktemp("home") / "crawls" / "built")
    folder.create(build({"name": "built"}))
    last: dict[str, str] = {}
    for place, (number, kind, noindex) in enumerate(visits):
        mime = "text/plain" if kind == TEXT else "text/html"
        fetch(folder, [page(str(number), kind, noindex=noindex, mime=mime)])
        last[f"{SITE}/{number}"] = TEXT if noindex else kind
        if place in stops:
            Structures.open(folder).update()
    if not visits:
        return
    structures = Structures.open(folder)
    structures.update()
    expected = {kind: list(last.values()).count(kind) for kind in BODIES}
    assert counts(structures) == expected
    for url, kind in last.items():
        assert structures.count(url) == expected.get(kind, 0)


# -- older crawls -----------------------------------------------------------------------------------


def test_journals_from_before_there_were_pages_aside_are_read() -> None:
    newer = msgspec.msgpack.decode(msgspec.msgpack.encode(VisitRow("u", 1.0, 0, "fetched", title="t")))
    older = newer[: VisitRow.__struct_fields__.index("links") + 1]
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(older), type=VisitRow) == VisitRow(*newer[:10], title="t")
    assert VisitRow.__struct_fields__[-3:] == ("aside", "claimed", "placeholder")


def test_rolled_journals_from_before_there_were_pages_aside_are_read(folder: CrawlFolder) -> None:
    fetch(folder, [page("1", "article"), page("2", "listing", aside=True)])
    with AgentStore(folder.agent(0) / "store") as store:
        catalogue.roll(store, 2)
    (path,) = (folder.agent(0) / "store" / "catalogue").glob("history-*.parquet")
    table = pyarrow.parquet.read_table(path)
    assert table.column("aside").to_pylist() == [False, True]
    pyarrow.parquet.write_table(table.drop_columns(["aside", "classes"]), path)
    with AgentStore(folder.agent(0) / "store", readonly=True) as store:
        assert [row.aside for _, row in catalogue.history(store)] == [False, False]
        assert [row.url for _, row in catalogue.about(store, f"{SITE}/2")] == [f"{SITE}/2"]
    structures = Structures.open(folder)
    structures.update()
    assert len(structures) == 2
