"""The commands about topics, and taxonomies that lie in files and folders."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lycosa.configuration.settings import ConfigurationError
from lycosa.interface.cli import parser
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.preparation import taxonomy_files as taxonomy_folder
from lycosa.preparation.taxonomy_files import OwnTaxonomy, load_taxonomy
from lycosa.topics.taxonomy import Node, Taxonomy, TaxonomyError
from lycosa.topics.taxonomy_file import shipped, written

OWL = "The owl sat in its nest with three eggs. Its feathers are soft, so its wings make no sound when it flies."
TREE = Taxonomy(
    [
        Node("life", "Life", description="Animals, plants and other organisms."),
        Node("birds", "Birds", "life", classes=("598",), texts=("Feathers, wings, eggs in a nest; an owl flies.",)),
        Node("trains", "Trains", texts=("A locomotive pulls carriages to the station.",)),
    ]
)
Typed = Callable[..., tuple[int, str]]


@pytest.fixture
def typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Types a command in a home with a small taxonomy; returns the exit code and what was printed."""
    folder = tmp_path / "taxonomy"
    folder.mkdir()
    (folder / "mine.toml").write_text(written(TREE), "utf-8")
    whole = parser(["topics.taxonomy"])

    def run(*arguments: str) -> tuple[int, str]:
        told = whole.parse_args(["topics", *arguments, "--home", str(tmp_path)])
        code: int = told.run(told)
        return code, capsys.readouterr().out

    return run


def plain(answer: tuple[int, str]) -> Any:
    return json.loads(answer[1])


def test_the_tree_and_one_topic_are_shown(typed: Typed) -> None:
    lines = typed("show")[1].splitlines()
    assert [line.split()[0] for line in lines] == ["Life", "Birds", "Trains"]
    assert lines[1].startswith("  Birds")
    assert lines[1].endswith("598")
    assert "Feathers, wings" in typed("show", "life/BIRDS")[1]
    assert plain(typed("show", "birds", "--json"))["path"] == "Life.Birds"
    assert [node["id"] for node in plain(typed("show", "--json"))] == ["life", "birds", "trains"]


