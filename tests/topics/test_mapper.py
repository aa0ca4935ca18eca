"""Documents find their topic, say why, and nonsense finds none."""

from __future__ import annotations

import random
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wikispeedia_articles import Articles, articles, holders

from lycosa.topics.mapper import FLOOR, Mapper
from lycosa.topics.taxonomy import Node, Taxonomy
from lycosa.topics.taxonomy_file import shipped

FLOORS = tomllib.loads((Path(__file__).parent.parent / "quality_floors.toml").read_text("utf-8"))
TREE = Taxonomy(
    [
        Node("life", "Life", description="Animals and plants, organisms, species and their habitats."),
        Node(
            "birds",
            "Birds",
            "life",
            texts=(
                "Birds have feathers, wings and a beak; most of them fly and build a nest for their eggs.",
                "Owls, hawks and eagles are birds of prey that hunt with talons and sharp sight.",
            ),
        ),
        Node(
            "trains",
            "Railways",
            texts=(
                "A locomotive pulls carriages along the track from station to station.",
                "Steam engines were followed by diesel and electric locomotives on the railway.",
            ),
        ),
    ]
)
OWL = "The owl sat in its nest with three eggs. Its feathers are soft, so its wings make no sound when it flies."
STEAM = "The steam locomotive waited at the station while the carriages were coupled to it on the next track."
GERMAN = "Die Eule saß in ihrem Nest und wartete auf die Nacht, denn in der Nacht kann sie am besten jagen und fliegen."


@pytest.fixture(scope="module")
def mapper() -> Mapper:
    return Mapper(TREE)


def test_a_document_finds_its_topic_and_the_words_that_decided(mapper: Mapper) -> None:
    found = mapper.map([OWL])
    assert found.best == ("birds",)
    assert found.ranked[0].path == "Life.Birds"
    decided = {each.term: each.share for each in found.ranked[0].terms}
    assert {"nest", "feathers", "wings"} <= set(decided)
    assert 0.99 < sum(decided.values()) <= 1.0001
    assert found.why == ""


def test_the_margin_lets_more_nodes_be_best(mapper: Mapper) -> None:
    mixed = [OWL, STEAM]
    assert len(mapper.map(mixed, margin=0.0).best) == 1
    assert set(mapper.map(mixed, margin=0.9).best) == {"birds", "trains"}


def test_every_document_has_one_voice(mapper: Mapper) -> None:
    assert mapper.map([STEAM, OWL * 50, STEAM]).best == ("trains",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no text"),
        ("the of and", "no word"),
        ("Xqzzt blorf wug 8731", "no word"),
        (GERMAN, r"another language \(de\)"),
    ],
)
def test_what_fits_nothing_is_said_to(mapper: Mapper, text: str, why: str) -> None:
    found = mapper.map([text])
    assert found.best == ()
    assert found.why.startswith("none fits: ")
    assert re.search(why, found.why)


def test_documents_in_another_language_are_set_apart(mapper: Mapper) -> None:
    found = mapper.map([GERMAN, STEAM])
    assert [(each.document, each.language) for each in found.foreign] == [(1, "de")]
    assert found.best == ("trains",)
    assert found.ranked[0].score == pytest.approx(mapper.map([STEAM]).ranked[0].score)


def test_a_taxonomy_in_another_language_understands_it() -> None:
    tree = Taxonomy(
        [
            Node(
                "eulen", "Eulen", description="Die Eule ist ein Vogel, der in der Nacht jagt und in einem Nest schläft."
            ),
            Node(
                "bahn", "Bahn", description="Die Lok zieht die Wagen auf den Schienen von einem Bahnhof zum nächsten."
            ),
        ]
    )
    assert Mapper(tree).language == "de"
    assert Mapper(tree).map([GERMAN]).best == ("eulen",)


def test_an_empty_taxonomy_fits_nothing() -> None:
    assert Mapper(Taxonomy([])).map([OWL]).best == ()


