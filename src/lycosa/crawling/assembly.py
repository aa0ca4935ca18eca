"""How an agent is put together from a crawl's folder: every part by its plug point."""

from __future__ import annotations

from collections.abc import Callable

from lycosa.configuration.sections import Configuration
from lycosa.cooperation.mailbox import Courier, LonelyCourier, ProcessCourier
from lycosa.cooperation.page_budget import Budget
from lycosa.cooperation.turn_table import TurnTable
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.t_graph_files import keep_treasure
from lycosa.crawl_folder.topic import topic_of
from lycosa.crawling.agent import Agent, Superior
from lycosa.crawling.commit import Crawl
from lycosa.crawling.saved_priorities import put_back
from lycosa.crawling.visit_replay import remind
from lycosa.frontier.admission import admission, pattern_rule
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.politeness import Manners
from lycosa.frontier.rate_limiter import Throttle
from lycosa.frontier.shared_turns import NobodyElse, SharedTurns
from lycosa.plugins import registry
from lycosa.plugins.plug_points import Fetcher
from lycosa.scoring.strategy import Strategy, strategy_of
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import Archive, ArchiveShort


def build_frontier(
    configuration: Configuration, store: AgentStore, now: float, shared: SharedTurns | None = None
) -> Frontier:
    """The frontier of one agent, taken up from its store."""
    frontier = Frontier(
        store,
        admission(configuration),
        Manners(configuration.politeness),
        throttle_of(configuration),
        configuration.frontier,
        now,
        shared,
    )
    frontier.picky = configuration.pages > 0
    frontier.recall_rules(store.rule_counts())
    if configuration.scope.block or configuration.scope.allow:
        frontier.recheck(pattern_rule(configuration), now)
    return frontier


def throttle_of(configuration: Configuration) -> Throttle:
    """One agent's part of the ceilings: of those of a site, too, where a site may have several owners."""
    agents = configuration.agents
    return Throttle(configuration.ceilings, agents, 1 if configuration.sites_have_one_owner else agents)


def turns_of(folder: CrawlFolder, number: int, agents: int) -> SharedTurns:
    """The turns that an agent shares with the others of its crawl."""
    if agents == 1:
        return NobodyElse()
    return TurnTable(number, [folder.agent_lock(agent) for agent in range(agents)], folder.path / "turns")


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
        build_frontier(configuration, store, clock(), turns_of(folder, number, configuration.agents)),
        store,
        archive,
        strategy,
        registry.find("assigners", configuration.partition)(configuration.agents),
        courier,
    )
    return crawl, registry.find("fetchers", configuration.fetching.fetcher)(configuration, clock), strategy


def _archive_of(folder: CrawlFolder, number: int, store: AgentStore, largest: int) -> Archive:
    """An agent's archive, from what was committed on; one that has lost something is left as it is."""
    try:
        return Archive(folder.archive, f"agent-{number}", store.position(), largest)
    except ArchiveShort as error:
        store.close()
        mend = f"have its pages fetched again with `lycosa check {folder.name} --repair`"
        raise CrawlError(f"{error}; put it back from a copy, or {mend}") from error
