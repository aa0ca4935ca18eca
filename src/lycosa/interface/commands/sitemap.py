"""The command that writes a sitemap for a site, from what was crawled of it (M8)."""

from __future__ import annotations

import argparse
from pathlib import Path
from time import time

from lycosa.crawl_folder.folder import CrawlError
from lycosa.inspection.sitemap_writer import SiteMap, site_map, sitemap_files, write_files
from lycosa.interface.commands.arguments import Commands, asked_crawl
from lycosa.interface.shared import wording
from lycosa.interface.shared.wording import print_json, printable
from lycosa.urls import host_of

_PACKED = ".gz"


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """What can be typed after `lycosa sitemap`."""
    made = commands.add_parser("sitemap", help="write a sitemap for a site, from what was crawled", parents=[shared])
    made.add_argument("name", help="the crawl's name")
    made.add_argument("site", help="such as https://example.org")
    made.add_argument(
        "--output",
        metavar="FILE|DIR",
        help="where to write (default: sitemap-HOST.xml); .gz packs it, large ones become several files and a list",
    )
    made.set_defaults(run=run)


def run(told: argparse.Namespace) -> int:
    """Write the sitemap of a site."""
    crawl = asked_crawl(told)
    if told.output:
        _place(told.output, "")
    found = site_map(crawl, told.site, time())
    folder, stem, ending = _place(told.output or "", found.site)
    written = write_files(sitemap_files(found, stem, ending), folder, ending.endswith(_PACKED))
    if told.json:
        return print_json(found.plain() | {"files": [str(path) for path in written]})
    print("\n".join(map(printable, _lines(found, written))))
    return 0


def _place(output: str, site: str) -> tuple[Path, str, str]:
    """The folder to write to, and the name of the file before and from its first ending."""
    target = Path(output) if output else Path(f"sitemap-{host_of(site).strip('[]').replace(':', '-')}.xml")
    if output and (target.is_dir() or output.endswith("/")):
        target = target / "sitemap.xml"
    if not target.absolute().parent.is_dir():
        raise CrawlError(f"{target.parent} is no folder; make it first, or choose another --output")
    packed = target.name.endswith(_PACKED)
    name = target.name.removesuffix(_PACKED)
    stem, dot, kind = name.rpartition(".")
    ending = (dot + kind if stem else "") + (_PACKED if packed else "")
    return target.parent, stem or name, ending


def _lines(found: SiteMap, written: list[Path]) -> list[str]:
    pages = f"{wording.number(len(found.entries))} pages of {found.site}"
    if len(written) > 1:
        where = f"{len(written) - 1} files beside it; put them all at the root of the site"
        lines = [f"{pages} written to {written[-1]} and {where}"]
    else:
        lines = [f"{pages} written to {written[0]}; put it at the root of the site"]
    left_out = ", ".join(f"{wording.number(number)} {why}" for why, number in found.left_out.items())
    return lines + ([f"  left out: {left_out}"] if left_out else [])
