"""The search engine that speaks SearXNG's JSON: a SearXNG, or another Lycosa's search server.

The operator named it, so it may stand on this machine; everything else that
holds for a stranger's server holds for it too: deadlines, ceilings, and nothing
in its answer is taken at its word. Every failure is a sentence that says what to do.
"""

from __future__ import annotations

import ipaddress
import json
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec

from lycosa import urls
from lycosa.configuration.sections import Bytes, Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.fetching.connection_target import port_of
from lycosa.fetching.contact import PLAIN_AGENT
from lycosa.plugins import registry
from lycosa.plugins.plug_points import EngineFailed, Fetcher, Found, SeedEngine
from lycosa.records import Fetched, Link, Outcome, Redirected, Refused, SiteShut, Unchanged

MOST_PAGES = 10
"""Pages of results that are asked for."""

LARGEST_ANSWER = Bytes(2 * 1024**2)
"""A page of results has some tens of kilobytes."""

LONGEST_TITLE, LONGEST_CONTENT, LONGEST_ENGINE = 300, 2000, 100
MOST_SCORE = 1e9
_OURS = frozenset(("q", "format", "pageno"))


def searxng(configuration: Configuration, where: str) -> SeedEngine:
    """The engine at an address such as `http://127.0.0.1:8080`, or `http://127.0.0.1:8017/?crawl=birds`."""
    return SearxngEngine(configuration, where)


class SearxngEngine:
    """Asks `/search?q=…&format=json&pageno=N` and believes nothing of the answer that it has not checked."""

    def __init__(self, configuration: Configuration, where: str) -> None:
        self.name = f"searxng:{where}"
        self._address, self._standing = _search_address(where)
        self._configuration = _for_an_engine(configuration, urls.site_of(self._address))

    async def search(self, query: str, number: int) -> Sequence[Found]:
        """Page after page, until there are enough results or no new ones; a later page that fails ends it too."""
        fetcher: Fetcher = registry.find("fetchers", "http")(self._configuration, time.time)
        try:
            opened = await fetcher.open(urls.site_of(self._address), time.time())
            if isinstance(opened, SiteShut):
                raise self._unreachable(opened.why, opened.detail)
            return await self._pages(fetcher, query, number)
        finally:
            await fetcher.close()

    async def _pages(self, fetcher: Fetcher, query: str, number: int) -> list[Found]:
        found: dict[str, Found] = {}
        for page in range(1, MOST_PAGES + 1):
            before = len(found)
            try:
                results = self._results(await fetcher.fetch(Link(self._question(query, page))))
            except EngineFailed:
                if not found:
                    raise
                break
            for each in results:
                found.setdefault(each.url, each)
            if not before < len(found) < number:
                break
        return list(found.values())[:number]

    def _question(self, query: str, page: int) -> str:
        asked = [*self._standing, ("q", query), ("format", "json"), ("pageno", str(page))]
        return f"{self._address}?{urlencode(asked)}"

    def _results(self, outcome: Outcome) -> list[Found]:
        match outcome:
            case Fetched():
                return self._read(outcome.response.body)
            case Redirected():
                target = outcome.target.partition("?")[0]
                raise self._failed(f"answers with a redirect; if {target} is the engine, name that")
            case Refused(why="content-type"):
                raise self._failed(
                    f"answers with {outcome.detail or 'something'} instead of JSON; "
                    "is this the address of a SearXNG or of `lycosa serve`?"
                )
            case Unchanged():
                raise self._failed("answers 304 to a question that had no condition; is it a SearXNG?")
            case _:
                raise self._refused(outcome.why, outcome.detail)

    def _refused(self, why: str, detail: str) -> EngineFailed:
        remedy = _REMEDIES.get(why)
        if remedy:
            return self._failed(remedy)
        if why.startswith("http-"):
            return self._failed(f"answers with status {why[5:]}; its log should say why")
        return self._unreachable(why, detail)

    def _unreachable(self, why: str, detail: str) -> EngineFailed:
        told = f"{why}: {detail}" if detail else why
        if why == "address-refused":
            return self._failed(
                f"its name leads to an address that is not public ({detail}); "
                "name the address itself, or add it to fetching.allow_addresses"
            )
        return self._failed(f"cannot be reached ({told}); is it running, and is the address right?")

    def _read(self, body: bytes) -> list[Found]:
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            raise self._failed("answers with something that is no valid JSON; is it a SearXNG?") from None
        results = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(results, list):
            raise self._failed("answers with JSON that has no list of `results`; is it a SearXNG?")
        found = [each for each in map(_found, results) if each is not None]
        if results and not found:
            raise self._failed("answers with results that have no url; is it a SearXNG?")
        silent = answer.get("unresponsive_engines")
        if not found and isinstance(silent, list) and silent:
            names = ", ".join(map(_silent_engine, silent[:5]))
            raise self._failed(f"found nothing because its own engines did not answer ({names}); {_SETTINGS}")
        return found

    def _failed(self, sentence: str) -> EngineFailed:
        return EngineFailed(f"{self.name}: {sentence}")


