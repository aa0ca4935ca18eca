"""Who crawls: the contact for site owners, asked for once and kept beside the crawls."""

from __future__ import annotations

import sys
from pathlib import Path

from lycosa.agents.folder import CrawlError
from lycosa.configuration import Configuration
from lycosa.urls import host_of, normalise, site_of


def known_contact(base: Path, configuration: Configuration, *, ask: bool = True) -> str:
    """The contact that was given once; a crawl of the public web without one is refused."""
    path = base / "contact.txt"
    if path.exists():
        return path.read_text("utf-8").strip()
    if not _is_public(configuration):
        return ""
    if ask and sys.stdin.isatty():
        print("Site owners must be able to reach you. A contact URL or mail address, asked for once:", file=sys.stderr)
        contact = input("> ").strip()
        if contact:
            remember_contact(base, contact)
            return contact
    raise CrawlError("a crawl of the public web needs a contact for site owners: --contact https://you.example/bot")


def remember_contact(base: Path, contact: str) -> None:
    """Keep a contact for later crawls."""
    base.mkdir(parents=True, exist_ok=True)
    (base / "contact.txt").write_text(contact + "\n", "utf-8")


def _is_public(configuration: Configuration) -> bool:
    if configuration.fetching.fetcher != "http":
        return False
    hosts = {host_of(site_of(normalise(seed) or "http://unknown/")) for seed in configuration.seeds}
    return not all(host.endswith("localhost") or host.startswith(("127.", "[::1]")) for host in hosts)
