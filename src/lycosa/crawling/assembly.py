"""How an agent is put together from a crawl's folder: every part by its plug point."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lycosa import plugins
from lycosa.configuration.settings import Configuration, ConfigurationError
from lycosa.cooperation.mailbox import Courier, LonelyCourier, ProcessCourier
from lycosa.cooperation.page_budget import Budget
from lycosa.crawl_folder.class_scheme import scheme_of_crawl
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.input_files import LARGEST_FILE, bytes_of_file
from lycosa.crawl_folder.t_graph_files import keep_treasure, treasure_of
from lycosa.crawling.agent import Agent, Superior
from lycosa.crawling.commit import Crawl
from lycosa.crawling.saved_priorities import put_back
from lycosa.crawling.visit_replay import remind
from lycosa.fetching.fetcher import Fetcher
from lycosa.freshness.revisit_round import Round, begin_round
from lycosa.frontier.admission import admission, pattern_rule
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.politeness import Manners
from lycosa.frontier.rate_limiter import Throttle
from lycosa.preparation.structure_samples import samples_of
from lycosa.scoring.scorer import Topic
from lycosa.scoring.strategy import Strategy, strategy_of
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import Archive, ArchiveShort
from lycosa.text import terms


def label_of(configuration: Configuration) -> str:
    """The topic's words; an empty topic is refused."""
    label = configuration.topic.words
    if label and not terms(label):
        raise ConfigurationError(f"topic.words: {label!r} has only stop words; name what the crawl is about")
    return label


def topic_of(configuration: Configuration, folder: Path) -> Topic:
    """The topic of a crawl in text form; its examples lie in the crawl's folder, or where a job file says."""
    examples = []
    for name in configuration.topic.examples:
        path = folder / name
        if not path.is_file():
            path = Path(name)
        text = bytes_of_file(path, LARGEST_FILE, "name a page on the topic with --example", f"topic.examples: {name!r}")
        examples.append(text.decode("utf-8", "replace"))
    return Topic(
        label_of(configuration),
        tuple(examples),
        configuration.topic.classes,
        treasure=treasure_of(configuration, folder),
        structures=samples_of(configuration, folder),
        scheme=scheme_of_crawl(configuration, folder),
    )


def build_frontier(configuration: Configuration, store: AgentStore, now: float) -> Frontier:
    """The frontier of one agent, taken up from its store."""
    frontier = Frontier(
        store,
        admission(configuration),
        Manners(configuration.politeness),
        Throttle(configuration.ceilings, share=configuration.agents),
        configuration.frontier,
        now,
    )
    frontier.picky = configuration.pages > 0
    frontier.recall_rules(store.rule_counts())
    if configuration.scope.block or configuration.scope.allow:
        frontier.recheck(pattern_rule(configuration), now)
    return frontier


def build_agent(
    folder: CrawlFolder, number: int, superior: Superior, clock: Callable[[], float], courier: Courier | None = None
) -> Agent:
    """An agent that goes on where it left off."""
    crawl, fetcher, strategy = parts(folder, number, clock, courier)
    remind(strategy, crawl.store)
    put_back(folder, crawl, clock())
    budget = Budget(crawl.configuration.pages, number, crawl.counts.fetched, folder.path / "budget")
    agent = Agent(crawl, fetcher, strategy, budget, superior, clock)
    crawl.inject(crawl.configuration.seeds, clock())
    return agent


def build_round(
    folder: CrawlFolder,
    number: int,
    superior: Superior,
    clock: Callable[[], float],
    courier: Courier | None = None,
    *,
    everything: bool = True,
) -> Agent:
    """An agent that looks once more at its pages that may have changed, or at those of them that are due."""
    crawl, fetcher, strategy = parts(folder, number, clock, courier)
    remind(strategy, crawl.store)
    again = begin_round(crawl.configuration, crawl.store, clock())
    return Agent(crawl, fetcher, strategy, Budget(0), Round(superior, again, everything=everything), clock, again)


def parts(
    folder: CrawlFolder,
    number: int,
    clock: Callable[[], float],
    courier: Courier | None,
    configuration: Configuration | None = None,
) -> tuple[Crawl, Fetcher, Strategy]:
    """What an agent is made of, as its store has it; by the crawl's settings, unless there are others."""
    configuration = configuration or folder.configuration()
    topic = topic_of(configuration, folder.path)
    keep_treasure(configuration, folder.path)
    strategy = strategy_of(configuration, topic)
    own = folder.agent(number)
    store = AgentStore(own / "store", most_young=configuration.storage.young_links)
    (own / "store" / "ready").touch()
    archive = _archive_of(folder, number, store, configuration.storage.archive_file)
    if courier is None:
        stores = [path / "store" for path in folder.agents(configuration.agents)]
        courier = ProcessCourier(number, stores) if configuration.agents > 1 else LonelyCourier()
    crawl = Crawl(
        number,
        configuration,
        build_frontier(configuration, store, clock()),
        store,
        archive,
        strategy,
        plugins.find("assigners", configuration.partition)(configuration.agents),
        courier,
    )
    return crawl, plugins.find("fetchers", configuration.fetching.fetcher)(configuration, clock), strategy


def _archive_of(folder: CrawlFolder, number: int, store: AgentStore, largest: int) -> Archive:
    """An agent's archive, from what was committed on; one that has lost something is left as it is."""
    try:
        return Archive(folder.archive, f"agent-{number}", store.position(), largest)
    except ArchiveShort as error:
        store.close()
        mend = f"have its pages fetched again with `lycosa check {folder.name} --repair`"
        raise CrawlError(f"{error}; put it back from a copy, or {mend}") from error
