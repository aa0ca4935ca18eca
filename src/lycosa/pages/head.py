"""What a document says about itself: title, language, canonical address, wishes to robots, date."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import msgspec

from lycosa import urls
from lycosa.pages.html.elements import Attributes, Said, folded
from lycosa.records import Response

LONGEST_TITLE = 500
OUR_NAME = "lycosa"

_DATES = ("article:published_time", "datepublished", "date", "dc.date", "dc.date.issued", "dcterms.created", "pubdate",
          "publishdate", "og:published_time", "article:modified_time")  # fmt: skip
_DAY = re.compile(r"\s{0,9}(\d{4})-(\d{1,2})-(\d{1,2})")
_REFRESH = re.compile(r"\s{0,9}[\d.]{0,20}\s{0,9}[;,]?\s{0,9}(?:url\s{0,9}=)?\s{0,9}(.*)", re.IGNORECASE | re.DOTALL)
_LINK_HEADER = re.compile(r"<([^<>]{0,8192})>([^<>]{0,400})")
_CANONICAL = re.compile(r"rel\s{0,9}=\s{0,9}[\"']?[^\"';,]{0,80}\bcanonical\b", re.IGNORECASE)
_AFTER_LANGUAGE = re.compile(r"[-_,;\s]")
_VALUED_WISHES = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")


class Head(msgspec.Struct, frozen=True):
    """A document's statements about itself, made sense of."""

    title: str = ""
    language: str = ""
    base: str = ""
    canonical: str = ""
    refresh: str = ""
    wishes: frozenset[str] = frozenset()
    published: float | None = None


def read_head(said: Said, url: str, response: Response, drop_tracking: bool = True, codec: str = "") -> Head:
    """The statements of a document and of its HTTP headers, made sense of; `codec` is for the queries it names."""
    metas = _metas(said.metas)
    base = _base(said.bases, url, codec)
    refresh = metas.get("refresh")
    return Head(
        folded(said.title[: LONGEST_TITLE * 4])[:LONGEST_TITLE].strip(),
        _language(said.language or metas.get("content-language")),
        base,
        _canonical(said.relations, base, drop_tracking, codec) or _canonical_header(response, url, drop_tracking),
        _refresh(refresh, base, drop_tracking, codec) if refresh else "",
        frozenset(_wishes(metas, response)),
        _published(said.times, metas),
    )


def _wishes(metas: dict[str, str], response: Response) -> list[str]:
    """What robots are asked to do, in the document for all or for us, and in the HTTP headers."""
    wishes = header_wishes(response)
    for name in ("robots", OUR_NAME):
        if name in metas:
            wishes += _wished(metas[name])
    return wishes


def _metas(metas: list[Attributes]) -> dict[str, str]:
    """The first content of each named `<meta>`, names in lower case."""
    found: dict[str, str] = {}
    for attributes in metas:
        content = attributes.get("content")
        if content:
            name = attributes.get("name") or attributes.get("property") or attributes.get("http-equiv")
            name = name or attributes.get("itemprop") or ""
            found.setdefault(name.strip().lower()[:64], content)
    return found


def _language(declared: str | None) -> str:
    if not declared:
        return ""
    primary = _AFTER_LANGUAGE.split(declared.strip().lower()[:35], maxsplit=1)[0]
    return primary if 2 <= len(primary) <= 3 and primary.isalpha() and primary.isascii() else ""


def _base(bases: list[Attributes], url: str, codec: str) -> str:
    """The address that relative links start from; a `<base>` that is no http(s) address is ignored."""
    for attributes in bases[:1]:
        href = attributes.get("href")
        return (urls.resolve(url, [href], codec=codec)[0] if href else None) or url
    return url


def _canonical(relations: list[Attributes], base: str, drop_tracking: bool, codec: str) -> str:
    for attributes in relations:
        href = attributes.get("href")
        if href and "canonical" in (attributes.get("rel") or "").lower().split():
            return urls.resolve(base, [href], drop_tracking=drop_tracking, codec=codec)[0] or ""
    return ""


def _canonical_header(response: Response, url: str, drop_tracking: bool) -> str:
    for value in response.all_headers("link"):
        for target, rest in _LINK_HEADER.findall(value[:65_536]):
            if _CANONICAL.search(rest):
                return urls.resolve(url, [target], drop_tracking=drop_tracking)[0] or ""
    return ""


def _refresh(content: str, base: str, drop_tracking: bool, codec: str) -> str:
    """Where a `<meta http-equiv=refresh>` leads, or '' where it only reloads."""
    match = _REFRESH.fullmatch(content[: urls.LONGEST])
    target = match[1].strip().strip("\"'") if match else ""
    return (urls.resolve(base, [target], drop_tracking=drop_tracking, codec=codec)[0] or "") if target else ""


def _wished(content: str) -> list[str]:
    wishes = [wish.strip().lower() for wish in content[:1000].split(",")]
    return ["noindex", "nofollow"] if "none" in wishes else wishes


def header_wishes(response: Response) -> list[str]:
    """The wishes of all X-Robots-Tag headers that speak to everyone or to us."""
    found: list[str] = []
    for value in response.all_headers("x-robots-tag"):
        robot, colon, rest = value.partition(":")
        named = colon and "," not in robot and robot.strip().lower() not in _VALUED_WISHES
        if not named or robot.strip().lower() == OUR_NAME:
            found += _wished(rest if named else value)
    return found


def _published(times: list[Attributes], metas: dict[str, str]) -> float | None:
    for name in _DATES:
        if name in metas:
            moment = moment_of(metas[name])
            if moment is not None:
                return moment
    for attributes in times[:1]:
        return moment_of(attributes.get("datetime") or "")
    return None


def moment_of(written: str) -> float | None:
    """Seconds since 1970 of an ISO date, with or without a time; None for anything else."""
    written = written[:40].strip()
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        day = _DAY.match(written)
        if day is None:
            return None
        try:
            moment = datetime(int(day[1]), int(day[2]), int(day[3]))
        except ValueError:
            return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
