"""robots.txt by RFC 9309: its rules, its examples in our own words, and files made to hurt a parser."""

from __future__ import annotations

import os
import random
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.fetching.robots import LARGEST, LONGEST_DELAY, MOST_SITEMAPS, Robots, Rules, parse, product_token


def rules(*lines: str, agent: str = "lycosa") -> Rules:
    return parse("\n".join(lines).encode()).rules_for(agent)


def for_all(*lines: str) -> Rules:
    return rules("User-agent: *", *lines)


def test_a_file_without_rules_allows_everything() -> None:
    assert for_all().allows("/anything")
    assert parse(b"").rules_for("lycosa").allows("/")
    assert for_all("Disallow:").allows("/")


def test_own_group_is_preferred_to_the_one_for_all() -> None:
    lines = ("User-agent: *", "Disallow: /", "", "User-agent: Lycosa", "Disallow: /private")
    assert rules(*lines).allows("/open")
    assert not rules(*lines).allows("/private/x")
    assert not rules(*lines, agent="other").allows("/open")


def test_the_product_token_is_compared_without_case_or_version() -> None:
    for spelling in ("LYCOSA", "lycosa/1.0", "Lycosa (+https://example.org)", "  lycosa  # me"):
        assert not rules(f"User-agent: {spelling}", "Disallow: /").allows("/a")
    assert rules("User-agent: lycosabot", "Disallow: /").allows("/a")
    assert rules("User-agent: lyco", "Disallow: /").allows("/a")


@pytest.mark.parametrize("other", ['"Googlebot"', "+Baiduspider", "", "Яндекс", "*bot", "***", "**", "()"])
def test_a_name_that_cannot_be_read_does_not_speak_for_everybody(other: str) -> None:
    assert not rules("User-agent: *", "Disallow: /", f"User-agent: {other}", "Allow: /").allows("/a")
    assert rules("User-agent: *", "Disallow:", f"User-agent: {other}", "Disallow: /").allows("/a")


@pytest.mark.parametrize("everybody", ["*", " * ", '"*"', ": *", "* # all", "* (all)"])
def test_an_asterisk_speaks_for_everybody_however_it_is_dressed(everybody: str) -> None:
    assert not rules(f"User-agent: {everybody}", "Disallow: /").allows("/a")


def test_quotes_around_our_own_name_are_forgiven() -> None:
    assert not rules("User-agent: *", "Allow: /", 'User-agent: "Lycosa"', "Disallow: /").allows("/a")


def test_groups_of_the_same_agent_are_merged() -> None:
    merged = rules(
        "User-agent: lycosa", "Disallow: /a", "User-agent: b", "Disallow: /b", "User-agent: Lycosa", "Disallow: /c"
    )
    assert [merged.allows(path) for path in ("/a", "/b", "/c")] == [False, True, False]


def test_agents_in_a_row_share_a_group() -> None:
    lines = ("User-agent: one", "User-agent: lycosa", "Disallow: /x", "User-agent: two", "Disallow: /y")
    assert not rules(*lines).allows("/x")
    assert rules(*lines).allows("/y")
    assert not rules(*lines, agent="one").allows("/x")


def test_other_lines_do_not_close_a_list_of_agents() -> None:
    lines = (
        "User-agent: lycosa",
        "Sitemap: http://a.example/s.xml",
        "Host: a.example",
        "User-agent: two",
        "Disallow: /",
    )
    assert not rules(*lines).allows("/x")


def test_a_crawl_delay_speaks_to_the_agents_above_it_and_closes_no_list() -> None:
    lines = (
        "User-agent: lycosa",
        "Crawl-delay: 5",
        "User-agent: two",
        "Disallow: /private",
        "User-agent: *",
        "Disallow: /",
    )
    assert rules(*lines).crawl_delay == 5
    assert rules(*lines, agent="two").crawl_delay is None
    for agent in ("lycosa", "two"):
        assert not rules(*lines, agent=agent).allows("/private")
        assert rules(*lines, agent=agent).allows("/open")


def test_a_crawl_delay_alone_is_a_group() -> None:
    found = rules("User-agent: *", "Disallow: /", "User-agent: lycosa", "Crawl-delay: 2")
    assert found.allows("/x")
    assert found.crawl_delay == 2


def test_a_forgotten_colon_is_forgiven() -> None:
    assert not rules("useragent *", "disallow /x").allows("/x")
    assert rules("User-agent: *", "Disallow no page here").allows("/no")


def test_rules_before_any_agent_speak_to_nobody() -> None:
    assert rules("Disallow: /", "User-agent: other", "Disallow: /x").allows("/")


