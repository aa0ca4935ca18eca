"""Who crawls: the contact for site owners, asked for once and kept beside the crawls."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError
from lycosa.fetching.contact import NEEDED, check_contact, needs_contact, odd_contact


def with_contact(
    base: Path, configuration: Configuration, *, urls: Iterable[str] = (), ask: bool = True
) -> Configuration:
    """The settings with a contact: their own, else the one that was given once.

    Without one the public web is refused, be it of the seeds or of other URLs that will be fetched.
    """
    if not configuration.fetching.contact:
        fetching = msgspec.structs.replace(
            configuration.fetching, contact=_known_contact(base, configuration, (*configuration.seeds, *urls), ask=ask)
        )
        configuration = msgspec.structs.replace(configuration, fetching=fetching)
    check_contact(configuration, ())
    return configuration


def _known_contact(base: Path, configuration: Configuration, urls: Iterable[str], *, ask: bool) -> str:
    """The contact that was given once, or is given now; '' where none is needed."""
    known = remembered_contact(base)
    if known or not needs_contact(configuration, urls):
        return known
    if ask and sys.stdin.isatty():
        contact = _asked()
        if contact:
            remember_contact(base, contact)
            return contact
    raise CrawlError(f"{NEEDED}: --contact https://you.example/bot")


def _asked() -> str:
    """What a person types; '' for nothing, or where the input ends."""
    print("Site owners must be able to reach you. A contact URL or mail address, asked for once:", file=sys.stderr)
    try:
        return input("> ").strip()
    except EOFError:
        print(file=sys.stderr)
        return ""


def remembered_contact(base: Path) -> str:
    """The contact that was given once; '' for none, or for something that is none."""
    path = base / "contact.txt"
    contact = path.read_text("utf-8", "replace").strip() if path.exists() else ""
    return "" if odd_contact(contact) else contact


def remember_contact(base: Path, contact: str) -> None:
    """Keep a contact for later crawls; one that is none is refused."""
    if odd := odd_contact(contact):
        raise ConfigurationError(odd)
    base.mkdir(parents=True, exist_ok=True)
    (base / "contact.txt").write_text(contact + "\n", "utf-8")
