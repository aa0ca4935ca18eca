"""Seeds by meta-search (N1): a query goes to several search engines, and what they agree on is where to begin.

Here is what an engine is, and the rule by which answers become seeds. Engines
are plug-ins (`lycosa.seed_engines`): one speaks SearXNG's JSON, another searches
an index of our own. An engine that fails is counted and told; the others decide.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from lycosa import urls
from lycosa.configuration.settings import ConfigurationError
from lycosa.plugins.plug_points import EngineFailed, Found, SeedEngine
from lycosa.records import Record

LONGEST_QUERY = 500


class Proposal(Record, frozen=True):
    """A page that engines returned: how many of them, at which best place, and what follows from it."""

    url: str
    title: str
    content: str
    engines: tuple[str, ...]
    best_rank: int
    why: str


class Proposals(Record, frozen=True):
    """What the engines propose: seeds, second choice, and what only one of several returned."""

    query: str
    seeds: tuple[Proposal, ...]
    second: tuple[Proposal, ...]
    others: tuple[Proposal, ...]
    answered: tuple[tuple[str, int], ...]
    failed: tuple[tuple[str, str], ...] = ()

    def ranked(self) -> tuple[Proposal, ...]:
        """All of them, the best first."""
        return self.seeds + self.second + self.others


async def meta_search(query: str, engines: Sequence[SeedEngine], number: int, within: float) -> Proposals:
    """Ask all engines at once; those that fail are counted, and the others decide."""
    asked = {engine.name: engine for engine in engines}
    if not asked:
        raise ConfigurationError("no search engine to ask; name one")
    wanted = checked_query(query)
    answers = await asyncio.gather(
        *(_asked(engine, wanted, number, within) for engine in asked.values()), return_exceptions=True
    )
    answered: dict[str, list[Found]] = {}
    failed: list[tuple[str, str]] = []
    for name, answer in zip(asked, answers, strict=True):
        if isinstance(answer, list):
            answered[name] = answer
        elif isinstance(answer, Exception):
            failed.append((name, _told(name, answer)))
        else:
            raise answer
    if not answered:
        raise EngineFailed("; ".join(why for _, why in failed))
    return agreed(wanted, answered, tuple(failed))


def checked_query(query: str) -> str:
    """The query on one line, refused where it is empty or longer than any engine takes."""
    wanted = " ".join(query.encode("utf-8", "replace").decode().split())
    if not wanted:
        raise ConfigurationError("the query is empty; say in a few words what the seeds should be about")
    if len(wanted) > LONGEST_QUERY:
        raise ConfigurationError(f"the query has {len(wanted)} characters; use at most {LONGEST_QUERY}")
    return wanted


async def _asked(engine: SeedEngine, query: str, number: int, within: float) -> list[Found]:
    try:
        async with asyncio.timeout(within):
            return list(await engine.search(query, number))[:number]
    except TimeoutError:
        raise EngineFailed(f"{engine.name}: no answer within {within:g} s; try again, or leave it out") from None


def _told(name: str, error: Exception) -> str:
    if isinstance(error, EngineFailed):
        return str(error)
    return f"{name}: the engine broke down ({type(error).__name__}: {str(error)[:200]}); leave it out or repair it"


def agreed(query: str, answered: dict[str, list[Found]], failed: tuple[tuple[str, str], ...] = ()) -> Proposals:
    """Returned by all engines that answered: a seed. By at least two: second choice. A lone engine is all of them."""
    returned: dict[str, dict[str, tuple[int, Found]]] = {}
    counted = []
    for name, results in answered.items():
        ranked = _ranked(results)
        counted.append((name, len(ranked)))
        for rank, (url, found) in enumerate(ranked.items(), 1):
            returned.setdefault(url, {})[name] = rank, found
    proposals = sorted(
        (_proposal(url, places, len(answered), bool(failed)) for url, places in returned.items()),
        key=lambda proposal: (-len(proposal.engines), _mean_rank(returned[proposal.url]), proposal.best_rank),
    )
    every, second = len(answered), range(2, len(answered))
    return Proposals(
        query,
        tuple(each for each in proposals if len(each.engines) == every),
        tuple(each for each in proposals if len(each.engines) in second),
        tuple(each for each in proposals if len(each.engines) == 1 < every),
        tuple(counted),
        failed,
    )


def _ranked(results: Iterable[Found]) -> dict[str, Found]:
    """Results by normal form, each at its first place; what is no http(s) URL has none."""
    found: dict[str, Found] = {}
    for each in results:
        url = urls.normalise(each.url)
        if url is not None:
            found.setdefault(url, each)
    return found


def _mean_rank(places: dict[str, tuple[int, Found]]) -> float:
    return sum(rank for rank, _ in places.values()) / len(places)


def _proposal(url: str, places: dict[str, tuple[int, Found]], engines: int, some_failed: bool) -> Proposal:
    best = min(rank for rank, _ in places.values())
    found = [found for _, found in sorted(places.values(), key=lambda place: place[0])]
    if engines == 1:
        who = "the only engine that answered" if some_failed else "the only engine asked"
    elif len(places) == engines:
        who = f"all {engines} engines" + (" that answered" if some_failed else "")
    else:
        who = f"{len(places)} of {engines} engines"
    title = next((each.title for each in found if each.title), "")
    content = max((each.content for each in found), key=len)
    return Proposal(url, title, content, tuple(places), best, f"returned by {who}, best rank {best}")
