"""Proposals as a person works with them: propose from documents and a crawl, accept, reject, undo."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from lycosa.configuration.settings import ConfigurationError, build
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.interface.cli import parser
from lycosa.plugins import registry as plugins
from lycosa.preparation import word_vectors
from lycosa.preparation.taxonomy_files import OwnTaxonomy
from lycosa.preparation.taxonomy_proposals import OwnVocabulary
from lycosa.preparation.word_vectors import WordVectors, closeness, model2vec_closeness
from lycosa.queue_records import Changes, SiteRecord
from lycosa.records import Link, Response
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.archive import Archive, Position
from lycosa.storage.catalogue import MissingExtra, VisitRow
from lycosa.storage.link_columns import LinkColumns

TREE = """
[[topic]]
id = "spiders"
label = "Spiders"
description = "Spiders, webs, silk and prey"
examples = ["The wolf spider hunts its prey on the ground. A spider spins silk. Spiders catch insects in webs."]

[[topic]]
id = "railways"
label = "Railways"
description = "Trains, locomotives and tracks"
"""
PALPS = "The spider uses its pedipalp to hold prey. The pedipalp of a spider near the webs and silk."
JOINED = "A wolfspider has silk. The wolfspider hunts prey in webs."
BUNDLE = "Spiders and silk. The chelicera, spinneret and pedipalp of prey."

Run = Callable[..., Any]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    (folder / "taxonomy").mkdir(parents=True)
    (folder / "taxonomy" / "topics.toml").write_text(TREE, "utf-8")
    return folder


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Type a command of `lycosa topics`; returns what it printed, as JSON where that was asked for."""
    whole = parser(["topics.taxonomy"])

    def typed(*arguments: str) -> Any:
        told = whole.parse_args(["topics", *arguments, "--home", str(home)])
        assert told.run(told) == 0
        printed = capsys.readouterr().out
        return json.loads(printed) if told.json else printed

    return typed


def document(home: Path, name: str, text: str) -> str:
    path = home / name
    path.write_text(text, "utf-8")
    return str(path)


# -- documents ----------------------------------------------------------------------------------


def test_a_document_gives_proposals_that_stay_open(home: Path, run: Run) -> None:
    path = document(home, "palps.txt", PALPS)
    (found,) = run("propose", "--document", path, "--json")
    assert (found["number"], found["kind"], found["node"], found["words"]) == (1, "term", "spiders", ["pedipalp"])
    assert found["documents"] == [path]
    printed = run("propose")
    assert "  1. [" in printed
    assert "spiders should know pedipalp" in printed


def test_standard_input_is_a_document(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO(PALPS))
    (found,) = run("propose", "--document", "-", "--json")
    assert found["words"] == ["pedipalp"]


def test_an_accepted_term_changes_the_tree_and_undo_brings_all_back(home: Path, run: Run) -> None:
    path = document(home, "palps.txt", PALPS)
    run("propose", "--document", path)
    assert run("accept", "1", "--json")["edit"] == "accepted: spiders should know pedipalp"
    assert OwnVocabulary(home).vocabulary().knows("pedipalp")
    assert run("propose", "--json") == []
    assert run("propose", "--document", path, "--json") == []
    assert OwnTaxonomy(home).undo() == "accepted: spiders should know pedipalp"
    assert not OwnVocabulary(home).vocabulary().knows("pedipalp")
    assert [each["words"] for each in run("propose", "--json")] == [["pedipalp"]]


def test_an_accepted_variant_counts_as_its_term_until_undone(home: Path, run: Run) -> None:
    (found,) = run("propose", "--document", document(home, "joined.txt", JOINED), "--json")
    assert (found["kind"], found["term"]) == ("variant", "wolf spider")
    run("accept", "1")
    assert "wolfspider" in (home / "taxonomy" / "vocabulary" / "variants.toml").read_text("utf-8")
    assert OwnVocabulary(home).vocabulary().counts("wolfspiders") == {"wolf": 1, "spider": 1}
    OwnTaxonomy(home).undo()
    assert not OwnVocabulary(home).vocabulary().knows("wolfspider")
    assert [each["number"] for each in run("propose", "--json")] == [1]


def test_an_edit_by_hand_after_an_undo_does_not_revive_what_was_accepted(home: Path, run: Run) -> None:
    run("propose", "--document", document(home, "joined.txt", JOINED))
    run("accept", "1")
    own = OwnTaxonomy(home)
    own.undo()
    own.change(lambda taxonomy: taxonomy.renamed("spiders", "Arachnids"), "renamed")
    assert not OwnVocabulary(home).vocabulary().knows("wolfspider")
    assert own.load()["spiders"].label == "Arachnids"


