"""Calls about topics: the tree (C1), one topic with its words and examples, editing it, and the classes (T1)."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lycosa.interface.operations.calls import Call, Office, call
from lycosa.interface.operations.crawls import Address, example_page
from lycosa.interface.operations.topic_edits import Edited, give_examples, take_page, texts_of_pages
from lycosa.interface.shared.errors import NotThere
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.server_paths import sentence_of
from lycosa.interface.shared.tokens import Role
from lycosa.interface.views.classification import caption_of, class_above, class_below, class_lines
from lycosa.interface.views.topic_tree import known_topics, matching, topic_words
from lycosa.preparation.taxonomy_files import OwnTaxonomy
from lycosa.topics.classification.classifier import galaxy_of_link, galaxy_of_texts
from lycosa.topics.classification.scheme import ClassLine, digits_of, written
from lycosa.topics.classification.scheme_file import shipped_classes
from lycosa.topics.taxonomy import AmbiguousName, Node, Taxonomy, TaxonomyError

TopicName = Annotated[
    str, msgspec.Meta(min_length=1, max_length=1000, description="an id, a path, or a part of one that ends at it")
]
Words = Annotated[str, msgspec.Meta(max_length=300, description="words that the path of a topic holds")]
Number = Annotated[str, msgspec.Meta(max_length=16, description="a class number, such as 5, 59, 598 or 746.92")]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=200_000)]
MOST_PAGES, MOST_TEXTS, LONGEST_TEXT, MOST_BELOW, MOST_EDITS = 200, 20, 1500, 500, 20
MOST_CLASS_WORDS = 300


class TopicBrief(Message, frozen=True):
    """A topic in the tree; `depth` counts those above it, `below` those right under it."""

    id: str
    label: str
    path: str
    depth: int
    examples: int
    below: int
    classes: tuple[str, ...]

    @classmethod
    def of(cls, taxonomy: Taxonomy, node: Node) -> TopicBrief:
        """A topic where it stands."""
        depth, below = len(taxonomy.ancestors(node.id)), len(taxonomy.children(node.id))
        examples = len(node.pages) + len(node.texts)
        return cls(node.id, node.label, taxonomy.path(node.id), depth, examples, below, node.classes)


class TopicsAsked(Message, frozen=True):
    """Which part of the tree."""

    q: Words = ""
    under: Annotated[str, msgspec.Meta(max_length=1000)] = ""
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 200
    offset: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0


class TopicList(Message, frozen=True):
    """Some of so many topics, each after those above it."""

    total: int
    topics: tuple[TopicBrief, ...]


@call("GET", "/topics", Role.READ)
def list_topics(office: Office, asked: TopicsAsked) -> TopicList:
    """The tree of topics, or what is below a topic; with `q` those that fit its words."""
    taxonomy = known_topics(office.home)
    under = named_topic(taxonomy, asked.under).id if asked.under else ""
    found = matching(taxonomy, asked.q, under)
    part = found[asked.offset : asked.offset + asked.limit]
    return TopicList(len(found), tuple(TopicBrief.of(taxonomy, node) for node in part))


class TopicAsked(Message, frozen=True):
    """Which topic."""

    path: TopicName


class WordWeight(Message, frozen=True):
    """A word of a topic and its weight; the weightiest has 1."""

    word: str
    weight: float


class ClassNamed(Message, frozen=True):
    """A class number and what it is about."""

    number: str
    caption: str


class TopicDetail(Message, frozen=True):
    """A topic with what it sounds like. There may be more pages, texts and topics below than are listed."""

    topic: TopicBrief
    description: str
    words: tuple[WordWeight, ...]
    pages: tuple[str, ...]
    pages_total: int
    texts: tuple[str, ...]
    texts_total: int
    classes: tuple[ClassNamed, ...]
    above: tuple[TopicBrief, ...]
    below: tuple[TopicBrief, ...]


@call("GET", "/topics/node", Role.READ)
def get_topic(office: Office, asked: TopicAsked) -> TopicDetail:
    """A topic: its words with weights, examples, classes, and what is above and below it."""
    taxonomy = known_topics(office.home)
    return topic_detail(taxonomy, named_topic(taxonomy, asked.path))


def topic_detail(taxonomy: Taxonomy, node: Node) -> TopicDetail:
    """All that is told of a topic."""
    return TopicDetail(
        TopicBrief.of(taxonomy, node),
        node.description,
        tuple(WordWeight(each.word, each.weight) for each in topic_words(node)),
        node.pages[:MOST_PAGES],
        len(node.pages),
        tuple(text[:LONGEST_TEXT] for text in node.texts[:MOST_TEXTS]),
        len(node.texts),
        tuple(ClassNamed(written(number), caption_of(number)) for number in node.classes),
        tuple(TopicBrief.of(taxonomy, above) for above in taxonomy.ancestors(node.id)),
        tuple(TopicBrief.of(taxonomy, below) for below in taxonomy.children(node.id)[:MOST_BELOW]),
    )


def named_topic(taxonomy: Taxonomy, name: str) -> Node:
    """The topic of a name; one that is not there is told so with those near it."""
    try:
        return taxonomy.find(name)
    except AmbiguousName:
        raise
    except TaxonomyError as error:
        raise NotThere(sentence_of(error)) from None


# -- editing --------------------------------------------------------------------------------------


class Examples(Message, frozen=True, forbid_unknown_fields=True):
    """Exemplary pages and texts for a topic; pages are fetched, since their words count."""

    path: TopicName
    urls: Annotated[tuple[Address, ...], msgspec.Meta(max_length=20)] = ()
    texts: Annotated[tuple[Text, ...], msgspec.Meta(max_length=20)] = ()


@call("POST", "/topics/examples", Role.OPERATE)
def add_examples(office: Office, body: Examples) -> Edited:
    """Give a topic more exemplary pages or texts."""
    own = OwnTaxonomy(office.home)
    node = named_topic(own.load(), body.path)
    urls = [example_page(url) for url in body.urls]
    read = texts_of_pages(office.home, urls, ask=False) if urls else []
    brought = [*zip(urls, read, strict=True), *(("", text) for text in body.texts if text.strip())]
    if not brought:
        raise TaxonomyError("nothing to add; give the address of a page, or a text")
    return Edited(give_examples(own, node, brought), node.id)


class PageTaken(Message, frozen=True, forbid_unknown_fields=True):
    """An exemplary page to take from a topic."""

    path: TopicName
    url: Address


@call("POST", "/topics/examples/remove", Role.OPERATE)
def remove_example(office: Office, body: PageTaken) -> Edited:
    """Take an exemplary page from a topic; its text, where one was kept, stays."""
    own = OwnTaxonomy(office.home)
    node = named_topic(own.load(), body.path)
    if body.url not in node.pages:
        raise NotThere(f"{body.url!r} is no exemplary page of {node.label!r}")
    return Edited(take_page(own, node, body.url), node.id)


class Edits(Message, frozen=True):
    """What undo would take back, the latest first."""

    edits: tuple[str, ...]


@call("GET", "/topics/edits", Role.READ)
def list_edits(office: Office) -> Edits:
    """The latest edits of the topics."""
    return Edits(tuple(edit.what for edit in reversed(OwnTaxonomy(office.home).history()[-MOST_EDITS:])))


@call("POST", "/topics/undo", Role.OPERATE)
def undo_edit(office: Office) -> Edited:
    """Take the latest edit of the topics back, an accepted proposal included."""
    return Edited(OwnTaxonomy(office.home).undo())


# -- classes --------------------------------------------------------------------------------------


class ClassAsked(Message, frozen=True):
    """Which class; none for the ten at the top."""

    number: Number = ""


class ClassDetail(Message, frozen=True):
    """A class with its words, those that it lies in, and those below it."""

    number: str
    caption: str
    words: tuple[str, ...]
    above: tuple[ClassNamed, ...]
    below: tuple[ClassNamed, ...]


@call("GET", "/topics/classes", Role.READ)
def get_class(office: Office, asked: ClassAsked) -> ClassDetail:
    """A class of the decimal classification, and what is above and below it."""
    digits = digits_of(asked.number)
    line = class_lines().get(digits) if digits else ClassLine("", "All knowledge")
    if line is None:
        raise NotThere(f"there is no class {asked.number!r}; begin with a digit from 0 to 9")
    above, below = (tuple(map(_named, found)) for found in (class_above(digits), class_below(digits)))
    return ClassDetail(line.written, line.caption, line.phrases[:MOST_CLASS_WORDS], above, below)


def _named(line: ClassLine) -> ClassNamed:
    return ClassNamed(line.written, line.caption)


class Unclassified(Message, frozen=True, forbid_unknown_fields=True):
    """A text to classify; with `anchor`, the words of a link in it, the class that the link leads to."""

    text: Text
    anchor: Annotated[str, msgspec.Meta(max_length=1000)] = ""


class ClassWeight(Message, frozen=True):
    """A group of points: how many, and their weight W."""

    number: str
    caption: str
    points: int
    weight: float


class Classified(Message, frozen=True):
    """The classes of a text, the groups that decided digit by digit, the words that spoke, and the share known."""

    classes: tuple[ClassNamed, ...]
    steps: tuple[tuple[ClassWeight, ...], ...]
    words: tuple[str, ...]
    known: float
    why: str


@call("POST", "/topics/classify", Role.READ)
def classify_text(office: Office, body: Unclassified) -> Classified:
    """The knowledge classes of a text, or of a link in it, and why."""
    return classified(body.text, body.anchor)


def classified(text: str, anchor: str = "") -> Classified:
    """The classes of a text by the galaxy of its words."""
    scheme = shipped_classes()
    found = galaxy_of_link(scheme, text, anchor) if anchor.strip() else galaxy_of_texts(scheme, [text])
    steps = tuple(
        tuple(ClassWeight(written(g.number), scheme.caption(g.number), g.n, g.weight) for g in step.groups[:10])
        for step in found.steps[:20]
    )
    classes = tuple(ClassNamed(written(number), scheme.caption(number)) for number in found.classes)
    return Classified(classes, steps, found.words[:30], scheme.share_known(text), found.why)


CALLS: list[Call] = [
    list_topics, get_topic, add_examples, remove_example, list_edits, undo_edit, get_class, classify_text,
]  # fmt: skip
