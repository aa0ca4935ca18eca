"""A straightforward reading of a log, line by line with plain dictionaries, to compare the real one with."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from lycosa.clickstream.server_logs.page_urls import NAMES, Asked, LogSite
from lycosa.clickstream.server_logs.sessions.robots import LOOPBACK, Asker, asker

LINE = re.compile(
    r'(?P<address>\S+) .*?\[(?P<time>[^\]]+)\] "(?P<request>(?:[^"\\]|\\.)*)" (?P<status>\d{3}) [^"]*'
    r'"(?P<referrer>(?:[^"\\]|\\.)*)" "(?P<agent>(?:[^"\\]|\\.)*)"?.*'
)
DAY = 86_400_000


@dataclass
class Page:
    visits: int = 0
    visitors: set[tuple[str, str, int]] = field(default_factory=set)
    duration: int = 0
    unended: int = 0
    spans: Counter[int] = field(default_factory=Counter)
    referrers: Counter[str] = field(default_factory=Counter)


@dataclass
class Visitor:
    at: int = 0
    page: str = ""
    minute: int = -1
    rate: int = 0
    robot_until: int = 0
    why: str = ""


@dataclass
class Plain:
    pages: dict[str, Page] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    sessions: int = 0
    bad: int = 0
    backwards: int = 0

    def page(self, url: str) -> Page:
        return self.pages.setdefault(url, Page())


def plain_sessions(text: str, site: str = "example.org", timeout: float = 1800.0) -> Plain:
    """All sessions of a log; those open at its end are closed."""
    found, visitors, time = Plain(), dict[tuple[str, str], Visitor](), 0
    where = LogSite(site)
    for line in text.split("\n"):
        if not line.strip():
            continue
        match = LINE.fullmatch(line)
        if match is None:
            found.bad += 1
            continue
        at = round(datetime.strptime(match["time"], "%d/%b/%Y:%H:%M:%S %z").timestamp() * 1000)
        skimmed = common_asset(match)
        time = time if skimmed else max(time, at)
        url = asked_for(match, where, found)
        if url is not None:
            who = visitors.setdefault((match["address"], match["agent"]), Visitor())
            if viewed(who, url, at, time, int(timeout * 1000), found):
                page = found.page(url)
                page.visits += 1
                page.visitors.add((match["address"], match["agent"], at // DAY))
                came = where.referrer(match["referrer"].encode())
                page.referrers[came] += 1 if came else 0
    for who in visitors.values():
        if who.page:
            found.page(who.page).unended += 1
    return found


def common_asset(match: re.Match[str]) -> bool:
    """Assets that are only counted, not read: they do not move the log's time."""
    target = re.fullmatch(r"GET (/[^?]*\.(?:png|jpg|gif|css|ico|svg|js)) HTTP/\d\.\d", match["request"])
    return target is not None and match["status"] in ("200", "304") and len(match["request"]) < 64


def asked_for(match: re.Match[str], where: LogSite, found: Plain) -> str | None:
    """The page that a person asked for; everything else is counted."""
    status, request = int(match["status"]), match["request"].split(" ")
    seen = 200 <= status < 300 or status == 304
    if not seen:
        found.left_out["redirect" if 300 <= status < 400 else "error"] += 1
        return None
    if request[0] != "GET":
        found.left_out["method"] += 1
        return None
    page = where.page(b"", " ".join(request[1:-1]).encode())
    if isinstance(page, Asked) and page is not Asked.ROBOTS_TXT:
        found.left_out[NAMES[page]] += 1
        return None
    kind = asker(match["agent"].encode())
    own = match["address"].encode() in LOOPBACK and kind == Asker.NAMELESS
    if kind == Asker.ROBOT:
        found.left_out["known-agent"] += 1
        return None
    if own or kind == Asker.MONITORING:
        found.left_out["monitoring"] += 1
        return None
    return "robots.txt" if isinstance(page, Asked) else page


def viewed(who: Visitor, url: str, at: int, time: int, timeout: int, found: Plain) -> bool:
    """Whether a request is a view by a person; ends the page before."""
    if url == "robots.txt":
        return robot(who, time, "robots-txt-reader", found)
    if who.robot_until > time:
        found.left_out[who.why] += 1
        return False
    goes_on = who.page != "" and time - who.at <= timeout and at >= who.at - timeout
    rate = who.rate + 1 if goes_on and at // 60_000 == who.minute else 1
    if rate > 30:
        return robot(who, time, "inhuman-rate", found)
    if goes_on:
        found.backwards += at < who.at
        before = found.page(who.page)
        before.duration += max(0, at - who.at)
        before.spans[max(0, at - who.at) // 1000] += 1
    else:
        found.sessions += 1
        if who.page:
            found.page(who.page).unended += 1
    who.at, who.page, who.minute, who.rate = at, url, at // 60_000, rate
    return True


def robot(who: Visitor, time: int, why: str, found: Plain) -> bool:
    if who.page:
        found.page(who.page).unended += 1
    who.page, who.robot_until, who.why = "", time + DAY, why
    found.left_out[why] += 1
    return False
