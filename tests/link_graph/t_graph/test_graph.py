from random import Random

import plain_treasure
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.link_graph.t_graph.builder import (
    TreasureBuilder,
    distances_to,
    distances_within,
    node_distance,
    passages_of,
)
from lycosa.link_graph.t_graph.graph import Node, TreasureGraph
from lycosa.link_graph.t_graph.passages import Passage, Terms, passage_of
from lycosa.records import Headings, Link, Page

WORDS = ("owl", "hawk", "nest", "river", "engine", "rail", "train", "song", "chord", "planet", "moon", "wheat", "salt")


def some_text(random: Random, most: int) -> str:
    return " ".join(random.choices(WORDS, k=random.randrange(most)))


def some_passage(random: Random) -> Passage:
    return Passage(some_text(random, 4), some_text(random, 6), some_text(random, 4), some_text(random, 30))


def some_nodes(random: Random, number: int) -> list[Node]:
    weights = (1.0, 1.0, 0.5, 0.25)
    found = (
        Node(f"http://a.test/{at}", some_passage(random), (), random.randrange(5), random.choice(weights))
        for at in range(number)
    )
    return list({node.key: node for node in found}.values())


def linked(url: str, *places: tuple[str, str, tuple[str, ...]]) -> Page:
    """A page of paragraphs, each with a heading, a text and links."""
    links = [
        Link(to, url, boundary=text, headings=Headings("Main", (heading,), heading))
        for heading, text, urls in places
        for to in urls
    ]
    return Page(url, "Main", text="words of a page", links=tuple(links))


def test_a_thousand_links_are_judged_as_by_brute_force() -> None:
    random = Random(4)
    nodes = some_nodes(random, 60)
    graph = TreasureGraph(nodes)
    passages = [some_passage(random) for _ in range(1000)]
    verdicts = graph.judge(passages)
    for passage, verdict in zip(passages, verdicts, strict=True):
        priority, similar = plain_treasure.priority(passage, nodes, graph.levels)
        assert (1 / verdict.level if verdict.level else graph.least) == priority
        assert verdict.osm == pytest.approx(similar, abs=1e-9)
        if verdict.node:
            node = graph.nodes[verdict.node]
            assert plain_treasure.osm(passage, node.passage) * node.weight == pytest.approx(similar, abs=1e-9)


def test_the_strongest_say_is_that_of_brute_force() -> None:
    random = Random(5)
    nodes = some_nodes(random, 50)
    passages = [some_passage(random) for _ in range(300)]
    for passage, verdict in zip(passages, TreasureGraph(nodes).strongest(passages), strict=True):
        assert verdict.say == pytest.approx(plain_treasure.strongest(passage, nodes), abs=1e-9)


def test_words_that_few_or_nearly_all_nodes_have_are_judged_as_by_brute_force() -> None:
    random = Random(7)
    rare = [f"{first}{second}o" for first in "bdfgklmnprst" for second in ("ab", "ek", "il", "om", "ur", "az", "ev")]

    def text(most: int) -> str:
        return " ".join([*random.choices(rare, k=random.randrange(most)), *random.choices(("owl", "nest"), k=1)])

    def passage() -> Passage:
        return Passage(text(3), text(3), text(2), text(8))

    nodes = [Node(f"http://a.test/{at}", passage(), (), random.randrange(4)) for at in range(150)]
    nodes = list({node.key: node for node in nodes}.values())
    graph, passages = TreasureGraph(nodes[:120]), [passage() for _ in range(60)]
    graph.judge(passages)
    graph.put(nodes[120:])
    for asked, first, strong in zip(passages, graph.judge(passages), graph.strongest(passages), strict=True):
        priority, similar = plain_treasure.priority(asked, nodes, graph.levels)
        assert (1 / first.level if first.level else graph.least) == priority
        assert first.osm == pytest.approx(similar, abs=1e-9)
        assert strong.say == pytest.approx(plain_treasure.strongest(asked, nodes), abs=1e-9)


def test_a_part_that_is_absent_on_either_side_says_nothing() -> None:
    graph = TreasureGraph([Node("http://a.test/", Passage("owl", "", "owl", ""), (), 1)])
    same, other = graph.judge([Passage("owl", "owl", "", ""), Passage("", "owl", "", "owl")])
    assert same.osm == pytest.approx(0.25)
    assert other.level == 0


def test_the_levels_and_the_least_priority() -> None:
    empty = TreasureGraph()
    assert (empty.levels, empty.least) == (1, 0.5)
    assert empty.judge([Passage("owl")])[0].level == 0
    graph = TreasureGraph(
        [Node("http://a.test/", Passage("owl"), (), 3), Node("http://b.test/", Passage("nest"), (), 0)]
    )
    assert (graph.levels, graph.least) == (4, 0.2)
    near, far = graph.judge([Passage("nest"), Passage("owl")])
    assert (near.level, far.level) == (1, 3), "a target's own distance counts as 1"


def test_nodes_that_changed_are_asked_as_they_are_now() -> None:
    node = Node("http://a.test/", Passage("owl"), (), 2)
    graph = TreasureGraph([node])
    assert graph.judge([Passage("owl")])[0].level == 2
    graph.put([Node("http://a.test/", Passage("owl"), (), 1)])
    assert graph.judge([Passage("owl")])[0].level == 1
    graph.remove([node.key])
    assert graph.judge([Passage("owl")])[0].level == 0
    assert len(graph) == 0


