"""`lycosa clicks`: what people do with pages. Each action is added by its own module."""

from __future__ import annotations

import argparse

from lycosa.interface.commands.arguments import Commands


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> Commands:
    """What can be typed after `lycosa clicks` is added to what this returns."""
    clicks = commands.add_parser("clicks", help="what people do with pages, and what matters by it", parents=[shared])
    return clicks.add_subparsers(dest="action", metavar="ACTION", required=True)
