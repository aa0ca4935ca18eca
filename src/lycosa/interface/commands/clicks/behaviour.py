"""`lycosa clicks behaviour`: what visitors do on pages, and the weight that gives a page (M12, M13: "User stats")."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lycosa.click_records import DAY, Action, Behaviour, actions_of, added
from lycosa.clickstream.behaviour import PageWeight
from lycosa.configuration.sections import Clicks
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlFolder, home
from lycosa.inspection.user_stats import PageStats, UserStats, user_stats
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.shared.wording import day, iso, number, print_json, printable, span
from lycosa.storage.click_store import ClickStore
from lycosa.urls import normalise

MOST_PAGES = 20
MOST_ROWS = 10
_KNOWN = frozenset(Action)


def add_actions(actions: Commands, shared: argparse.ArgumentParser) -> None:
    """What can be typed after `lycosa clicks` about behaviour."""
    made = actions.add_parser("behaviour", help="what visitors do, and pages weighed by it", parents=[shared])
    made.add_argument("--site", default="", help="only this site")
    made.add_argument("--url", default="", help="one page, with the reasons for its weight")
    made.add_argument("--crawl", default="", metavar="NAME", help="in this crawl's own search, instead of on sites")
    made.add_argument("--limit", type=int, default=MOST_PAGES, help="how many pages (20)")
    made.add_argument("--support", type=float, metavar="SHARE", help="from which share of visitors a set is frequent")
    made.add_argument("--confidence", type=float, metavar="SHARE", help="from which confidence on it counts")
    made.set_defaults(run=run)


def run(told: argparse.Namespace) -> int:
    """What visitors do, and the weights of pages."""
    if told.limit < 1:
        raise ConfigurationError(f"--limit {told.limit} shows nothing; use 1 or more")
    url = _url(told.url) if told.url else ""
    folder, settings = _place(told)
    with ClickStore(folder, readonly=True) as store:
        found = user_stats(store, told.site, url, settings)
    if not found.pages:
        raise ConfigurationError(_nothing(told))
    if told.json:
        return print_json(plain(found, told.limit))
    print("\n".join(map(printable, page_lines(found) if url else lines(found, told.limit))))
    return 0


def _url(typed: str) -> str:
    url = normalise(typed if "://" in typed else f"http://{typed}")
    if url is None:
        raise ConfigurationError(f"--url {typed!r} is no http(s) URL; copy it from the list without --url")
    return url


def _place(told: argparse.Namespace) -> tuple[Path, Clicks]:
    """Where what people did is kept, and from where on sets and confidences count."""
    crawl = CrawlFolder.find(home(told.home), told.crawl) if told.crawl else None
    base = crawl.configuration().clicks if crawl else Clicks()
    support = base.least_support if told.support is None else told.support
    confidence = base.least_confidence if told.confidence is None else told.confidence
    for name, value in (("--support", support), ("--confidence", confidence)):
        if not 0 < value <= 1:
            raise ConfigurationError(f"{name} {value:g} is not possible; use a share above 0 and up to 1")
    folder = (crawl.path if crawl else home(told.home)) / "clicks"
    if crawl and not (folder / "data.mdb").exists():
        raise ConfigurationError(
            f"nobody has searched in crawl {told.crawl!r} yet; open it with `lycosa serve`, "
            "or leave --crawl out to see the sites that are watched"
        )
    return folder, Clicks(least_support=support, least_confidence=confidence)


def _nothing(told: argparse.Namespace) -> str:
    if told.url:
        return f"nothing was counted on {told.url}; `lycosa clicks behaviour` lists the pages that are known"
    return "no visit was counted yet; import a log with `lycosa clicks import`, or put the beacon into your pages"


# -- for people -------------------------------------------------------------------------------------


def lines(found: UserStats, limit: int) -> list[str]:
    """All pages: weights beside hit counts and stars, actions in all, the latest visitors."""
    told = [f"{'weight':>9} {'visits':>9} {'visitors':>9} {'stars':>5} {'active':>12} {'open':>12}  page"]
    told += [_brief(page) for page in found.pages[:limit]]
    if len(found.pages) > limit:
        told.append(f"{'':>9} and {number(len(found.pages) - limit)} more pages; see --limit")
    if found.queries:
        told += ["", f"{'weight':>9} for those who searched for"]
        told += [f"{each.weight.value:>9.3f} {each.query!r}: {each.url}" for each in found.queries[:limit]]
    times: dict[int, int] = {}
    doing: dict[int, int] = {}
    for page in found.pages:
        times, doing = added(times, page.clicks.actions), added(doing, page.doing())
    partly = frozenset[int]().union(*(page.partly for page in found.pages))
    return [*told, *_action_lines(times, doing, partly), *_row_lines(found)]


def _brief(page: PageStats) -> str:
    clicks, stars = page.clicks, "-" if page.rating is None else f"{page.rating:.1f}"
    spent = f"{span(page.active / 1000):>12} {span(page.dwell / 1000):>12}"
    counts = f"{number(clicks.visits):>9} {number(clicks.visitors):>9}"
    return f"{page.weight.value:>9.3f} {counts} {stars:>5} {spent}  {clicks.url}"


def page_lines(found: UserStats) -> list[str]:
    """One page: why it weighs so much, what was done on it, by whom."""
    told = []
    for page in found.pages:
        clicks = page.clicks
        stars = "not rated yet" if page.rating is None else f"{page.rating:.1f} stars from {number(clicks.ratings)}"
        told += [clicks.url, f"  {number(clicks.visits)} visits, {number(clicks.visitors)} visitors, {stars}"]
        first, *others = page.weight.score().lines("  ")
        told += [f"  weight{first[1:]}", *others]
        told += _action_lines(clicks.actions, page.doing(), page.partly)
    told += [f"  weight {each.weight.value:.3f} for those who searched for {each.query!r}" for each in found.queries]
    return [*told, *_row_lines(found)]


def _action_lines(times: Mapping[int, int], doing: Mapping[int, int], partly: frozenset[int]) -> list[str]:
    if not times:
        return ["", "no action of a visitor is known; the beacon sees them, a server's log does not"]
    told = ["", f"{'action':>12} {'times':>10} {'visitors':>10}"]
    for action in Action:
        if times.get(action):
            least = "≥ " if action in partly else ""
            often, many = least + number(times[action]), least + number(doing.get(action, 0))
            told.append(f"{action.name.lower():>12} {often:>10} {many:>10}")
    if partly & times.keys():
        told.append("≥ means at least so often: a page's script sees these only by their shortcut keys")
    return told


def _row_lines(found: UserStats) -> list[str]:
    if not found.latest:
        return []
    told = ["", f"the latest of {number(found.rows)} rows (one per visitor, page and day)"]
    for row in found.latest[:MOST_ROWS]:
        did = ", ".join(f"{name} {times}" for name, times in _by_name(row.actions).items())
        stars = f", {row.rating} stars" if row.rating else ""
        spent = f"{span(row.active / 1000)} active, {span(row.dwell / 1000)} open"
        told.append(f"{day(row.day * DAY):>12}  {_visitor(row)}  {row.url}: {did or 'no action'}; {spent}{stars}")
    return told


def _by_name(actions: Mapping[int, int]) -> dict[str, int]:
    return {Action(each).name.lower(): times for each, times in sorted(actions.items()) if each in _KNOWN}


def _visitor(row: Behaviour) -> str:
    return row.visitor.hex()[:6]


# -- for programs -----------------------------------------------------------------------------------


def plain(found: UserStats, limit: int) -> dict[str, Any]:
    """User stats as plain values."""
    queries = [{"query": each.query, "url": each.url, **_plain_weight(each.weight)} for each in found.queries]
    return {
        "total": len(found.pages),
        "pages": [_plain_page(page) for page in found.pages[:limit]],
        "queries": queries,
        "rows": found.rows,
        "latest": [_plain_row(row) for row in found.latest[:MOST_ROWS]],
    }


def _plain_page(page: PageStats) -> dict[str, Any]:
    clicks, doing = page.clicks, page.doing()
    return {
        "url": clicks.url,
        "site": page.site,
        "visits": clicks.visits,
        "visitors": clicks.visitors,
        "active": page.active,
        "dwell": page.dwell,
        "ratings": clicks.ratings,
        "mean_rating": page.rating,
        "actions": {
            Action(each).name.lower(): {"times": times, "visitors": doing.get(each, 0), "at_least": each in page.partly}
            for each, times in sorted(clicks.actions.items())
            if each in _KNOWN
        },
        **_plain_weight(page.weight),
    }


def _plain_weight(weight: PageWeight) -> dict[str, Any]:
    sets = [
        {
            "actions": _names(each.bits),
            "visitors": each.number,
            "weight": each.weight,
            "confidences": [
                {"of": _names(part.bits), "visitors": part.number, "value": part.value, "counted": part.counted}
                for part in each.confidences
            ],
        }
        for each in weight.sets
    ]
    return {"weight": weight.value, "why": weight.why(), "transactions": weight.visitors, "sets": sets}


def _names(bits: int) -> list[str]:
    return [action.name.lower() for action in actions_of(bits)]


def _plain_row(row: Behaviour) -> dict[str, Any]:
    return {
        "day": (iso(row.day * DAY) or "")[:10],
        "visitor": _visitor(row),
        "site": row.site,
        "url": row.url,
        "visits": row.visits,
        "active": row.active,
        "dwell": row.dwell,
        "actions": _by_name(row.actions),
        "rating": row.rating or None,
    }
