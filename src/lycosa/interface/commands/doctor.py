"""The ground before a crawl: `doctor` looks whether this machine is ready."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import shutil
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

from lycosa.crawl_folder.folder import home
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.operations.contact import remembered_contact
from lycosa.interface.shared import wording
from lycosa.pages import parsed_document as trees
from lycosa.records import Record


class Finding(Record, frozen=True):
    """What the doctor says of one thing: `good`, `warning` or `bad`, and what to do about it."""

    what: str
    state: str
    told: str


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """`lycosa doctor`."""
    commands.add_parser("doctor", help="is this machine ready?", parents=[shared]).set_defaults(run=doctor)


def doctor(told: argparse.Namespace) -> int:
    """Is this machine ready?"""
    base = home(told.home)
    findings = [check(base) for check in _CHECKS]
    if told.json:
        print(json.dumps([{"what": f.what, "state": f.state, "told": f.told} for f in findings]))
    else:
        signs = {"good": "ok  ", "warning": "warn", "bad": "BAD "}
        print("\n".join(f"{signs[f.state]}  {f.what}: {f.told}" for f in findings))
    return 1 if any(finding.state == "bad" for finding in findings) else 0


def _python(base: Path) -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", "good" if sys.version_info >= (3, 11) else "bad", version)


def _files(base: Path) -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    state = "good" if soft >= 1024 else "warning"
    advice = "" if state == "good" else "; raise it with `ulimit -n 4096`"
    return Finding("open files", state, f"{soft} (at most {hard}){advice}")


def _disk(base: Path) -> Finding:
    existing = next(path for path in (base, *base.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    state = "good" if free > 5 * 1024**3 else "warning" if free > 512 * 1024**2 else "bad"
    return Finding("disk", state, f"{wording.size(free)} free at {existing}")


def _writable(base: Path) -> Finding:
    try:
        base.mkdir(parents=True, exist_ok=True)
        probe = base / ".probe"
        probe.write_text("x", "utf-8")
        probe.unlink()
    except OSError as error:
        return Finding("home", "bad", f"{base} cannot be written ({error}); choose another with --home")
    return Finding("home", "good", str(base))


def _memory(base: Path) -> Finding:
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return Finding("memory", "good" if pages * size > 1024**3 else "warning", wording.size(pages * size))


def _names(base: Path) -> Finding:
    try:
        socket.getaddrinfo("localhost", 80)
    except OSError as error:
        return Finding("names", "bad", f"not even localhost can be resolved ({error})")
    servers = Path("/etc/resolv.conf")
    known = servers.exists() and "nameserver" in servers.read_text("utf-8", "replace")
    told = "nameservers are configured" if known else "no nameserver is configured; only local names will resolve"
    return Finding("names", "good" if known else "warning", told)


def _clock(base: Path) -> Finding:
    sane = time.time() > 1_700_000_000
    return Finding("clock", "good" if sane else "bad", time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()))


def _reader(base: Path) -> Finding:
    if trees.COMPILED:
        return Finding("page reader", "good", "compiled")
    advice = "install a C compiler and Python's headers, then Lycosa anew"
    return Finding("page reader", "warning", f"not compiled: pages take a fifth longer; {advice}")


def _port(base: Path) -> Finding:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", 8017))
        except OSError:
            return Finding("port", "warning", "8017 is in use; `lycosa serve --port 0` takes a free one")
    return Finding("port", "good", "8017 is free for `lycosa serve`")


def _extras(base: Path) -> Finding:
    if importlib.util.find_spec("pyarrow") is None:
        return Finding("extras", "warning", "Parquet is missing: pip install 'lycosa[parquet]'")
    return Finding("extras", "good", "Parquet is installed")


def _contact(base: Path) -> Finding:
    contact = remembered_contact(base)
    told = contact or "none yet; the public web needs one: lycosa crawl --contact URL"
    return Finding("contact", "good" if contact else "warning", told)


_CHECKS: tuple[Callable[[Path], Finding], ...] = (
    _python, _files, _memory, _disk, _writable, _names, _clock, _port, _reader, _extras, _contact,
)  # fmt: skip
