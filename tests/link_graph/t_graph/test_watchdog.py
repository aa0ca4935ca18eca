import pytest

from lycosa.link_graph.t_graph import watchdog
from lycosa.link_graph.t_graph.graph import Node, TreasureGraph
from lycosa.link_graph.t_graph.passages import Passage
from lycosa.link_graph.t_graph.watchdog import Change, Seen, Watchdog
from lycosa.records import Headings, Link

HUB, WAY, END = Passage("Hub", boundary="all kinds"), Passage("Way", boundary="owls"), Passage("End", boundary="nest")


def kinds(changes: list[Change]) -> list[tuple[str, str]]:
    return sorted((change.kind, change.node.passage.nearest) for change in changes)


def walked(dog: Watchdog) -> None:
    """Hub, way, target: a path of two links to a relevant page."""
    dog.saw("hub", Seen("", 0.0, {HUB: ("way", "elsewhere")}))
    dog.saw("way", Seen("hub", 0.0, {WAY: ("target",), Passage("Other"): ("nothing",)}))
    dog.saw("target", Seen("way", 0.9, {END: ("beyond",)}))


def test_the_path_to_a_relevant_page_becomes_nodes() -> None:
    dog = Watchdog(TreasureGraph())
    walked(dog)
    changes = dog.look()
    assert kinds(changes) == [("new", "Hub"), ("new", "Way")]
    assert {node.passage.nearest: node.distance for node in dog.graph.nodes.values()} == {"Hub": 2, "Way": 1}
    assert dog.look() == [], "what was folded in is not folded in again"


def test_a_page_seen_by_its_links_says_the_same_as_one_seen_by_its_passages() -> None:
    dog, other = Watchdog(TreasureGraph()), Watchdog(TreasureGraph())
    walked(other)
    for page, parent, relevance, around in (
        ("hub", "", 0.0, HUB),
        ("way", "hub", 0.0, WAY),
        ("target", "way", 0.9, END),
    ):
        to = {"hub": ("way", "elsewhere"), "way": ("target",), "target": ("beyond",)}[page]
        links = [Link(url, page, boundary=around.boundary, headings=Headings(nearest=around.nearest)) for url in to]
        dog.saw(page, Seen(parent, relevance, links=tuple(links)))
    assert dog.look() == other.look() != []


def test_pages_with_very_many_links_are_forgotten_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "LINKS_REMEMBERED", 10)
    dog = Watchdog(TreasureGraph())
    way = Link("target", "way", boundary="owls", headings=Headings(nearest="Way"))
    dog.saw("way", Seen("", 0.0, links=(way,)))
    dog.saw("large", Seen("", 0.0, links=(way,) * 10))
    dog.saw("target", Seen("way", 0.9))
    assert dog.look() == [], "the page on the way is no longer known"


def test_a_path_ends_where_it_comes_from_another_target() -> None:
    dog = Watchdog(TreasureGraph())
    dog.saw("hub", Seen("", 0.0, {HUB: ("first",)}))
    dog.saw("first", Seen("hub", 0.9, {WAY: ("second",)}))
    dog.saw("second", Seen("first", 0.9, {}))
    dog.look()
    assert {node.passage.nearest: node.distance for node in dog.graph.nodes.values()} == {"Hub": 1, "Way": 0}


def test_a_node_that_turns_out_nearer_moves_up() -> None:
    dog = Watchdog(TreasureGraph([Node("way", WAY, (), 3)]))
    walked(dog)
    assert ("nearer", "Way") in kinds(dog.look())
    assert dog.graph.nodes[WAY.key].distance == 1


def test_a_node_that_leads_nowhere_loses_weight_and_dies() -> None:
    good, bad = Node("x", WAY, (), 1), Node("y", HUB, (), 1)
    dog = Watchdog(TreasureGraph([good, bad]))
    made: list[Change] = []
    for at in range(12):
        dog.saw(f"good{at}", Seen("", 0.9, {}), good.key)
        dog.saw(f"bad{at}", Seen("", 0.9 * (at == 0), {}), bad.key)
        if at % 3 == 2:
            made += dog.look()
    assert [change.kind for change in made if change.node.key == bad.key][-1] == "dead" or (
        dog.graph.nodes[bad.key].weight < 0.5
    )
    assert dog.graph.nodes[good.key].weight == 1.0
    for at in range(20):
        dog.saw(f"more{at}", Seen("", 0.0, {}), bad.key)
        dog.saw(f"fine{at}", Seen("", 0.9, {}), good.key)
    dog.look()
    assert bad.key not in dog.graph
    assert "links it decided led on as promised" in dog.changes[-1].why