def test_documents_are_mapped(typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "owl.html"
    page.write_text(f"<title>Owls</title><body><p>{OWL}</p>", "utf-8")
    code, out = typed("map", str(page))
    assert code == 0
    assert out.startswith("* ")
    assert "Life.Birds (birds)" in out.splitlines()[0]
    found = plain(typed("map", "--text", OWL, "--json"))
    assert found["best"] == ["birds"]
    assert {"nest", "wings"} <= {each["term"] for each in found["ranked"][0]["terms"]}
    monkeypatch.setattr("sys.stdin", io.StringIO("A locomotive at the station"))
    assert plain(typed("map", "-", "--json"))["best"] == ["trains"]


def test_none_fits_is_an_answer_with_its_own_exit_code(typed: Typed) -> None:
    code, out = typed("map", "--text", "Xqzzt blorf wug")
    assert code == 1
    assert "none fits" in out
    german = "Die Eule saß in ihrem Nest und wartete auf die Nacht, denn sie kann in der Nacht am besten jagen."
    assert "another language (de)" in typed("map", "--text", german)[1]


def test_urls_are_fetched(typed: Typed) -> None:
    box = "box:9?hosts=2&pages=10"
    url = SimulatedWeb.of(box).roots()[0]
    settings = ("--set", "fetching.fetcher=simulated", "--set", f"fetching.web={box}")
    found = plain(typed("map", url, *settings, "--json"))
    assert "no text" not in found["why"]
    typed("edit", "example", "trains", url, *settings)
    node = plain(typed("show", "trains", "--json"))
    assert node["pages"] == [url]
    assert len(node["texts"]) == 2


def test_edits_are_kept_and_can_be_undone_to_the_beginning(typed: Typed, tmp_path: Path) -> None:
    assert plain(typed("edit", "add", "Owls", "--under", "Birds", "--class", "598.9", "--json"))["id"] == "owls"
    typed("edit", "rename", "owls", "Night birds")
    assert plain(typed("show", "owls", "--json"))["path"] == "Life.Birds.Night birds"
    typed("edit", "move", "Night birds", "--under", "trains")
    assert plain(typed("show", "owls", "--json"))["path"] == "Trains.Night birds"
    typed("edit", "example", "owls", "--text", OWL)
    assert plain(typed("show", "owls", "--json"))["texts"] == [OWL]
    assert "removed 'Trains' and 1 below it" in typed("edit", "remove", "trains")[1]
    assert [node["id"] for node in plain(typed("show", "--json"))] == ["life", "birds"]
    assert "undone: removed 'Trains'" in typed("undo")[1]
    assert len(plain(typed("show", "--json"))) == 4
    for _ in range(4):
        typed("undo")
    assert OwnTaxonomy(tmp_path).load() == TREE
    assert [file.name for file in (tmp_path / "taxonomy").glob("*.toml")] == ["mine.toml"]
    with pytest.raises(TaxonomyError, match="no edit of the topics to undo"):
        typed("undo")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["show", "brids"], "did you mean 'Life.Birds'"),
        (["map"], "nothing to read"),
        (["map", "nowhere.html"], "nowhere.html: cannot be read"),
        (["map", "--text", "x", "--margin", "7"], "--margin 7 is not possible"),
        (["show", "--taxonomy", "nowhere"], "nowhere: no such file or folder"),
        (["edit", "add", "Birds", "--id", "birds"], "is there already: Life.Birds"),
        (["edit", "add", "Owls", "--under", "nowhere"], "no topic is called 'nowhere'"),
        (["edit", "move", "life", "--under", "birds"], "life -> birds -> life"),
        (["edit", "example", "birds"], "nothing to read"),
    ],
)
def test_what_a_person_can_mend_is_one_sentence(typed: Typed, arguments: list[str], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        typed(*arguments)


def test_a_refused_edit_leaves_no_trace(typed: Typed, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        typed("edit", "move", "life", "--under", "birds")
    assert OwnTaxonomy(tmp_path).history() == []
    assert OwnTaxonomy(tmp_path).load() == TREE


def test_foreign_text_sends_no_commands_to_the_terminal(typed: Typed) -> None:
    typed("edit", "add", "Evil \x1b[2J", "--text", "evil \x07 words")
    assert "\x1b" not in typed("show")[1]
    assert "\x07" not in typed("show", "evil 2j")[1]


def test_without_an_own_taxonomy_it_is_the_shipped_one(tmp_path: Path) -> None:
    own = OwnTaxonomy(tmp_path)
    assert own.load() is shipped()
    own.change(lambda taxonomy: taxonomy.with_node(Node("zzz", "Sleep", description="Rest.")), "added")
    assert len(own.load()) == len(shipped()) + 1
    assert own.undo() == "added"
    assert own.load() is shipped()


def test_only_so_many_edits_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taxonomy_folder, "MOST_KEPT", 3)
    own = OwnTaxonomy(tmp_path)
    for number in range(6):
        node = Node(f"n{number}", "N", description="D")
        own.change(lambda _, node=node: Taxonomy([node]), f"edit {number}")
    assert [edit.what for edit in own.history()] == ["edit 3", "edit 4", "edit 5"]
    own.undo()
    assert [node.id for node in own.load()] == ["n4"]


def test_a_folder_of_examples_is_a_taxonomy(tmp_path: Path) -> None:
    birds = tmp_path / "Life_sciences" / "Birds"
    birds.mkdir(parents=True)
    (birds / "owl.html").write_text(f"<title>Owls</title><nav>menu</nav><p>{OWL}</p>", "utf-8")
    (birds / "hawk.txt").write_text("The hawk hunts by day.", "utf-8")
    (birds / "photo.jpg").write_bytes(b"\xff\xd8")
    (birds / "description.txt").write_text("What has\nfeathers.", "utf-8")
    other = tmp_path / "Other" / "Birds"
    other.mkdir(parents=True)
    (other / "label.txt").write_text("Metal birds", "utf-8")
    (other / "again").symlink_to(tmp_path)
    tree = load_taxonomy(tmp_path)
    assert [node.id for node in tree] == ["life-sciences", "birds", "other", "birds-2"]
    assert tree.path("birds") == "Life sciences.Birds"
    assert tree["birds"].description == "What has feathers."
    assert tree["birds"].texts[0] == "The hawk hunts by day."
    assert OWL in tree["birds"].texts[1]
    assert "menu" not in tree["birds"].texts[1]
    assert tree.path("birds-2") == "Other.Metal birds"


def test_toml_files_are_loaded_one_or_a_folder_of_them(tmp_path: Path) -> None:
    whole = tmp_path / "whole.toml"
    whole.write_text(written(TREE), "utf-8")
    assert load_taxonomy(whole) == load_taxonomy(tmp_path) == TREE
    whole.write_bytes(b"\xff")
    with pytest.raises(TaxonomyError, match=r"whole\.toml: cannot be read"):
        load_taxonomy(whole)


def test_a_folder_without_topics_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match="make a folder per topic"):
        load_taxonomy(tmp_path)


def test_what_was_written_by_hand_is_not_lost_by_undo(tmp_path: Path) -> None:
    own = OwnTaxonomy(tmp_path)
    own.change(lambda taxonomy: taxonomy.renamed("birds", "Fowl"), "renamed")
    file = tmp_path / "taxonomy" / "topics.toml"
    written = file.read_text("utf-8")
    file.write_text(written + '\n[[topic]]\nid = "mine"\nlabel = "Mine"\ndescription = "by hand"\n', "utf-8")
    with pytest.raises(TaxonomyError, match="changed by hand"):
        own.undo()
    assert "mine" in own.load()
    file.write_text(written, "utf-8")
    assert own.undo() == "renamed"
