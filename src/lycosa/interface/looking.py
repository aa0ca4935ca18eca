"""Commands that look: status, report, explain, search, export, serve."""

from __future__ import annotations

import argparse
import re
import sys
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

from lycosa.agents import explanation
from lycosa.agents.export import export as export_table
from lycosa.agents.folder import CrawlError, CrawlFolder, home
from lycosa.agents.page_signals import ResultOrders
from lycosa.agents.report import MOST_SITES, Report, crawl_report
from lycosa.agents.sitemap_coverage import Coverage, crawl_coverage
from lycosa.agents.status import Status, crawl_status
from lycosa.interface import wording
from lycosa.interface.dark import dark_told
from lycosa.interface.progress import line_of
from lycosa.interface.report_page import report_page
from lycosa.interface.treasure import shares_told
from lycosa.interface.wording import print_json, printable
from lycosa.records import Score
from lycosa.search.index import Found, Hit, IndexReader
from lycosa.search.query import understand

_MARK = re.compile(r"</?b>")


def _find(told: argparse.Namespace) -> CrawlFolder:
    return CrawlFolder.find(home(told.home), told.name)


def status(told: argparse.Namespace) -> int:
    """How a crawl, or all of them, stand."""
    folders = [_find(told)] if told.name else CrawlFolder.all(home(told.home))
    found = [crawl_status(folder) for folder in folders]
    if told.json:
        return print_json(found[0].plain() if told.name else [each.plain() for each in found])
    if not found:
        print("no crawls yet; start one with `lycosa crawl`, or see `lycosa demo`")
    for each in found:
        print(line_of(each))
        if told.name:
            print("\n".join(_details(each)))
    return 0


def _details(found: Status) -> list[str]:
    lines = [f"  disk free {wording.size(found.disk_free)}, stored {wording.size(found.sums['bytes'])} of pages"]
    if found.sums["aside"]:
        told = "kept aside: not built like the sample pages, so not in the index"
        lines.append(f"  {wording.number(found.sums['aside'])} pages {told}")
    if found.dark.get("found"):
        lines.append(f"  {dark_told(found.dark)}")
    for each in found.agents:
        idle = "idle" if each["idle"] else "busy"
        speed = f"{each['pages_per_second']:.1f} pages/s"
        memory, cpu = wording.size(each["memory"]), each["cpu_seconds"]
        lines.append(
            f"  agent {each['agent']}: {idle}, {each['fetched']} pages, {speed}, {each['waiting']} waiting, "
            f"{each['sites']} sites, {found.seeds.get(each['agent'], 0)} seeds, {cpu:.1f} s CPU, {memory}"
        )
    lines += _stage_lines(found)
    lines += [f"  failed   {why}: {number}" for why, number in sorted(found.failed.items())]
    lines += [f"  refused  {why}: {number}" for why, number in sorted(found.refused.items())]
    return lines


def _stage_lines(found: Status) -> list[str]:
    lines = []
    for name, stage in found.stages.items():
        each = 1e6 * stage["seconds"] / stage["count"] if stage["count"] else 0.0
        lines.append(f"  stage {name:9} {stage['count']:>9.0f} × {each:>8.0f} µs = {stage['seconds']:.1f} s")
    return lines


def report(told: argparse.Namespace) -> int:
    """What a crawl achieved."""
    found = crawl_report(_find(told))
    covered = crawl_coverage(_find(told)) if told.coverage else {}
    if told.html:
        Path(told.html).write_text(report_page(found), "utf-8")
        print(f"written to {told.html}", file=sys.stderr)
    if told.json:
        sitemaps = {site: each.plain() for site, each in covered.items()}
        return print_json(found.plain() | ({"sitemap_coverage": sitemaps} if told.coverage else {}))
    print("\n".join([*_report_lines(found), *_coverage_lines(covered)]))
    return 0


def _report_lines(found: Report) -> list[str]:
    state, sums = found.status, found.status.sums
    lines = [
        f"{state.name}: {sums['fetched']} pages in {wording.span(found.seconds)}, {found.pages_per_second:.1f} pages/s",
        f"  harvest {state.harvest:.1%} ({sums['relevant']} relevant), {sums['duplicates']} duplicates, "
        f"{sums['links']} links seen, {sums['new_links']} let in, {sums['waiting']} still waiting",
    ]
    if found.curve:
        lines.append("  harvest as the crawl went: " + _spark(found))
    if found.judged:
        lines.append(f"  links by what the T-Graph said of them: {shares_told(found.judged)}")
    lines += [f"  {site}: {pages} pages, {good} relevant" for site, pages, good in found.sites[:10]]
    return lines + _details(state)


