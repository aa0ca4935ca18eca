"""Calls about crawls: how they stand, starting, steering and ending them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import msgspec

from lycosa.configuration import settings
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, Wish
from lycosa.crawl_folder.status import Status
from lycosa.interface.operations import crawl_control as controls
from lycosa.interface.operations.calls import Call, Office, call
from lycosa.interface.operations.crawl_start import begin
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.tokens import Role

CrawlName = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
Address = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
ExampleText = Annotated[str, msgspec.Meta(min_length=1, max_length=200_000)]
Setting = Annotated[
    str, msgspec.Meta(min_length=3, max_length=1000, description="KEY=VALUE, as in politeness.delay=2s")
]


LOCAL = ("fetching.fetcher", "fetching.web", "topic.examples", "topic.scheme", "treasure.graph", "structure.samples",
         "clicks.source")  # fmt: skip
"""Settings that name files of the server; whoever asks over the network is not to read these."""


def checked_settings(wanted: Sequence[str]) -> list[str]:
    """Settings that may be made over the network."""
    for setting in wanted:
        key = setting.partition("=")[0].strip()
        if key in LOCAL:
            raise CrawlError(f"{key} names files on the server; change it there: `lycosa set NAME {key}=…`")
    return list(wanted)


class Named(Message, frozen=True):
    """Which crawl."""

    name: CrawlName


class CrawlState(Message, frozen=True):
    """How a crawl stands."""

    name: str
    state: str
    budget: int
    harvest: float
    pages_per_second: float
    seconds_left: float | None
    counts: dict[str, int]
    failed: dict[str, int]
    refused: dict[str, int]
    placeholders: dict[str, int]
    dark: dict[str, int]
    stages: dict[str, dict[str, float]]
    indexed: dict[str, Any]
    disk_free: int
    restarts: int
    agents: tuple[dict[str, Any], ...]
    trouble: str

    @classmethod
    def of(cls, status: Status) -> CrawlState:
        """The state that a status tells."""
        same = {name: getattr(status, name) for name in cls.__struct_fields__ if name != "counts"}
        return cls(counts=status.sums, **same)


class CrawlBrief(Message, frozen=True):
    """A crawl in the list; `trouble` where it cannot be read."""

    name: str
    searchable: bool
    state: CrawlState | None = None
    trouble: str = ""


@call("GET", "/crawls", Role.READ)
def list_crawls(office: Office) -> list[CrawlBrief]:
    """All crawls with how they stand."""
    return [
        CrawlBrief(each.name, each.searchable, CrawlState.of(each.status) if each.status else None, each.trouble)
        for each in office.library.shelves()
    ]


@call("GET", "/crawls/{name}", Role.READ)
def get_crawl(office: Office, asked: Named) -> CrawlState:
    """How a crawl stands."""
    return CrawlState.of(office.library.status(office.library.crawl(asked.name)))


class NewCrawl(Message, frozen=True, forbid_unknown_fields=True):
    """A crawl to be started: a topic in words, examples or a place in the topic tree, and where to begin."""

    name: CrawlName
    seeds: Annotated[tuple[Address, ...], msgspec.Meta(max_length=1000)] = ()
    topic: Annotated[str, msgspec.Meta(max_length=2000)] = ""
    examples: Annotated[tuple[Address, ...], msgspec.Meta(max_length=100)] = ()
    texts: Annotated[tuple[ExampleText, ...], msgspec.Meta(max_length=50)] = ()
    example_structures: Annotated[tuple[Address, ...], msgspec.Meta(max_length=100)] = ()
    classes: Annotated[
        tuple[Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,3}$")], ...], msgspec.Meta(max_length=10)
    ] = ()
    strategy: Annotated[str, msgspec.Meta(max_length=64)] = ""
    pages: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)] = 1000
    agents: Annotated[int, msgspec.Meta(ge=1, le=64)] = 1
    continuous: bool = False
    contact: Annotated[str, msgspec.Meta(max_length=300)] = ""
    settings: Annotated[tuple[Setting, ...], msgspec.Meta(max_length=100)] = ()
    run: bool = True


@call("POST", "/crawls", Role.OPERATE, status=201)
def start_crawl(office: Office, body: NewCrawl) -> CrawlState:
    """Start a new crawl.

    Example pages are addresses, example texts are texts. With `run` false it is only prepared; resume it later.
    """
    if body.name in office.library.names():
        raise CrawlError(f"there is a crawl named {body.name!r} already; choose another name, or resume that one")
    with TemporaryDirectory() as place, begin(_as_told(office, body, _kept(body.texts, Path(place)))) as made:
        folder = made
    if body.run:
        _launch(office, folder)
    return CrawlState.of(office.library.status(folder))


def _as_told(office: Office, body: NewCrawl, texts: list[str]) -> argparse.Namespace:
    """What the command line would have said."""
    return argparse.Namespace(
        home=str(office.home), json=True, job=None, name=body.name, topic=body.topic or None,
        example=[*map(example_page, body.examples), *texts], classes=list(body.classes),
        example_structure=[example_page(each) for each in body.example_structures], seed=list(body.seeds),
        strategy=body.strategy or None, agents=body.agents, partition=None, mode=None, pages=body.pages,
        continuous=body.continuous, contact=body.contact or None, set=checked_settings(body.settings),
        allow_address=[],
    )  # fmt: skip


def _kept(texts: Sequence[str], place: Path) -> list[str]:
    """Texts as files, which a crawl takes for examples."""
    files = [place / f"{number}.txt" for number, _ in enumerate(texts, 1)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, "utf-8", "replace")
    return [str(file) for file in files]


def _launch(office: Office, folder: CrawlFolder) -> None:
    """Start a new crawl; one that cannot even begin leaves no folder behind, so its name can be used again."""
    try:
        office.launcher.launch(folder)
    except CrawlError:
        if not folder.running() and not folder.agent(0).exists():
            controls.remove(folder)
        raise


def example_page(typed: str) -> str:
    """An example page of the web: the server reads no files for those who ask over the network."""
    address = controls.web_address(typed)
    if not address.startswith(("http://", "https://")):
        raise CrawlError(f"{typed!r} is no http(s) URL; example pages are named by their addresses here")
    return address


@call("POST", "/crawls/{name}/pause", Role.OPERATE)
def pause_crawl(office: Office, asked: Named) -> CrawlState:
    """Let a running crawl wait."""
    folder = office.library.crawl(asked.name)
    controls.pause(folder)
    return CrawlState.of(office.library.status(folder))


@call("POST", "/crawls/{name}/resume", Role.OPERATE)
def resume_crawl(office: Office, asked: Named) -> CrawlState:
    """Go on with a crawl that waits or has ended."""
    folder = office.library.crawl(asked.name)
    if folder.running():
        folder.want(Wish.RUN)
    else:
        office.launcher.launch(folder)
    return CrawlState.of(office.library.status(folder))


@call("POST", "/crawls/{name}/stop", Role.OPERATE)
def stop_crawl(office: Office, asked: Named) -> CrawlState:
    """End a crawl after the pages under way. One that does not run stays as it is."""
    folder = office.library.crawl(asked.name)
    controls.stop(folder)
    return CrawlState.of(office.library.status(folder))


@call("POST", "/crawls/{name}/revisit", Role.OPERATE)
def revisit_crawl(office: Office, asked: Named) -> CrawlState:
    """Look again at the pages of a crawl that may have changed."""
    folder = office.library.crawl(asked.name)
    office.launcher.launch(folder, "revisit")
    return CrawlState.of(office.library.status(folder))


@call("DELETE", "/crawls/{name}", Role.ADMIN)
def delete_crawl(office: Office, asked: Named) -> None:
    """Delete a crawl and everything it collected."""
    controls.remove(office.library.crawl(asked.name))


class Settings(Message, frozen=True):
    """All settings of a crawl, as in its crawl.toml."""

    settings: dict[str, Any]


class Changes(Message, frozen=True, forbid_unknown_fields=True):
    """Settings to change, all of them or none."""

    settings: Annotated[tuple[Setting, ...], msgspec.Meta(min_length=1, max_length=100)]


@call("GET", "/crawls/{name}/settings", Role.READ)
def get_settings(office: Office, asked: Named) -> Settings:
    """The settings of a crawl."""
    return _settings(office.library.crawl(asked.name))


@call("PATCH", "/crawls/{name}/settings", Role.OPERATE)
def change_settings(office: Office, asked: Named, body: Changes) -> Settings:
    """Change settings of a crawl, also while it runs: weights, ceilings, scope, politeness."""
    folder = office.library.crawl(asked.name)
    controls.change(folder, checked_settings(body.settings))
    return _settings(folder)


def _settings(folder: CrawlFolder) -> Settings:
    return Settings(settings.plain(folder.configuration()))


class Pattern(Message, frozen=True, forbid_unknown_fields=True):
    """A site (example.org) or pattern (example.org/private/*) to block or allow."""

    kind: Literal["block", "allow"]
    pattern: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]


@call("POST", "/crawls/{name}/patterns", Role.OPERATE)
def add_pattern(office: Office, asked: Named, body: Pattern) -> Settings:
    """Block or allow a site or pattern, also while the crawl runs."""
    folder = office.library.crawl(asked.name)
    folder.add_pattern(body.kind, body.pattern)
    return _settings(folder)


class Addresses(Message, frozen=True, forbid_unknown_fields=True):
    """Pages to fetch."""

    urls: Annotated[tuple[Address, ...], msgspec.Meta(min_length=1, max_length=10_000)]


class Added(Message, frozen=True):
    """How many addresses were added."""

    added: int


@call("POST", "/crawls/{name}/seeds", Role.OPERATE)
def add_seeds(office: Office, asked: Named, body: Addresses) -> Added:
    """Add pages to a crawl, also while it runs."""
    return Added(controls.add(office.library.crawl(asked.name), body.urls))


CALLS: list[Call] = [
    list_crawls, start_crawl, get_crawl, delete_crawl, pause_crawl, resume_crawl, stop_crawl, revisit_crawl,
    get_settings, change_settings, add_pattern, add_seeds,
]  # fmt: skip
