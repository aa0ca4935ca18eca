"""A small web with a topic, and the shortest crawl that obeys the rules by which scorers act on the order.

Pages are a function of the seed: topics have their own words, links mostly stay
within a topic, what a link says and where it stands hints at where it leads, but
not always truly. Relevance is the share of a page's words that are the topic's.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from random import Random

from lycosa.configuration.sections import Configuration, Fetching
from lycosa.configuration.sections import Topic as TopicSection
from lycosa.plugins.plug_points import Learner, LinkScorer, Reviser, Topic
from lycosa.records import Failed, Fetched, Headings, Link, Page, Response, Score, Visit

TOPICS = {
    "birds": "eagle feather nest wing beak falcon heron plumage owl talon sparrow flight",
    "music": "violin melody rhythm opera tenor piano chord symphony drum choir flute bass",
    "ships": "harbour sail anchor mast hull rudder captain cargo tide deck voyage port",
    "bread": "flour yeast oven dough crust wheat baker rye knead loaf salt grain",
    "stars": "galaxy comet orbit nebula planet telescope moon eclipse meteor solar dwarf pulsar",
    "law": "court judge appeal statute verdict jury clause treaty counsel tribunal plaintiff bail",
    "maths": "theorem proof lemma integer algebra matrix prime vector topology graph limit tensor",
    "sport": "goal referee league sprint stadium coach penalty racket marathon trophy relay serve",
}
FILLER = (
    "people", "year", "town", "place", "work", "small", "early", "number",
    "group", "time", "country", "water", "house", "name", "part", "long",
)  # fmt: skip
PER_TOPIC = 50
LINKS_PER_PAGE = 12
AT_HOME = 0.55
"""The share of links that stay within their topic."""
TEMPLATES = (
    "article/div",
    "section/nav",
    "table/tbody",
    "div/form",
    "center/font",
    "main/details",
    "aside/dl",
    "menu/p",
)
"""What lists of links stand in, by topic: each has a template of its own."""
TEXT_PATH, FOOT_PATH = "html/body/main/p/a", "html/body/footer/div/span/a"

BIRDS = Topic("birds", (" ".join([TOPICS["birds"]] * 2), "the eagle and the falcon hunt on the wing near their nest"))
SETTINGS = Configuration(topic=TopicSection(words="birds", threshold=0.2), fetching=Fetching(connections=1))


class SmallWeb:
    """400 pages of 8 topics, 50 each."""

    def __init__(self, seed: int = 1) -> None:
        random = Random(seed)
        topics = list(TOPICS) * PER_TOPIC
        random.shuffle(topics)
        self.topic_of = {f"http://web.org/{number}.html": topic for number, topic in enumerate(topics)}
        self.urls = list(self.topic_of)
        self.of_topic = {topic: [url for url in self.urls if self.topic_of[url] == topic] for topic in TOPICS}
        self.pages = {url: self._page(url, random) for url in self.urls}

    def _page(self, url: str, random: Random) -> Page:
        topic = self.topic_of[url]
        text = " ".join(random.choices(TOPICS[topic].split(), k=40) + random.choices(FILLER, k=60))
        links: dict[str, Link] = {}
        for position in range(LINKS_PER_PAGE):
            home = random.random() < AT_HOME
            target = random.choice(self.of_topic[topic] if home else self.urls)
            if target != url:
                links[target] = self._link(target, url, home, position, random)
        return Page(url, title=random.choice(FILLER), text=text, digest=url.encode(), links=tuple(links.values()))

    def _link(self, url: str, parent: str, home: bool, position: int, random: Random) -> Link:
        words = TOPICS[self.topic_of[url]].split()
        telling = random.random() < 0.6
        anchor = " ".join(random.choices(words if telling else FILLER, k=2))
        boundary = (
            f"{' '.join(random.choices(FILLER, k=5))} {anchor} {' '.join(random.choices((*words, *FILLER), k=5))}"
        )
        around = TEMPLATES[list(TOPICS).index(self.topic_of[parent])]
        path = (
            f"html/body/{around}/ul/li/a" if home and random.random() < 0.8 else random.choice((TEXT_PATH, FOOT_PATH))
        )
        return Link(url, parent, anchor, boundary, Headings("page"), path, position=position)

    def relevance(self, page: Page) -> Score:
        """The share of the topic's words, which are 40 of 100 on a page about it."""
        words = page.text.split()
        wanted = frozenset(TOPICS["birds"].split())
        return Score(sum(word in wanted for word in words) / max(1, len(words)), "share of words")

    def relevant(self) -> frozenset[str]:
        """The pages about birds."""
        return frozenset(self.of_topic["birds"])


class Crawled:
    """What a crawl fetched, in order, and why each link was taken."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.reasons: list[str] = []


def crawl(web: SmallWeb, scorer: LinkScorer, seeds: Sequence[str], budget: int) -> Crawled:
    """One link at a time, the best first, of equals the one found first. Found again, a link is only raised."""
    waiting = {url: (1.0, order, Link(url), "a seed") for order, url in enumerate(seeds)}
    heap = [(-1.0, order, url) for order, url in enumerate(seeds)]
    seen, done = len(seeds), Crawled()
    known = set(seeds)

    def wait(link: Link, score: Score, order: int) -> None:
        waiting[link.url] = (score.value, order, link, score.why)
        heapq.heappush(heap, (-score.value, order, link.url))

    while heap and len(done.urls) < budget:
        priority, order, url = heapq.heappop(heap)
        if url not in waiting or waiting[url][:2] != (-priority, order):
            continue
        _, _, link, why = waiting.pop(url)
        done.urls.append(url)
        done.reasons.append(why)
        visit = visited(web, scorer, link)
        for found, score in zip(visit.page.links if visit.page else (), visit.priorities, strict=True):
            if found.url not in known:
                known.add(found.url)
                seen += 1
                wait(found, score, seen)
            elif found.url in waiting and score.value > waiting[found.url][0]:
                wait(waiting[found.url][2], score, waiting[found.url][1])
        if isinstance(scorer, Learner):
            scorer.learn([visit])
        for rejudged, score in scorer.revised() if isinstance(scorer, Reviser) else ():
            if rejudged in waiting:
                wait(waiting[rejudged][2], score, waiting[rejudged][1])
    return done


def visited(web: SmallWeb, scorer: LinkScorer, link: Link) -> Visit:
    """Steps 2 to 5."""
    page = web.pages.get(link.url)
    if page is None:
        return Visit(link, Failed(link, "http-404"))
    relevance = web.relevance(page)
    priorities = tuple(scorer.priorities(page, relevance, page.links))
    return Visit(link, Fetched(link, Response(link.url, 200)), page, relevance, priorities)


class RandomOrder:
    """The strategy to beat."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """Any number."""
        return [Score(self._random.random(), "by chance") for _ in links]


def harvest(web: SmallWeb, scorer: LinkScorer, seeds: Sequence[str], budget: int = 100) -> int:
    """The relevant pages among the first ones fetched."""
    return len(web.relevant() & set(crawl(web, scorer, seeds, budget).urls))