def test_however_nodes_came_and_went_the_answer_is_that_of_brute_force() -> None:
    random = Random(8)
    nodes = some_nodes(random, 400)
    graph = TreasureGraph(nodes[:250])
    passages = [some_passage(random) for _ in range(40)]
    held = {node.key: node for node in nodes[:250]}
    for turn in range(30):
        for node in random.sample(nodes, 12):
            if random.random() < 0.3:
                held.pop(node.key, None)
                graph.remove([node.key])
            else:
                level, weight = random.choice((node.distance, random.randrange(5))), random.choice((1.0, 0.5, 0.1))
                held[node.key] = Node(node.page, node.passage, (), level, weight, tried=float(turn))
                graph.put([held[node.key]])
        assert graph.nodes == held
        for passage, verdict in zip(passages, graph.judge(passages), strict=True):
            priority, similar = plain_treasure.priority(passage, held.values(), graph.levels)
            assert (1 / verdict.level if verdict.level else graph.least) == priority
            assert verdict.osm == pytest.approx(similar, abs=1e-9)
            assert not verdict.node or verdict.node in held


def test_a_graph_that_was_saved_judges_alike() -> None:
    random = Random(6)
    graph = TreasureGraph(some_nodes(random, 20))
    again = TreasureGraph.decoded(graph.encoded())
    passages = [some_passage(random) for _ in range(50)]
    assert again.judge(passages) == graph.judge(passages)


def test_likeness_says_which_part_decided() -> None:
    node = Node("http://a.test/", Passage("owl nest", "", "Birds", "hawk and owl"), (), 2)
    score = TreasureGraph([node]).likeness(Passage("owl nest", "rail", "Trains", "owl"), node.key)
    parts = [part.value for part in score.parts]
    assert parts == pytest.approx([1.0, 0.0, 0.0, 1 / 2**0.5])
    assert score.value == pytest.approx(sum(parts) / 4)
    assert "2 downloads" in score.why


def test_terms_begin_anew_when_memory_is_full() -> None:
    terms = Terms()
    first = terms.bags([Passage("owl owl nest"), Passage(), Passage("the")])
    assert first.passages.tolist() == [0, 0]
    assert sorted(first.weights.tolist()) == pytest.approx([0.5 / 5**0.5, 1 / 5**0.5])


def test_every_paragraph_with_links_is_a_node_with_its_headings() -> None:
    page = linked("http://a.test/", ("Food", "bread and salt", ("http://b.test/", "http://c.test/")), ("Rail", "", ()))
    assert passages_of(page) == {
        Passage("Food", "Food", "Main", "bread and salt"): ("http://b.test/", "http://c.test/")
    }
    assert passage_of(page.links[0]).main == "Main"


def test_a_link_without_headings_or_text_makes_no_node() -> None:
    assert passages_of(Page("http://a.test/", links=(Link("http://b.test/"),))) == {}


def test_top_down_nodes_know_their_distance_and_may_skip_levels() -> None:
    builder = TreasureBuilder(levels=3)
    builder.add(linked("http://t.test/", ("Target", "treasure", ("http://x.test/",))), target=True)
    builder.add(linked("http://1.test/", ("One", "near", ("http://t.test/",)), ("Far", "way", ("http://2.test/",))))
    builder.add(linked("http://2.test/", ("Two", "farther", ("http://1.test/",))))
    builder.add(linked("http://3.test/", ("Three", "skips", ("http://t.test/", "http://2.test/"))))
    builder.add(linked("http://9.test/", ("Lost", "nowhere", ("http://8.test/",))))
    distances = {node.passage.nearest: node.distance for node in builder.nodes()}
    assert distances == {"Target": 0, "One": 1, "Far": 3, "Two": 2, "Three": 1}


def test_bottom_up_asks_level_by_level_for_parents() -> None:
    builder = TreasureBuilder(levels=2)
    builder.aim_at("http://t.test/")
    assert builder.frontier(0) == ["http://t.test/"]
    builder.add(linked("http://1.test/", ("One", "near", ("http://t.test/",))))
    assert builder.frontier(1) == ["http://1.test/"]
    builder.add(linked("http://2.test/", ("Two", "farther", ("http://1.test/",))))
    assert {node.page: node.distance for node in builder.nodes()} == {"http://1.test/": 1, "http://2.test/": 2}


def test_a_node_on_a_target_is_there_already() -> None:
    assert node_distance("t", ("x",), {"t": 0, "x": 4}) == 0
    assert node_distance("a", ("x", "y"), {"x": 4, "y": 1}) == 2
    assert node_distance("a", (), {"x": 4}) is None


@given(st.dictionaries(st.integers(0, 12), st.lists(st.integers(0, 12), max_size=4), max_size=12), st.data())
def test_distances_are_those_of_going_round(links: dict[int, list[int]], data: st.DataObject) -> None:
    named = {f"p{page}": [f"p{to}" for to in urls] for page, urls in links.items()}
    targets = data.draw(st.lists(st.sampled_from([f"p{number}" for number in range(13)]), max_size=3))
    assert distances_to(targets, named) == plain_treasure.distances(targets, named)
    near = {page: distance for page, distance in distances_to(targets, named).items() if distance <= 2}
    assert distances_within(2, targets, named) == near
