"""Who crawls: what can be a contact for site owners, and which crawls need one.

A contact is an http(s) URL or a mail address that fits into a header. Everything is the
public web but addresses that are loopback or private by themselves, and `localhost`: a
name that only looks like one of these may be anybody's.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable

from lycosa import __version__
from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.fetching.address_guard import AddressGuard
from lycosa.urls import host_of, normalise, site_of

PLAIN_AGENT = f"Lycosa/{__version__}"
LONGEST_CONTACT = 300
NEEDED = "a crawl of the public web needs a contact for site owners"
_MAIL = re.compile(r"(?:mailto:)?[^@:/]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^/@]", re.IGNORECASE)
_OF_ONES_OWN = ("loopback", "private")


def odd_contact(contact: str) -> str:
    """Why site owners could not reach anybody there; '' where they could."""
    fits = contact.isascii() and contact.isprintable() and " " not in contact and len(contact) <= LONGEST_CONTACT
    if fits and (_MAIL.fullmatch(contact) or (_ADDRESS.match(contact) and normalise(contact))):
        return ""
    return f"{contact!r:.100} is no contact; use an http(s) URL or a mail address, such as https://you.example/bot"


def is_public(url: str) -> bool:
    """Whether a URL may be on the public web."""
    normal = normalise(url)
    host = host_of(site_of(normal)).rstrip(".") if normal else ""
    if host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        address = str(ipaddress.ip_address(host.removeprefix("[").removesuffix("]")))
    except ValueError:
        return True
    return AddressGuard(()).check(address, 80) not in _OF_ONES_OWN


def needs_contact(configuration: Configuration, urls: Iterable[str]) -> bool:
    """Whether somebody else's servers would be asked for one of these URLs."""
    return configuration.fetching.fetcher == "http" and any(map(is_public, urls))


def check_contact(configuration: Configuration, urls: Iterable[str]) -> None:
    """Refuse a contact that is none, and the public web without one."""
    contact = configuration.fetching.contact
    if contact and (odd := odd_contact(contact)):
        raise ConfigurationError(f"fetching.contact: {odd}")
    if not contact and needs_contact(configuration, urls):
        raise ConfigurationError(f"{NEEDED}: `lycosa set NAME fetching.contact=https://you.example/bot` names one")