def test_an_interrupted_acceptance_is_as_if_it_had_not_begun(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("propose", "--document", document(home, "joined.txt", JOINED))

    def power_failure(*_: object) -> None:
        raise OSError("power failure")

    with monkeypatch.context() as patch:
        patch.setattr(OwnTaxonomy, "change", power_failure)
        with pytest.raises(OSError, match="power"):
            run("accept", "1")
    assert not OwnVocabulary(home).vocabulary().knows("wolfspider")
    assert [each["number"] for each in run("propose", "--json")] == [1]


def test_a_new_topic_gets_its_label_and_examples(home: Path, run: Run) -> None:
    paths = [document(home, f"{number}.txt", BUNDLE) for number in range(3)]
    paths += [document(home, f"other-{number}.txt", "A spider spins silk. A train on tracks.") for number in range(4)]
    (found,) = run("propose", *(part for path in paths for part in ("--document", path)), "--json")
    assert found["kind"] == "subtopic"
    assert run("accept", "1", "--label", "Body of spiders", "--json")["new_topics"] == ["body-of-spiders"]
    node = OwnTaxonomy(home).load()["body-of-spiders"]
    assert node.parent == "spiders"
    assert node.texts == ("The chelicera, spinneret and pedipalp of prey.",)


def test_what_is_rejected_does_not_come_back_unless_that_is_undone(home: Path, run: Run) -> None:
    path = document(home, "palps.txt", PALPS)
    run("propose", "--document", path)
    assert [each["words"] for each in run("reject", "1", "--json")["rejected"]] == [["pedipalp"]]
    assert run("propose", "--document", path, "--json") == []
    assert "open again: 1. spiders should know pedipalp" in run("reject", "--undo")
    assert len(run("propose", "--document", path, "--json")) == 1


def test_wrong_orders_are_refused_with_advice(home: Path, run: Run) -> None:
    with pytest.raises(ConfigurationError, match="make some with `lycosa topics propose`"):
        run("accept", "7")
    with pytest.raises(ConfigurationError, match="give the numbers"):
        run("reject")
    with pytest.raises(ConfigurationError, match="no rejection to take back"):
        run("reject", "--undo")
    with pytest.raises(ConfigurationError, match="no topic is called 'dragons'"):
        run("propose", "--document", document(home, "palps.txt", PALPS), "--node", "dragons")
    with pytest.raises(ConfigurationError, match="no text could be read"):
        run("propose", "--document", document(home, "empty.txt", " "))
    german = document(
        home, "de.txt", "Die Spinne jagt auf dem Boden und sie hat kein Netz, in dem sie auf die Beute wartet."
    )
    with pytest.raises(ConfigurationError, match="its language is 'de'"):
        run("propose", "--document", german)
    assert "nothing to propose" in run("propose")


def test_foreign_text_cannot_steer_the_terminal(home: Path, run: Run) -> None:
    name = document(home, "evil\x1b[2J.txt", PALPS)
    assert "\x1b" not in run("propose", "--document", name)


# -- a crawl ------------------------------------------------------------------------------------


def crawl(home: Path, texts: dict[str, tuple[str, float]], links: dict[str, list[str]]) -> CrawlFolder:
    """A crawl that fetched these pages, each with its relevance."""
    folder = CrawlFolder(home / "crawls" / "palps")
    folder.create(build({"name": "palps", "topic": {"words": "spiders", "threshold": 0.2}}))
    with AgentStore(folder.agent(0) / "store") as store:
        archive = Archive(folder.archive, "agent-0", Position(), 1 << 30)
        bodies = {url: f"<html lang=en><title>{url[-1]}</title><p>{text}".encode() for url, (text, _) in texts.items()}
        html = (("Content-Type", "text/html"),)
        places = archive.append([Response(url, 200, html, body, body, 1.0) for url, body in bodies.items()])
        rows = []
        for (url, (_, relevance)), place in zip(texts.items(), places, strict=True):
            kept = {"file": place.file, "offset": place.offset, "size": place.length, "language": "en"}
            out = tuple(links.get(url, ()))
            columns = LinkColumns.of(list(map(Link, out)), (0.0,) * len(out))
            rows.append(VisitRow(url, 1.0, 0, "fetched", relevance=relevance, links=columns, **kept))
        site = SiteRecord(0, "https://a.example", 0, 0.0, len(rows), 0)
        store.commit(Batch(Changes(sites={0: site}), rows, position=archive.position))
        archive.close()
    (folder.agent(0) / "store" / "ready").touch()
    return folder


@pytest.fixture
def crawled(home: Path) -> Path:
    filler = " Spiders catch prey in webs of silk, and a wolf spider hunts insects on the ground."
    texts = {f"https://a.example/{number}": (BUNDLE + filler, 0.8) for number in range(4)}
    texts["https://a.example/5"] = ("A spider spins silk." + filler, 0.9)
    texts["https://a.example/6"] = ("Stock exchange bonds and the chelicera.", 0.0)
    links = {url: ["https://a.example/0"] for url in texts if not url.endswith("/0")}
    crawl(home, texts, links)
    return home


def test_a_crawl_proposes_subtopics_and_exemplary_pages(crawled: Path, run: Run) -> None:
    found = run("propose", "palps", "--json")
    (subtopic,) = [each for each in found if each["kind"] == "subtopic"]
    assert set(subtopic["words"]) == {"chelicera", "spinneret", "pedipalp"}
    pages = [each for each in found if each["kind"] == "page"]
    assert [each["node"] for each in pages] == ["spiders"] * 5
    assert pages[0]["pages"] == ["https://a.example/0"], "as relevant as others, and linked to"
    run("accept", str(pages[0]["number"]), str(subtopic["number"]))
    taxonomy = OwnTaxonomy(crawled).load()
    assert taxonomy["spiders"].pages == ("https://a.example/0",)
    (new,) = taxonomy.children("spiders")
    assert new.pages
    assert all("chelicera" in text for text in new.texts)
    again = run("propose", "palps", "--json")
    assert "https://a.example/0" not in [page for each in again if each["kind"] == "page" for page in each["pages"]]


def test_beside_documents_a_crawl_only_tells_how_words_are_used(crawled: Path, run: Run) -> None:
    path = document(crawled, "palps.txt", "The spider and its fovea near webs; the fovea of spiders with silk.")
    found = run("propose", "palps", "--document", path, "--node", "spiders", "--json")
    assert [each["words"] for each in found if each["kind"] != "page"] == [["fovea"]]
    assert [each for each in found if each["kind"] == "page"]


def test_a_crawl_in_an_unreadable_archive_proposes_nothing_of_it(crawled: Path, run: Run) -> None:
    for file in (crawled / "crawls" / "palps" / "archive").glob("*"):
        file.write_bytes(b"")
    assert [each["kind"] for each in run("propose", "palps", "--json") if each["kind"] != "page"] == []


# -- models of word vectors ---------------------------------------------------------------------


def fake_model(told: str) -> WordVectors:
    """Words that begin alike are close; the text after the colon names one more pair."""
    one, _, other = told.partition("=")
    return WordVectors(lambda named: [[1.0, 0.0] if word in (one, other) else [0.0, 1.0] for word in named])


def test_a_plugged_in_model_is_asked(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_vectors, "__test_fake__", fake_model, raising=False)
    entry = importlib.metadata.EntryPoint("fake", "lycosa.preparation.word_vectors:__test_fake__", "lycosa.closeness")
    monkeypatch.setattr(plugins, "_registered", lambda point: {"fake": entry} if point == "closeness" else {})
    path = document(home, "attercop.txt", "An attercop in webs. Silk of the attercop with prey.")
    (without,) = run("propose", "--document", path, "--json")
    assert without["kind"] == "term"
    (found,) = run("propose", "--document", path, "--closeness", "fake:attercop=spiders", "--json")
    assert (found["kind"], found["term"]) == ("variant", "spiders")


def test_without_a_model_closeness_is_none_and_an_unknown_one_is_refused() -> None:
    assert closeness("") is None
    with pytest.raises(ConfigurationError, match="no model is registered as 'nonsense'"):
        closeness("nonsense:x")


def test_a_missing_extra_is_a_clear_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "model2vec", None)
    with pytest.raises(MissingExtra, match=r"lycosa\[vectors\]"):
        model2vec_closeness("anything")


def test_a_model_is_a_folder_on_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class StaticModel:
        @classmethod
        def from_pretrained(cls, path: str) -> Any:
            assert path == str(tmp_path)
            return argparse.Namespace(encode=lambda named: [[1.0, 1.0] for _ in named])

    monkeypatch.setitem(sys.modules, "model2vec", argparse.Namespace(StaticModel=StaticModel))
    assert model2vec_closeness(str(tmp_path)).close("one", "other") == pytest.approx(1.0)
    with pytest.raises(ConfigurationError, match="no such folder"):
        model2vec_closeness("some/model")
