"""Names of visitors in the import of logs: what is stored is a keyed hash, and only while its key lives."""

from __future__ import annotations

import json
import random
from pathlib import Path

import msgspec
import numpy as np
import pytest
import xxhash
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from log_desk import BROWSER, NOON, import_logs, line, pages
from plain_siphash import plain_siphash

from lycosa.clickstream.server_logs import log_import
from lycosa.clickstream.server_logs.sessions import visitor_register as visitor_book
from lycosa.clickstream.server_logs.sessions.open_sessions import KeptSessions
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys

TODAY = NOON // 86_400
MIDNIGHT = NOON + 43_200
LATER = NOON + 10 * 86_400
FOX, OPERA = BROWSER, "Opera/9.80 Unmistakable/1.0"
Who = tuple[int, bytes]


def log(folder: Path, text: str, name: str = "log") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def name(store: Path, address: str, agent: str, day: int = TODAY) -> bytes:
    key = DayKeys(store).key(day)
    assert key is not None
    return plain_siphash(visitor_book.agent_key(key, agent.encode()), address.encode())


def open_names(folder: Path) -> set[Who]:
    """The days and names under which open sessions are stored."""
    with ClickStore(folder) as store:
        data = store.mark("sessions:example.org:open")
    assert data is not None
    kept = msgspec.msgpack.decode(data, type=KeptSessions)
    names = [kept.ids[place : place + 16] for place in range(0, len(kept.ids), 16)]
    return set(zip(np.frombuffer(kept.columns["first_day"], np.int64).tolist(), names, strict=True))


def seen(folder: Path) -> set[tuple[int, int]]:
    """The days and numbers that are stored of those who saw pages."""
    with ClickStore(folder) as store:
        marks = [(int(told.split(":")[2]), data) for told, data in store.marks("seen:example.org:")]
    return {(day, number) for day, data in marks for number in np.frombuffer(data, np.uint64).tolist()}


def number(visitor: bytes, page: str) -> int:
    """What is stored of a visitor who saw a page."""
    hashed = xxhash.xxh3_64_intdigest(f"http://example.org{page}".encode())
    return int.from_bytes(visitor[:8], "little") ^ hashed


def test_visitors_are_stored_under_a_hash_with_the_key_of_their_day_and_browser(tmp_path: Path) -> None:
    who = [("203.0.113.77", FOX), ("203.0.113.77", OPERA), ("2001:db8:0:1234:5678:9abc:def0:1234", "Mozilla/5.0 " * 20)]
    text = "".join(line(NOON + place, "/a", address=address, agent=agent) for place, (address, agent) in enumerate(who))
    store = tmp_path / "store"
    import_logs(store, [log(tmp_path, text)], now=NOON + 60)
    names = {(TODAY, name(store, *each)) for each in who}
    assert open_names(store) == names
    assert len(names) == len(who)
    assert seen(store) == {(day, number(each, "/a")) for day, each in names}


def test_a_session_over_midnight_is_stored_under_its_first_name_and_seen_under_both(tmp_path: Path) -> None:
    store = tmp_path / "store"
    text = line(MIDNIGHT - 60, "/a") + line(MIDNIGHT + 60, "/a") + line(MIDNIGHT + 70, "/a", address="10.0.0.2")
    import_logs(store, [log(tmp_path, text)], now=MIDNIGHT + 100)
    first, second = name(store, "10.0.0.1", FOX), name(store, "10.0.0.1", FOX, TODAY + 1)
    other = name(store, "10.0.0.2", FOX, TODAY + 1)
    assert open_names(store) == {(TODAY, first), (TODAY + 1, other)}
    saw = {(TODAY, number(first, "/a")), (TODAY + 1, number(second, "/a")), (TODAY + 1, number(other, "/a"))}
    assert seen(store) == saw
    import_logs(store, [log(tmp_path, line(MIDNIGHT + 90, "/a"), "next")], now=MIDNIGHT + 100)
    assert open_names(store) == {(TODAY, first), (TODAY + 1, other)}
    assert seen(store) == saw


def test_formats_that_are_read_line_by_line_have_the_same_names(tmp_path: Path) -> None:
    told = {"time": NOON, "status": 200, "uri": "/a", "remote_addr": "10.0.0.7", "http_user_agent": FOX}
    sessions = [{**told, "session": "s1"}, {**told, "session": "s2"}, {**told, "session": "-"}]
    text = "".join(json.dumps(each) + "\n" for each in sessions)
    import_logs(tmp_path / "store", [log(tmp_path, text)], now=NOON + 60)
    who = [("session", "s1"), ("session", "s2"), ("10.0.0.7", FOX)]
    assert open_names(tmp_path / "store") == {(TODAY, name(tmp_path / "store", *each)) for each in who}