def test_a_node_two_links_away_keeps_its_promise_by_leading_nearer() -> None:
    node = Node("x", HUB, (), 2)
    dog = Watchdog(TreasureGraph([node]))
    for at in range(8):
        dog.saw(f"target{at}", Seen("", 0.9, {}))
        dog.saw(f"way{at}", Seen("", 0.0, {WAY: (f"target{at}",)}), node.key)
    dog.look()
    assert dog.graph.nodes[node.key].led == 8
    assert dog.graph.nodes[node.key].weight == 1.0


def test_a_node_two_links_away_breaks_its_promise_by_leading_no_nearer() -> None:
    node = Node("x", HUB, (), 2)
    dog = Watchdog(TreasureGraph([node]))
    for at in range(8):
        dog.saw(f"target{at}", Seen("", 0.9, {}))
        dog.saw(f"way{at}", Seen("", 0.0, {WAY: (f"target{at}",)}))
        dog.saw(f"hub{at}", Seen("", 0.0, {HUB: (f"way{at}",)}), node.key)
    dog.look()
    assert (dog.graph.nodes[node.key].tried, dog.graph.nodes[node.key].led) == (8, 0)
    assert dog.graph.nodes[node.key].weight < 0.5


def test_the_reason_of_a_node_says_how_far_its_link_was_from_a_target() -> None:
    dog = Watchdog(TreasureGraph())
    walked(dog)
    assert {change.node.passage.nearest: change.why for change in dog.look()} == {
        "Hub": "a link in it led to way, 1 links from a target",
        "Way": "a link in it led to target, 0 links from a target",
    }


def test_old_experience_fades() -> None:
    node, other = Node("x", WAY, (), 1), Node("y", HUB, (), 1)
    dog = Watchdog(TreasureGraph([node, other]))
    for at in range(20):
        dog.saw(f"before{at}", Seen("", 0.9, {}), node.key)
    dog.look()
    for turn in range(30):
        for at in range(4):
            dog.saw(f"after{turn}-{at}", Seen("", 0.0, {}), node.key)
            dog.saw(f"fine{turn}-{at}", Seen("", 0.9, {}), other.key)
        dog.look()
    assert node.key not in dog.graph, "a web that changed is learnt anew"


def test_every_change_can_be_undone_and_stays_undone() -> None:
    dog = Watchdog(TreasureGraph())
    walked(dog)
    new = next(change for change in dog.look() if change.node.passage == HUB)
    assert [change.name for change in dog.undo([new.name])] == [new.name]
    assert HUB.key not in dog.graph
    assert new not in dog.changes
    walked(dog)
    dog.look()
    assert HUB.key not in dog.graph


def test_undoing_a_death_brings_the_node_back_for_good() -> None:
    node, other = Node("x", WAY, (), 1), Node("y", HUB, (), 1)
    dog = Watchdog(TreasureGraph([node, other]))

    def fail(turn: int) -> None:
        for at in range(30):
            dog.saw(f"bad{turn}-{at}", Seen("", 0.0, {}), node.key)
            dog.saw(f"fine{turn}-{at}", Seen("", 0.9, {}), other.key)
        dog.look()

    fail(0)
    assert node.key not in dog.graph
    dead = next(change for change in dog.changes if change.kind == "dead")
    dog.undo([dead.name])
    assert dog.graph.nodes[node.key].weight == 1.0
    fail(1)
    assert node.key in dog.graph


def test_an_unknown_name_is_kept_in_mind() -> None:
    dog = Watchdog(TreasureGraph(), undone=("abc",))
    assert dog.undo(["nothing"]) == []
    assert dog.undone == {"abc", "nothing"}