def test_the_longest_match_wins() -> None:
    found = for_all(
        "Allow: /shop/open/", "Disallow: /", "Allow: /shop/open/not-really-secret.gif", "Disallow: /shop/open/secret"
    )
    assert found.allows("/shop/open/")
    assert not found.allows("/shop/")
    assert not found.allows("/shop/open/secret.html")
    assert found.allows("/shop/open/not-really-secret.gif")


def test_allow_wins_a_tie() -> None:
    assert for_all("Disallow: /page", "Allow: /page").allows("/page")
    assert for_all("Allow: /page", "Disallow: /page").allows("/page")


def test_paths_are_compared_with_case() -> None:
    assert for_all("Disallow: /Fish").allows("/fish")
    assert not for_all("disallow: /Fish").allows("/Fish")


def test_robots_txt_itself_is_always_allowed() -> None:
    assert for_all("Disallow: /").allows("/robots.txt")
    assert not for_all("Disallow: /").allows("/robots.txt/x")


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/fish", "/fish.html", True),
        ("/fish", "/a/fish", False),
        ("/fish*", "/fishheads/yummy.html", True),
        ("*/fish", "/a/fish", True),
        ("/*.php", "/folder/file.php?x=1", True),
        ("/*.php", "/php", False),
        ("/*.php$", "/file.php", True),
        ("/*.php$", "/file.php?x", False),
        ("/*.php$", "/file.php/a.php", True),
        ("/fish*.php", "/fish/x.php.old", True),
        ("/a*b*c$", "/a-b-c", True),
        ("/a*b*c$", "/a-c-b", False),
        ("/a*a$", "/a", False),
        ("/a**a", "/axxa", True),
        ("*", "/", True),
        ("/$", "/", True),
        ("/$", "/x", False),
        ("/a$b", "/a$b", True),
        ("/a$b", "/a", False),
        ("/a?b=*&c", "/a?b=1&c=2", True),
        ("private", "/private/x", True),
        ("/star-%2A.html", "/star-*.html", True),
        ("/star-%2A.html", "/star-x.html", False),
        ("/dollar-%24", "/dollar-$", True),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84", True),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", True),
        ("/a%3cd.html", "/a%3Cd.html", True),
        ("/a%2fb", "/a/b", False),
        ("/100%", "/100%", True),
    ],
)
def test_patterns(pattern: str, path: str, matches: bool) -> None:
    assert for_all(f"Disallow: {pattern}").allows(path) is not matches


@given(st.lists(st.sampled_from("ab*"), max_size=12), st.text("ab", max_size=20), st.booleans())
def test_wildcards_match_like_the_regular_expression_they_stand_for(pieces: list[str], tail: str, ends: bool) -> None:
    pattern, path = "/" + "".join(pieces), f"/{tail}"
    expression = "".join(".*" if char == "*" else char for char in pattern)
    expected = (re.fullmatch if ends else re.match)(expression, path) is not None
    assert for_all(f"Disallow: {pattern}{'$' if ends else ''}").allows(path) is not expected


def test_patterns_made_to_explode_do_not() -> None:
    found = for_all("Disallow: /" + "*a" * 2000 + "b", "Disallow: /" + "a*" * 2000 + "$")
    started = time.process_time()
    assert found.allows("/" + "a" * 1999)
    assert found.allows("/" + "ac" * 3000 + "c") is False
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_line_ends_and_encodings(end: str, encoding: str) -> None:
    found = parse(end.join(("User-agent: *", "Disallow: /x", "Sitemap: http://a.example/s.xml")).encode(encoding))
    assert not found.rules_for("lycosa").allows("/x")
    assert found.rules_for("lycosa").allows("/y")
    assert found.sitemaps == ("http://a.example/s.xml",)


def test_misspelt_and_odd_lines() -> None:
    body = b"\xff\xfe\x80 junk\nuser agent : *\n : \nDisalow : /x # secret\nnonsense\nAllow\n\x00Disallow: /y\n"
    assert not parse(b"\n" + body).rules_for("lycosa").allows("/x")


@pytest.mark.parametrize(
    "begin",
    [b"\xef", b"\xef\xbb", b"\xbb\xbf", b"\xbf", b"\xef\xbb\xbf", b"\xef\xbb\xbf" * 2, b"\xef\xef\xbb\xbf",
     b"\xff", b"\xfe"],
)  # fmt: skip
def test_a_byte_order_mark_whole_or_not_hides_no_line(begin: bytes) -> None:
    assert not parse(begin + b"User-agent: *\nDisallow: /x\n").rules_for("lycosa").allows("/x")


