"""The desk of a running agent: what people change is taken up, what nobody could work by is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_web import crawl_folder

from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.folder import CrawlFolder, Wish
from lycosa.crawl_folder.status import crawl_status
from lycosa.crawling.agent import Agent
from lycosa.crawling.assembly import build_agent
from lycosa.frontier.admission import Admission, admit_all
from lycosa.records import Link, Score, SiteShut
from lycosa.supervision.control_channel import Desk


@pytest.fixture
def folder(tmp_path: Path) -> CrawlFolder:
    return crawl_folder(tmp_path, ["http://127.0.0.1:9/"])


@pytest.fixture
def agent(folder: CrawlFolder) -> Iterator[Agent]:
    made = build_agent(folder, 0, Desk(folder, 0), lambda: 0.0)
    yield made
    made.crawl.close()


def test_hosts_that_are_refused_are_no_sites(folder: CrawlFolder, agent: Agent) -> None:
    """Neither those of refused links nor one that may not be asked; one that failed is a site."""
    names = ("b", "c", "d", "e")
    links = [Link(f"http://{name}.example/") for name in names]
    agent.frontier.change_rules(Admission([("scope", lambda link: "out" if "//b" in link.url else None)]), admit_all, 0)
    agent.frontier.add(links, [Score(0.5)] * len(links), 0.0)
    while site := agent.frontier.site_to_open(0.0):
        why = {"http://c.example": "address-refused", "http://d.example": "robots-unreachable"}.get(site, "dns-failed")
        agent.frontier.opened(SiteShut(site, why, 9.0, "10.0.0.1 is private"), 0.0)
    Desk(folder, 0).say(agent, 1.0, "run", False)
    status = folder.statuses(1)[0]
    assert (status["sites"], status["site_phases"]) == (3, {"paused": 3}), "the seed, d and e"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("[scope]", "[scope", "not valid TOML"),
        ('strategy = "best-first"', 'strategy = "nosuch"', "no strategy named 'nosuch'"),
        ('"scheme", ', '"nosuch", ', "no admission rule named 'nosuch'"),
        ('source = ""', 'source = "/nonexistent"', "clicks.source"),
        ("127.0.0.1:9", "public.example", "needs a contact"),
    ],
)
def test_an_agent_goes_on_with_the_settings_it_had(
    folder: CrawlFolder, agent: Agent, old: str, new: str, why: str
) -> None:
    desk, path = Desk(folder, 0), folder.path / "crawl.toml"
    good = path.read_text("utf-8")
    assert old in good
    path.write_text(good.replace(old, new).replace("pages = 0", "pages = 5"), "utf-8")
    with folder.owned():
        assert desk.look(agent, 10.0) is Wish.RUN
        assert agent.budget.pages == 0
        assert why in folder.statuses(1)[0]["settings_trouble"]
        path.write_text(good.replace("pages = 0", "pages = 7"), "utf-8")
        desk.look(agent, 20.0)
        assert agent.budget.pages == 7
        assert not crawl_status(folder).trouble


def test_a_running_agent_fetches_by_changed_settings(folder: CrawlFolder, agent: Agent) -> None:
    taken_up: list[Configuration] = []

    class Fetching:
        def adjust(self, configuration: Configuration) -> None:
            taken_up.append(configuration)

    agent._fetcher = Fetching()  # type: ignore[assignment]
    desk = Desk(folder, 0)
    folder.change('fetching.allow_addresses=["127.0.0.1:9"]')
    with folder.owned():
        desk.look(agent, 10.0)
    assert [each.fetching.allow_addresses for each in taken_up] == [("127.0.0.1:9",)]
    assert agent.crawl.second_thoughts.look, "what that refused is looked for"
