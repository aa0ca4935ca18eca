"""Sessions on hand-made logs, and against a straightforward reading of the same lines."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from log_desk import BROWSER, NOON, import_logs, line, pages
from plain_sessions import Plain, plain_sessions

DATA = Path(os.environ.get("LYCOSA_DATA", Path.home() / ".cache" / "lycosa-data"))
REAL = DATA / "weblogs" / "combined_10k.log.gz"
HOME = "http://example.org/"
LATER = NOON + 10 * 86_400
"""Long after the log: all its sessions are closed."""


def counted(
    folder: Path, lines: list[str], *, now: float = LATER, session: float = 1800.0
) -> dict[str, tuple[int, ...]]:
    (folder / "log").write_text("".join(lines))
    import_logs(folder / "store", [folder / "log"], now=now, session=session)
    return {
        url.removeprefix(HOME): (page.visits, page.visitors, page.duration, page.unended)
        for url, page in pages(folder / "store").items()
    }


def test_the_time_on_a_page_is_the_gap_to_the_next_and_the_last_page_has_no_end(tmp_path: Path) -> None:
    found = counted(tmp_path, [line(NOON, "/a"), line(NOON + 40, "/b"), line(NOON + 100, "/c")])
    assert found == {"a": (1, 1, 40_000, 0), "b": (1, 1, 60_000, 0), "c": (1, 1, 0, 1)}


def test_a_session_ends_after_the_time_out(tmp_path: Path) -> None:
    lines = [line(NOON, "/a"), line(NOON + 1800, "/b"), line(NOON + 3601, "/c")]
    assert counted(tmp_path, lines) == {"a": (1, 1, 1_800_000, 0), "b": (1, 1, 0, 1), "c": (1, 1, 0, 1)}


def test_the_time_out_can_be_set(tmp_path: Path) -> None:
    lines = [line(NOON, "/a"), line(NOON + 100, "/b")]
    assert counted(tmp_path, lines, session=60)["a"] == (1, 1, 0, 1)


def test_a_repeated_view_is_a_view_of_the_same_visitor(tmp_path: Path) -> None:
    found = counted(tmp_path, [line(NOON, "/a"), line(NOON + 5, "/a"), line(NOON + 6, "/a", address="10.0.0.2")])
    assert found == {"a": (3, 2, 5_000, 2)}


def test_another_browser_at_the_same_address_is_another_visitor(tmp_path: Path) -> None:
    found = counted(tmp_path, [line(NOON, "/a"), line(NOON + 5, "/b", agent=BROWSER + " Other")])
    assert found == {"a": (1, 1, 0, 1), "b": (1, 1, 0, 1)}


def test_a_session_goes_on_over_midnight_and_its_visitor_counts_on_both_days(tmp_path: Path) -> None:
    midnight = NOON + 43_200
    found = counted(tmp_path, [line(midnight - 60, "/a"), line(midnight + 60, "/a"), line(midnight + 90, "/b")])
    assert found == {"a": (2, 2, 150_000, 0), "b": (1, 1, 0, 1)}


def test_a_clock_that_goes_backwards_counts_as_no_time(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(line(NOON + 60, "/a") + line(NOON + 20, "/b") + line(NOON + 80, "/c"))
    found = import_logs(tmp_path / "store", [tmp_path / "log"], now=LATER)
    assert found.clock_backwards == 1
    assert {url[-1]: page.duration for url, page in pages(tmp_path / "store").items()} == {"a": 0, "b": 60_000, "c": 0}


def test_what_is_no_page_view_of_a_person_is_left_out_by_name(tmp_path: Path) -> None:
    lines = [
        line(NOON, "/a"),
        line(NOON, "/missing", status=404),
        line(NOON, "/old", status=301),
        line(NOON, "/a", status=304),
        line(NOON, "/form", method="POST"),
        line(NOON, "/style.css"),
        line(NOON, "/photo.jpeg?size=2"),
        line(NOON, "/a?picture=photo.png"),
        line(NOON, "/b", agent="Googlebot/2.1"),
        line(NOON, "/b", agent="UptimeRobot/2.0"),
        line(NOON, "/server-status", address="127.0.0.1", agent="-"),
        line(NOON, "/c", address="127.0.0.1", agent="lwp-thing"),
        line(NOON, "/d", address="127.0.0.1", agent="curious"),
    ]
    (tmp_path / "log").write_text("".join(lines))
    found = import_logs(tmp_path / "store", [tmp_path / "log"], now=LATER)
    assert found.left_out == {
        "asset": 2, "error": 1, "known-agent": 2, "method": 1, "monitoring": 3, "redirect": 1,
    }  # fmt: skip
    assert {url: page.visits for url, page in pages(tmp_path / "store").items()} == {
        HOME + "a": 2,
        HOME + "a?picture=photo.png": 1,
    }


NOT_READ = {
    "feed": ["/feed/", "/blog/feed", "/rss", "/comments/feed/", "/?flav=rss20", "/blog/x?a=b&feed=rss2", "/news?feed"],
    "log-in": ["/login", "/user/Login?next=/", "/wp-login.php", "/sessions/new", "/sign-in", "/account/logout"],
    "api": ["/api/items", "/api/v1/x", "/x/api/2/issue", "/wp-json/wp/v2/posts", "/graphql", "/xmlrpc.php"],
}
PAGES = [
    "/wiki/RSS", "/wiki/Atom", "/?q=rss", "/feeds-and-speeds", "/docs/api/intro", "/api/index.html", "/api-guide",
    "/blog/how-to-login", "/news/new", "/rest/of/the/story", "/python/3.11",
]  # fmt: skip


def test_feeds_log_ins_and_apis_are_no_page_views_and_pages_about_them_are(tmp_path: Path) -> None:
    asked = [*(path for paths in NOT_READ.values() for path in paths), *PAGES]
    text = "".join(line(NOON + 60 * place, path) for place, path in enumerate(asked))
    (tmp_path / "log").write_text(text)
    found = import_logs(tmp_path / "store", [tmp_path / "log"], now=NOON + 7200)
    assert found.left_out == {name: len(paths) for name, paths in NOT_READ.items()}
    assert set(pages(tmp_path / "store")) == {f"http://example.org{path}" for path in PAGES}


def test_who_reads_robots_txt_is_a_robot_for_a_day(tmp_path: Path) -> None:
    lines = [
        line(NOON, "/before"),
        line(NOON + 10, "/robots.txt"),
        line(NOON + 20, "/during"),
        line(NOON + 7200, "/during"),
        line(NOON + 10 + 86_399, "/during"),
        line(NOON + 10 + 86_400, "/after"),
    ]
    (tmp_path / "log").write_text("".join(lines))
    found = import_logs(tmp_path / "store", [tmp_path / "log"], now=LATER)
    assert found.left_out == {"robots-txt-reader": 4}
    assert {url: page.unended for url, page in pages(tmp_path / "store").items()} == {
        HOME + "before": 1,
        HOME + "after": 1,
    }


def test_an_inhuman_rate_is_a_robots(tmp_path: Path) -> None:
    minute = NOON // 60 * 60
    (tmp_path / "log").write_text("".join(line(minute + place, f"/{place}") for place in range(40)))
    found = import_logs(tmp_path / "store", [tmp_path / "log"], now=LATER)
    assert found.left_out == {"inhuman-rate": 10}
    assert found.visits == 30


def test_referrers_are_kept_without_their_query_and_own_pages_are_none(tmp_path: Path) -> None:
    lines = [
        line(NOON, "/a", referrer="https://other.example/list?q=secret#x"),
        line(NOON + 1, "/a", referrer="http://example.org/b"),
        line(NOON + 2, "/a", referrer="http://www.example.org/b"),
        line(NOON + 3, "/a", referrer="javascript:alert(1)"),
    ]
    counted(tmp_path, lines)
    assert pages(tmp_path / "store")[HOME + "a"].referrers == {"https://other.example/list": 1}


def same(folder: Path, plain: Plain, site: str = "example.org") -> None:
    found = pages(folder, site)
    told = {
        url: (page.visits, page.visitors, page.duration, page.unended, dict(page.spans), dict(page.referrers))
        for url, page in found.items()
    }
    meant = {
        url: (page.visits, len(page.visitors), page.duration, page.unended, dict(page.spans), dict(+page.referrers))
        for url, page in plain.pages.items()
    }
    assert told == meant


def test_the_real_log_gives_what_a_straightforward_reading_gives(tmp_path: Path) -> None:
    if not REAL.exists():
        pytest.skip(f"{REAL} is absent")
    plain = plain_sessions(gzip.decompress(REAL.read_bytes()).decode(), "semicomplete.com")
    found = import_logs(tmp_path, [REAL], site="semicomplete.com", now=LATER)
    for page in plain.pages.values():
        page.referrers = type(page.referrers)(dict(page.referrers.most_common(10)))
    same_counts = {name: number for name, number in plain.left_out.items() if number}
    assert found.left_out == same_counts
    assert (found.sessions, found.clock_backwards, found.counts.bad) == (plain.sessions, plain.backwards, 0)
    told = pages(tmp_path, "semicomplete.com")
    assert {url: page.spans for url, page in told.items()} == {
        url: dict(page.spans) for url, page in plain.pages.items()
    }
    assert {url: (page.visits, page.visitors, page.duration, page.unended) for url, page in told.items()} == {
        url: (page.visits, len(page.visitors), page.duration, page.unended) for url, page in plain.pages.items()
    }
    assert found.sessions > 1000


REQUESTS = st.lists(
    st.tuples(
        st.integers(-120, 3000),
        st.sampled_from(["/a", "/b", "/c?x=1", "/robots.txt", "/s.css", "/x.png?y", "/long/" + "w" * 90]),
        st.sampled_from(["10.0.0.1", "10.0.0.2", "2001:db8::7"]),
        st.sampled_from([BROWSER, "Googlebot/2.1", "-", 'Opera/9.80 \\"x\\"']),
        st.sampled_from([200, 200, 200, 304, 404, 302]),
    ),
    max_size=60,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(REQUESTS)
def test_any_log_gives_what_a_straightforward_reading_gives(
    tmp_path_factory: pytest.TempPathFactory, asked: list
) -> None:  # type: ignore[type-arg]
    folder = tmp_path_factory.mktemp("log")
    at, text = NOON + 36_000, ""
    for gap, target, address, agent, status in asked:
        at += gap
        text += line(at, target, address=address, agent=agent, status=status)
    (folder / "log").write_text(text)
    if text:
        found = import_logs(folder / "store", [folder / "log"], now=LATER)
        plain = plain_sessions(text)
        assert found.left_out == {name: number for name, number in plain.left_out.items() if number}
        assert found.sessions == plain.sessions
        same(folder / "store", plain)