@pytest.mark.parametrize("coding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("begin", [b"", b"\xff", b"\xfe"])
def test_part_of_a_mark_before_utf_16_hides_no_line_either(begin: bytes, coding: str) -> None:
    text = "User-agent: *\nDisallow: /x\n".encode(coding)
    assert not parse(begin + text).rules_for("lycosa").allows("/x")


def test_two_marks_in_utf_16_are_one_too_many() -> None:
    assert not parse("\ufeff\ufeffUser-agent: *\nDisallow: /x\n".encode("utf-16-le")).rules_for("lycosa").allows("/x")


@pytest.mark.parametrize(
    "begin", ["<!DOCTYPE html>", "<html>", "  \n<HTML lang=en>", "\ufeff<head>", "<?xml version='1.0'?>"]
)
def test_html_has_no_rules(begin: str) -> None:
    assert parse(f"{begin}\n<pre>\nUser-agent: *\nDisallow: /\n</pre>".encode()).rules_for("lycosa").allows("/x")


@pytest.mark.parametrize(
    ("written", "delay"),
    [("2", 2.0), ("0.5", 0.5), ("0", None), ("-1", None), ("nan", None), ("-inf", None), ("1e9", LONGEST_DELAY),
     ("inf", LONGEST_DELAY), ("ten", None), ("", None), ("1,5", None)],
)  # fmt: skip
def test_crawl_delays(written: str, delay: float | None) -> None:
    assert for_all(f"Crawl-delay: {written}", "Disallow: /x").crawl_delay == delay


def test_what_lies_beyond_the_limit_is_not_read() -> None:
    begin = b"User-agent: *\nDisallow: /a\n"
    filler = b"# filler\n" * ((LARGEST - len(begin)) // 9)
    found = parse(begin + filler + b"Allow: /a-rule-cut-in-two-by-the-limit\nDisallow: /b\n" * 100).rules_for("lycosa")
    assert not found.allows("/a-rule-cut-in-two-by-the-limit")
    assert found.allows("/b")


def test_half_a_megabyte_of_rules_is_read_quickly() -> None:
    generator = random.Random(7)
    lines = [f"Disallow: /{generator.randrange(10**9)}/*x*{number}" for number in range(12_000)]
    body = ("User-agent: *\n" + "\n".join(lines)).encode()
    started = time.process_time()
    found = parse(body).rules_for("lycosa")
    assert found.allows("/" + "x" * 2000)
    assert len(found.rules) == 12_000
    assert time.process_time() - started < 2


def test_many_agents_and_many_delays_do_not_multiply() -> None:
    body = b"User-agent:a\n" * 18_000 + b"User-agent:lycosa\n" + b"Crawl-delay:3\n" * 18_000
    started = time.process_time()
    assert parse(body).rules_for("lycosa").crawl_delay == 3
    assert time.process_time() - started < 2


def test_there_is_an_end_to_sitemaps() -> None:
    assert len(parse(b"Sitemap: http://a.example/x\n" * 5000).sitemaps) == MOST_SITEMAPS


@given(st.binary(max_size=400))
def test_no_bytes_make_it_fail(body: bytes) -> None:
    assert isinstance(parse(body).rules_for("lycosa").allows("/a?b"), bool)


@given(
    st.lists(
        st.sampled_from(["User-agent: *", "User-agent: lycosa", "Disallow: /", "Allow: /a*b$", "Crawl-delay: 3", ""])
    )
)
def test_any_order_of_lines_gives_rules(lines: list[str]) -> None:
    found = rules(*lines)
    assert found.crawl_delay in (None, 3.0)
    assert found.allows("/robots.txt")


@pytest.mark.parametrize(
    ("agent", "token"), [("Lycosa/1.0 (+x)", "lycosa"), ("My-Bot_2", "my-bot_2"), (" ", "*"), ("*", "*")]
)
def test_product_tokens(agent: str, token: str) -> None:
    assert product_token(agent) == token


def test_real_files_give_sane_answers() -> None:
    folder = Path(os.environ.get("LYCOSA_DATA", Path.home() / ".cache/lycosa-data")) / "conformance/robots"
    if not folder.is_dir():
        pytest.skip(f"no robots.txt files under {folder}; set LYCOSA_DATA")
    found = [parse(path.read_bytes()) for path in sorted(folder.rglob("*")) if path.is_file()]
    assert len(found) > 4000
    with_groups = [robots for robots in found if robots.groups]
    assert len(with_groups) > 0.7 * len(found)
    assert sum(_welcomes(robots) for robots in with_groups) > 0.7 * len(with_groups)


def _welcomes(robots: Robots) -> bool:
    found = robots.rules_for("lycosa")
    assert found.crawl_delay is None or 0 < found.crawl_delay <= LONGEST_DELAY
    assert found.allows("/robots.txt")
    return found.allows("/")
