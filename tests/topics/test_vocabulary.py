"""The vocabulary and the semantic checker (C4): variants, new terms, subtopics, and what accepting them does."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.configuration.settings import ConfigurationError
from lycosa.records import Score
from lycosa.text import stems
from lycosa.text import words as words_of
from lycosa.topics.semantic_checker import corpus as gathering
from lycosa.topics.semantic_checker.checker import SemanticChecker
from lycosa.topics.semantic_checker.cooccurrence import used_alike
from lycosa.topics.semantic_checker.corpus import Gathering, Origin
from lycosa.topics.semantic_checker.proposals import (
    PAGE,
    SUBTOPIC,
    TERM,
    VARIANT,
    Candidate,
    Proposal,
    Refusals,
    accepted,
    exemplary_pages,
    passage,
    refusal_of,
)
from lycosa.topics.semantic_checker.synonym_phrases import said_to_be_the_same
from lycosa.topics.semantic_checker.word_forms import SAME_WORD, Spellings, slips_between
from lycosa.topics.taxonomy import Node, Taxonomy
from lycosa.topics.vocabulary import Variant, Variants, Vocabulary, parse_variants

SPIDERS = "The wolf spider hunts its prey on the ground. A spider spins silk. Spiders catch insects in webs."
TRAINS = "The locomotive pulls carriages along the railway. A train stops at the station platform."
TREE = Taxonomy(
    [
        Node("spiders", "Spiders", description="Spiders, webs, silk and prey", texts=(SPIDERS,)),
        Node("railways", "Railways", description="Trains, locomotives and tracks", texts=(TRAINS,)),
    ]
)


# -- the vocabulary -----------------------------------------------------------------------------


def test_a_variant_counts_as_its_term() -> None:
    vocabulary = Vocabulary(TREE, Variants([Variant("arachnid", "spider")]))
    assert vocabulary.counts("Arachnids eat; an arachnid and a spider")["spider"] == 3
    assert vocabulary.knows("arachnids")
    assert not Vocabulary(TREE).knows("arachnid")


def test_unknown_terms_go_to_the_temporary_vocabulary() -> None:
    vocabulary = Vocabulary(TREE, Variants([Variant("arachnid", "spider")]))
    assert vocabulary.unknown("The arachnid has a pedipalp; the pedipalps of spiders") == {"pedipalp": 2}


def test_variants_of_two_words_count_with_hyphen_and_space() -> None:
    vocabulary = Vocabulary(TREE, Variants([Variant("loco motive", "locomotive"), Variant("spiderweb", "spider web")]))
    told = vocabulary.in_known_words("A Loco-Motive, a loco motive, a locomotives and Spiderwebs")
    assert told == "A locomotive, a locomotive, a locomotives and spider web"


words = st.text(st.characters(categories=["Lu", "Ll", "Nd"]), min_size=1, max_size=8).filter(
    lambda word: words_of(word) == [word.lower()]
)


@given(st.lists(st.tuples(words, words, st.text(max_size=30).filter(str.isprintable)), max_size=6))
def test_variants_read_back_as_they_were_written(told: list[tuple[str, str, str]]) -> None:
    variants = Variants(Variant(word, term, why) for word, term, why in told)
    assert parse_variants(variants.written()) == variants


def test_what_cannot_be_printed_does_not_spoil_the_file() -> None:
    variants = Variants([Variant("attercop", "spider", "beside \x7f\x00\ud800\n and \x1b[2J")])
    assert [each.word for each in parse_variants(variants.written())] == ["attercop"]


@given(st.lists(words, max_size=12), words, words)
def test_a_word_and_its_variant_count_alike(told: list[str], word: str, term: str) -> None:
    vocabulary = Vocabulary(TREE, Variants([Variant(word, term)]))
    plain = Vocabulary(TREE)
    instead = [term if stems()(each.lower()) == stems()(word.lower()) else each for each in told]
    assert vocabulary.counts(" ".join(told)) == plain.counts(" ".join(instead))


def test_a_word_is_a_variant_of_one_term_only() -> None:
    variants = Variants().with_one(Variant("engine", "locomotive")).with_one(Variant("Engine", "train"))
    assert [(each.word, each.term) for each in variants] == [("Engine", "train")]
    assert not variants.without("engine")


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("[[variant", "not valid TOML"),
        ("variant = 3", r"\[\[variant\]\] tables"),
        ('[[variant]]\nword = "x"', "variant 1: needs `word` and `term`"),
        ('[[variant]]\nword = "x"\nterm = 5', "variant 1: "),
        ("variant = [3]", "variant 1: "),
    ],
)
def test_wrong_variants_are_refused_with_the_place(written: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        parse_variants(written, "my variants")


# -- closeness ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("new", "known"),
    [("colour", "color"), ("organis", "organiz"), ("centr", "center"), ("anaemia", "anemia"), ("catalogu", "catalog")],
)
def test_british_and_american_spellings_are_one_word(new: str, known: str) -> None:
    found = Spellings([stems()(known), "unrelated"]).like(stems()(new))
    assert stems()(known) in found or stems()(new) == stems()(known)


def test_accents_do_not_matter_and_slips_count_less() -> None:
    spellings = Spellings(["naive", "hydrogen", "biologi"])
    assert spellings.like("naïve")["naive"].value == SAME_WORD
    assert 0 < spellings.like("hydrogne")["hydrogen"].value < SAME_WORD
    assert "biologi" in spellings.like("biologist")
    assert spellings.like("nitrogen") == {}


@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
def test_slips_between_words_are_a_distance(one: str, other: str) -> None:
    apart = slips_between(one, other)
    assert apart == slips_between(other, one)
    assert (apart == 0) == (one == other)
    assert abs(len(one) - len(other)) <= apart <= max(len(one), len(other))


def test_texts_say_that_words_are_the_same() -> None:
    text = (
        "The cougar, also known as the puma, hunts. Maize (corn) grows. An autumn, or fall, is mild. "
        "The organisation (WHO) met. It was called a success. Black or white. An elk (moose)."
    )
    assert set(said_to_be_the_same(text)) == {
        ("cougar", "puma"),
        ("corn", "maize"),
        ("autumn", "fall"),
        ("elk", "moose"),
    }


@given(st.text(max_size=300))
def test_any_text_can_be_asked_what_it_equates(text: str) -> None:
    for one, other in said_to_be_the_same(text):
        assert one != other


def written(chance: random.Random, term: str, number: int) -> str:
    """Sentences about a term, in words that only go with it."""
    beside = {"kettle": "boil water steam whistle", "pigeon": "coo feather perch flutter", "ledger": "entry sum page"}
    mine = beside[term].split()
    return " ".join(f"the {chance.choice(mine)} {term} {chance.choice(mine)} again." for _ in range(number))


def test_terms_in_the_same_company_are_used_alike() -> None:
    chance = random.Random(3)
    gathered = Gathering()
    for term in ("kettle", "pigeon", "ledger"):
        gathered.add(written(chance, term, 30), Origin.TAXONOMY)
    gathered.add(written(chance, "pigeon", 30).replace("pigeon", "zorvath"), Origin.HANDED_OVER)
    collection = gathered.collection()
    known = np.array([collection.number_of[stems()(term)] for term in ("kettle", "pigeon", "ledger")], np.int32)
    new = np.array([collection.number_of["zorvath"]], np.int32)
    assert used_alike(collection, new, known)[0].argmax() == 1


def test_random_words_cannot_push_real_ones_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "MOST_DIFFERENT_WORDS", 300)
    chance = random.Random(1)
    gathered = Gathering()
    for _ in range(20):
        noise = " ".join("".join(chance.choices("abcdefghij", k=9)) for _ in range(100))
        gathered.add(f"spider silk {noise}", Origin.HANDED_OVER)
    collection = gathered.collection()
    assert len(collection.terms) <= 300
    assert collection.holding[Origin.HANDED_OVER][collection.number_of["spider"]] == 20


def test_there_is_an_end_to_what_is_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "MOST_WORDS", 50)
    gathered = Gathering()
    assert [gathered.add("word " * 30, Origin.CRAWL) for _ in range(3)] == [True, True, False]


# -- the checker --------------------------------------------------------------------------------


def checked(texts: list[str], refusals: Refusals | None = None, **more: object) -> list[Proposal]:
    checker = SemanticChecker(Vocabulary(TREE), **more)  # type: ignore[arg-type]
    for number, text in enumerate(texts):
        checker.hand_over(f"text {number}", text)
    return checker.proposals(refusals)


ABOUT_PALPS = "The spider uses its pedipalp to hold prey. The pedipalp of a spider near the webs and silk."


def test_a_heavy_new_term_is_proposed_to_the_topic_it_keeps_to() -> None:
    (proposal,) = checked([ABOUT_PALPS])
    assert (proposal.kind, proposal.node, proposal.words) == (TERM, "spiders", ("pedipalp",))
    assert proposal.documents == ("text 0",)


def test_a_new_word_for_a_known_one_is_proposed_as_its_variant() -> None:
    (said,) = checked(["The spider, also called attercop, spins silk. An attercop spins webs for prey."])
    assert (said.kind, said.words, said.term) == (VARIANT, ("attercop",), "spider")
    assert "a text says that they are the same" in said.strength.why
    (spelt,) = checked(["The locomotiv pulls a train. Each locomotivs is on the railway track."])
    assert (spelt.kind, spelt.term) == (VARIANT, "locomotive")


def test_compounds_are_variants_of_the_words_apart() -> None:
    (joined,) = checked(["A wolfspider has silk. The wolfspider hunts prey."])
    assert (joined.words, joined.term) == (("wolfspider",), "wolf spider")
    (apart,) = checked(["The loco motive pulls a train. A loco motive on the railway. The loco motive stops."])[:1]
    assert (apart.words, apart.term) == (("loco motive",), "locomotive")


def bundle_texts() -> list[str]:
    with_bundle = [f"Spiders and silk. The chelicera, spinneret and pedipalp of prey {number}." for number in range(4)]
    return [*with_bundle, *(SPIDERS for _ in range(4)), *(TRAINS for _ in range(4))]


def test_terms_that_occur_together_are_proposed_as_a_subtopic() -> None:
    (proposal,) = checked(bundle_texts())
    assert (proposal.kind, proposal.node) == (SUBTOPIC, "spiders")
    assert set(proposal.words) == {"chelicera", "spinneret", "pedipalp"}


def test_what_was_refused_does_not_come_back() -> None:
    for texts in ([ABOUT_PALPS], bundle_texts(), ["A wolfspider has silk. The wolfspider hunts prey."]):
        found = checked(texts)
        assert found
        again = checked(texts, Refusals(refusal_of(proposal) for proposal in found))
        assert not {(each.kind, each.words) for each in found} & {(each.kind, each.words) for each in again}


class Told:
    """A fake model that knows one pair."""

    def close(self, one: str, other: str, /) -> float:
        return 0.95 if one == "attercop" and other in ("spider", "spiders") else 0.1


def test_a_model_is_one_more_witness() -> None:
    text = "An attercop in webs. Silk of the attercop with prey."
    assert [each.kind for each in checked([text])] == [TERM]
    (proposal,) = checked([text], model=Told())
    assert (proposal.kind, proposal.term) == (VARIANT, "spiders")
    assert "a model finds it close" in proposal.strength.why


def test_a_person_may_say_where_the_documents_belong() -> None:
    (proposal,) = checked(["The bogie wobbles; the bogie squeaks."], node="railways")
    assert (proposal.node, proposal.words) == ("railways", ("bogie",))


def test_accepted_variants_are_not_proposed_again() -> None:
    checker = SemanticChecker(Vocabulary(TREE, Variants([Variant("attercop", "spider")])))
    checker.hand_over("text", "An attercop in webs. Silk of the attercop with prey.")
    assert checker.proposals() == []


def test_nothing_handed_over_gives_nothing() -> None:
    assert SemanticChecker(Vocabulary(TREE)).proposals() == []
    assert checked([""]) == []
    empty = SemanticChecker(Vocabulary(Taxonomy([])))
    empty.hand_over("text", ABOUT_PALPS)
    assert empty.proposals() == []


@given(st.lists(st.text(max_size=200), max_size=5))
def test_any_texts_can_be_checked(texts: list[str]) -> None:
    for proposal in checked(texts):
        assert 0 <= proposal.strength.value <= 1
        assert proposal.told()


# -- accepting ----------------------------------------------------------------------------------


def test_an_accepted_term_is_known_to_its_topic() -> None:
    tree, variants = accepted(TREE, Variants(), Proposal(TERM, "spiders", ("pedipalp",)))
    assert Vocabulary(tree, variants).knows("pedipalps")
    assert tree["spiders"].description == "Spiders, webs, silk and prey; pedipalp"
    assert tree["railways"] == TREE["railways"]


def test_an_accepted_subtopic_is_a_new_topic_with_examples() -> None:
    proposal = Proposal(
        SUBTOPIC, "spiders", ("chelicera", "fang", "venom", "bite"), texts=("Venom.",), pages=("http://a/",)
    )
    tree, _ = accepted(TREE, Variants(), proposal)
    (node,) = tree.children("spiders")
    assert (node.label, node.description) == ("Chelicera, fang, venom", "chelicera, fang, venom, bite")
    assert (node.texts, node.pages) == (("Venom.",), ("http://a/",))
    named, _ = accepted(TREE, Variants(), proposal, label="Venomous  bites")
    assert named["venomous-bites"].label == "Venomous bites"


def test_an_accepted_variant_changes_the_vocabulary_and_not_the_tree() -> None:
    tree, variants = accepted(
        TREE, Variants(), Proposal(VARIANT, "", ("attercop",), "spider", Score(1.0, "it is said"))
    )
    assert tree == TREE
    assert list(variants) == [Variant("attercop", "spider", "it is said")]


def test_an_accepted_page_is_an_example() -> None:
    tree, _ = accepted(TREE, Variants(), Proposal(PAGE, "spiders", pages=("http://a/",)))
    assert tree["spiders"].pages == ("http://a/",)


def test_a_passage_holds_the_sentences_with_the_words() -> None:
    text = "Nothing here. The chelicerae bite! Trains run.\nVenom flows. " + "Venom again. " * 500
    assert passage(text, ("chelicera", "venom")).startswith("The chelicerae bite! Venom flows. Venom again.")
    assert len(passage(text, ("chelicera", "venom"))) <= 1500
    assert passage(text, ("silk",)) == ""


# -- exemplary pages ----------------------------------------------------------------------------


def test_exemplary_pages_are_relevant_and_linked_to() -> None:
    candidates = [
        Candidate("http://a/relevant-and-linked", 0.9, 5.0),
        Candidate("http://a/relevant", 0.9, 0.2),
        Candidate("http://a/linked", 0.3, 9.0),
        Candidate("http://a/known", 0.99, 9.0),
        Candidate("http://a/off-topic", 0.0, 9.0),
    ]
    found = exemplary_pages("spiders", candidates, known=["http://a/known"])
    assert [each.pages[0][9:] for each in found] == ["relevant-and-linked", "relevant", "linked"]
    assert {each.node for each in found} == {"spiders"}
    assert "relevance 0.90" in found[0].strength.why


candidates = st.builds(
    Candidate,
    st.text("abc", min_size=1, max_size=4),
    st.integers(0, 20).map(lambda each: each / 20),
    st.floats(0, 100),
    st.just(""),
)


@given(st.lists(candidates, unique_by=lambda each: each.url), st.integers(0, 5))
def test_with_equal_relevance_the_higher_rank_is_never_behind(given: list[Candidate], most: int) -> None:
    found = exemplary_pages("spiders", given, (), len(given))
    by_url = {each.url: each for each in given}
    for earlier, later in pairwise(found):
        one, other = by_url[earlier.pages[0]], by_url[later.pages[0]]
        assert not (one.relevance <= other.relevance and one.rank < other.rank)
    assert exemplary_pages("spiders", given, (), most) == found[:most]
