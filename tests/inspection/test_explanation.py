"""Every fate that a URL can have, told step by step in order of time, on small crawls that were really made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import time

import msgspec
import pytest
from tiny_web import TinyWeb, crawl_folder, page, run

from lycosa.crawl_folder.folder import CrawlFolder, Wish, own
from lycosa.crawling.assembly import build_frontier
from lycosa.inspection.explanation import Explanation, explain
from lycosa.plugins.plug_points import AT_ONCE, Known, Turns
from lycosa.records import Failed, Link, Outcome, Refused, Response, SiteOpened, SiteShut
from lycosa.storage.agent_store import AgentStore, Batch

SITE = "http://a.example"
SEED = f"{SITE}/"
LATE = time() + 1000
PATIENT = {"delay": 0, "address_delay": 0, "adaptive": 0.0, "longest_delay": 0, "retry_after": "1h", "retries": 2}
GENERAL = ("links are taken as they are written", "further links to it are dropped")
"""What holds for every URL."""
Fate = Callable[[Link], Outcome]


class MoodyWeb(TinyWeb):
    """A web some of whose pages end otherwise: one fate a request, then the page comes."""

    def __init__(
        self,
        pages: dict[str, str],
        fates: dict[str, list[Fate]] | None = None,
        shut: str = "",
        delay: float | None = None,
    ) -> None:
        super().__init__(pages.get)
        self._fates, self._shut, self._delay = fates or {}, shut, delay

    async def open(self, site: str, now: float, turns: Turns = AT_ONCE) -> SiteOpened | SiteShut:  # type: ignore[override]
        if site == self._shut:
            return SiteShut(site, "robots-unreachable", now + 3600.0)
        return msgspec.structs.replace(await super().open(site, now), crawl_delay=self._delay)

    async def fetch(self, link: Link, known: Known | None = None) -> Outcome:
        fates = self._fates.get(link.url)
        if fates:
            self.asked.append(link.url)
            return fates.pop(0)(link)
        return await super().fetch(link, known)


def busy(link: Link) -> Failed:
    return Failed(link, "http-500", again=True, response=Response(link.url, 500))


def crawled(home: Path, web: TinyWeb, **changes: object) -> CrawlFolder:
    urls = {"learn_spellings": False}
    told = {"urls": urls, "politeness": PATIENT | {"retry_after": "20ms"}, "patience": "1s", **changes}
    folder = crawl_folder(home, [SEED], **told)
    run(folder, web)
    return folder


def leading_to(*links: str) -> dict[str, str]:
    return {SEED: page("birds", list(links)), f"{SITE}/x": page("nest", [])}


def steps(found: Explanation) -> list[str]:
    """What happened, without what holds for every URL; its times must be in order."""
    times = [event.at for event in found.events if event.at is not None]
    assert times == sorted(times)
    return [event.what for event in found.events if not event.what.startswith(GENERAL)]


def begins(found: Explanation, *beginnings: str) -> None:
    """Each step begins as it should, and there are no others."""
    told = steps(found)
    assert len(told) == len(beginnings), told
    for step, beginning in zip(told, beginnings, strict=True):
        assert step.startswith(beginning), told


LET_IN = f"found on {SEED}, 1 link from a seed; let in with priority "


def test_fetched(tmp_path: Path) -> None:
    folder = crawled(tmp_path, MoodyWeb(leading_to("/x")))
    found = explain(folder, f"{SITE}/x")
    assert found.verdict == "fetched"
    begins(found, LET_IN, "fetched: status 200", "relevance ")
    assert ": " in steps(found)[0].removeprefix(LET_IN), "the reason of its priority"
    begins(explain(folder, SEED), "given as a seed; let in with priority 1.000: ", "fetched", "relevance")


def test_refused_by_robots_after_it_was_let_in(tmp_path: Path) -> None:
    web = MoodyWeb(leading_to("/x"), {f"{SITE}/x": [lambda link: Refused(link, "robots", "Disallow: /x")]})
    found = explain(crawled(tmp_path, web), f"{SITE}/x")
    assert found.verdict == "refused: robots"
    begins(found, LET_IN, "refused: robots Disallow: /x")
    assert not steps(found)[0].endswith((": robots", ": Disallow: /x")), "the reason for which it was let in stays"
    assert ": " in steps(found)[0].removeprefix(LET_IN)


@pytest.mark.parametrize(
    ("link", "settings", "why"),
    [
        ("http://b.example/x", {"scope": {"sites": "seeds"}}, "out-of-scope: b.example is not a seed's domain"),
        ("/x", {"scope": {"block": ["a.example/x"]}}, "blocked: a.example/x"),
        ("/x/x/x/x/x/x", {}, "trap: "),
    ],
)
def test_refused_at_the_door(tmp_path: Path, link: str, settings: dict[str, object], why: str) -> None:
    folder = crawled(tmp_path, MoodyWeb(leading_to(link)), **settings)
    found = explain(folder, link if "://" in link else SITE + link)
    assert found.verdict.startswith(f"refused: {why}")
    begins(found, f"found on {SEED}, 1 link from a seed", f"refused: {why}")
    assert "let in" not in steps(found)[0]


def test_a_duplicate(tmp_path: Path) -> None:
    pages = leading_to("/x", "/y") | {f"{SITE}/y": page("nest", [])}
    folder = crawled(tmp_path, MoodyWeb(pages))
    told = {url: explain(folder, url) for url in (f"{SITE}/x", f"{SITE}/y")}
    (copy,) = [url for url in told if "duplicate" in told[url].verdict]
    (first,) = {*told} - {copy}
    assert told[copy].verdict == f"fetched; a duplicate of {first}"
    begins(told[copy], LET_IN, "fetched", "relevance", f"duplicate: same content as {first}")


def test_gone(tmp_path: Path) -> None:
    found = explain(crawled(tmp_path, MoodyWeb(leading_to("/gone"))), f"{SITE}/gone")
    assert found.verdict == "failed: http-404, given up after 1 attempt"
    begins(found, LET_IN, "failed: http-404 (attempt 1)")
    assert not steps(found)[0].endswith("http-404")


def test_failed_and_fetched_at_the_second_attempt(tmp_path: Path) -> None:
    found = explain(crawled(tmp_path, MoodyWeb(leading_to("/x"), {f"{SITE}/x": [busy]})), f"{SITE}/x")
    assert found.verdict == "fetched"
    begins(found, LET_IN, "failed: http-500 (attempt 1)", "fetched: status 200", "relevance ")
    assert steps(found)[2].endswith("(attempt 2)")


def test_given_up_after_every_attempt(tmp_path: Path) -> None:
    found = explain(crawled(tmp_path, MoodyWeb(leading_to("/x"), {f"{SITE}/x": [busy] * 9})), f"{SITE}/x")
    assert found.verdict == "failed: http-500, given up after 3 attempts"
    begins(found, LET_IN, *(f"failed: http-500 (attempt {number})" for number in (1, 2, 3)))


def test_failed_and_to_be_tried_again(tmp_path: Path) -> None:
    folder = crawled(tmp_path, MoodyWeb(leading_to("/x"), {f"{SITE}/x": [busy]}), politeness=PATIENT)
    found = explain(folder, f"{SITE}/x")
    assert found.verdict == "failed, and to be tried again"
    due = "attempt 2 of 3 not before then; the last one failed: http-500"
    begins(found, LET_IN, "failed: http-500 (attempt 1)", due, "the crawl does not run; `lycosa resume tiny`")
    failed, again = (next(each for each in found.events if each.what.startswith(word)) for word in ("failed", due))
    assert failed.at is not None
    assert again.at is not None
    assert 3590 < again.at - failed.at < 3610


def test_a_page_that_waits_once_more(tmp_path: Path) -> None:
    """The time when it was found is not known any more, but that it was found first is."""
    folder = crawled(tmp_path, MoodyWeb(leading_to("/x")))
    let_in_again(folder, f"{SITE}/x")
    found = explain(folder, f"{SITE}/x")
    assert found.verdict == "waiting"
    again = "let in once more with priority "
    begins(found, f"found on {SEED}", "fetched", "relevance", again, "the crawl does not run", "0 links of its site")
    assert steps(found)[3].endswith("its copy was damaged")
    run(folder, MoodyWeb(leading_to("/x")), time=lambda: time() + 2000)
    found = explain(folder, f"{SITE}/x")
    begins(found, f"found on {SEED}", "fetched", "relevance", again, "fetched", "relevance")


def let_in_again(folder: CrawlFolder, url: str) -> None:
    with AgentStore(folder.agent(0) / "store") as store:
        frontier = build_frontier(folder.configuration(), store, LATE)
        assert frontier.revisit([url], "its copy was damaged", LATE) == 1
        store.commit(Batch(frontier.drain()))


def test_never_seen(tmp_path: Path) -> None:
    folder = crawled(tmp_path, MoodyWeb(leading_to("/x")), scope={"block": ["c.example"]})
    found = explain(folder, "http://b.example/")
    assert found.verdict == "never seen: it is no seed, and no page fetched so far links to it"
    begins(found, "were it found, it would be let in; `lycosa add`")
    begins(explain(folder, "http://c.example/"), "were it found, it would be refused: blocked: c.example")


def waiting(home: Path, *links: str, **changes: object) -> CrawlFolder:
    """A crawl that has fetched its seed, and has spent its budget with that."""
    return crawled(home, MoodyWeb(leading_to(*links)), pages=1, **changes)


NOT_RUNNING = "the crawl does not run; `lycosa resume tiny` lets it go on"
SPENT = "the budget is spent (1 of 1 pages); `lycosa set tiny pages=N` gives more"


def test_waiting_with_its_place(tmp_path: Path) -> None:
    folder = waiting(tmp_path, "/x", "/y", "http://b.example/")
    told = [explain(folder, f"{SITE}/{name}") for name in "xy"]
    assert [each.verdict for each in told] == ["waiting", "waiting"]
    places = {steps(each)[-1] for each in told}
    here = "of its site"
    assert places == {
        f"0 links {here} are ahead of it; 1 other site has links waiting",
        f"1 link {here} is ahead of it; 1 other site has links waiting",
    }
    for each in told:
        begins(each, LET_IN, NOT_RUNNING, SPENT, steps(each)[-1])


def test_a_waiting_link_whose_site_was_blocked(tmp_path: Path) -> None:
    """It is refused when its turn comes, also where the crawl did not run when the pattern was blocked."""
    folder = waiting(tmp_path, "/x", "http://b.example/")
    folder.add_pattern("block", "b.example")
    folder.change("pages=10")
    found = explain(folder, "http://b.example/")
    assert found.verdict == "waiting, but to be refused: blocked: b.example"
    blocked = "when its turn comes it will be refused: blocked: b.example"
    begins(found, LET_IN, NOT_RUNNING, blocked, "0 links of its site are ahead of it; 1 other site has")
    assert run(folder, MoodyWeb(leading_to("/x"))) == [f"{SITE}/x"]
    found = explain(folder, "http://b.example/")
    assert found.verdict == "refused: blocked: b.example"
    begins(found, LET_IN, "refused: blocked: b.example")


def test_a_retry_is_refused_that_was_blocked_meanwhile(tmp_path: Path) -> None:
    settings = PATIENT | {"retry_after": "5s"}
    folder = crawled(tmp_path, MoodyWeb(leading_to("/x"), {f"{SITE}/x": [busy]}), politeness=settings)
    folder.add_pattern("block", "a.example/x")
    later = MoodyWeb(leading_to("/x"))
    assert run(folder, later, time=lambda: time() + 60) == []
    found = explain(folder, f"{SITE}/x")
    begins(found, LET_IN, "failed: http-500 (attempt 1)", "refused: blocked: a.example/x")


def test_a_paused_and_a_stopping_crawl(tmp_path: Path) -> None:
    folder = waiting(tmp_path, "/x")
    folder.change("pages=10")
    with own(folder.path / "lock", "the crawl"):
        begins(explain(folder, f"{SITE}/x"), LET_IN, "0 links")
        folder.want(Wish.PAUSE)
        begins(
            explain(folder, f"{SITE}/x"), LET_IN, "the crawl is paused; `lycosa resume tiny` lets it go on", "0 links"
        )
        folder.want(Wish.STOP)
        begins(explain(folder, f"{SITE}/x"), LET_IN, "the crawl is stopping", "0 links")


def test_a_site_that_is_shut(tmp_path: Path) -> None:
    web = MoodyWeb(leading_to("http://b.example/"), shut="http://b.example")
    found = explain(crawled(tmp_path, web), "http://b.example/")
    assert found.verdict == "waiting"
    begins(found, LET_IN, "not before then: its site rests (robots-unreachable)", NOT_RUNNING, "0 links of its site")


@pytest.mark.parametrize(("delay", "asked_for"), [(7200.0, True), (0.01, True), (None, False)])
def test_a_crawl_delay(tmp_path: Path, delay: float | None, asked_for: bool) -> None:
    web = MoodyWeb(leading_to("/x"), {f"{SITE}/x": [busy]}, delay=delay)
    found = explain(crawled(tmp_path, web, politeness=PATIENT, patience="10ms"), f"{SITE}/x")
    pauses = [step for step in steps(found) if "Crawl-delay" in step]
    assert len(pauses) == asked_for, steps(found)
    if delay == 7200.0:
        assert pauses[0].startswith("not before then: its site rests (Crawl-delay: its robots.txt asks for 7200 s")
        assert "waiting" in found.verdict
    elif asked_for:
        assert "asks for 0.01 s between two requests" in pauses[0]


def test_a_crawl_delay_below_the_configured_delay_keeps_nothing_waiting(tmp_path: Path) -> None:
    folder = crawled(tmp_path, MoodyWeb(leading_to("/x"), {f"{SITE}/x": [busy]}, delay=0.01), politeness=PATIENT)
    folder.change("politeness.delay=1s")
    assert not any("Crawl-delay" in step for step in steps(explain(folder, f"{SITE}/x")))


def test_the_other_sites_are_those_of_the_agent_that_owns_it(tmp_path: Path) -> None:
    folder = waiting(tmp_path, "/x", agents=2)
    place = "0 links of its site are ahead of it; agent 0, which owns its site, has 0 other sites with links waiting"
    begins(explain(folder, f"{SITE}/x"), LET_IN, NOT_RUNNING, SPENT, place)


def test_a_link_that_was_taken_by_a_crawl_that_ended(tmp_path: Path) -> None:
    folder = waiting(tmp_path, "/x")
    with AgentStore(folder.agent(0) / "store") as store:
        frontier = build_frontier(folder.configuration(), store, LATE)
        assert frontier.site_to_open(LATE + 1) == SITE
        frontier.opened(SiteOpened(SITE, "192.0.2.1", until=3e9, requested=False), LATE + 1)
        assert frontier.next(LATE + 2) is not None
        store.commit(Batch(frontier.drain()))
    found = explain(folder, f"{SITE}/x")
    assert found.verdict == "waiting"
    begins(found, LET_IN, "taken from the queue, but the crawl ended before it came", NOT_RUNNING, SPENT)
    with own(folder.path / "lock", "the crawl"):
        found = explain(folder, f"{SITE}/x")
    assert found.verdict == "being fetched"
    begins(found, LET_IN, "taken from the queue")


def test_a_rejected_link_says_that_it_will_not_be_fetched(tmp_path: Path) -> None:
    folder = crawled(tmp_path, MoodyWeb(leading_to("/x")), strategy="parents", parents={"strict": True})
    found = explain(folder, f"{SITE}/x")
    assert found.verdict == "waiting"
    begins(
        found,
        f"found on {SEED}, 1 link from a seed; let in, but rejected for now: ",
        NOT_RUNNING,
        "it will not be fetched unless it is judged better",
        "0 links of its site",
    )
