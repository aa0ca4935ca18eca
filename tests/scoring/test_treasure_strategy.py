from collections.abc import Sequence

import msgspec
import pytest

from lycosa.configuration import settings
from lycosa.link_graph.t_graph.graph import Node, TreasureGraph
from lycosa.link_graph.t_graph.passages import Passage
from lycosa.plugins.plug_points import OFF_TOPIC, Listener, Reviser, Sharer, Topic
from lycosa.records import Fetched, Headings, Link, Page, Response, Score, Visit
from lycosa.scoring.links.treasure import TreasureLinkScorer, treasure_link_scorer
from lycosa.scoring.links.treasure_exact import ExactTreasureLinkScorer

BIRDS = Topic("owls, eagles and hawks: birds of prey and their nests")
OWLS = "The owl and the eagle are birds of prey; their nest holds the eggs of the hawk."
SOUP = "Boil the soup, add salt and pepper, and serve it with bread, butter and cheese."
BARE = Link("http://b.test/bare")
RAILS = "A steam locomotive pulls the wagons of a train along the railway to the station."


def link(url: str, boundary: str, heading: str = "", anchor: str = "") -> Link:
    return Link(url, "http://a.test/", anchor, boundary, Headings("Main", (heading,) if heading else (), heading))


def page(*links: Link, url: str = "http://a.test/", text: str = OWLS) -> Page:
    return Page(url, "A page", text=text, digest=text.encode()[:16], links=links)


def scorer(topic: Topic = BIRDS, **treasure: object) -> TreasureLinkScorer:
    made = treasure_link_scorer(settings.build({"strategy": "treasure", "treasure": treasure}), topic)
    assert isinstance(made, TreasureLinkScorer)
    return made


def exact(topic: Topic = BIRDS, **treasure: object) -> ExactTreasureLinkScorer:
    configuration = settings.build({"strategy": "treasure", "treasure": {"exact": True, **treasure}})
    made = treasure_link_scorer(configuration, topic)
    assert isinstance(made, ExactTreasureLinkScorer)
    return made


def visited(read: Page, relevance: float, scores: Sequence[Score], parent: str = "") -> Visit:
    found = Link(read.url, parent)
    return Visit(found, Fetched(found, Response(read.url, 200)), read, Score(relevance), tuple(scores))


def test_a_link_among_words_of_the_topics_classes_goes_first() -> None:
    near, far = link("http://b.test/1", "kestrels and falcons"), link("http://b.test/2", RAILS)
    first, second = scorer().priorities(page(near, far), Score(0.3, ""), (near, far))
    assert first.value > second.value >= OFF_TOPIC
    assert "its parent's page says" in first.why


def test_what_the_t_graph_knows_lifts_a_link_and_is_named() -> None:
    signpost = link("http://b.test/1", "No. 12", "Harbour desk")
    other = link("http://b.test/2", "No. 13", "Garden office")
    node = Node("http://x.test/", Passage("Harbour desk", "Harbour desk", "Start", "No. 7"), (), 1)
    graph = msgspec.structs.replace(BIRDS, treasure=TreasureGraph([node]).encoded())
    with_graph = scorer(graph).priorities(page(signpost, other), Score(0.1, ""), (signpost, other))
    without = scorer().priorities(page(signpost, other), Score(0.1, ""), (signpost, other))
    assert with_graph[0].value > with_graph[1].value
    assert without[0].value == without[1].value
    assert f"T-Graph node {node.key}" in with_graph[0].why


def test_a_link_is_the_mean_over_its_parents() -> None:
    judge = scorer(
        by_words=0.0, by_boundary_class=0.0, by_anchor_class=0.0, by_graph=0.0, by_page_class=0.0, by_experience=0.0
    )
    target = link("http://b.test/", "words")
    one, two = page(target, url="http://a.test/1"), page(target, url="http://a.test/2")
    judge.learn([visited(one, 0.8, judge.priorities(one, Score(0.8), one.links))])
    later = judge.priorities(two, Score(0.2), two.links)
    assert later[0].value == pytest.approx(0.5)
    judge.learn([visited(two, 0.2, later)])
    assert [(url, score.value) for url, score in judge.revised()] == [("http://b.test/", pytest.approx(0.5))]
    assert list(judge.revised()) == []