@given(st.lists(st.text() | st.sampled_from([OWL, STEAM, GERMAN]), max_size=4))
def test_scores_fall_and_the_best_come_first(texts: list[str]) -> None:
    found = Mapper(TREE).map(texts)
    scores = [fit.score for fit in found.ranked]
    assert scores == sorted(scores, reverse=True)
    assert found.best == tuple(fit.id for fit in found.ranked)[: len(found.best)]
    assert bool(found.best) == (not found.why)


def test_a_wide_topic_is_not_crowded_out_by_a_large_narrow_one() -> None:
    chance = random.Random(1)
    common = ["track", "train", "rail", "signal", "driver", "gauge"]

    def wide() -> str:
        return " ".join([*chance.choices(common, k=14), *(f"w{chance.randrange(3000)}" for _ in range(26))])

    narrow = tuple(" ".join(chance.choices([*common, *"abcdefgh"], k=40)) for _ in range(60))
    tree = Taxonomy([Node("n", "narrow", texts=narrow), Node("w", "wide", texts=tuple(wide() for _ in range(12)))])
    mapper = Mapper(tree)
    assert sum(mapper.map([wide()]).ranked[0].id == "w" for _ in range(40)) >= 36


# -- quality, on real text --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data() -> Articles:
    return articles()


def test_nonsense_fits_no_shipped_topic() -> None:
    mapper, chance = Mapper(shipped()), random.Random(2)
    pseudo = [" ".join("".join(chance.choices("aeioubcdfglmnprst", k=6)) for _ in range(200)) for _ in range(20)]
    known = sorted({word for node in shipped() for text in node.texts for word in text.split()})
    jumbled = [" ".join(chance.choices(known, k=200)) for _ in range(20)]
    assert not any(mapper.map([text]).best for text in pseudo)
    assert sum(bool(mapper.map([text]).best) for text in jumbled) <= 0.25 * len(jumbled)


def test_five_articles_find_their_category_of_wikispeedia(data: Articles) -> None:
    floors = FLOORS["mapper-wikispeedia"]
    chance = random.Random(5)
    trials = {category: chance.sample(sorted(held), 5) for category, held in data.categories.items()}
    hidden = {name for sample in trials.values() for name in sample}
    mapper = Mapper(data.taxonomy(hidden, floors["examples"], chance))
    first = among_three = 0
    for category, sample in trials.items():
        ranked = mapper.map([data.text(name) for name in sample], limit=3).ranked
        right = holders(data, category, sample)
        first += ranked[0].id in right
        among_three += any(fit.id in right for fit in ranked)
    print(f"first {first / len(trials):.3f}, among three {among_three / len(trials):.3f} of {len(trials)}")
    assert first >= floors["first"] * len(trials)
    assert among_three >= floors["among_three"] * len(trials)


def test_articles_find_their_top_node_of_the_shipped_taxonomy(data: Articles) -> None:
    floors = FLOORS["mapper-shipped"]
    mapper, chance = Mapper(shipped()), random.Random(3)
    shares = {}
    for part, tops in floors["topics"].items():
        names = chance.sample(data.under(part), floors["articles"])
        best = [mapper.map([data.text(name)], limit=1).ranked[0].id for name in names]
        above = [{id, *(node.id for node in mapper.taxonomy.ancestors(id))} for id in best]
        shares[part] = sum(not each.isdisjoint(tops) for each in above) / len(names)
    print({part: round(share, 2) for part, share in shares.items()})
    assert sum(shares.values()) / len(shares) >= floors["all"]
    assert min(shares.values()) >= floors["worst"], shares


def test_articles_are_above_the_floor_of_the_shipped_taxonomy(data: Articles) -> None:
    mapper, chance = Mapper(shipped()), random.Random(4)
    names = chance.sample(sorted(data.paths), 60)
    assert sum(bool(mapper.map([data.text(name)]).best) for name in names) >= 0.9 * len(names)
    assert mapper.floor == FLOOR
