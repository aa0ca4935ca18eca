"""`lycosa status`: how crawls stand."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from lycosa.crawl_folder.folder import CrawlFolder, home
from lycosa.crawl_folder.status import Status, crawl_status
from lycosa.interface.commands.arguments import Commands, asked_crawl
from lycosa.interface.commands.progress import line_of
from lycosa.interface.shared import wording
from lycosa.interface.shared.wording import print_json


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """`lycosa status`."""
    status_ = commands.add_parser("status", help="how a crawl (or all of them) stands", parents=[shared])
    status_.add_argument("name", nargs="?")
    status_.set_defaults(run=status)


def status(told: argparse.Namespace) -> int:
    """How a crawl, or all of them, stand."""
    folders = [asked_crawl(told)] if told.name else CrawlFolder.all(home(told.home))
    found = [crawl_status(folder) for folder in folders]
    if told.json:
        return print_json(found[0].plain() if told.name else [each.plain() for each in found])
    if not found:
        print("no crawls yet; start one with `lycosa crawl`, or see `lycosa demo`")
    for each in found:
        print(line_of(each))
        if told.name:
            print("\n".join(details(each)))
    return 0


def details(found: Status) -> list[str]:
    """What there is to know of a crawl beyond the line that sums it up."""
    lines = [f"  settings  not taken up, the crawl goes on with those before: {found.trouble}"] if found.trouble else []
    lines += [f"  disk free {wording.size(found.disk_free)}, stored {wording.size(found.sums['bytes'])} of pages"]
    if found.sums["aside"]:
        told = "kept aside: not built like the sample pages, so not in the index"
        lines.append(f"  {wording.number(found.sums['aside'])} pages {told}")
    if found.dark.get("found"):
        lines.append(f"  {dark_told(found.dark)}")
    lines += _link_lines(found.sums)
    if found.classes:
        lines.append(f"  pages by change class: {classes_told(found.classes, found.due)}")
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
    lines += [
        f"  no content  {what}: {number}, not in the index" for what, number in sorted(found.placeholders.items())
    ]
    lines += [f"  refused  {why}: {number}" for why, number in sorted(found.refused.items())]
    return lines


def _link_lines(sums: dict[str, int]) -> list[str]:
    """What became of links to known URLs, and of those that were written otherwise."""
    lines = [
        f"  {wording.number(sums['known_links'])} links to known URLs dropped as duplicates; the memory of URLs knew "
        f"{wording.number(sums['seen_hits'])} links, {wording.number(sums['seen_misses'])} were looked for on disk"
    ]
    if sums["rewritten"]:
        lines.append(f"  {wording.number(sums['rewritten'])} links rewritten by learned rules of spelling")
    if sums["said_newer"]:
        lines.append(f"  {wording.number(sums['said_newer'])} pages queued again: their sitemaps call them newer")
    return lines


def classes_told(pages: dict[str, int], due: dict[str, int]) -> str:
    """How many pages are in each class of change, and how many of them are due."""
    told = [f"{number} {name}" + (f" ({due[name]} due)" if due.get(name) else "") for name, number in pages.items()]
    return ", ".join(told)


def _stage_lines(found: Status) -> list[str]:
    """The cycle, stage by stage: what waits for each, how often it ran, at what rate, and what it cost."""
    if not found.stages:
        return []
    lines = [f"  {'stage':9} {'queue':>9} {'count':>11} {'a second':>9} {'CPU each':>11} {'CPU':>9} {'time':>9}"]
    for name, stage in found.stages.items():
        each = 1e6 * stage["cpu"] / stage["count"] if stage["count"] else 0.0
        lines.append(
            f"  {name:9} {wording.number(stage['queue']):>9} {wording.number(stage['count']):>11} {stage['rate']:>9.1f}"
            f" {each:>8.0f} µs {stage['cpu']:>7.1f} s {stage['seconds']:>7.1f} s"
        )
    return lines


def dark_told(dark: Mapping[str, int]) -> str:
    """Counts of dark pages in one line."""
    found, fetched, relevant = (wording.number(dark.get(name, 0)) for name in ("found", "fetched", "relevant"))
    return f"dark pages: {found} that people visit and no crawled page links to, {fetched} fetched, {relevant} relevant"
