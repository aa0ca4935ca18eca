"""`lycosa clicks top`: pages by how important what people do with them makes them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lycosa.configuration.sections import Clicks
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlFolder, home
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.shared.wording import iso, number, print_json, printable, span
from lycosa.interface.views.important_pages import MEASURES, known_pages, picture
from lycosa.records import Score
from lycosa.scoring.importance import ORDERS, SPENT, TOP, PlacedPage, ordered, placed_pages


def add_actions(actions: Commands, shared: argparse.ArgumentParser) -> None:
    """What can be typed after `lycosa clicks` about the importance of pages."""
    top = actions.add_parser("top", help="the most important pages, by visitors and content", parents=[shared])
    top.add_argument("--site", default="", help="only pages of this site")
    top.add_argument("--crawl", default="", metavar="NAME", help="the pages of this crawl, and its topic")
    top.add_argument("--topic", default="", metavar="WORDS", help="another topic than the crawl's")
    top.add_argument("--list", choices=("first", "final"), default="final", help="first: by BM25; final: by IV")
    top.add_argument("--by", choices=tuple(ORDERS), help="another order: iv, i, visits, lr, bm25")
    top.add_argument("--limit", type=int, default=TOP, help="how many pages (20)")
    top.add_argument("--content", type=float, metavar="E", help="how much content counts in I (2)")
    top.add_argument("--spent", choices=SPENT, help="what IV takes for D: duration, or the document's length")
    top.add_argument("--plot", metavar="FILE.svg", help="write a picture of the first twenty")
    top.set_defaults(run=run)


def run(told: argparse.Namespace) -> int:
    """The most important pages."""
    if told.limit < 1:
        raise ConfigurationError(f"--limit {told.limit} shows nothing; use 1 or more")
    plot = _plot_file(told.plot) if told.plot else None
    settings = _settings(told)
    known = known_pages(home(told.home), told.site, told.crawl, told.topic)
    by = told.by or ("bm25" if told.list == "first" else "iv")
    found = ordered(placed_pages(known.pages, known.bm25, settings.content, settings.spent), by)
    shown = found[: told.limit]
    if plot is not None:
        plot.write_text(picture(shown, by, told.site or told.crawl), "utf-8")
        print(f"written to {plot}", file=sys.stderr)
    if told.json:
        pages = [plain(page, place) for place, page in enumerate(shown, 1)]
        return print_json(
            {"list": told.list, "by": by, "total": len(found), "notes": list(known.notes), "pages": pages}
        )
    print("\n".join(map(printable, (*_lines(shown, by, len(found)), *known.notes))))
    return 0


def _plot_file(name: str) -> Path:
    path = Path(name)
    if path.suffix.lower() != ".svg":
        raise ConfigurationError(f"--plot {name}: the picture is SVG; give it a name that ends in .svg")
    if not path.absolute().parent.is_dir():
        raise ConfigurationError(f"--plot {name}: {path.parent} is no folder; make it first, or choose another")
    return path


def _settings(told: argparse.Namespace) -> Clicks:
    """How the measures count: what was typed, else what the crawl says, else the defaults."""
    base = _crawl(told).configuration().clicks if told.crawl else Clicks()
    content = base.content if told.content is None else told.content
    if not content >= 1:
        raise ConfigurationError(f"--content {content:g} is not possible; E is 1 or more")
    return Clicks(content=content, spent=told.spent or base.spent)


def _crawl(told: argparse.Namespace) -> CrawlFolder:
    return CrawlFolder.find(home(told.home), told.crawl)


# -- what is known ----------------------------------------------------------------------------------


# -- telling ----------------------------------------------------------------------------------------


def _lines(shown: Sequence[PlacedPage], by: str, total: int) -> list[str]:
    if not shown:
        return ["there is no page to order yet"]
    lines = [f"the first {len(shown)} of {number(total)} pages by {MEASURES[by]}"]
    lines.append(
        f"{'':>4} {'IV':>7} {'I':>6} {'visits':>8} {'visitors':>8} {'LR':>11} {'known + est.':>23} "
        f"{'ASCII sum':>13} {'downloads':>9} {'BM25':>6}  page"
    )
    return lines + [_line(page, place) for place, page in enumerate(shown, 1)]


def _line(page: PlacedPage, place: int) -> str:
    clicks = page.clicks
    known, estimated = span(clicks.duration / 1000), (page.log_rank - clicks.duration) / 1000
    parts = f"{known} + {span(estimated)}" if estimated > 0 else known
    return (
        f"{place:>3}. {page.iv:>7.3f} {page.importance.value:>6.3f} {number(clicks.visits):>8} "
        f"{number(clicks.visitors):>8} {span(page.log_rank / 1000):>11} {parts:>23} "
        f"{number(clicks.ascii_sum):>13} {number(clicks.downloads):>9} {page.bm25:>6.2f}  {clicks.url}"
    )


def plain(page: PlacedPage, place: int) -> dict[str, Any]:
    """A page of the list for JSON, with its whole record (P3) and how its values came about."""
    clicks = page.clicks
    return {
        "rank": place,
        "url": clicks.url,
        "key": clicks.key,
        "iv": page.iv,
        "score": page.score.value,
        "i": page.importance.value,
        "bm25": page.bm25,
        "relevance": page.relevance,
        "visits": clicks.visits,
        "visitors": clicks.visitors,
        "lr": page.log_rank,
        "duration": clicks.duration,
        "estimated": page.log_rank - clicks.duration,
        "length": clicks.length,
        "ascii_sum": clicks.ascii_sum,
        "downloadable_content_value": clicks.downloads,
        "created": iso(clicks.created),
        "last_access": iso(clicks.last_access),
        "why": {"score": _parts(page.score), "i": _parts(page.importance)},
    }


def _parts(score: Score) -> list[dict[str, Any]]:
    return [{"value": part.value, "why": part.why} for part in score.parts]
