"""Calls that change what is counted: watching a site, and forgetting what visitors did (P2, P9)."""

from __future__ import annotations

import time
from typing import Annotated

import msgspec

from lycosa.click_records import DAY, day_of
from lycosa.interface.commands.clicks.collect import EXAMPLE, forget_site, watch_site
from lycosa.interface.operations.calls import Call, NotThere, Office, call
from lycosa.interface.operations.click_statistics import PageAsked
from lycosa.interface.operations.clicks import SiteAsked, site_store
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.open_click_stores import open_stores
from lycosa.interface.shared.stamped_cache import readings
from lycosa.interface.shared.tokens import Role
from lycosa.interface.shared.wording import iso
from lycosa.interface.views.clicks import known_site, store_place
from lycosa.storage.day_keys import DayKeys


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
    with site_store(office, asked) as (_, store):
        site = known_site(store, asked.site)
        if asked.watched:
            forget_site(store, site)
        else:
            store.drop_site(site.name)
    readings.drop()


@call("DELETE", "/clicks/page", Role.ADMIN)
def forget_clicked_page(office: Office, asked: PageAsked) -> None:
    """Forget all that was counted of one page, totals included."""
    with site_store(office, SiteAsked(asked.site, asked.crawl)) as (_, store):
        if not store.drop_page(known_site(store, asked.site).name, asked.url):
            raise NotThere(f"nothing was counted of {asked.url}")
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
    place, today = store_place(office.home, asked.crawl), day_of(time.time())
    before = today + 1 - asked.before
    with open_stores.of(place.folder) as store:
        gone = store.forget(before)
    keys = DayKeys(place.folder).destroy(min(before, today) * DAY)
    readings.drop()
    return Forgotten(gone, len(keys))


CALLS: list[Call] = [add_clicked_site, forget_clicked_site, forget_clicked_page, forget_clicked_days]
