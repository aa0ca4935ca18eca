"""Small webs made by hand, and a trial that needs nothing but the web."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lycosa.lab.trial import TrialResult
from lycosa.lab.webs import LabWeb
from lycosa.plugins.plug_points import Topic
from lycosa.records import Link, Page

SITE = "http://web.localhost"


def address(name: str) -> str:
    return f"{SITE}/{name}"


def a_page(name: str, *links: str, text: str = "some words") -> Page:
    found = tuple(Link(address(link), address(name), link, depth=1) for link in links)
    return Page(address(name), name.title(), text=text, links=found)


def a_web(pages: Sequence[Page], labels: Mapping[str, str] | None = None) -> LabWeb:
    return LabWeb("hand-made", pages, {address(name): frozenset((path,)) for name, path in (labels or {}).items()})


def a_chain(length: int, every: int) -> LabWeb:
    """Pages p0 → p1 → …, every so many of them on the topic `thing`, and all linked from `hub`."""
    pages = [a_page(f"p{place}", f"p{place + 1}") for place in range(length - 1)] + [a_page(f"p{length - 1}")]
    hub = a_page("hub", *(f"p{place}" for place in range(length)))
    return a_web([hub, *pages], {f"p{place}": "all.thing" for place in range(0, length, every)})


def in_order_of_finding(
    web: LabWeb, strategy: str, topic: Topic, seeds: Sequence[str], pages: int, relevant: frozenset[str], seed: int
) -> TrialResult:
    """Breadth first; the `oracle` takes relevant pages first, `broken` breaks, `still` stays at its seeds."""
    if strategy == "broken":
        raise ValueError("this one cannot")
    waiting, seen, order = list(seeds), set(seeds), list[str]()
    while waiting and len(order) < pages:
        known = next((place for place, url in enumerate(waiting) if url in relevant), 0)
        page = web.page(waiting.pop(known if strategy == "oracle" else 0))
        if page is None:
            continue
        order.append(page.url)
        new = [link.url for link in page.links if link.url not in seen and strategy != "still"]
        seen.update(new)
        waiting += new
    return TrialResult(tuple(order), 0.5, len(order), 1000)


def html_folder(root: Path, pages: Mapping[str, str]) -> Path:
    for name, body in pages.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<html><head><title>{path.stem}</title></head><body>{body}</body></html>", "utf-8")
    return root
