"""Texts with planted words: known terms under invented names, invented subtopics, and noise; all from a seed.

Nothing here uses the code under test. Synonyms: in half of the documents an
invented word stands where a known term stood. Subtopics: a bundle of invented
words occurs in some documents of one topic, beside its usual words. Noise: names
all over the documents, rare words, and misspelt ones.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from Stemmer import Stemmer

from lycosa.text import stop_words
from lycosa.topics.taxonomy import Node, Taxonomy

SYNONYMS, SUBTOPICS = 50, 20
FEWEST_HOLDING = 20
_WORD = re.compile(r"[A-Za-z]+")
_CHUNK = re.compile(r"[A-Za-z]+|[^A-Za-z]+")
_TAG = re.compile(r"<script.*?</script>|<style.*?</style>|<!--.*?-->|<[^>]+>", re.DOTALL)
_stem = Stemmer("porter", 0).stemWord
"""Our own stemmer, so that what is planted does not depend on the code that is to find it."""


class Document(NamedTuple):
    """A text of a topic."""

    topic: str
    text: str


class Planted(NamedTuple):
    """What a person has, what they hand over, and what is hidden in it."""

    taxonomy: Taxonomy
    documents: list[str]
    synonyms: dict[str, str]
    """Invented word to the stem of the term it stands for."""
    subtopics: list[tuple[frozenset[str], str]]
    """Invented words, and the topic they were planted in."""


class Inventor:
    """Makes words that nobody has used, none close to another in spelling."""

    def __init__(self, chance: random.Random, taken: Iterable[str]) -> None:
        self._chance, self._taken = chance, set(taken)

    def word(self) -> str:
        while True:
            syllables = [
                self._chance.choice("bcdfghjklmnprtvwz") + self._chance.choice("aiou") + self._chance.choice(("", "r"))
                for _ in range(3)
            ]
            made = "".join(syllables) + self._chance.choice("bdgkmpvx")
            if made[:5] not in self._taken and made not in self._taken:
                self._taken |= {made, made[:5]}
                return made


def plant(
    taxonomy: Taxonomy, documents: Sequence[Document], seed: int, per_subtopic: tuple[int, int] = (6, 14)
) -> Planted:
    """Hide synonyms, subtopics and noise in documents."""
    chance = random.Random(seed)
    texts = [_CHUNK.findall(document.text) for document in documents]
    inventor = Inventor(chance, {word.lower() for text in texts for word in text})
    synonyms = _plant_synonyms(_topical_terms(taxonomy, documents), texts, chance, inventor)
    subtopics = _plant_subtopics(documents, texts, chance, inventor, per_subtopic)
    _plant_noise(texts, chance, inventor)
    return Planted(taxonomy, ["".join(text) for text in texts], synonyms, subtopics)


def _topical_terms(taxonomy: Taxonomy, documents: Sequence[Document]) -> list[str]:
    """Known stems that a person would call terms of a topic, in enough documents to be met."""
    known = {_stem(word.lower()) for node in taxonomy for word in _node_words(node)} - stop_words()["en"]
    size = Counter(document.topic for document in documents)
    held: dict[str, Counter[str]] = defaultdict(Counter)
    for document in documents:
        for stem in {_stem(word.lower()) for word in _WORD.findall(document.text)} & known:
            held[stem][document.topic] += 1
    return sorted(
        stem
        for stem, topics in held.items()
        if len(stem) >= 4
        and FEWEST_HOLDING <= topics.total() <= len(documents) // 4
        and max(number / size[topic] for topic, number in topics.items()) >= 3 * topics.total() / len(documents)
    )


def _node_words(node: Node) -> list[str]:
    return _WORD.findall(" ".join((node.label, node.description, *node.texts)))


def _plant_synonyms(
    terms: list[str], texts: list[list[str]], chance: random.Random, inventor: Inventor
) -> dict[str, str]:
    chosen = chance.sample(terms, SYNONYMS)
    invented = {stem: inventor.word() for stem in chosen}
    for text in texts:
        here = {stem for stem in invented if chance.random() < 0.5}
        for place, word in enumerate(text):
            stem = _stem(word.lower())
            if stem in here:
                text[place] = invented[stem] + ("s" if word.endswith("s") and not stem.endswith("s") else "")
    return {word: stem for stem, word in invented.items()}


def _plant_subtopics(
    documents: Sequence[Document],
    texts: list[list[str]],
    chance: random.Random,
    inventor: Inventor,
    per_subtopic: tuple[int, int],
) -> list[tuple[frozenset[str], str]]:
    of_topic: dict[str, list[int]] = defaultdict(list)
    for place, document in enumerate(documents):
        of_topic[document.topic].append(place)
    topics = sorted(topic for topic, places in of_topic.items() if len(places) >= 2 * per_subtopic[0])
    planted = []
    for number in range(SUBTOPICS):
        topic = topics[number % len(topics)] if len(topics) < SUBTOPICS else topics[number * len(topics) // SUBTOPICS]
        bundle = [inventor.word() for _ in range(chance.randint(6, 10))]
        most = min(per_subtopic[1], len(of_topic[topic]) // 2)
        for place in chance.sample(of_topic[topic], chance.randint(per_subtopic[0], max(per_subtopic[0], most))):
            for word in bundle:
                if chance.random() < 0.75:
                    for _ in range(chance.choice((1, 1, 2, 3))):
                        _insert(texts[place], word, chance)
        planted.append((frozenset(bundle), topic))
    return planted


def _plant_noise(texts: list[list[str]], chance: random.Random, inventor: Inventor) -> None:
    """Names that occur anywhere, words of one or two documents, and typing errors."""
    names = [(inventor.word().capitalize(), chance.randint(5, 25)) for _ in range(60)]
    rare = [(inventor.word(), chance.randint(1, 2)) for _ in range(400)]
    for word, number in names + rare:
        for place in chance.sample(range(len(texts)), min(number, len(texts))):
            for _ in range(chance.choice((1, 1, 2))):
                _insert(texts[place], word, chance)
    for text in texts:
        for _ in range(len(text) // 300):
            place = chance.randrange(len(text))
            text[place] = _misspelt(text[place], chance)


def _insert(text: list[str], word: str, chance: random.Random) -> None:
    """Put a word before another one."""
    place = chance.randrange(len(text))
    text[place : place + 1] = [word, " ", text[place]] if text[place].isalpha() else [" ", word, text[place]]


def _misspelt(word: str, chance: random.Random) -> str:
    if len(word) < 5:
        return word
    at = chance.randrange(1, len(word) - 2)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


# -- documents made of the words of a taxonomy's examples ---------------------------------------


def written_documents(taxonomy: Taxonomy, number: int, length: int, seed: int) -> list[Document]:
    """Texts in the words of the topics: parts of sentences of a topic's examples, mixed with words of relatives.

    A sentence of an example gives about half of its words; a quarter comes from
    the topic at large, and some from anywhere.
    """
    chance = random.Random(seed)
    sentences = {
        node.id: [
            words
            for text in (node.description, *node.texts)
            for words in map(_WORD.findall, re.split(r"[.;]", text))
            if len(words) > 3
        ]
        for node in taxonomy
    }
    own = {topic: [word for words in found for word in words] for topic, found in sentences.items()}
    everything = [word for words in own.values() for word in words]
    topics = sorted(sentences)
    made = []
    for place in range(number):
        topic = topics[place % len(topics)]
        text: list[str] = []
        while len(text) < length:
            text += [*_loosely(chance.choice(sentences[topic]), own[topic], everything, chance), "."]
        made.append(Document(topic, " ".join(text)))
    return made


def _loosely(sentence: list[str], own: list[str], everything: list[str], chance: random.Random) -> Iterator[str]:
    for word in sentence:
        draw = chance.random()
        if draw < 0.5:
            yield word
        elif draw < 0.75:
            yield chance.choice(own)
        elif draw < 0.85:
            yield chance.choice(everything)


# -- real articles ------------------------------------------------------------------------------


def articles_folder() -> Path:
    """Where the articles of Wikispeedia lie, if they are there."""
    data = Path(os.environ.get("LYCOSA_DATA") or "~/.cache/lycosa-data").expanduser()
    return data / "wikispeedia"


def articles(folder: Path, most_words: int = 500, fewest: int = 40) -> list[Document]:
    """The articles of the subjects with enough of them, each in its first subject."""
    subjects: dict[str, str] = {}
    for line in (folder / "paths-and-graph" / "categories.tsv").read_text("utf-8").splitlines():
        name, _, subject = line.partition("\t")
        if subject.count(".") >= 2:
            subjects.setdefault(name, ".".join(subject.split(".")[1:3]))
    number = Counter(subjects.values())
    found = []
    for name, subject in sorted(subjects.items()):
        path = folder / "wpcd" / "wp" / unquote(name)[0].lower() / f"{unquote(name)}.htm"
        if number[subject] >= fewest and path.is_file():
            html = path.read_text("utf-8", "replace").partition("<!-- start content -->")[2]
            found.append(Document(subject, " ".join(unescape(_TAG.sub(" ", html)).split()[:most_words])))
    return found


def taxonomy_of(documents: Sequence[Document]) -> Taxonomy:
    """A flat taxonomy with these documents as examples."""
    texts: dict[str, list[str]] = defaultdict(list)
    for document in documents:
        texts[document.topic].append(document.text)
    return Taxonomy(Node(_id(topic), topic.split(".")[-1], texts=tuple(found)) for topic, found in texts.items())


def _id(topic: str) -> str:
    return "-".join(word.lower() for word in _WORD.findall(topic))


def split(documents: Sequence[Document], share: float, seed: int) -> tuple[list[Document], list[Document]]:
    """Examples of the taxonomy, and what is handed over."""
    chance = random.Random(seed)
    examples, handed = [], []
    for document in documents:
        (examples if chance.random() < share else handed).append(Document(_id(document.topic), document.text))
    return examples, handed
