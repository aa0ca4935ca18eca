"""The command `seeds`: where a crawl on a topic could begin, by what search engines agree on (N1)."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lycosa.configuration import settings
from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import home
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.operations.contact import with_contact
from lycosa.interface.shared.wording import print_json, printable
from lycosa.preparation import seed_engines, seeds
from lycosa.preparation.seed_search import Proposal, Proposals
from lycosa.text import language_of, words
from lycosa.topics.weight_table import FIRST_RESULTS, WeightTable

MOST_RESULTS = 100


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """`lycosa seeds QUERY`."""
    command = commands.add_parser("seeds", help="where to begin: pages that search engines agree on", parents=[shared])
    command.add_argument("query", nargs="+", help="what the pages should be about, in words")
    command.add_argument(
        "--engine",
        action="append",
        default=[],
        metavar="KIND:WHERE",
        help="searxng:http://127.0.0.1:8080 or index:NAME; several agree better than one "
        f"(default: those in {seed_engines.ENGINES_FILE} at home, else the indexes of all crawls)",
    )
    command.add_argument("--number", type=int, default=20, metavar="N", help="how many results of each engine count")
    command.add_argument("--table", action="store_true", help="also the topic's weight table, from the first results")
    command.add_argument("--fetch", action="store_true", help="make the table from the results' pages; needs a contact")
    command.add_argument("--contact", help="a URL or address where site owners can reach you")
    command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="any setting of a job file")
    command.set_defaults(run=find)


def find(told: argparse.Namespace) -> int:
    """Ask the engines and say what they agree on."""
    if not 1 <= told.number <= MOST_RESULTS:
        raise ConfigurationError(f"--number {told.number} is not possible; use 1 to {MOST_RESULTS}")
    base = home(told.home)
    contact = [f"fetching.contact={json.dumps(told.contact)}"] if told.contact else []
    configuration = settings.build({}, [*told.set, *contact], "command line")
    asked = seed_engines.engines(told.engine or seed_engines.known_engines(base), base, configuration)
    found = asyncio.run(seeds.find_seeds(" ".join(told.query), asked, told.number, configuration))
    for _, why in found.failed:
        print(f"lycosa: warning: {printable(why)}", file=sys.stderr)
    table = _table(found, told.fetch, base, configuration) if told.table or told.fetch else None
    if told.json:
        print_json(_plain(found, table))
    else:
        print("\n".join(printable(line) for line in _lines(found, table)))
    return 0 if found.seeds or found.second else 1


def _table(found: Proposals, fetch: bool, base: Path, configuration: Configuration) -> WeightTable:
    """From the first results' titles and snippets, or from their pages, where these could be had."""
    first = found.ranked()[:FIRST_RESULTS]
    texts = seeds.snippets(first)
    if fetch:
        addresses = tuple(each.url for each in first)
        came = asyncio.run(seeds.page_texts(addresses, with_contact(base, configuration, urls=addresses)))
        if len(came) < len(first):
            told = f"{len(first) - len(came)} of {len(first)} pages could not be fetched; their snippets count"
            print(f"lycosa: warning: {told}", file=sys.stderr)
        texts |= came
    language = language_of(words(" ".join(texts.values())), "en")
    return WeightTable.of_texts(texts.values(), language)


def _notes(found: Proposals) -> list[str]:
    """What a person should know before trusting the list."""
    answered = [name for name, _ in found.answered]
    if len(answered) == 1 and found.seeds:
        return [f"only {answered[0]} answered, so all its results are seeds; a second engine would tell which are good"]
    silent = [name for name, number in found.answered if not number]
    if silent:
        return [f"{', '.join(silent)} found nothing, so no page is returned by all engines; use other words"]
    if not found.seeds and not found.second:
        return ["the engines agree on nothing; take more results of each (--number), or use other words"]
    return []


def _plain(found: Proposals, table: WeightTable | None) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "query": found.query,
        "engines": [{"name": name, "results": number} for name, number in found.answered],
        "failed": [{"name": name, "why": why} for name, why in found.failed],
        "seeds": [_plain_proposal(each) for each in found.seeds],
        "second_choice": [_plain_proposal(each) for each in found.second],
        "others": len(found.others),
        "notes": _notes(found),
    }
    if table is not None:
        plain["language"] = table.language
        plain["table"] = [{"term": term, "weight": weight} for term, weight in table.weights]
    return plain


def _plain_proposal(each: Proposal) -> dict[str, Any]:
    return {name: getattr(each, name) for name in each.__struct_fields__}


def _lines(found: Proposals, table: WeightTable | None) -> list[str]:
    lines = [f"{len(found.seeds)} seeds for {found.query!r}", *_listed(found.seeds)]
    if found.second:
        lines += [f"{len(found.second)} as second choice", *_listed(found.second)]
    if found.others:
        lines.append(f"{len(found.others)} more were returned by one engine only")
    lines += [f"note: {note}" for note in _notes(found)]
    if table is not None:
        lines += [
            f"weight table (stems, {table.language})",
            *(f"  {weight:.4f}  {term}" for term, weight in table.weights),
        ]
    return lines


def _listed(proposals: Sequence[Proposal]) -> list[str]:
    lines = []
    for place, each in enumerate(proposals, 1):
        lines += [f"{place:>3}. {each.title or each.url}", f"     {each.url}  ({each.why})"]
    return lines
