"""How a crawl stands: the agents' own words, added up."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.cooperation.partition import share_of_agents
from lycosa.crawl_folder.counts import total
from lycosa.crawl_folder.folder import CrawlFolder, Wish, said_of
from lycosa.crawl_folder.stages import INDEX
from lycosa.plugins import registry
from lycosa.records import Record

_SUMS = ("fetched", "relevant", "waiting", "in_flight", "later", "duplicates", "bytes", "links", "new_links", "sites",
         "aside", "sitemaps", "looked_again", "changed", "gone", "rewritten", "known_links", "seen_hits", "seen_misses",
         "said_newer")  # fmt: skip


FINISHED, STOPPED = "finished", "stopped"
"""States of a crawl that does not run: nothing was left to do, or it ended before that, or never began."""


class Status(Record, frozen=True):
    """A crawl at a moment."""

    name: str
    state: str
    budget: int
    agents: tuple[dict[str, Any], ...]
    sums: dict[str, int]
    failed: dict[str, int]
    refused: dict[str, int]
    pages_per_second: float
    stages: dict[str, dict[str, float]]
    indexed: dict[str, Any]
    disk_free: int
    seeds: dict[int, int]
    restarts: int = 0
    dark: dict[str, int] = msgspec.field(default_factory=dict)
    classes: dict[str, int] = msgspec.field(default_factory=dict)
    due: dict[str, int] = msgspec.field(default_factory=dict)
    placeholders: dict[str, int] = msgspec.field(default_factory=dict)
    trouble: str = ""
    """Why running agents go on with the settings they had before the last change."""

    @property
    def over(self) -> bool:
        """Whether the crawl does not run."""
        return self.state in (FINISHED, STOPPED)

    @property
    def harvest(self) -> float:
        """The share of fetched pages that are relevant."""
        return self.sums["relevant"] / self.sums["fetched"] if self.sums["fetched"] else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long until the budget is spent, at the present speed."""
        left = self.budget - self.sums["fetched"]
        goes_on = self.state == "running" and self.pages_per_second > 0
        return left / self.pages_per_second if self.budget and goes_on and left > 0 else None

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "state": self.state,
            "budget": self.budget,
            **self.sums,
            "harvest": self.harvest,
            "pages_per_second": self.pages_per_second,
            "seconds_left": self.seconds_left,
            "failed": self.failed,
            "refused": self.refused,
            "placeholders": self.placeholders,
            "dark": self.dark,
            "classes": self.classes,
            "due": self.due,
            "stages": self.stages,
            "indexed": self.indexed,
            "disk_free": self.disk_free,
            "restarts": self.restarts,
            "seeds": self.seeds,
            "trouble": self.trouble,
            "agents": list(self.agents),
        }


def crawl_status(folder: CrawlFolder, restarts: int = 0, configuration: Configuration | None = None) -> Status:
    """The state of a crawl, from what its agents last said; by these settings, or those that it has now."""
    configuration = configuration or folder.configuration()
    said = folder.statuses(configuration.agents)
    running = folder.running()
    state = _state(folder, running, said, configuration.agents)
    recent = [each for each in said if state in ("running", "stopping") and time.time() - each["at"] < 10]
    indexed = said_of(folder.path / "index.status.json") or {}
    return Status(
        name=folder.name,
        state=state,
        budget=configuration.pages,
        agents=tuple(said),
        sums={name: sum(each.get(name, 0) for each in said) for name in _SUMS},
        failed=total(each["failed"] for each in said),
        refused=total(each["refused"] for each in said),
        placeholders=total(each.get("placeholders", {}) for each in said),
        dark=total(each.get("dark", {}) for each in said),
        classes=total(each.get("classes", {}) for each in said),
        due=total(each.get("due", {}) for each in said),
        pages_per_second=sum(each["pages_per_second"] for each in recent),
        stages=_stages(said, indexed.pop("stage", {})),
        indexed=indexed,
        disk_free=shutil.disk_usage(folder.path).free,
        restarts=restarts,
        trouble=next(filter(None, (each.get("settings_trouble", "") for each in said if running)), ""),
        seeds=share_of_agents(
            configuration.seeds,
            registry.find("assigners", configuration.partition)(configuration.agents),
            configuration.agents,
        ),
    )


def _state(folder: CrawlFolder, running: bool, said: Sequence[dict[str, Any]], agents: int) -> str:
    if not running:
        done = len(said) == agents and all(each.get("state") == FINISHED for each in said)
        return FINISHED if done else STOPPED
    wish = folder.wish()
    return {Wish.RUN: "running", Wish.PAUSE: "paused", Wish.STOP: "stopping"}[wish]


def _stages(said: list[dict[str, Any]], indexed: dict[str, float]) -> dict[str, dict[str, float]]:
    summed: dict[str, dict[str, float]] = {}
    for each in said:
        for name, stage in each["stages"].items():
            into = summed.setdefault(name, dict.fromkeys(stage, 0.0))
            for figure, value in stage.items():
                into[figure] += value
    if indexed:
        summed[INDEX] = indexed
    return summed