def test_a_link_is_looked_at_closely_only_a_few_times() -> None:
    judge = scorer(mentions=1, by_relevance=0.0, by_page_class=0.0, by_experience=0.0)
    target = link("http://b.test/", "an owl in its nest")
    first = page(target, url="http://a.test/1")
    scores = judge.priorities(first, Score(0.5), first.links)
    judge.learn([visited(first, 0.5, scores)])
    again = page(link("http://b.test/", RAILS), url="http://a.test/2")
    assert judge.priorities(again, Score(0.5), again.links)[0].value == pytest.approx(scores[0].value)


def test_the_passages_of_pages_under_way_count_as_if_each_had_been_learnt_from_at_once() -> None:
    texts = ("an owl in its nest", RAILS, SOUP, OWLS, "kestrels and falcons", "salt")
    pages = [page(link("http://b.test/", text), url=f"http://a.test/{at}") for at, text in enumerate(texts)]
    only = {"by_relevance": 0.0, "by_page_class": 0.0, "by_experience": 0.0}
    at_once, together = scorer(**only), scorer(**only)
    expected = []
    for each in pages:
        expected.append(at_once.priorities(each, Score(0.5), each.links))
        at_once.learn([visited(each, 0.5, expected[-1])])
    found = [together.priorities(each, Score(0.5), each.links) for each in pages]
    assert [scores[0].value for scores in found] == [scores[0].value for scores in expected]
    assert "4 passages" in found[-1][0].why, "no more than the first few are looked at"
    together.learn([visited(each, 0.5, scores) for each, scores in zip(pages, found, strict=True)])
    assert together.keeper.judged.total() == 1, "the T-Graph was asked at the first mention only"


def test_pages_that_were_prepared_for_together_are_judged_as_one_by_one() -> None:
    texts = ("an owl in its nest", RAILS, SOUP, OWLS)
    shared = link("http://b.test/", "kestrels and falcons")
    pages = [
        page(link(f"http://c.test/{at}", text), *([shared] if at < 2 else ()), url=f"http://a.test/{at}")
        for at, text in enumerate(texts)
    ]
    singly, together = scorer(), scorer()
    together.prepare(pages)
    for judge in (singly, together):
        scores = [judge.priorities(each, Score(0.5), each.links) for each in pages]
        judge.learn([visited(each, 0.5, given) for each, given in zip(pages, scores, strict=True)])
    later = page(shared, *(link(f"http://c.test/{at}", SOUP) for at in range(4)), url="http://a.test/later")
    expected = singly.priorities(later, Score(0.5), later.links)
    assert together.priorities(later, Score(0.5), later.links) == expected
    assert "3 passages" in expected[0].why
    assert together.keeper.judged == singly.keeper.judged


