"""`lycosa report` and `lycosa export`: what a crawl achieved, for people and for other tools."""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from pathlib import Path

from lycosa.crawl_folder.folder import CrawlError
from lycosa.crawl_folder.input_files import check_output
from lycosa.durable import put_file
from lycosa.inspection.export import FORMATS, TABLES, print_table
from lycosa.inspection.export import export as export_table
from lycosa.inspection.report import MOST_SITES, Report, crawl_report
from lycosa.inspection.site_report import KnownSites
from lycosa.inspection.sitemap_coverage import Coverage, crawl_coverage
from lycosa.interface.commands.arguments import Commands, asked_crawl, named
from lycosa.interface.commands.status import classes_told, details
from lycosa.interface.shared import wording
from lycosa.interface.shared.wording import print_json, printable, speaks_unicode
from lycosa.interface.views.report_page import report_page, rule_told
from lycosa.interface.views.t_graph import shares_told


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """`lycosa report` and `export`."""
    report_ = named(commands, "report", "what a crawl achieved: harvest, speed, refusals", shared)
    report_.add_argument("--html", metavar="FILE", help="write a page with plots")
    report_.add_argument("--coverage", action="store_true", help="which share of its pages each site's sitemaps name")
    report_.set_defaults(run=report)
    export_ = named(commands, "export", "hand tables or the archive to other tools", shared)
    export_.add_argument("--to", choices=FORMATS, required=True)
    export_.add_argument("--table", choices=TABLES, default="pages")
    export_.add_argument("--output", metavar="PATH", help="the file (warc: folder) to write; - prints JSON lines")
    export_.set_defaults(run=export)


def report(told: argparse.Namespace) -> int:
    """What a crawl achieved."""
    folder = asked_crawl(told)
    if told.html:
        check_output(Path(told.html), folder.path.parent)
        if Path(told.html).is_dir():
            raise CrawlError(f"{told.html} is a folder; name a file in it")
    found = crawl_report(folder)
    covered = crawl_coverage(folder) if told.coverage else {}
    if told.html:
        put_file(Path(told.html), report_page(found).encode())
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
    named = list(found.too_costly.items())[:MOST_SITES]
    lines += [f"  too costly to read: {printable(url)}: {why}" for url, why in named]
    if (more := len(found.too_costly) - MOST_SITES) > 0:
        lines.append(f"  too costly to read: {more} more; --json names them all")
    return lines + _known_lines(found.known) + details(state)


def _known_lines(known: KnownSites) -> list[str]:
    """What was learned of sites: spellings of URLs, what sitemaps bring, how often pages change."""
    lines = [f"  spelling  {told}" for told in map(rule_told, known.rules[:MOST_SITES])]
    lines += [f"  sitemaps of {place.site} bring {place.new_links} new links" for place in known.order[:10]]
    if known.classes:
        pages = {name: number for name, number, _ in known.classes}
        due = {name: number for name, _, number in known.classes}
        lines.append(f"  all pages by how often they change: {classes_told(pages, due)}")
    return lines


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


def export(told: argparse.Namespace) -> int:
    """Hand a table or the archive to other tools."""
    folder = asked_crawl(told)
    if told.output == "-":
        if told.to != "jsonl":
            raise CrawlError(f"--to {told.to} cannot be printed; use --to jsonl, or name a file: --output PATH")
        print_table(folder, told.table, sys.stdout, escaped=not speaks_unicode())
        return 0
    default = f"{folder.name}-warc" if told.to == "warc" else f"{folder.name}-{told.table}.{told.to}"
    target = Path(told.output or default)
    number = export_table(folder, told.to, told.table, target)
    unit = "files" if told.to == "warc" else "rows"
    if told.json:
        return print_json({"output": str(target), unit: number})
    print(f"{number} {unit} written to {target}")
    return 0
