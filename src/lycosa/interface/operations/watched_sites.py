"""Calls that change what is counted: watching a site, and forgetting what visitors did (P2, P9)."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from lycosa.click_records import DAY, WatchedSite, day_of
from lycosa.clickstream.beacon.script import snippet
from lycosa.configuration.settings import ConfigurationError
from lycosa.interface.operations.calls import Call, Office, call
from lycosa.interface.operations.click_statistics import PageAsked
from lycosa.interface.operations.clicks import SiteAsked, in_site_store
from lycosa.interface.shared.errors import NotThere
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.open_click_stores import in_new_store, in_store
from lycosa.interface.shared.stamped_cache import readings
from lycosa.interface.shared.tokens import Role
from lycosa.interface.shared.wording import iso
from lycosa.interface.views.clicks import known_site, store_place
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys
from lycosa.urls import host_of, normalise, site_of

EXAMPLE = "https://collector.example"


class SiteToWatch(Message, frozen=True, forbid_unknown_fields=True):
    """A site whose visitors are to be counted, and where the public reaches `lycosa collect`."""

    site: Annotated[str, msgspec.Meta(min_length=1, max_length=255, description="its host, such as example.org")]
    origins: Annotated[
        tuple[Annotated[str, msgspec.Meta(min_length=1, max_length=300)], ...], msgspec.Meta(max_length=20)
    ] = ()
    collector: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)] = EXAMPLE


class WatchedNow(Message, frozen=True):
    """A watched site: its key, the origins events may come from, and what to paste into its pages."""

    site: str
    key: str
    origins: tuple[str, ...]
    created: str | None
    snippet: str


@call("POST", "/clicks/sites", Role.OPERATE, status=201)
def add_clicked_site(office: Office, body: SiteToWatch) -> WatchedNow:
    """Watch a site, or add origins to one; it gets a key for the beacon."""
    site, paste = watch_site(office.home / "clicks", body.site, body.origins, body.collector)
    return WatchedNow(site.name, site.key, site.origins, iso(site.created), paste)


class SiteGone(SiteAsked, frozen=True):
    """Which site; with `watched` false its key goes, too."""

    watched: bool = True


@call("DELETE", "/clicks/site", Role.ADMIN)
def forget_clicked_site(office: Office, asked: SiteGone) -> None:
    """Forget all that was counted of a site, totals included; it stays watched unless `watched` is false."""
    in_site_store(office, asked, _forget_site, asked.watched)
    readings.drop()


def _forget_site(store: ClickStore, site: str, watched: bool) -> None:
    if watched:
        forget_site(store, known_site(store, site))
    else:
        store.drop_site(site)
    readings.drop()


@call("DELETE", "/clicks/page", Role.ADMIN)
def forget_clicked_page(office: Office, asked: PageAsked) -> None:
    """Forget all that was counted of one page, totals included."""
    in_site_store(office, SiteAsked(asked.site, asked.crawl), _forget_page, asked.url)
    readings.drop()


def _forget_page(store: ClickStore, site: str, url: str) -> None:
    if not store.drop_page(site, url):
        raise NotThere(f"nothing was counted of {url}")
    readings.drop()


class OldDays(Message, frozen=True):
    """Days older than so many are forgotten, in the store of watched sites or of a crawl."""

    before: Annotated[int, msgspec.Meta(ge=0, le=36500)]
    crawl: Annotated[str, msgspec.Meta(max_length=64)] = ""


class Forgotten(Message, frozen=True):
    """How many records are gone, and the keys of how many days."""

    records: int
    keys: int


@call("DELETE", "/clicks/days", Role.ADMIN)
def forget_clicked_days(office: Office, asked: OldDays) -> Forgotten:
    """Forget what single visitors did more than so many days ago, on all sites; totals stay."""
    forgotten = in_store(store_place(office.home, asked.crawl).folder, forget_days, asked.before)
    readings.drop()
    return forgotten


CALLS: list[Call] = [add_clicked_site, forget_clicked_site, forget_clicked_page, forget_clicked_days]


def watch_site(folder: Path, typed: str, more: Sequence[str], collector: str) -> tuple[WatchedSite, str]:
    """Watch a site, or add origins to one; the site with its key, and what to paste into its pages."""
    name, own = site_name(typed)
    origins = [*own, *(origin_of(origin) for origin in more)]
    address = normalise(collector)
    if address is None:
        raise ConfigurationError(f"{collector!r} is no URL; give one such as {EXAMPLE}")
    site = in_new_store(folder, _watch, name, origins)
    return site, snippet(address.rstrip("/"), site.key)


def _watch(store: ClickStore, name: str, origins: Sequence[str]) -> WatchedSite:
    known = store.site(name)
    key = known.key if known and known.key else secrets.token_urlsafe(16)
    created = known.created if known and known.key else time.time()
    kept = known.origins if known else ()
    site = WatchedSite(name, key, tuple(dict.fromkeys([*kept, *origins])), created)
    store.put_site(site)
    return site


def site_name(text: str) -> tuple[str, list[str]]:
    """The host of a site from a host or a URL, and the origin where a port was named."""
    url = normalise(text if "://" in text else f"https://{text}/")
    if url is None or (url != site_of(url) + "/"):
        raise ConfigurationError(f"{text!r} is no site; name its host, such as example.org")
    origin = site_of(url)
    host = host_of(origin)
    return host, [origin] if not origin.endswith("://" + host) else []


def origin_of(text: str) -> str:
    """An origin in its one spelling; `null` is what browsers name where a page hides its address."""
    if text == "null":
        return text
    url = normalise(text.rstrip("/") + "/")
    if url is None or url != site_of(url) + "/":
        raise ConfigurationError(f"{text!r} is no origin; write scheme and host, such as https://example.net")
    return site_of(url)


def forget_site(store: ClickStore, site: WatchedSite) -> None:
    """Remove all that was counted of a site, which stays watched."""
    store.drop_site(site.name)
    store.put_site(site)


def find_site(store: ClickStore, name: str) -> WatchedSite:
    """The watched site of that name, host or URL."""
    found = store.site(name) or store.site(site_name(name)[0])
    if found is None:
        known = ", ".join(site.name for site in store.sites()) or "none"
        raise ConfigurationError(f"there is no site {name!r}; known: {known}")
    return found


def forget_days(store: ClickStore, days: int) -> Forgotten:
    """Remove what single visitors did more than so many days ago, and the keys of those days."""
    today = day_of(time.time())
    before = today + 1 - days
    gone = store.forget(before)
    readings.drop()
    return Forgotten(gone, len(DayKeys(store.folder).destroy(min(before, today) * DAY)))
