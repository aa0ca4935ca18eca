"""How much of what is planted is proposed: 50 synonyms and 20 subtopics, with no model installed.

A synonym counts when it is proposed as a variant of the very term it stands for;
a subtopic when most of a proposal's words are its words, most of its words are in
the proposal, and the topic above is the one it was planted in. The shares are
pinned; lowering a floor needs a deliberate change. The issue's bar is 0.6.
"""

from __future__ import annotations

import random
import time

import planting
import pytest
from planting import Planted
from Stemmer import Stemmer

from lycosa.topics.semantic_checker.checker import SemanticChecker
from lycosa.topics.semantic_checker.proposals import SUBTOPIC, VARIANT, Proposal
from lycosa.topics.taxonomy_file import shipped
from lycosa.topics.vocabulary import Vocabulary

FIRST = 100
FLOOR_WRITTEN, FLOOR_ARTICLES = 0.75, 0.65
stem = Stemmer("porter", 0).stemWord


def proposed(planted: Planted) -> list[Proposal]:
    checker = SemanticChecker(Vocabulary(planted.taxonomy))
    for number, text in enumerate(planted.documents):
        assert checker.hand_over(f"document {number}", text)
    return checker.proposals(most=FIRST)


def share_found(planted: Planted) -> tuple[float, str]:
    synonyms = {stem(word): term for word, term in planted.synonyms.items()}
    found_synonyms, found_subtopics = set(), set()
    for proposal in proposed(planted):
        if proposal.kind == VARIANT and synonyms.get(stem(proposal.words[0])) == stem(proposal.term):
            found_synonyms.add(proposal.words[0])
        for place, (bundle, topic) in enumerate(planted.subtopics):
            shared = 2 * len(bundle & set(proposal.words))
            if proposal.kind == SUBTOPIC and shared >= max(len(bundle), len(proposal.words)) and proposal.node == topic:
                found_subtopics.add(place)
    assert len(planted.synonyms) == 50
    assert len(planted.subtopics) == 20
    share = (len(found_synonyms) + len(found_subtopics)) / 70
    told = f"{len(found_synonyms)} of 50 synonyms and {len(found_subtopics)} of 20 subtopics in the first {FIRST}"
    return share, f"{told}: {share:.0%}"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_planted_words_are_proposed_in_written_texts(seed: int) -> None:
    taxonomy = shipped()
    share, told = share_found(planting.plant(taxonomy, planting.written_documents(taxonomy, 1000, 250, seed), seed))
    print(told)
    assert share >= FLOOR_WRITTEN, told


def test_planted_words_are_proposed_in_real_articles() -> None:
    folder = planting.articles_folder()
    if not (folder / "wpcd").is_dir():
        pytest.skip(f"the articles of Wikispeedia are not at {folder}; set LYCOSA_DATA")
    examples, handed = planting.split(planting.articles(folder), 0.4, seed=1)
    share, told = share_found(planting.plant(planting.taxonomy_of(examples), handed, seed=1))
    print(told)
    assert share >= FLOOR_ARTICLES, told


def test_texts_without_new_words_give_next_to_nothing() -> None:
    """A few names lose their digits when the texts are written (BRCA1), and are new then."""
    taxonomy = shipped()
    documents = planting.written_documents(taxonomy, 500, 250, seed=4)
    checker = SemanticChecker(Vocabulary(taxonomy))
    for number, document in enumerate(documents):
        checker.hand_over(str(number), document.text)
    found = checker.proposals()
    assert len(found) <= 3
    assert not [each for each in found if each.kind == SUBTOPIC]


def test_two_thousand_texts_of_five_hundred_words_take_seconds() -> None:
    chance = random.Random(7)
    common = [word for node in shipped() for text in node.texts for word in text.split()]
    fresh = planting.Inventor(chance, ())
    rare = [fresh.word() for _ in range(1500)]
    began = time.process_time()
    checker = SemanticChecker(Vocabulary(shipped()))
    for number in range(2000):
        text = " ".join(chance.choices(common, k=480) + chance.choices(rare, k=20))
        checker.hand_over(str(number), text)
    checker.proposals()
    spent = time.process_time() - began
    print(f"{spent:.1f} s of CPU")
    assert spent < 10