_SETTINGS = "look at its settings, or add ?crawl=NAME where it is a `lycosa serve`"
_REMEDIES = {
    "http-403": "refuses to answer in JSON (403); add `json` to `search.formats` in its settings.yml",
    "http-404": "has no search there (404); name the address of its front page, for a `lycosa serve` with ?crawl=NAME",
    "http-429": "says that it is asked too often (429); wait, or relax its limiter for this machine",
    "too-large": "sends far more than a page of results needs; is it a SearXNG?",
    "bomb": "sends what unpacks to far more than a page of results needs; is it a SearXNG?",
    "empty": "answers with nothing at all; is it a SearXNG?",
}


def _found(told: Any) -> Found | None:
    """A result as an engine sent it; None where it has no URL. All else may be missing, or anything."""
    url = told.get("url") if isinstance(told, dict) else None
    if not isinstance(url, str) or not 0 < len(url) <= urls.LONGEST:
        return None
    title, content, engine = (
        _text(told.get(name), longest)
        for name, longest in (("title", LONGEST_TITLE), ("content", LONGEST_CONTENT), ("engine", LONGEST_ENGINE))
    )
    score = told.get("score")
    fine = isinstance(score, float | int) and -MOST_SCORE < score < MOST_SCORE
    return Found(_text(url, urls.LONGEST), title, content, engine, float(score) if fine else 0.0)


def _text(value: Any, longest: int) -> str:
    """Text that can be kept and printed in UTF-8; '' for what is no text."""
    return value[:longest].encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _silent_engine(entry: Any) -> str:
    """An entry such as `["google", "timeout"]`."""
    parts = entry[:2] if isinstance(entry, list) else [entry]
    return ": ".join(str(part)[:60] for part in parts)


def _search_address(where: str) -> tuple[str, list[tuple[str, str]]]:
    """The address to ask, without its query, and what of the query stays in every question."""
    if "@" in where.partition("://")[2].partition("/")[0]:
        raise ConfigurationError("engine searxng: an address with a password in it cannot be used; leave it out")
    written = urls.normalise(where.strip(), drop_tracking=False)
    if written is None:
        raise ConfigurationError(
            f"engine searxng: {where!r} is no http(s) address; write it like searxng:http://127.0.0.1:8080"
        )
    address, _, query = written.partition("?")
    if not address.endswith("/search"):
        address = address.rstrip("/") + "/search"
    return address, [pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] not in _OURS]


def _for_an_engine(configuration: Configuration, site: str) -> Configuration:
    """The crawl's ways of fetching, for JSON, from an engine whose address the operator may have named literally.

    A question to an engine that somebody named is no crawl: it needs no contact.
    """
    replace = msgspec.structs.replace
    fetching = replace(
        configuration.fetching,
        types=("application/json",),
        allow_addresses=(*configuration.fetching.allow_addresses, *_named_addresses(site)),
        connections=1,
        user_agent=configuration.fetching.user_agent or ("" if configuration.fetching.contact else PLAIN_AGENT),
        largest_body=min(configuration.fetching.largest_body, LARGEST_ANSWER),
    )
    return replace(configuration, fetching=fetching, politeness=replace(configuration.politeness, robots=False))


def _named_addresses(site: str) -> list[str]:
    """Naming an address, or this machine, is allowing it; a name of the DNS may lead anywhere and is not."""
    host, port = urls.host_of(site), port_of(site)
    if host == "localhost" or host.endswith(".localhost"):
        return [f"127.0.0.1:{port}", f"[::1]:{port}"]
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return []
    return [f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"]