def test_preparing_that_breaks_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    judge, hub = scorer(), page(link("http://b.test/1", OWLS), link("http://b.test/2", RAILS))
    expected = scorer().priorities(hub, Score(0.5), hub.links)
    with monkeypatch.context() as broken:
        broken.setattr(judge, "_of_passages", lambda links: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            judge.prepare([hub, page(link("http://b.test/1", SOUP), url="http://a.test/other")])
    assert judge.priorities(hub, Score(0.5), hub.links) == expected


def test_a_page_that_is_judged_again_before_it_is_learnt_from_counts_once() -> None:
    judge = scorer()
    hub = page(link("http://b.test/1", OWLS), link("http://b.test/2", RAILS))
    assert judge.priorities(hub, Score(0.5), hub.links) == judge.priorities(hub, Score(0.5), hub.links)


def test_pages_without_text_headings_or_links_are_judged_too() -> None:
    judge = scorer()
    assert judge.priorities(Page("http://a.test/"), Score(0.0), ()) == []
    bare = Link("http://b.test/")
    assert judge.priorities(Page("http://a.test/", links=(bare,)), Score(0.0), (bare,))[0].value == OFF_TOPIC


def test_the_watchdog_learns_from_a_crawl_and_the_graph_outlives_a_restart() -> None:
    judge = scorer(look_every=2)
    way = link("http://t.test/", "No. 12", "Harbour desk")
    hub, target = page(way, url="http://hub.test/"), page(url="http://t.test/")
    judge.learn([visited(hub, 0.1, judge.priorities(hub, Score(0.1), hub.links))])
    judge.learn([visited(target, 0.9, (), parent="http://hub.test/")])
    assert [node.passage.nearest for node in judge.keeper.graph.nodes.values()] == ["Harbour desk"]
    again = scorer()
    again.recall(judge.statistics(), [])
    assert again.keeper.graph.nodes.keys() == judge.keeper.graph.nodes.keys()
    assert [change.kind for change in again.keeper.watchdog.changes] == ["new"]
    other = scorer()
    other.recall(None, [judge.statistics()])
    assert other.keeper.graph.nodes.keys() == judge.keeper.graph.nodes.keys(), "agents learn from each other"


def test_only_what_became_of_a_given_graph_is_kept_and_it_is_the_same_after_a_restart() -> None:
    given = [Node(f"http://x.test/{at}", Passage(f"Desk {at}", boundary=f"No. {at}"), (), 1) for at in range(200)]
    topic = msgspec.structs.replace(BIRDS, treasure=TreasureGraph(given).encoded())
    keeper = scorer(topic).keeper
    whole = len(topic.treasure)
    keeper.graph.remove([given[3].key])
    keeper.graph.put(
        [msgspec.structs.replace(given[4], weight=0.5), Node("http://y.test/", Passage("New desk"), (), 2)]
    )
    told = keeper.statistics()
    assert len(told) < whole / 10
    again = scorer(topic).keeper
    again.recall(told, [])
    assert again.graph.nodes == keeper.graph.nodes


def test_a_restart_without_texts_goes_by_what_was_said_then() -> None:
    judge = scorer()
    target = Link("http://b.test/", "http://a.test/1")
    judge.learn([visited(Page("http://a.test/1", links=(target,)), 0.6, (Score(0.4),))])
    judge.learn([visited(Page("http://a.test/2", links=(target,)), 0.6, (Score(0.2),))])
    assert dict(judge.revised())["http://b.test/"].value == pytest.approx(0.3)


def test_it_shares_listens_and_revises() -> None:
    judge = scorer()
    assert isinstance(judge, Sharer)
    assert isinstance(judge, Listener)
    assert isinstance(judge, Reviser)
    judge.hear([(Link("http://b.test/"), Score(0.4)), (Link("http://b.test/"), Score(0.6))])
    assert dict(judge.revised())["http://b.test/"].value == pytest.approx(0.5)


def test_it_learns_from_which_classes_one_gets_to_the_topic() -> None:
    judge = scorer(look_every=1)
    railways, cooking = page(url="http://a.test/r", text=RAILS), page(url="http://a.test/c", text=SOUP)
    before = judge.priorities(page(BARE, text=RAILS), Score(0.1), (BARE,))[0].value
    for at in range(20):
        for parent, found in ((railways, 0.9), (cooking, 0.0)):
            judge.learn([visited(parent, 0.1, ())])
            judge.learn([visited(page(url=f"http://t.test/{at}"), found, (), parent.url)])
    good, bad = (judge.priorities(page(BARE, text=text), Score(0.1), (BARE,))[0].value for text in (RAILS, SOUP))
    assert good > before > bad
    again = scorer()
    again.recall(judge.statistics(), [])
    assert again.priorities(page(BARE, text=RAILS), Score(0.1), (BARE,))[0].value == pytest.approx(good, abs=1e-5)


# -- the paper's formula ----------------------------------------------------------------------------


def test_exact_links_of_a_page_of_another_class_wait_behind_all() -> None:
    near = link("http://b.test/", OWLS)
    found = exact().priorities(page(near, text=RAILS), Score(0.9), (near,))
    assert [score.value for score in found] == [OFF_TOPIC]
    assert "another class" in found[0].why


def test_exact_priority_is_one_by_the_least_distance_and_ties_go_by_similarity() -> None:
    nodes = [
        Node("http://x.test/", Passage(boundary="owl eagle nest"), (), 2),
        Node("http://y.test/", Passage(boundary="hawk"), (), 3),
        Node("http://z.test/", Passage(boundary="falcon"), (), 0),
    ]
    judge = exact(msgspec.structs.replace(BIRDS, treasure=TreasureGraph(nodes).encoded()))
    links = (
        link("http://b.test/1", "owl eagle nest"),
        link("http://b.test/2", "hawk hawk owl"),
        link("http://b.test/3", "falcon"),
        link("http://b.test/4", "penguin"),
        link("http://b.test/5", RAILS),
    )
    one, two, three, four, five = judge.priorities(page(*links), Score(0.1), links)
    assert one.value == pytest.approx(0.5 + 0.002 * 0.25)
    assert one.value > two.value > 0.5
    assert three.value == pytest.approx(1.0 + 0.002 * 0.25)
    assert four.value == pytest.approx(1 / 5), "four levels: targets and three more"
    assert five.value == OFF_TOPIC
    assert "T-Graph node" in one.why
    assert "like no node" in four.why


def test_exact_links_are_judged_once() -> None:
    judge = exact()
    near = link("http://b.test/", OWLS)
    first = judge.priorities(page(near), Score(0.5), (near,))
    judge.learn([visited(page(near), 0.5, first)])
    again = link("http://b.test/", RAILS)
    assert judge.priorities(page(again, url="http://a.test/2"), Score(0.5), (again,)) == list(first)


def test_an_exact_link_first_seen_on_a_page_of_another_class_is_judged_on_one_of_the_topics() -> None:
    judge = exact()
    near = link("http://b.test/", OWLS)
    elsewhere = page(near, url="http://a.test/1", text=RAILS)
    behind = judge.priorities(elsewhere, Score(0.1), (near,))
    judge.learn([visited(elsewhere, 0.1, behind)])
    later = judge.priorities(page(near, url="http://a.test/2"), Score(0.5), (near,))
    assert [score.value for score in (*behind, *later)] == [OFF_TOPIC, pytest.approx(0.5)]


def test_an_exact_judgement_stands_on_a_page_of_another_class_too() -> None:
    judge = exact()
    near, far = link("http://b.test/", OWLS), link("http://c.test/", RAILS)
    first = judge.priorities(page(near, far), Score(0.5), (near, far))
    judge.learn([visited(page(near, far), 0.5, first)])
    links = (near, link("http://c.test/", OWLS))
    assert judge.priorities(page(*links, url="http://a.test/2", text=RAILS), Score(0.1), links) == list(first)
    assert judge.priorities(page(*links, url="http://a.test/3"), Score(0.1), links) == list(first)


def test_exact_judgements_outlive_a_restart() -> None:
    judge = exact()
    near, other = Link("http://b.test/"), Link("http://c.test/")
    judge.learn([visited(Page("http://a.test/", links=(near, other)), 0.5, (Score(0.7), Score(OFF_TOPIC)))])
    links = (link(near.url, OWLS), link(other.url, OWLS))
    found = judge.priorities(page(*links), Score(0.5), links)
    assert [score.value for score in found] == [0.7, pytest.approx(0.5)]


def test_exact_classes_may_be_named() -> None:
    railways = msgspec.structs.replace(BIRDS, classes=("385", "625"))
    near = link("http://b.test/", RAILS)
    found = exact(railways).priorities(page(near, text=RAILS), Score(0.5), (near,))
    assert found[0].value == pytest.approx(0.5), "an empty T-Graph has one level"
