"""The collector on the command line: `lycosa collect`, and under `lycosa clicks` its sites, refusals and forgetting."""

from __future__ import annotations

import argparse
import asyncio
import errno
import gc
import ipaddress
import signal
import socket
import sys
from pathlib import Path

from lycosa.click_records import DAY, WatchedSite
from lycosa.clickstream.beacon.script import beacon_script
from lycosa.clickstream.collector.server import Collector
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import home
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.operations.collector_settings import collector_settings
from lycosa.interface.operations.watched_sites import EXAMPLE, find_site, forget_days, forget_site, watch_site
from lycosa.interface.shared.wording import iso, number, print_json, printable
from lycosa.storage.agent_store import StoreFull
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys

PORT = 8018
SOCKET_BUFFER = 64 * 1024
"""Bytes that the system keeps of each connection, each way: else a client that does not read costs megabytes."""


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """`lycosa collect`."""
    command = commands.add_parser("collect", help="serve the beacon and receive its events", parents=[shared])
    command.add_argument("--host", default="127.0.0.1", help="where to listen (default: this machine only)")
    command.add_argument("--port", type=int, default=PORT)
    command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="any setting of collect.toml")
    command.set_defaults(run=collect)


def add_actions(group: Commands, shared: argparse.ArgumentParser) -> None:
    """What can be typed after `lycosa clicks` about the collector."""
    sites = group.add_parser("sites", help="the sites whose visitors are counted").add_subparsers(
        dest="action", metavar="ACTION", required=True
    )
    add = sites.add_parser("add", help="watch a site; prints what to paste into its pages", parents=[shared])
    add.add_argument("site", help="its host, such as example.org; names below it are included")
    add.add_argument("--origin", action="append", default=[], help="another origin of it, such as https://example.net")
    add.add_argument("--collector", default=EXAMPLE, metavar="URL", help="where the public reaches `lycosa collect`")
    add.set_defaults(run=add_site)
    listed = sites.add_parser("list", help="all sites", parents=[shared])
    listed.set_defaults(run=list_sites)
    remove = sites.add_parser("remove", help="forget a site with all that was counted of it", parents=[shared])
    remove.add_argument("site")
    remove.set_defaults(run=remove_site)
    forgotten = group.add_parser("forget", help="remove what visitors did", parents=[shared])
    forgotten.add_argument("--site", help="all that was counted of a site, totals included; it stays watched")
    forgotten.add_argument(
        "--before", type=int, metavar="DAYS", help="what is older than so many days, of all sites (default: `kept`)"
    )
    forgotten.set_defaults(run=forget)
    refused = group.add_parser("refusals", help="what the collector did not count, and why", parents=[shared])
    refused.add_argument("--site", help="only of this site")
    refused.set_defaults(run=refusals)


def clicks_folder(told: argparse.Namespace) -> Path:
    """Where the clicks of all sites are kept."""
    return home(told.home) / "clicks"


# -- the server ---------------------------------------------------------------------------------


def collect(told: argparse.Namespace) -> int:
    """Serve the beacon and receive its events until told to end."""
    folder = clicks_folder(told)
    settings = collector_settings(folder, told.set)
    with listening_on(told.host, told.port) as listening, ClickStore(folder) as store:
        if not any(site.key for site in store.sites()):
            print("no site is watched yet; add one with `lycosa clicks sites add example.org`", file=sys.stderr)
        collector = Collector(store, DayKeys(folder), beacon_script(), settings, failures=(StoreFull, OSError))
        asyncio.run(_serve(collector, listening, told.host))
    return 0


async def _serve(collector: Collector, listening: socket.socket, host: str) -> None:
    ending = asyncio.Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(sign, ending.set)
    gc.freeze()
    await collector.serve(listening, ending, lambda: tell_where(listening, host))


def tell_where(listening: socket.socket, host: str) -> None:
    """Say where events are received, and what to mind where the public can reach it."""
    shown = f"[{host}]" if ":" in host else host
    print(f"collecting at http://{shown}:{listening.getsockname()[1]}/ (Ctrl-C ends it)", flush=True)
    if not _is_loopback(host):
        print(
            f"warning: {host} can be reached from outside, without TLS; "
            "put a proxy with TLS in front of it (docs/collector.md)",
            file=sys.stderr,
            flush=True,
        )


