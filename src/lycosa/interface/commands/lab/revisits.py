"""`lycosa lab revisits`: what sitemaps save, beside a conventional crawler on a web that changes."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from lycosa.interface.commands.arguments import Commands
from lycosa.interface.shared.wording import number, print_json, printable, size, span
from lycosa.lab.changing_webs import BOX_ROUNDS, open_versions
from lycosa.lab.revisit_comparison import CONVENTIONAL, WITH_SITEMAPS, LookedAgain, Revisits, Spent, compare

Row = tuple[str, float, float, Callable[[float], str], bool]
"""What a line is about, the conventional figure, ours, how they are worded, and whether to compare them."""
LABEL, FIGURE = 42, 15


def add_lab_commands(parts: Commands, shared: argparse.ArgumentParser) -> None:
    """What can be typed after `lycosa lab revisits`."""
    again = parts.add_parser("revisits", help="what sitemaps save, beside a conventional crawler", parents=[shared])
    again.add_argument(
        "--web", required=True, metavar="WEB", help="box:SEED?changed=0.1&lastmod=honest, dir:DIR or warc:FILE"
    )
    again.add_argument(
        "--then", action="append", default=[], metavar="WEB", help="what becomes of a dir: or warc: web; several times"
    )
    rounds = f"rounds of looking again (default: {BOX_ROUNDS}, or one for each --then)"
    again.add_argument("--rounds", type=int, metavar="N", help=rounds)
    again.set_defaults(run=revisits)


def revisits(told: argparse.Namespace) -> int:
    """Compare both crawlers."""
    web = open_versions(told.web, told.then, _say)
    with tempfile.TemporaryDirectory(prefix="lycosa-revisits-") as folder:
        found = compare(web, web.rounds if told.rounds is None else told.rounds, Path(folder), _say)
    if told.json:
        return print_json(found.plain())
    print("\n".join(map(printable, lines(found))))
    return 0


def lines(found: Revisits) -> list[str]:
    """The comparison for people."""
    usual, ours = found.first
    told = [f"{found.web}: {number(found.pages)} pages, {number(found.unlinked)} of them that no links lead to", ""]
    told += _table(
        "first crawl",
        [
            ("pages found", usual.pages, ours.pages, number, True),
            ("  that no links lead to", usual.unlinked, ours.unlinked, number, False),
            ("requests", usual.spent.requests, ours.spent.requests, number, False),
            *_costs(usual.spent, ours.spent),
        ],
    )
    for before, after in found.pairs():
        told += ["", *_table(f"round {after.round}", _round(before, after))]
    return told


def _round(usual: LookedAgain, ours: LookedAgain) -> list[Row]:
    def asked(spent: Spent) -> int:
        return spent.bodies + spent.not_modified

    rows: list[Row] = [
        ("pages asked for", asked(usual.spent), asked(ours.spent), number, True),
        ("  that came whole", usual.spent.bodies, ours.spent.bodies, number, True),
        ("  not modified (304)", usual.spent.not_modified, ours.spent.not_modified, number, True),
        ("sitemaps read", usual.spent.sitemaps, ours.spent.sitemaps, number, False),
        ("requests", usual.spent.requests, ours.spent.requests, number, True),
        *_costs(usual.spent, ours.spent),
        ("held pages with another text", usual.changed, ours.changed, number, False),
        ("  found", usual.found, ours.found, number, False),
        ("  missed", usual.missed, ours.missed, number, False),
    ]
    if usual.touched + ours.touched > usual.changed + ours.changed:
        rows.append(("held pages with another file", usual.touched, ours.touched, number, False))
    if usual.gone + ours.gone:
        rows.append(("held pages that are gone", usual.gone, ours.gone, number, False))
        rows.append(("  noticed", usual.noticed, ours.noticed, number, False))
    rows.append((f"held of {number(ours.pages)} pages now", usual.held, ours.held, number, False))
    if ours.sites:
        rows.append((f"sites believed, of {number(ours.sites)}", usual.believed, ours.believed, number, False))
    return rows


def _costs(usual: Spent, ours: Spent) -> list[Row]:
    return [
        ("bytes of bodies", usual.bytes, ours.bytes, size, True),
        ("at one request a second to each site", usual.polite_seconds, ours.polite_seconds, span, True),
        ("processor time", usual.seconds, ours.seconds, span, True),
    ]


def _table(title: str, rows: list[Row]) -> list[str]:
    head = f"{title:<{LABEL}}{CONVENTIONAL:>{FIGURE}}{WITH_SITEMAPS:>{FIGURE}}"
    return [head, *(_line(*row) for row in rows)]


def _line(label: str, usual: float, ours: float, worded: Callable[[float], str], compared: bool) -> str:
    change = f"{(ours - usual) / usual:>+9.1%}" if compared and usual else ""
    return f"  {label:<{LABEL - 2}}{worded(usual):>{FIGURE}}{worded(ours):>{FIGURE}}{change}"


def _say(line: str) -> None:
    print(f"lycosa: {printable(line)}", file=sys.stderr)
