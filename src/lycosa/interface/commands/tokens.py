"""The command `lycosa tokens`: who may use the API and the pages that change something."""

from __future__ import annotations

import argparse
import json

from lycosa.crawl_folder.folder import home
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.shared.tokens import Role, TokenFile
from lycosa.interface.shared.wording import day


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add `tokens` to the command line."""
    tokens = commands.add_parser(
        "tokens", help="who may change crawls from the browser and by the API", parents=[shared]
    )
    doing = tokens.add_subparsers(dest="doing", metavar="add|list|remove", required=True)
    adding = doing.add_parser("add", help="make a token; it is shown once", parents=[shared])
    adding.add_argument("name", help="who or what it is for")
    adding.add_argument(
        "--role", choices=[role.told for role in Role if role], default="operate", help="what it allows"
    )
    adding.set_defaults(run=add)
    doing.add_parser("list", help="the tokens there are", parents=[shared]).set_defaults(run=show)
    removing = doing.add_parser("remove", help="make a token worthless", parents=[shared])
    removing.add_argument("name")
    removing.set_defaults(run=remove)


def add(told: argparse.Namespace) -> int:
    """Make a token."""
    secret = TokenFile(home(told.home)).add(told.name, Role.named(told.role))
    if told.json:
        print(json.dumps({"name": told.name, "role": told.role, "token": secret}))
    else:
        print(f"{secret}\nIt may {told.role}, and is shown only this once: keep it like a password.")
    return 0


def show(told: argparse.Namespace) -> int:
    """List tokens."""
    tokens = TokenFile(home(told.home)).all()
    if told.json:
        print(json.dumps([{"name": each.name, "role": each.role, "created": each.created} for each in tokens]))
        return 0
    for each in tokens:
        print(f"{each.name:24} {each.role:8} made on {day(each.created)}")
    if not tokens:
        print("There are no tokens; `lycosa tokens add NAME --role operate` makes one.")
    return 0


def remove(told: argparse.Namespace) -> int:
    """Remove a token."""
    TokenFile(home(told.home)).remove(told.name)
    print(f"{told.name}: removed; sessions that began with it have ended")
    return 0
