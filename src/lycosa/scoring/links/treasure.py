"""Treasure: a link goes by the knowledge class it stands in, and by passages that led to targets before.

Seven figures are averaged, each with its weight. Three belong to the page that the
link stands on: its relevance, how close its classes are to the topic's, and where
links on pages of such classes have led so far. Four belong to the link itself: the
words around it, the classes around it, those of its anchor, and what the T-Graph says.
Both sides are means over all known parents; the link's own side over its first few
mentions only, and the T-Graph is asked at the first, since that costs most and changes
little later. The paper's formula, gate and first level that counts, is `treasure.exact`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from lycosa.configuration.sections import Configuration, Treasure
from lycosa.configuration.settings import ConfigurationError
from lycosa.lexicon import running
from lycosa.link_graph.t_graph.graph import UNLIKE_ALL, Verdict
from lycosa.link_graph.t_graph.passages import passage_of
from lycosa.plugins.plug_points import OFF_TOPIC, LinkScorer, Topic, checked_by
from lycosa.records import Link, Page, Score, Visit, links_at, urls_of
from lycosa.scoring.bounded_memory import Remembered
from lycosa.scoring.known_parents import MOST_REMEMBERED
from lycosa.scoring.links.class_hit_rates import ClassExperience
from lycosa.scoring.links.t_graph_state import TreasureKeeper
from lycosa.scoring.links.treasure_exact import ExactTreasureLinkScorer
from lycosa.topics.classification.profile import Profile, closeness, profiles
from lycosa.topics.classification.scheme_file import scheme_in
from lycosa.topics.classification.topic_class import topic_class
from lycosa.topics.vectors import TopicVector

WEIGHTS = (
    "by_relevance", "by_page_class", "by_experience", "by_words", "by_boundary_class", "by_anchor_class", "by_graph",
)  # fmt: skip
WORTH_TELLING = 0.01
"""A waiting link moves when its mean has changed by more."""
PAGES_UNDER_WAY = 2_000
"""Pages judged but not learnt from yet; a batch has a few hundred."""


class _Aim:
    """What is known of a URL that pages link to: what its parents say, what passages say, and what that comes to.

    `parents` say `said` in sum, and the passages of `mentions` links `total`; `verdict` is what the T-Graph said when
    it was first seen, `says` what passages and T-Graph count for together, and `told` the same for people. `last` is
    the value that was told last. A URL that was `fetched` waits no longer.
    """

    __slots__ = ("fetched", "last", "mentions", "parents", "said", "says", "told", "total", "url", "verdict")

    def __init__(self, url: str, told: str) -> None:
        self.url, self.told = url, told
        self.parents = self.mentions = 0
        self.said = self.total = self.says = 0.0
        self.verdict = UNLIKE_ALL
        self.last: float | None = None
        self.fetched = False


_Mention: TypeAlias = tuple[_Aim, Link]


class _Met(NamedTuple):
    """What a page links to, what its passages were heard on, and which of that nobody had mentioned before."""

    links: list[_Aim]
    heard: set[_Aim]
    first: list[_Aim]


class _Judged(NamedTuple):
    """What a page says of all its links alike, its classes, and what was met on it."""

    page: float
    profile: Profile
    links: list[_Aim]
    heard: set[_Aim]
    first: list[_Aim]


class TreasureLinkScorer:
    """The mean over parents of what their pages and passages say."""

    def __init__(self, topic: Topic, settings: Treasure, keeper: TreasureKeeper) -> None:
        self._settings, self.keeper = settings, keeper
        self._topic = TopicVector(topic.label, topic.examples)
        sure = topic.examples or topic_class(scheme_in(topic.scheme), topic.label).sure
        texts = [text for text in (topic.label, *topic.examples) if text and sure]
        self._profiles = profiles(topic.scheme)
        self._profile = self._profiles.of_topic(texts, topic.classes)
        self._aims: Remembered[str, _Aim] = Remembered(MOST_REMEMBERED)
        self._met: dict[str, _Met] = {}
        self._judged: Remembered[str, _Judged] = Remembered(PAGES_UNDER_WAY)
        self._changed: dict[_Aim, None] = {}
        self._experience = ClassExperience(len(self._profiles.classes))
        self._whole = sum(getattr(settings, name) for name in WEIGHTS) or 1.0
        self._unheard = self._told(0, 0.0, UNLIKE_ALL)

    # -- judging --------------------------------------------------------------------------------

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """All links by their page; those that were not fetched and seldom mentioned so far by their passages too.

        Pages under way know of each other's mentions; a page that is judged again before it is learnt from counts once.
        """
        met = self._met.pop(page.url, None) or self._meet({page.url: links})[page.url]
        profile = self._profiles.of_page(page)
        spoken = self._of_page(profile, relevance)
        self._judged.put(page.url, _Judged(spoken, profile, *met))
        return self._scores(page.url, spoken, met.links)

    def prepare(self, pages: Sequence[Page]) -> None:
        """Let the passages of all these pages' links count, each as if its page came by itself."""
        for page in pages:
            self._profiles.of_page(page)
        self._met = self._meet({page.url: page.links for page in pages})

    def _meet(self, pages: Mapping[str, Sequence[Link]]) -> dict[str, _Met]:
        """What pages link to, and which of these passages are heard for the first time and count from now on."""
        mentions: list[_Mention] = []
        fresh: list[_Mention] = []
        found: dict[str, _Met] = {}
        most = self._settings.mentions
        try:
            for page, links in pages.items():
                aims = self._all_aims(urls_of(links))
                before = self._judged.get(page)
                heard = before.heard if before is not None else set()
                places = [
                    place
                    for place, aim in enumerate(aims)
                    if aim.mentions < most and not aim.fetched and aim not in heard
                ]
                new = dict(zip([aims[place] for place in places], links_at(links, places), strict=True))
                first = [mention for mention in new.items() if not mention[0].mentions]
                for aim in new:
                    aim.mentions += 1
                mentions += new.items()
                fresh += first
                known = [] if before is None else before.first
                found[page] = _Met(aims, heard | new.keys(), known + [aim for aim, _ in first])
            self._hear(mentions, fresh)
        except BaseException:
            for aim, _ in mentions:
                aim.mentions -= 1
            raise
        return found

    def _aim(self, url: str) -> _Aim:
        found = self._aims.get(url)
        if found is None:
            found = _Aim(url, self._unheard)
            self._aims.put(url, found)
        return found

    def _all_aims(self, urls: Sequence[str]) -> list[_Aim]:
        return [found or self._aim(url) for url, found in zip(urls, self._aims.get_all(urls), strict=True)]

    def _of_page(self, profile: Profile, relevance: Score) -> float:
        settings = self._settings
        near = settings.by_page_class * closeness(profile, self._profile)
        expected = settings.by_experience * self._experience.expected(profile)
        return settings.by_relevance * relevance.value + near + expected

    def _hear(self, mentions: Sequence[_Mention], fresh: Sequence[_Mention]) -> None:
        """Let passages count; of those that mention something for the first time, the T-Graph is asked."""
        if not mentions:
            return
        verdicts = self._verdicts([link for _, link in fresh])
        values = self._of_passages([link for _, link in mentions])
        for (aim, _), verdict in zip(fresh, verdicts, strict=False):
            aim.verdict = verdict
        for (aim, _), value in zip(mentions, values, strict=True):
            aim.total += value
        for aim in dict.fromkeys([aim for aim, _ in mentions]):
            mean = aim.total / aim.mentions
            aim.says = mean + self._settings.by_graph * aim.verdict.say
            aim.told = self._told(aim.mentions, mean, aim.verdict)

    def _of_passages(self, links: Sequence[Link]) -> list[float]:
        """What the words and classes around links, and those of their anchors, say; each text is looked at once."""
        settings = self._settings
        boundaries = {text: at for at, text in enumerate(dict.fromkeys([link.boundary for link in links]))}
        anchors = {text: at for at, text in enumerate(dict.fromkeys([link.anchor for link in links]))}
        told = running([*boundaries, *anchors])
        near = self._profiles.closeness_of(told, self._profile)
        around = settings.by_boundary_class * near[: len(boundaries)]
        if settings.by_words:
            around = around + settings.by_words * self._topic.of_texts(told.first(len(boundaries)))
        called = settings.by_anchor_class * near[len(boundaries) :]
        places = [(boundaries[link.boundary], anchors[link.anchor]) for link in links]
        return [float(around[boundary] + called[anchor]) for boundary, anchor in places]

    def _verdicts(self, fresh: Sequence[Link]) -> list[Verdict]:
        """What the T-Graph says of links that were never seen before; nothing where it is not asked."""
        if not (fresh and self._settings.by_graph and len(self.keeper.graph)):
            return []
        return self.keeper.graph.strongest([passage_of(link) for link in fresh])

    def _told(self, number: int, mean: float, verdict: Verdict) -> str:
        told = f"{number} passages {mean:.2f}, of {self._whole:g}"
        return f"{told}; T-Graph node {verdict.node} {verdict.say:.2f}" if verdict.node else told

    def _scores(self, page: str, spoken: float, aims: Sequence[_Aim]) -> list[Score]:
        """What each link is worth with a page among its parents, which it may be already; of fetched ones no more."""
        once_more = 0 if self._aim(page).fetched else 1
        value, more = self._value, once_more * spoken
        alone = f"its parent's page says {spoken:.2f}, "
        among_others = f"with others, a page that says {spoken:.2f}, "
        by_page = Score(value(spoken, 0.0), alone + self._unheard)
        return [
            by_page
            if aim.fetched
            else Score(value((aim.said + more) / (aim.parents + once_more), aim.says), among_others + aim.told)
            if aim.parents
            else Score(value(spoken, aim.says), alone + aim.told)
            for aim in aims
        ]

    def _value(self, pages: float, passages: float) -> float:
        """The priority of a link about which the pages that link to it, and the passages around it, say this."""
        value = (pages + passages) / self._whole
        return OFF_TOPIC if value < OFF_TOPIC else value if value < 1.0 else 1.0

    # -- learning -------------------------------------------------------------------------------

    def learn(self, visits: Sequence[Visit]) -> None:
        """Each page becomes a parent of those it links to, and experience for the watchdog."""
        for visit in visits:
            if visit.page is None or visit.relevance is None:
                continue
            judged = self._judged.pop(visit.page.url)
            self._experience.led(visit.link.parent, visit.relevance.value)
            if visit.page.text:
                profile = judged.profile if judged is not None else self._profiles.of_page(visit.page)
                self._experience.saw(visit.page.url, profile)
            self._become_parent(visit.page, visit.priorities, judged)
            for aim in judged.first if judged is not None else ():
                self.keeper.decided(aim.url, aim.verdict)
        self.keeper.learn(visits)

    def _become_parent(self, page: Page, priorities: Sequence[Score], judged: _Judged | None) -> None:
        """A page counts for the links on it that wait; after a restart by what it gave them then.

        When it comes again, it counts for those that nobody had before.
        """
        own = self._aim(page.url)
        again, own.fetched = own.fetched, True
        if judged is not None:
            says = judged.page
            for aim in dict.fromkeys(judged.links):
                if not (aim.fetched or (again and aim.parents)):
                    self._add(aim, says)
            return
        urls = urls_of(page.links)
        given = dict.fromkeys(urls, 0.0) | {url: each.value for url, each in zip(urls, priorities, strict=False)}
        for aim in self._all_aims(list(given)):
            if not (aim.fetched or (again and aim.parents)):
                self._add(aim, given[aim.url] * self._whole)

    def hear(self, letters: Sequence[tuple[Link, Score]]) -> None:
        """A page of another agent links here; what its finder gave the link stands for the page."""
        for link, score in letters:
            self._add(self._aim(link.url), score.value * self._whole)

    def _add(self, aim: _Aim, says: float) -> None:
        """One more parent says this; who had others before is to be told anew."""
        if aim.parents:
            self._changed[aim] = None
        aim.parents += 1
        aim.said += says

    def revised(self) -> Iterator[tuple[str, Score]]:
        """Waiting links that have another parent now."""
        changed, self._changed = self._changed, {}
        for aim in changed:
            mean = aim.said / aim.parents
            value = self._value(mean, aim.says)
            if aim.last is None or abs(value - aim.last) >= WORTH_TELLING:
                aim.last = value
                yield aim.url, Score(value, f"{aim.parents} parents' pages say {mean:.2f}, {aim.told}")

    # -- keeping --------------------------------------------------------------------------------

    def statistics(self) -> bytes:
        """The T-Graph as experience has made it, and what was learnt about classes up to the watchdog's last look."""
        return self.keeper.statistics(self._experience.encoded)

    def recall(self, own: bytes | None, others: Sequence[bytes]) -> None:
        """Take up the T-Graph and the experience, and the nodes that other agents have learnt."""
        learnt = self.keeper.recall(own, others)
        if learnt:
            self._experience.take_up(learnt)

    def adjust(self, configuration: Configuration) -> None:
        """Take back what a person undid."""
        self.keeper.adjust(configuration.treasure)


def _check_topic(configuration: Configuration, examples: Sequence[str]) -> None:
    if not (configuration.topic.words or examples):
        raise ConfigurationError(
            "the strategy treasure needs to know what to look for: --topic WORDS, --example URL|FILE or --class N"
        )


@checked_by(_check_topic)
def treasure_link_scorer(configuration: Configuration, topic: Topic) -> LinkScorer:
    """The link scorer of the strategy `treasure`."""
    settings = configuration.treasure
    keeper = TreasureKeeper(settings, configuration.topic.threshold, topic.treasure)
    if settings.exact:
        return ExactTreasureLinkScorer(topic, settings, keeper)
    return TreasureLinkScorer(topic, settings, keeper)