def _coverage_lines(covered: dict[str, Coverage]) -> list[str]:
    """Which share of each site's pages its sitemaps name: of all, of distinct, of indexed ones, and by PageRank."""
    if not covered:
        return []
    lines = [f"  {'named in sitemaps':32}  pages   of all distinct  indexed  by rank"]
    for site, each in sorted(covered.items(), key=lambda item: -item[1].pages)[:MOST_SITES]:
        shares = (each.coverage, each.unique, each.indexed, each.pagerank)
        told = "".join(f"{_percent(share):>9}" for share in shares)
        lines.append(f"  {site:32}{each.pages:>7}{told}")
    return lines


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _spark(found: Report) -> str:
    """The harvest rate of successive parts of the crawl, as small bars."""
    points = [found.curve[round(place * (len(found.curve) - 1) / 20)] for place in range(21)]
    bars = []
    for earlier, later in pairwise(points):
        pages = later.pages - earlier.pages
        rate = (later.relevant - earlier.relevant) / pages if pages else 0.0
        bars.append("▁▂▃▄▅▆▇█"[min(7, int(rate * 8))])
    return "".join(bars)


def explain(told: argparse.Namespace) -> int:
    """Why was (not) this URL crawled?"""
    found = explanation.explain(_find(told), told.url)
    if told.json:
        return print_json(found.plain())
    print("\n".join(map(printable, found.lines())))
    return 0


def search(told: argparse.Namespace) -> int:
    """Search what was crawled."""
    typed = " ".join(f'"{word}"' if " " in word and len(told.query) > 1 else word for word in told.query)
    folder = _find(told)
    reader, order = IndexReader(folder.index), ResultOrders(folder).of(typed)
    found = reader.search(understand(typed), max(1, min(told.limit, 1000)), order=order)
    if told.json:
        return print_json({"query": typed, "total": found.total, "results": [_plain_hit(hit) for hit in found.hits]})
    print("\n".join(search_lines(typed, found, explained=told.explain)))
    return 0 if found.total else 1


def _plain_hit(hit: Hit) -> dict[str, Any]:
    plain = {name: getattr(hit, name) for name in hit.__struct_fields__}
    return plain | {"snippet": plain_snippet(hit.snippet), "why": _plain_score(hit.why) if hit.why else None}


def _plain_score(score: Score) -> dict[str, Any]:
    return {"value": score.value, "why": score.why, "parts": [_plain_score(part) for part in score.parts]}


def plain_snippet(snippet: str) -> str:
    """A snippet without its marks."""
    return " ".join(unescape(_MARK.sub("", snippet)).split())


def search_lines(typed: str, found: Found, explained: bool = False) -> list[str]:
    """Results for a terminal, with how their scores came about where that is wanted."""
    if not found.total:
        return [f"nothing found for {typed!r}; try fewer or other words"]
    lines = [f"{found.total} pages for {typed!r}"]
    for place, hit in enumerate(found.hits, 1):
        similar = f", {hit.similar} similar: like:{hit.group}" if hit.similar else ""
        lines += [f"{place:>2}. {printable(hit.title)}", f"    {hit.url}  (score {hit.score:.2f}{similar})"]
        lines.append(f"    {printable(plain_snippet(hit.snippet))}")
        lines += hit.why.lines("      ") if explained and hit.why else []
    return lines


def export(told: argparse.Namespace) -> int:
    """Hand a table or the archive to other tools."""
    folder = _find(told)
    default = f"{folder.name}-warc" if told.to == "warc" else f"{folder.name}-{told.table}.{told.to}"
    target = Path(told.output or default)
    if not target.absolute().parent.is_dir():
        raise CrawlError(f"{target.parent} is no folder; make it first, or choose another --output")
    number = export_table(folder, told.to, told.table, target)
    unit = "files" if told.to == "warc" else "rows"
    if told.json:
        return print_json({"output": str(target), unit: number})
    print(f"{number} {unit} written to {target}")
    return 0


def serve(told: argparse.Namespace) -> int:
    """Search and status in the browser."""
    from lycosa.interface.web import serve as serve_web

    serve_web(home(told.home), told.host, told.port, lambda address: print(f"Lycosa is at {address}", flush=True))
    return 0