def test_logs_of_several_servers_give_each_visitor_the_right_name(tmp_path: Path) -> None:
    who = [(f"10.0.{place % 3}.{place}", f"{FOX} {place % 5}") for place in range(60)]
    lines = [line(NOON + place, f"/{place}", address=each[0], agent=each[1]) for place, each in enumerate(who)]
    logs = [log(tmp_path, "".join(lines[part::3]), f"server{part}") for part in range(3)]
    import_logs(tmp_path / "store", logs, now=NOON + 90)
    names = [name(tmp_path / "store", *each) for each in who]
    assert open_names(tmp_path / "store") == {(TODAY, each) for each in names}
    assert seen(tmp_path / "store") == {(TODAY, number(each, f"/{place}")) for place, each in enumerate(names)}


def test_a_save_in_a_session_over_midnight_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(line(MIDNIGHT - 50 + 20 * place, "/a") for place in range(8))
    small_steps(monkeypatch, block=300, views=1)
    found = import_logs(tmp_path / "store", [log(tmp_path, text)], now=MIDNIGHT + 200)
    names = [name(tmp_path / "store", "10.0.0.1", FOX, day) for day in (TODAY, TODAY + 1)]
    assert (found.visits, found.visitors, found.sessions) == (8, 2, 1)
    assert open_names(tmp_path / "store") == {(TODAY, names[0])}
    assert seen(tmp_path / "store") == {(TODAY, number(names[0], "/a")), (TODAY + 1, number(names[1], "/a"))}


def test_visitors_of_days_whose_keys_are_due_are_never_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(line(NOON + place, f"/{place % 3}", address=f"10.0.0.{place % 7}") for place in range(40))

    def refuse(*_: bytes) -> bytes:
        raise AssertionError("somebody was named")

    monkeypatch.setattr(visitor_book, "agent_key", refuse)
    found = import_logs(tmp_path / "store", [log(tmp_path, text)], now=LATER)
    assert (found.visits, found.visitors, found.sessions) == (40, 21, 7)
    with pytest.raises(AssertionError, match="named"):
        import_logs(tmp_path / "young", [log(tmp_path, text)], now=NOON + 90)


@pytest.mark.parametrize("now", [NOON + 3000, LATER])
def test_nobody_is_in_the_clear_on_disk_at_any_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, now: float
) -> None:
    store, looks = tmp_path / "store", 0
    add = ClickStore.add_pages

    def add_pages(self: ClickStore, *told: object, **more: object) -> None:
        nonlocal looks
        add(self, *told, **more)  # type: ignore[arg-type]
        kept = b"".join(path.read_bytes() for path in store.rglob("*") if path.is_file())
        assert b"203.0.113." not in kept
        assert b"Unmistakable" not in kept
        looks += 1

    monkeypatch.setattr(ClickStore, "add_pages", add_pages)
    small_steps(monkeypatch)
    lines = [line(NOON + place, "/a", address=f"203.0.113.{place % 250}", agent=OPERA) for place in range(900)]
    import_logs(store, [log(tmp_path, "".join(lines))], now=now)
    assert looks > 3


def small_steps(monkeypatch: pytest.MonkeyPatch, *, block: int = 3000, views: int = 60) -> None:
    """Blocks of few lines, and a save after few views."""
    from lycosa.clickstream.server_logs.line_blocks import LineBlocks

    begin = LineBlocks.__init__
    monkeypatch.setattr(LineBlocks, "__init__", lambda self, stream: begin(self, stream, size=block))
    monkeypatch.setattr(log_import, "VIEWS_AT_ONCE", views)
    monkeypatch.setattr(log_import, "CLOSE_EVERY", 1)


def some_days(seed: int, days: int = 3) -> list[str]:
    """Lines of several days, with people at midnight, robots, and people who come back."""
    chance, at, lines = random.Random(seed), NOON, []
    while at < NOON + days * 86_400:
        at += chance.choice([5, 60, 700, 1900])
        target = "/robots.txt" if chance.random() < 0.01 else chance.choice(["/a", "/b", "/c", "/d?e=1", "/s.css"])
        agent = chance.choice([FOX, OPERA])
        lines.append(line(at, target, address=f"10.0.0.{chance.randrange(9)}", agent=agent))
    return lines


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 99), part=st.floats(0.05, 0.95))
def test_two_halves_of_a_young_log_count_as_the_whole(
    tmp_path_factory: pytest.TempPathFactory, seed: int, part: float
) -> None:
    folder, lines = tmp_path_factory.mktemp("young"), some_days(seed, days=2)
    cut, now = int(part * len(lines)), NOON + 2 * 86_400 + 4000
    import_logs(folder / "once", [log(folder, "".join(lines), "once.log")], now=now)
    import_logs(folder / "twice", [log(folder, "".join(lines[:cut]), "part.log")], now=now)
    import_logs(folder / "twice", [log(folder, "".join(lines), "grown.log")], now=now)
    assert pages(folder / "twice") == pages(folder / "once")
    stored = open_names(folder / "twice")
    who = [(f"10.0.0.{host}", agent) for host in range(9) for agent in (FOX, OPERA)]
    assert stored <= {(day, name(folder / "twice", *each, day)) for day, _ in stored for each in who}
    assert len(stored) == len(open_names(folder / "once"))


