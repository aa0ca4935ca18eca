"""The lab's visitors: what people did on a web that is compared on, as the records of a clickstream.

On Wikispeedia they are the players: each game is a path of clicks from one article to
another. A click back shows the page before once more. The time of a game is shared out
evenly over its pages but the last, of which nobody knows how long it was looked at; a
game given up by waiting includes half an hour of that, which does not count. No player
contributes more than a hundred games; games whose player is not known cannot be told
apart and all count. In the simulated web visitors come in proportion to what
they like a page for, its hidden quality.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from lycosa.click_records import LONGEST_SPAN, PageClicks, day_of
from lycosa.configuration.settings import ConfigurationError
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.records import Record

FILES = ("paths_finished_merged.tsv", "paths_unfinished.tsv")
MOST_GAMES = 100
"""Games that one player contributes at most; one has 2 789."""
TIMEOUT = 1_800
"""Seconds without a click after which a game counts as given up."""
MOST_VISITS = 400
"""Visits of the best page of a simulated web."""
BACK = "<"
UNKNOWN = "NULL"


class Game(Record, frozen=True):
    """One path: the URLs in the order they were looked at; who, when and how many seconds, where that is known."""

    pages: tuple[str, ...]
    player: str = ""
    at: float | None = None
    seconds: float | None = None


def read_games(folder: Path, pages: Mapping[str, str], most: int = MOST_GAMES) -> list[Game]:
    """The games in a folder, as far as they lead over pages that a web has; `pages` has URLs by article."""
    played: Counter[str] = Counter()
    found = []
    for game in (game for name in FILES for game in _games(folder / name, pages)):
        played[game.player] += bool(game.player)
        if game.pages and (not game.player or played[game.player] <= most):
            found.append(game)
    return found


def _games(path: Path, pages: Mapping[str, str]) -> Iterator[Game]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip() and not line.startswith("#"):
                    yield _game(line.rstrip("\n").split("\t"), pages, f"{path}, line {number}")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"wikispeedia: {path} cannot be read ({error}); unpack the data anew") from None


def _game(fields: Sequence[str], pages: Mapping[str, str], where: str) -> Game:
    if len(fields) < 5:
        raise ConfigurationError(f"wikispeedia: {where} has fewer than five columns; unpack the data anew")
    player, at, seconds, path = ("" if field == UNKNOWN else field for field in fields[:4])
    try:
        spent = float(seconds) if seconds else None
        if spent is not None and fields[-1] == "timeout":
            spent = max(0.0, spent - TIMEOUT)
        return Game(tuple(_looked_at(path.split(";"), pages)), player, float(at) if at else None, spent)
    except ValueError:
        raise ConfigurationError(f"wikispeedia: {where} has a time that is no number; unpack the data anew") from None


def _looked_at(steps: Iterable[str], pages: Mapping[str, str]) -> Iterator[str]:
    """The pages of a path; a click back shows the page before once more."""
    way: list[str] = []
    for step in steps:
        if step == BACK:
            if len(way) > 1:
                way.pop()
        else:
            way.append(unquote(step))
        if way and (url := pages.get(way[-1])):
            yield url


def visits_of(games: Iterable[Game]) -> list[PageClicks]:
    """What the players did with each page."""
    views: Counter[str] = Counter()
    unended: Counter[str] = Counter()
    spans: dict[str, Counter[int]] = {}
    durations: Counter[str] = Counter()
    visitors: dict[str, set[tuple[str, int]]] = {}
    for number, game in enumerate(games):
        views.update(game.pages)
        who = (game.player, day_of(game.at)) if game.player and game.at else ("", number)
        for url in game.pages:
            visitors.setdefault(url, set()).add(who)
        if game.seconds is None or len(game.pages) < 2:
            unended.update(game.pages)
            continue
        each = game.seconds / (len(game.pages) - 1)
        unended[game.pages[-1]] += 1
        for url in game.pages[:-1]:
            durations[url] += round(1000 * each)
            spans.setdefault(url, Counter())[min(LONGEST_SPAN, round(each))] += 1
    return [
        PageClicks(url, number, len(visitors[url]), durations[url], unended[url], dict(spans.get(url, {})))
        for url, number in views.items()
    ]


def halves(games: Sequence[Game]) -> tuple[list[Game], list[Game]]:
    """Two halves: games with a time before and after the middle one, games without in turn."""
    timed = sorted((game for game in games if game.at is not None), key=lambda game: game.at or 0.0)
    untimed = [game for game in games if game.at is None]
    middle = len(timed) // 2
    return timed[:middle] + untimed[::2], timed[middle:] + untimed[1::2]


def simulated_visits(web: SimulatedWeb) -> list[PageClicks]:
    """Visitors of a simulated web: as many as a page is good, each for as long."""
    found = []
    for url in web.page_urls():
        quality = web.truth(url).quality
        visits, seconds = round(MOST_VISITS * quality), max(1, round(120 * quality))
        if visits:
            found.append(PageClicks(url, visits, visits, 1000 * seconds * visits, 0, {seconds: visits}))
    return found
