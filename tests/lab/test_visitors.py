"""The players of Wikispeedia as visitors: visits, times and days, whatever the file holds."""

from __future__ import annotations

from functools import partial
from itertools import product
from pathlib import Path

import pytest
from hand_made import a_page, address
from hypothesis import given
from hypothesis import strategies as st

from lycosa.click_records import PageClicks
from lycosa.configuration.settings import ConfigurationError
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.trial import run_trial
from lycosa.lab.visitors import Game, halves, read_games, simulated_visits, visits_of
from lycosa.lab.webs import LabWeb, open_web
from lycosa.plugins.plug_points import Topic

PAGES = {name: f"http://web.localhost/{name}" for name in ("A", "B", "C", "É")}
DAY = 86_400


def files(folder: Path, finished: str = "", unfinished: str = "") -> Path:
    (folder / "paths_finished_merged.tsv").write_text("# FORMAT\n" + finished, "utf-8")
    (folder / "paths_unfinished.tsv").write_text("\n# FORMAT\n" + unfinished, "utf-8")
    return folder


def by_name(games: list[Game]) -> dict[str, PageClicks]:
    return {page.url.rpartition("/")[2]: page for page in visits_of(games)}


def test_the_time_of_a_game_is_shared_out_over_all_pages_but_the_last(tmp_path: Path) -> None:
    found = by_name(read_games(files(tmp_path, "p1\t100\t40\tA;B;A;C\tNULL\n"), PAGES))
    times = {name: (page.visits, page.visitors, page.duration, page.unended) for name, page in found.items()}
    assert times == {"A": (2, 1, 26_666, 0), "B": (1, 1, 13_333, 0), "C": (1, 1, 0, 1)}
    assert found["A"].spans == {13: 2}


def test_a_click_back_shows_the_page_before_once_more(tmp_path: Path) -> None:
    (game,) = read_games(files(tmp_path, "p1\t100\t40\tA;B;C;<;<;<;%C3%89\t3\n"), PAGES)
    assert [url.rpartition("/")[2] for url in game.pages] == ["A", "B", "C", "B", "A", "A", "É"]


def test_waiting_for_the_end_of_a_game_is_no_time_on_a_page(tmp_path: Path) -> None:
    lines = "p1\t100\t1830\tA;B;C\tX\ttimeout\np1\t200\t1790\tA;B\tX\ttimeout\np1\t300\t10\tA;B\tX\trestart\n"
    games = read_games(files(tmp_path, unfinished=lines), PAGES)
    assert [game.seconds for game in games] == [30.0, 0.0, 10.0]
    assert by_name(games)["A"].duration == 15_000 + 0 + 10_000


def test_unknown_players_times_and_pages_are_borne(tmp_path: Path) -> None:
    lines = "NULL\tNULL\tNULL\tA;Ghost;B\tNULL\nNULL\tNULL\tNULL\tA\tNULL\np\t5\t9\tGhost\tNULL\n"
    games = read_games(files(tmp_path, lines), PAGES)
    assert [(game.player, game.at, game.seconds) for game in games] == [("", None, None)] * 2
    assert (by_name(games)["A"].visits, by_name(games)["A"].visitors, by_name(games)["A"].unended) == (2, 2, 2)


def test_no_player_contributes_more_than_the_cap(tmp_path: Path) -> None:
    lines = "".join(f"p1\t{DAY * day}\t9\tA;B\tNULL\n" for day in range(1, 9)) + "NULL\tNULL\tNULL\tA;B\tNULL\n" * 9
    found = by_name(read_games(files(tmp_path, lines), PAGES, most=3))
    assert (found["A"].visits, found["A"].visitors) == (12, 12)


@pytest.mark.parametrize(
    ("line", "said"), [("p\tsoon\t9\tA\tNULL", "line 2 has a time"), ("p\t1", "line 2 has fewer than five columns")]
)
def test_a_damaged_line_is_told_with_its_number(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        read_games(files(tmp_path, line + "\n"), PAGES)


def test_missing_paths_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="unpack the data anew"):
        read_games(tmp_path, PAGES)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1e9))))
def test_halves_share_all_games_out_and_time_goes_forward(times: list[float | None]) -> None:
    games = [Game(("A",), str(place), at) for place, at in enumerate(times)]
    first, second = halves(games)
    assert sorted(first + second, key=lambda game: int(game.player)) == games
    assert -1 <= len(first) - len(second) <= 1
    early, late = ([game.at for game in half if game.at is not None] for half in (first, second))
    assert not (early and late) or max(early) <= min(late)


def test_simulated_visitors_come_as_a_page_is_good() -> None:
    web = SimulatedWeb.of("box:1?hosts=4&pages=60")
    found = {page.url: page for page in simulated_visits(web)}
    visits = [found[url].visits for url in sorted(found, key=lambda url: web.truth(url).quality)]
    assert visits == sorted(visits)
    assert visits[-1] > 10 * visits[0]
    assert len(open_web("box:1?hosts=4&pages=60").visitors) == len(found)


def test_in_the_lab_a_strategy_that_watches_goes_where_people_go() -> None:
    pages = [a_page("hub", "a", "b", "c"), a_page("a"), a_page("b"), a_page("c")]
    for strategy, name in product(("cfp", "importance-value"), "abc"):
        people = (PageClicks(address(name), 9, 9, 90_000, 0, {10: 9}),)
        web = LabWeb("hand-made", pages, {}, visits=partial(tuple, people))
        assert run_trial(web, strategy, Topic("birds"), [address("hub")], 2, frozenset()).order[1] == address(name)