@pytest.mark.parametrize("seed", range(3))
def test_two_halves_of_an_old_log_cut_in_a_quiet_night_count_as_the_whole(tmp_path: Path, seed: int) -> None:
    evening = [
        line(MIDNIGHT - 9000 + place * 50, f"/{place % 4}", address=f"10.0.0.{place % 6}") for place in range(90)
    ]
    morning = [line(MIDNIGHT + 90_000 + place * (seed + 9), "/1", address=f"10.0.0.{place % 7}") for place in range(90)]
    import_logs(tmp_path / "once", [log(tmp_path, "".join(evening + morning), "once.log")], now=LATER)
    import_logs(tmp_path / "twice", [log(tmp_path, "".join(evening), "part.log")], now=LATER)
    import_logs(tmp_path / "twice", [log(tmp_path, "".join(evening + morning), "grown.log")], now=LATER)
    assert pages(tmp_path / "twice") == pages(tmp_path / "once")


class Killed(BaseException):
    """The import goes no further."""


def killed_after(after: int, path: Path, store: Path, now: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import that dies after so many saves, and another one that goes on."""
    saves, add = [0], ClickStore.add_pages
    small_steps(monkeypatch)

    def add_pages(self: ClickStore, *told: object, **more: object) -> None:
        add(self, *told, **more)  # type: ignore[arg-type]
        saves[0] += 1
        if saves[0] == after:
            raise Killed

    monkeypatch.setattr(ClickStore, "add_pages", add_pages)
    with pytest.raises(Killed):
        import_logs(store, [path], now=now)
    partly = sum(page.visits for page in pages(store).values())
    import_logs(store, [path], now=now)
    assert 0 < partly < sum(page.visits for page in pages(store).values())


@pytest.mark.parametrize("after", [1, 2, 3])
def test_an_import_that_dies_after_a_save_goes_on_with_the_same_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    path, now = log(tmp_path, "".join(some_days(after, days=2))), NOON + 2 * 86_400 + 4000
    import_logs(tmp_path / "whole", [path], now=now)
    killed_after(after, path, tmp_path / "store", now, monkeypatch)
    assert pages(tmp_path / "store") == pages(tmp_path / "whole")


@pytest.mark.parametrize("after", [1, 2, 3])
def test_an_import_of_past_days_that_dies_loses_no_view_and_knows_nobody_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    path = log(tmp_path, "".join(text for text in some_days(after) if "robots.txt" not in text))
    import_logs(tmp_path / "whole", [path], now=LATER)
    killed_after(after, path, tmp_path / "store", LATER, monkeypatch)
    for url, whole in pages(tmp_path / "whole").items():
        page = pages(tmp_path / "store")[url]
        assert page.visits == sum(page.spans.values()) + page.unended == whole.visits
        assert whole.visitors <= page.visitors <= whole.visitors + len(WHO)
    assert DayKeys(tmp_path / "store").days() == []


WHO = [(f"10.0.0.{host}", agent) for host in range(9) for agent in (FOX, OPERA)]


@pytest.mark.parametrize("bound", ["MOST_ENTRIES", "MOST_TEXT"])
def test_visitors_without_a_view_are_forgotten_too_when_there_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    monkeypatch.setattr(visitor_book, bound, {"MOST_ENTRIES": 90, "MOST_TEXT": 4000}[bound])
    most, keep = [0], visitor_book.VisitorBook.keep

    def watched(self: visitor_book.VisitorBook, entries: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        most[0] = max(most[0], self._added)
        found = keep(self, entries)
        assert (self._addresses.strip(b"\0"), self._agents, self._agent_keys) == (b"", {}, {})
        return found

    monkeypatch.setattr(visitor_book.VisitorBook, "keep", watched)
    small_steps(monkeypatch)
    text = "".join(
        line(NOON + place, "/robots.txt", address=f"10.0.{place // 250}.{place % 250}", agent=f"{FOX} {place}")
        for place in range(2000)
    )
    found = import_logs(tmp_path / "store", [log(tmp_path, text)], now=NOON + 2100)
    assert found.left_out == {"robots-txt-reader": 2000}
    assert 0 < most[0] < 150
    assert len(open_names(tmp_path / "store")) == 2000
