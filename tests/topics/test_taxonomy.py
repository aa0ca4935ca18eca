"""The tree of topics: whole or refused, found by name, edited without changing, written as it was read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.configuration.settings import ConfigurationError
from lycosa.topics.taxonomy import Node, Taxonomy, TaxonomyError
from lycosa.topics.taxonomy_file import joined, parse, shipped, written

BIRDS = """
[[topic]]
id = "life"
label = "Life sciences and nature"
description = "What lives."

[[topic]]
id = "birds"
parent = "life"
label = "Birds"
classes = ["598"]
pages = ["https://example.org/birds"]
examples = [
'''
Feathers and wings.
''', "Nests."]

[[topic]]
id = "owls"
parent = "birds"
label = "Owls"
description = "Birds of the night."

[[topic]]
id = "music"
label = "Music"
description = "Sounds."

[[topic]]
id = "night-music"
parent = "music"
label = "Owls"
description = "A band."
"""


@pytest.fixture
def tree() -> Taxonomy:
    return parse(BIRDS, "birds.toml")


def ids(nodes: tuple[Node, ...]) -> list[str]:
    return [node.id for node in nodes]


def test_a_tree_is_read_as_it_was_written(tree: Taxonomy) -> None:
    birds = tree["birds"]
    assert birds == Node(
        "birds", "Birds", "life", "", ("598",), ("https://example.org/birds",), ("Feathers and wings.", "Nests.")
    )
    assert ids(tree.roots()) == ["life", "music"]
    assert ids(tree.children("life")) == ["birds"]
    assert ids(tree.below("life")) == ["birds", "owls"]
    assert ids(tree.ancestors("owls")) == ["life", "birds"]
    assert tree.path("birds") == "Life sciences and nature.Birds"
    assert tree.top("owls").id == "life"
    assert tree.top("music").id == "music"
    assert len(tree) == 5
    assert "owls" in tree


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("birds", "birds"),
        ("BIRDS", "birds"),
        ("Life sciences and nature.Birds", "birds"),
        ("life_sciences_and_nature/birds", "birds"),
        ("Birds.Owls", "owls"),
        ("birds/owls", "owls"),
        ("Life Sciences and_nature", "life"),
        ("Night_Music", "night-music"),
        ("Music.Owls", "night-music"),
        ("owls", "owls"),
    ],
)
def test_a_topic_is_found_by_id_path_or_part_of_it(tree: Taxonomy, name: str, id: str) -> None:
    assert tree.find(name).id == id


def test_an_ambiguous_name_is_refused_with_the_choices(tree: Taxonomy) -> None:
    with pytest.raises(TaxonomyError, match=r"Life sciences and nature\.Birds\.Owls \(owls\), Music\.Owls"):
        tree.find("Owls")


def test_of_a_topic_and_one_below_it_the_upper_is_meant() -> None:
    tree = Taxonomy(
        [Node("a", "Everyday life", description="x"), Node("b", "Everyday_life", parent="a", description="x")]
    )
    assert tree.find("everyday life").id == "a"
    assert tree.find("everyday life.everyday life").id == "b"


def test_an_unknown_name_is_refused_with_what_comes_near(tree: Taxonomy) -> None:
    with pytest.raises(TaxonomyError, match=r"did you mean 'Life sciences and nature\.Birds'"):
        tree.find("Brids")
    with pytest.raises(TaxonomyError, match="lycosa topics show"):
        tree.find("quantum chromodynamics")
    with pytest.raises(TaxonomyError, match="did you mean 'birds'"):
        tree["bird"]


def topic(id: str, parent: str = "", rest: str = 'label = "L"\ndescription = "D"') -> str:
    return f'[[topic]]\nid = "{id}"\nparent = "{parent}"\n{rest}\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (topic("a", "b") + topic("b", "c") + topic("c", "b"), r"t\.toml:6: .*: b -> c -> b;"),
        (topic("a", "a"), r"t\.toml:1: .* a -> a;"),
        (topic("a") + "\n" + topic("a"), r"'a' is there twice, at t\.toml:1 and at t\.toml:7"),
        (topic("birds") + topic("b", "brids"), r"t\.toml:6: topic 'b' has the unknown parent 'brids'; did you mean 'b"),
        (topic("a", rest='description = "D"'), r"t\.toml:1: topic 'a' is empty: it has no label"),
        (topic("a", rest='label = "L"\nexamples = [" "]'), r"t\.toml:1: topic 'a' is empty: it has neither text"),
        (topic("A b"), r"t\.toml:1: id 'A b' is not possible"),
        (topic("a", rest='lable = "L"'), r"t\.toml:1: topic 'a' has the unknown key 'lable'; did you mean 'label'"),
        (topic("a", rest="classes = [598]"), r"t\.toml:1: topic 'a': Expected `str`"),
        ("[[topic]]\nlabel = 'x'\n", r"t\.toml:1: .*missing required field `id`"),
        ("[[topic]", r"t\.toml: not valid TOML"),
        ("[topics]\nid = 1\n", r"t\.toml: unknown key 'topics'"),
        ("topic = 1\n", r"t\.toml: unknown key 'topic'"),
        ("topic = " + "[" * 100_000, r"t\.toml: not "),
    ],
)
def test_what_is_not_whole_is_refused_with_its_place(text: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        parse(text, "t.toml")


def test_texts_are_joined_and_faults_name_their_text() -> None:
    assert ids(joined([("a", topic("x", "y")), ("b", topic("y"))]).below("y")) == ["x"]
    with pytest.raises(TaxonomyError, match="at a:1 and at b:1"):
        joined([("a", topic("x")), ("b", topic("x"))])


def test_a_header_inside_a_text_costs_only_the_line_number() -> None:
    text = topic("a", rest='label = "L"\nexamples = ["""\n[[topic]]\n"""]')
    assert parse(text).nodes[0].texts == ("[[topic]]",)
    with pytest.raises(TaxonomyError, match="at t and at t"):
        parse(text + topic("a"), "t")


def test_an_edit_returns_another_taxonomy_and_leaves_the_first(tree: Taxonomy) -> None:
    before = tree.nodes
    assert ids(tree.with_node(Node("bees", "Bees", "life", "Buzz.")).children("life")) == ["birds", "bees"]
    assert ids(tree.without("birds").nodes) == ["life", "music", "night-music"]
    assert tree.renamed("birds", " Feathered \n friends ").path("owls") == (
        "Life sciences and nature.Feathered friends.Owls"
    )
    assert ids(tree.moved("birds", "music").below("music")) == ["birds", "owls", "night-music"]
    assert tree.moved("birds").top("owls").id == "birds"
    assert tree.with_text("birds", " Songs. ")["birds"].texts[-1] == "Songs."
    assert tree.with_text("birds", "Nests.") == tree
    assert tree.with_page("owls", "https://o.example/")["owls"].pages == ("https://o.example/",)
    assert tree.nodes == before


def test_an_edit_that_breaks_the_tree_is_refused(tree: Taxonomy) -> None:
    with pytest.raises(TaxonomyError, match="life -> owls -> birds -> life"):
        tree.moved("life", "owls")
    with pytest.raises(TaxonomyError, match="unknown parent"):
        tree.moved("life", "nowhere")
    with pytest.raises(TaxonomyError, match="no label"):
        tree.renamed("life", "  ")
    with pytest.raises(TaxonomyError, match="no topic has the id"):
        tree.without("nothing")


def test_ids_made_of_labels_are_free_and_possible(tree: Taxonomy) -> None:
    assert tree.free_id("Birds") == "birds-2"
    assert tree.free_id("Ökologie & Klima") == "okologie-klima"
    assert tree.free_id("???") == "topic"


@given(st.text())
def test_every_label_makes_a_possible_id(label: str) -> None:
    tree = Taxonomy([])
    assert len(tree.with_node(Node(tree.free_id(label), "L", description="D"))) == 1


PHRASE = st.text(st.characters(exclude_categories=["Cs"])).map(lambda text: " ".join(text.split()))
PROSE = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('"\\\n\r\t\0')).map(str.strip)


@st.composite
def trees(draw: st.DrawFn) -> Taxonomy:
    nodes: list[Node] = []
    for number in range(draw(st.integers(0, 6))):
        parent = draw(st.sampled_from(["", *(node.id for node in nodes)]))
        lists = [tuple(draw(st.lists(kind.filter(bool), max_size=3))) for kind in (PHRASE, PHRASE, PROSE)]
        label, description = draw(PHRASE.filter(bool)), draw(PHRASE.filter(bool))
        nodes.append(Node(f"n{number}", label, parent, description, *lists))
    return Taxonomy(nodes)


@given(trees())
def test_what_is_written_reads_back_as_the_same_taxonomy(tree: Taxonomy) -> None:
    assert parse(written(tree)) == tree


@given(trees())
def test_every_topic_is_below_its_ancestors_and_found_by_its_id(tree: Taxonomy) -> None:
    for node in tree:
        assert tree.find(node.id) == node
        assert all(node in tree.below(above.id) for above in tree.ancestors(node.id))
        assert tree.path(node.id).endswith(node.label)


def test_the_shipped_taxonomy_is_whole_and_can_be_written() -> None:
    tree = shipped()
    assert parse(written(tree)) == tree
    assert shipped() is tree
