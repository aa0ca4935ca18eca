"""An agent's desk: where it finds what people wish, and leaves word of how it fares.

Wishes, settings and orders are files of the crawl's folder; the agent looks at
them a few times a second and writes its `status.json` once a second.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
from collections import deque
from collections.abc import Callable
from typing import Any

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, Wish
from lycosa.crawling.agent import Agent
from lycosa.crawling.click_source import ClickSource, click_source
from lycosa.durable import replace_file
from lycosa.frontier.admission import admission, pattern_rule
from lycosa.frontier.politeness import Manners
from lycosa.preparation.readiness import check_ready
from lycosa.search.index import read_marks
from lycosa.storage import catalogue
from lycosa.storage.agent_store import StoreFull
from lycosa.user_error import Mendable

STATUS_EVERY = 1.0
STATISTICS_EVERY = 5.0
LATELY = 10.0
"""Seconds over which the present speed is told."""


class Desk:
    """The superior of an agent that lives in its own process."""

    def __init__(
        self,
        folder: CrawlFolder,
        number: int,
        *,
        alone: bool = False,
        restless: bool = False,
        settings: Callable[[], Configuration] | None = None,
    ) -> None:
        """An agent `alone` stops when nothing is left to do; a `restless` one ends by itself and is never idle.

        `settings` are those the agent works by, where they are not the crawl's own.
        """
        self._settings = settings or folder.configuration
        self._folder, self._number, self._alone, self._restless = folder, number, alone, restless
        self._settings_seen = folder.stamp()
        self._trouble = ""
        self._said = self._exchanged = float("-inf")
        self._began: tuple[float, int] | None = None
        self._lately: deque[tuple[float, int]] = deque()
        self._cannot_roll = False
        self._people: ClickSource | None = None
        self._people_named = ""
        self._watched = float("-inf")

    def look(self, agent: Agent, now: float) -> Wish:
        """See what people wish; tell how the agent fares."""
        stamp = self._folder.stamp()
        if stamp != self._settings_seen:
            self._settings_seen = stamp
            self._take_up(agent, now)
        urls, place = self._folder.orders(agent.crawl.store.number("orders"))
        if urls:
            agent.crawl.inject(urls, now, place)
        if now - self._exchanged >= STATISTICS_EVERY:
            self._exchanged = now
            agent.crawl.hear_statistics()
        self._watch(agent, now)
        wish = self._folder.wish()
        idle = agent.idle and not agent.crawl.dark.waiting
        if now - self._said >= STATUS_EVERY or idle:
            self._said = now
            self._check_disk(agent)
            self._roll(agent)
            self.say(agent, now, wish.value, idle and not self._restless)
        return Wish.STOP if self._alone and idle and wish is Wish.RUN else wish

    def _take_up(self, agent: Agent, now: float) -> None:
        """Work by changed settings; where nobody could work by them, go on with those before, and say so."""
        try:
            check_ready(self._folder)
            settings = self._settings()
        except Mendable as error:
            self._trouble = str(error)
        else:
            self._trouble = ""
            apply_settings(agent, settings, now)

    def _watch(self, agent: Agent, now: float) -> None:
        """See what people did since the last look, and let in pages that only they know."""
        settings = agent.crawl.configuration.clicks
        if settings.source != self._people_named:
            self._people = self._open_people(agent.crawl.configuration)
            self._people_named, self._watched = settings.source, float("-inf")
        if self._people is not None and now - self._watched >= settings.look_every:
            self._watched = now
            news = self._people.news()
            if news is not None:
                agent.crawl.watch(news, now)
        if agent.crawl.dark.waiting:
            agent.crawl.admit_dark(now)

    def _open_people(self, configuration: Configuration) -> ClickSource | None:
        if self._people is not None:
            self._people.close()
        try:
            return click_source(configuration, self._folder.path)
        except ConfigurationError as error:
            raise CrawlError(str(error)) from None

    def _check_disk(self, agent: Agent) -> None:
        """Stop while there is still room to stop in."""
        spare, free = agent.crawl.configuration.storage.spare_disk, shutil.disk_usage(self._folder.path).free
        if free < spare:
            raise StoreFull(f"only {free} bytes are left on the disk (spare_disk is {spare}); make room, then resume")

    def _roll(self, agent: Agent) -> None:
        """Move a long journal into Parquet, where that is installed, as far as it has been indexed."""
        store, settings = agent.crawl.store, agent.crawl.configuration
        if self._cannot_roll or store.count("visits") < settings.storage.journal_rows:
            return
        through = store.last_row()
        if settings.index.enabled:
            through = min(through, read_marks(self._folder.index).get(self._number, 0))
        try:
            catalogue.roll(store, through)
        except catalogue.MissingExtra:
            self._cannot_roll = True

    def say(self, agent: Agent, now: float, state: str, idle: bool) -> None:
        """Write `status.json`."""
        path = self._folder.agent(self._number) / "status.json"
        replace_file(path, json.dumps(self._status(agent, now, state, idle)), durable=False)

    def _status(self, agent: Agent, now: float, state: str, idle: bool) -> dict[str, Any]:
        if self._began is None:
            self._began = (now, agent.crawl.counts.fetched)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        began, _ = self._began
        counts = agent.crawl.counts
        phases: dict[str, int] = {}
        sites = [site for site in agent.frontier.sites() if not site.is_refused]
        for site in sites:
            phases[site.phase.name.lower()] = phases.get(site.phase.name.lower(), 0) + 1
        return agent.progress() | {
            "state": state,
            "idle": idle,
            "settings_trouble": self._trouble,
            "at": now,
            "pid": os.getpid(),
            "duplicates": counts.duplicates,
            "aside": counts.aside,
            "bytes": counts.bytes,
            "mean_relevance": counts.relevance / counts.fetched if counts.fetched else 0.0,
            "links": counts.links,
            "new_links": counts.new_links,
            "sent": counts.sent,
            "received": counts.received,
            "failed": counts.failed,
            "placeholders": counts.placeholders,
            "refused": dict(agent.crawl.frontier.refusals),
            "dark": counts.dark,
            "sitemaps": counts.sitemaps,
            "looked_again": counts.looked_again,
            "changed": counts.changed,
            "gone": counts.gone,
            "rewritten": counts.rewritten,
            "canonical": counts.canonical,
            "known_links": counts.known_links,
            "seen_hits": counts.seen_hits,
            "seen_misses": counts.seen_misses,
            "said_newer": counts.said_newer,
            "classes": counts.classes,
            "due": counts.due,
            "sites": len(sites),
            "site_phases": phases,
            "stages": agent.stages.plain(agent.queues(), now - began),
            "pages_per_second": self._pace(now, counts.fetched),
            "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "memory": usage.ru_maxrss * 1024,
            "uptime": now - began,
        }

    def _pace(self, now: float, fetched: int) -> float:
        """Pages a second in the last moments."""
        lately = self._lately
        if not lately and self._began is not None:
            lately.append(self._began)
        lately.append((now, fetched))
        while len(lately) > 2 and lately[1][0] <= now - LATELY:
            lately.popleft()
        seconds = now - lately[0][0]
        return (fetched - lately[0][1]) / seconds if seconds > 0 else 0.0


def apply_settings(agent: Agent, configuration: Configuration, now: float) -> None:
    """Let a running agent work by changed settings (T16): scope, politeness, ceilings, budget, strategy."""
    agent.adjust_fetcher(configuration)
    agent.crawl.change(configuration)
    agent.budget.pages = configuration.pages
    agent.frontier.picky = configuration.pages > 0
    agent.frontier.change_rules(admission(configuration), pattern_rule(configuration), now)
    agent.frontier.change_manners(Manners(configuration.politeness))
    agent.frontier.throttle.change(configuration.ceilings)


def collect_rarely() -> None:
    """Look for cyclic garbage rarely: records are none, and a crawl makes hundreds of objects a page.

    What is there when this is called is never looked at; so it may be called before an agent is made, and after.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
