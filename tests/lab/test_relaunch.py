"""The watchdog on a web that is relaunched half-way: department names above links change their meaning.

Both crawls begin with the same T-Graph, built from pages of before, and go by it. Labels
are the generator's.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec
import numpy as np

from lycosa.lab.experiment import Plan, cases_of
from lycosa.lab.trial import run_trial
from lycosa.lab.webs import LabWeb, open_web
from lycosa.link_graph.t_graph.builder import TreasureBuilder
from lycosa.link_graph.t_graph.graph import TreasureGraph
from lycosa.records import Page

WEB = "box:{seed}?hosts=60&pages=6000&tunnel=0.1&topics=6&signposts={names}"
SEEDS = (7, 8)
PAGES = 500
SETTINGS = ("treasure.by_graph=6.0", "treasure.look_every=25")


class Relaunched(LabWeb):
    """One web for the first so many fetches, then the other."""

    def __init__(self, before: LabWeb, after: LabWeb, turn: int) -> None:
        self._before, self._after, self._left = before, after, turn

    def page(self, url: str) -> Page | None:
        """The page as it is at the time of this fetch."""
        self._left -= 1
        return (self._before if self._left >= 0 else self._after).page(url)


def built_from(web: LabWeb, relevant: frozenset[str], seed: int) -> bytes:
    """A T-Graph of two hundred pages, those on the topic marked as targets."""
    builder = TreasureBuilder()
    for url in Random(seed).sample(web.urls(), 200):
        page = web.page(url)
        if page is not None:
            builder.add(page, target=url in relevant)
    return TreasureGraph(builder.nodes()).encoded()


def gains() -> Sequence[int]:
    """For each topic of each web: how many more relevant pages the crawl with a watchdog finds after the relaunch."""
    found = []
    for seed in SEEDS:
        before, after = (open_web(WEB.format(seed=seed, names=names)) for names in (1, 2))
        assert before.urls() == after.urls()
        plan = Plan(
            web="", topics=tuple(before.topics()), strategies=("treasure",), pages=PAGES, kinds=("on",), examples=15
        )
        for case in cases_of(before, plan):
            about = msgspec.structs.replace(case.about, treasure=built_from(before, case.relevant, seed))
            harvests = []
            for watched in ("true", "false"):
                web, settings = Relaunched(before, after, PAGES // 2), (f"treasure.watchdog={watched}", *SETTINGS)
                crawl = run_trial(web, "treasure", about, case.seeds, PAGES, case.relevant, case.seed, settings)
                harvests.append(len(case.relevant.intersection(crawl.order[PAGES // 2 :])))
            found.append(harvests[0] - harvests[1])
    return found


def test_after_a_relaunch_the_watchdog_finds_more() -> None:
    gained = np.array(gains())
    drawn = np.random.default_rng(1).choice(gained, (2000, len(gained))).mean(axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    print(f"relevant pages more after the relaunch, per crawl: {gained.mean():.1f} [{low:.1f}, {high:.1f}]")
    assert low > 0
