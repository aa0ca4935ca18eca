"""The pages and the calls about topics: the tree, a topic, mapping, proposals, classes, T-Graphs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from clicked_home import ATTACK, PROPOSALS, a_treasure_crawl, with_hostile_topic, with_proposals
from hypothesis import given
from hypothesis import strategies as st
from small_crawl import a_crawl, a_full_crawl
from starlette.testclient import TestClient

from lycosa.interface.operations.proposals import _one_look
from lycosa.interface.server.app import web_app
from lycosa.interface.shared.tokens import Role, TokenFile
from lycosa.interface.views.classification import class_above, class_below, class_lines
from lycosa.interface.views.topic_tree import MOST_LEVELS, MOST_SHOWN, Branch, branches, matching, topic_words
from lycosa.preparation.taxonomy_files import OwnTaxonomy
from lycosa.preparation.taxonomy_proposals import OwnVocabulary
from lycosa.topics.classification.scheme_file import shipped_classes
from lycosa.topics.taxonomy import Node, Taxonomy
from lycosa.topics.taxonomy_file import shipped

API = "/api/v1/topics"
OWLS = "Owls hunt at night; soft feathers let their wings beat without a sound. Birds lay eggs in nests."


def client_of(home: Path, role: Role | None = None) -> TestClient:
    client = TestClient(web_app(home), base_url="http://localhost")
    if role is not None:
        client.headers["Authorization"] = f"Bearer {TokenFile(home).add(role.told, role)}"
    return client


@pytest.fixture
def operator(tmp_path: Path) -> TestClient:
    """Somebody who may change things, in a home with proposals."""
    with_proposals(tmp_path)
    return client_of(tmp_path, Role.OPERATE)


# -- the tree ---------------------------------------------------------------------------------------


def test_the_tree_has_every_topic_with_its_number_of_examples(tmp_path: Path) -> None:
    text = client_of(tmp_path).get("/topics").text
    linked = set(re.findall(r'href="/topics/node\?path=([^"]+)"', text))
    assert linked == {node.id for node in shipped()}
    birds = shipped()["birds"]
    assert f'path=birds">Birds</a> <small>{len(birds.pages) + len(birds.texts)} examples</small>' in text
    assert text.count("<details") == sum(1 for node in shipped() if shipped().children(node.id))


def test_words_find_topics_and_what_is_above_them_without_javascript(tmp_path: Path) -> None:
    client = client_of(tmp_path)
    text = client.get("/topics", params={"q": "LIFE bird"}).text
    assert re.findall(r"<mark>([^<]+)</mark>", text) == ["Birds"]
    assert "1 topic fits “LIFE bird”" in text
    assert "<details open>" in text
    assert "0 topics fit “zzz”" in client.get("/topics?q=zzz").text


def chain(length: int) -> Taxonomy:
    return Taxonomy([Node(f"n{n}", f"Topic {n}", f"n{n - 1}" if n else "", "words") for n in range(length)])


def test_a_deep_or_wide_tree_stays_small_and_every_topic_can_be_reached() -> None:
    wide = Taxonomy([Node("top", "Top", "", "words"), *(Node(f"n{n}", f"N {n}", "top", "words") for n in range(5000))])
    for taxonomy in (chain(3000), wide):
        shown = branches(taxonomy)
        ids = set(all_ids(shown))
        assert 0 < len(ids) <= MOST_SHOWN
        assert more_of(shown) > 0
    assert len(set(all_ids(branches(chain(3000))))) == MOST_LEVELS
    deeper = branches(chain(3000), f"n{MOST_LEVELS - 1}")
    assert deeper[0].node.id == f"n{MOST_LEVELS}"


def all_ids(shown: tuple[Branch, ...]) -> list[str]:
    return [id for each in shown for id in (each.node.id, *all_ids(each.below))]


def more_of(shown: tuple[Branch, ...]) -> int:
    return sum(each.more + more_of(each.below) for each in shown)


@given(st.text(max_size=40))
def test_what_is_found_holds_all_words(typed: str) -> None:
    taxonomy = shipped()
    found = matching(taxonomy, typed)
    for node in taxonomy:
        told = f"{taxonomy.path(node.id)} {node.id}".casefold()
        assert (node in found) == all(word in told for word in typed.casefold().split())


def test_a_large_tree_is_a_small_page(tmp_path: Path) -> None:
    own = OwnTaxonomy(tmp_path)
    more = [Node(f"n{n}", f"Number {n}", "birds", "words") for n in range(4000)]
    own.change(lambda taxonomy: Taxonomy([*taxonomy.nodes, *more]), "many")
    client = client_of(tmp_path)
    answer = client.get("/topics")
    assert len(answer.content) < 150_000
    assert "below Birds" in answer.text
    assert "Number 3999" in client.get("/topics?q=number+3999").text
    listed = client.get(f"{API}?under=birds&limit=1000&offset=3500").json()
    assert listed["total"] == 4000
    assert [each["id"] for each in listed["topics"]][-1] == "n3999"


# -- a topic ----------------------------------------------------------------------------------------


def test_a_topic_shows_words_with_weights_examples_and_classes(tmp_path: Path) -> None:
    client = client_of(tmp_path)
    text = client.get("/topics/node?path=Life+sciences+and+nature.Birds").text
    told = client.get(f"{API}/node?path=birds").json()
    weights = [each["weight"] for each in told["words"]]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == 1.0
    assert told["words"][0]["word"] in text
    assert '<a href="/topics/classes?number=598">598</a> Birds' in text
    assert told["above"][0]["label"] == "Life sciences and nature"
    assert "Sign in to change things" in text
    assert "data-examples" not in text


def test_weights_are_those_of_words_that_tell_most() -> None:
    node = Node("x", "Zebra finch", texts=("the the the finch finch finch people people",))
    found = {each.word: each.weight for each in topic_words(node)}
    assert found["finch"] == 1.0
    assert "the" not in found
    assert found["people"] < found["finch"]


def test_an_unknown_topic_is_told_with_a_way_on(tmp_path: Path) -> None:
    client = client_of(tmp_path)
    answer = client.get("/topics/node?path=bird+life")
    assert answer.status_code == 404
    assert "No topic is called" in answer.text
    assert 'href="/topics">The tree of topics' in answer.text
    assert client.get(f"{API}/node?path=zzz").status_code == 404
    assert client.get(f"{API}/node").status_code == 422


def test_topics_that_cannot_be_read_are_told_with_the_place(tmp_path: Path) -> None:
    (tmp_path / "taxonomy").mkdir()
    (tmp_path / "taxonomy" / "topics.toml").write_text("[[topic]\nid=", "utf-8")
    answer = client_of(tmp_path).get("/topics")
    assert answer.status_code == 422
    assert "topics.toml" in answer.text
    assert 'href="/">The crawls' in answer.text


def test_examples_come_go_and_come_back(operator: TestClient, tmp_path: Path) -> None:
    own = OwnTaxonomy(tmp_path)
    own.change(lambda taxonomy: taxonomy.with_page("birds", "https://birds.example/a"), "a page")
    added = operator.post(f"{API}/examples", json={"path": "birds", "texts": ["Swifts sleep on the wing."]})
    assert added.json() == {"edit": "gave 'Birds' 1 more example", "id": "birds"}
    assert "Swifts sleep on the wing." in own.load()["birds"].texts
    removed = operator.post(f"{API}/examples/remove", json={"path": "birds", "url": "https://birds.example/a"})
    assert removed.status_code == 200
    assert own.load()["birds"].pages == ()
    again = operator.post(f"{API}/examples/remove", json={"path": "birds", "url": "https://birds.example/a"})
    assert again.status_code == 404
    assert operator.post(f"{API}/undo").json()["edit"].startswith("took the page")
    assert own.load()["birds"].pages == ("https://birds.example/a",)
    assert operator.get(f"{API}/edits").json()["edits"][0] == "gave 'Birds' 1 more example"
    text = operator.get("/topics/node?path=birds").text
    assert 'data-take="https://birds.example/a"' in text
    assert "Undo the last edit" in text


def test_a_page_of_the_public_web_is_not_fetched_without_a_contact(operator: TestClient) -> None:
    answer = operator.post(f"{API}/examples", json={"path": "birds", "urls": ["https://example.org/"]})
    assert answer.status_code == 409
    assert "contact" in answer.json()["error"]
    assert operator.post(f"{API}/examples", json={"path": "birds"}).status_code == 422
    local = operator.post(f"{API}/examples", json={"path": "birds", "urls": ["/etc/passwd"]})
    assert local.status_code in (409, 422)


# -- mapping and classes ----------------------------------------------------------------------------


def test_a_text_is_mapped_by_a_plain_form(tmp_path: Path) -> None:
    client = client_of(tmp_path)
    text = client.post("/topics/map", data={"text": OWLS}).text
    assert re.search(r'<li class="best">\s*<p><a href="/topics/node\?path=birds">', text)
    assert "Decided by nests" in text
    assert OWLS in text
    none = client.post("/topics/map", data={"text": "qwzx vbnm"}).text
    assert "No topic fits" in none
    empty = client.post("/topics/map", data={"text": "  "})
    assert empty.status_code == 422
    assert "There is no text to go by" in empty.text
    assert client.post("/topics/map", data={"text": "x" * 2_000_000}).status_code == 422


def test_classes_are_browsed_from_ten_to_a_thousand(tmp_path: Path) -> None:
    client = client_of(tmp_path)
    for number, below in (("", "5"), ("5", "59"), ("59", "598")):
        text = client.get("/topics/classes", params={"number": number}).text
        assert f'href="/topics/classes?number={below}"' in text
    assert "598 Birds" in client.get("/topics/classes?number=598").text
    assert len(client.get(f"{API}/classes").json()["below"]) == 10
    assert client.get("/topics/classes?number=abc").status_code == 404
    assert client.get(f"{API}/classes?number=99999").status_code == 404


def test_the_lines_of_classes_are_those_of_the_classification() -> None:
    assert {line.number for line in shipped_classes()} == set(class_lines())
    for number in class_lines():
        assert all(number in (line.number for line in class_below(above.number)) or len(above.number) + 1 < len(number)
                   for above in class_above(number))  # fmt: skip


def test_a_text_is_classified_on_the_page_and_by_the_call(tmp_path: Path) -> None:
    client = client_of(tmp_path)
    told = client.post(f"{API}/classify", json={"text": OWLS}).json()
    assert [each["number"] for each in told["classes"]] == ["598"]
    assert told["steps"][0][0]["number"] == "5"
    text = client.post("/topics/classes", data={"text": OWLS}).text
    assert '<a href="/topics/classes?number=598">598</a> Birds' in text
    assert "No class fits" in client.post("/topics/classes", data={"text": "qwzx"}).text


# -- proposals --------------------------------------------------------------------------------------


def test_proposals_are_listed_with_evidence_and_decided_by_operators_only(tmp_path: Path) -> None:
    with_proposals(tmp_path)
    reader = client_of(tmp_path)
    text = reader.get("/topics/proposals").text
    assert "4 proposals wait for a decision." in text
    assert "waders is another word for birds" in text
    assert "<b>0.800</b>" in text
    assert 'href="https://birds.example/1"' in text
    assert "data-decide" not in text
    assert "Sign in to change things" in text
    refused = reader.post(f"{API}/proposals/1/accept", json={})
    assert refused.status_code == 401
    assert len(OwnVocabulary(tmp_path).open()) == 4


def test_a_proposal_is_accepted_and_undone(operator: TestClient, tmp_path: Path) -> None:
    told = operator.get(f"{API}/proposals").json()["proposals"][2]
    answer = operator.post(f"{API}/proposals/3/accept", json={"told": told["told"], "label": "Wading birds"}).json()
    assert answer["new_topics"] == ["wading-birds"]
    assert OwnTaxonomy(tmp_path).load()["wading-birds"].parent == "birds"
    assert "Wading birds" in operator.get("/topics?q=wading").text
    assert operator.get(f"{API}/proposals").json()["total"] == 3
    operator.post(f"{API}/undo")
    assert "wading-birds" not in OwnTaxonomy(tmp_path).load()
    assert operator.get(f"{API}/proposals").json()["total"] == 4


def test_a_rejection_is_taken_back(operator: TestClient) -> None:
    assert operator.post(f"{API}/proposals/1/reject", json={}).json()["what"] == f"rejected: {PROPOSALS[0].told()}"
    assert "Take the last rejection back" in operator.get("/topics/proposals").text
    operator.post(f"{API}/proposals/undo")
    assert operator.get(f"{API}/proposals").json()["total"] == 4
    assert operator.post(f"{API}/proposals/undo").status_code == 422


def test_another_proposal_under_the_same_number_is_not_decided(operator: TestClient, tmp_path: Path) -> None:
    answer = operator.post(f"{API}/proposals/1/accept", json={"told": "something else"})
    assert answer.status_code == 409
    assert "load the page again" in answer.json()["error"]
    assert len(OwnVocabulary(tmp_path).open()) == 4
    assert operator.post(f"{API}/proposals/77/accept", json={}).status_code == 422


def test_one_crawl_at_a_time_is_looked_through(tmp_path: Path) -> None:
    a_full_crawl(tmp_path)
    client = client_of(tmp_path, Role.OPERATE)
    with _one_look:
        busy = client.post(f"{API}/proposals", json={"crawl": "spiders"})
    assert busy.status_code == 409
    assert "already" in busy.json()["error"]
    done = client.post(f"{API}/proposals", json={"crawl": "spiders"})
    assert done.status_code == 200
    assert client.post(f"{API}/proposals", json={"crawl": "none"}).status_code == 404
    a_crawl(tmp_path, "young")
    assert "fetched nothing yet" in client.post(f"{API}/proposals", json={"crawl": "young"}).json()["error"]


def test_without_proposals_it_says_how_to_get_some(tmp_path: Path) -> None:
    text = client_of(tmp_path).get("/topics/proposals").text
    assert "Nothing waits for a decision" in text
    assert 'href="/crawls/new"' in text


# -- T-Graphs ---------------------------------------------------------------------------------------


def test_a_t_graph_is_drawn_in_the_page_with_its_nodes_as_a_table(tmp_path: Path) -> None:
    a_treasure_crawl(tmp_path)
    client = client_of(tmp_path)
    answer = client.get("/crawl/hunt/treasure")
    assert answer.text.count('<svg class="drawing"') == 1
    assert "<style" not in answer.text
    assert len(answer.content) < 150_000
    assert "Page 1 of 2" in answer.text
    assert "Nests 3" in answer.text
    told = client.get("/api/v1/crawls/hunt/treasure?limit=10&offset=55").json()
    assert told["total"] == 61
    assert len(told["nodes"]) == 6
    assert all('href="/crawl/hunt/treasure"' in client.get(place).text for place in ("/topics", "/crawl/hunt"))


def test_a_crawl_without_a_t_graph_says_so(tmp_path: Path) -> None:
    a_full_crawl(tmp_path).change("strategy=best-first")
    client = client_of(tmp_path)
    answer = client.get("/crawl/spiders/treasure")
    assert answer.status_code == 409
    assert "has no T-Graph" in answer.text
    assert 'href="/topics"' in answer.text
    assert client.get("/crawl/none/treasure").status_code == 404
    assert "/crawl/spiders/treasure" not in client.get("/crawl/spiders").text


# -- foreign words ----------------------------------------------------------------------------------


def test_foreign_words_in_topics_proposals_and_graphs_are_text(tmp_path: Path) -> None:
    with_proposals(tmp_path)
    with_hostile_topic(tmp_path)
    a_treasure_crawl(tmp_path)
    client = client_of(tmp_path, Role.ADMIN)
    paths = ["/topics", "/topics/node?path=evil", "/topics/proposals", "/crawl/hunt/treasure",
             f"/topics?q={ATTACK}", f"/topics/node?path={ATTACK}", f"/topics/classes?number={ATTACK}"]  # fmt: skip
    texts = [client.get(path).text for path in paths]
    texts += [client.post(path, data={"text": ATTACK}).text for path in ("/topics/map", "/topics/classes")]
    for text in texts:
        assert "<img src=x" not in text
        assert "<script>window" not in text
        assert 'href="javascript' not in text
    assert "&lt;img src=x" in texts[1]