def listening_on(host: str, port: int) -> socket.socket:
    """A socket that listens there; its connections have small buffers."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    for buffer in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        listening.setsockopt(socket.SOL_SOCKET, buffer, SOCKET_BUFFER)
    try:
        listening.bind((host, port))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        used = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        why = f"port {port} on {host} is in use" if used else f"cannot listen on port {port} of {host}: {error}"
        raise ConfigurationError(f"{why}; choose another --port (0 for any that is free) or --host") from None
    return listening


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


# -- sites --------------------------------------------------------------------------------------


def add_site(told: argparse.Namespace) -> int:
    """Watch a site, or add origins to one."""
    site, paste = watch_site(clicks_folder(told), told.site, told.origin, told.collector)
    if told.json:
        return print_json({**_plain(site), "snippet": paste})
    print(f"{site.name} is watched; paste this into the head of its pages:\n\n{paste}\n")
    if told.collector == EXAMPLE:
        print(f"Put the address of your collector in place of {EXAMPLE}, or give it with --collector.")
    return 0


def list_sites(told: argparse.Namespace) -> int:
    """All sites with their keys."""
    with ClickStore(clicks_folder(told), readonly=True) as store:
        sites = store.sites()
    if told.json:
        return print_json([_plain(site) for site in sites])
    for site in sites:
        origins = f", also from {', '.join(site.origins)}" if site.origins else ""
        print(printable(f"{site.name}: {f'key {site.key}' if site.key else 'no key: only its logs are read'}{origins}"))
    return 0


def remove_site(told: argparse.Namespace) -> int:
    """Forget a site."""
    with ClickStore(clicks_folder(told), readonly=True) as store:
        store.drop_site(find_site(store, told.site).name)
    print(printable(f"{told.site} and all that was counted of it is gone"))
    return 0


def _plain(site: WatchedSite) -> dict[str, object]:
    return {"site": site.name, "key": site.key, "origins": list(site.origins), "created": iso(site.created)}


# -- forgetting and refusals --------------------------------------------------------------------


def forget(told: argparse.Namespace) -> int:
    """Remove what visitors did: of one site all of it, else what is older than some days."""
    folder = clicks_folder(told)
    if told.site is not None and told.before is not None:
        raise ConfigurationError("--site forgets all of a site, --before old days of all sites; use one of them")
    if told.before is not None and told.before < 0:
        raise ConfigurationError(f"--before {told.before} is not possible; use 0 (everything) or more days")
    with ClickStore(folder, readonly=True) as store:
        if told.site is not None:
            site = find_site(store, told.site)
            forget_site(store, site)
            return _told_forgotten(told, f"all that was counted of {site.name}", {"site": site.name})
        days = collector_settings(folder).kept / DAY if told.before is None else told.before
        forgotten = forget_days(store, int(days))
    text = f"{number(forgotten.records)} records older than {int(days)} days, and the keys of {forgotten.keys} days"
    return _told_forgotten(told, text, {"records": forgotten.records, "keys": forgotten.keys, "days": int(days)})


def _told_forgotten(told: argparse.Namespace, text: str, plain: dict[str, object]) -> int:
    if told.json:
        return print_json(plain)
    print(printable(f"forgotten: {text}"))
    return 0


def refusals(told: argparse.Namespace) -> int:
    """What was not counted, by site and reason."""
    with ClickStore(clicks_folder(told), readonly=True) as store:
        names = [find_site(store, told.site).name] if told.site else [*(site.name for site in store.sites()), ""]
        found = {name: counts for name in names if (counts := store.refusals(name))}
    if told.json:
        return print_json(found)
    for name, counts in found.items():
        reasons = ", ".join(f"{reason} {number(times)}" for reason, times in sorted(counts.items()))
        print(printable(f"{name or 'of no known site'}: {reasons}"))
    if not found:
        print("nothing was refused")
    return 0
