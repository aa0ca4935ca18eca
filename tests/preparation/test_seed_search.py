"""Seeds by meta-search (N1): what engines agree on, and an engine that may answer with anything."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from misbehaving_server import (
    Misbehaviour,
    answer,
    dripping,
    gzip_bomb,
    path_of,
    pouring,
    raw,
    redirect,
    serving,
    silence,
)

from lycosa import urls
from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError, build
from lycosa.plugins.plug_points import EngineFailed, Found
from lycosa.preparation.searxng import searxng
from lycosa.preparation.seed_search import Proposals, agreed, meta_search

CALM = {"fetching": {"connect_within": "5s", "first_byte_within": "5s", "total_within": "5s"}}
QUICK = {"fetching": {"connect_within": "5s", "first_byte_within": "300ms", "total_within": "300ms"}}


def a_result(url: str, title: str, content: str, engine: str, score: float, **more: Any) -> dict[str, Any]:
    """A result with all that a SearXNG says of one."""
    split = urlsplit(url)
    return {
        "url": url, "title": title, "content": content, "publishedDate": None, "thumbnail": "", "engine": engine,
        "template": "default.html", "parsed_url": [split.scheme, split.netloc, split.path, "", split.query, ""],
        "img_src": "", "priority": "", "engines": [engine, "mojeek"], "positions": [1, 4], "score": score,
        "category": "general", "pretty_url": url, **more,
    }  # fmt: skip


RECORDED = {
    "query": "wolf spiders",
    "number_of_results": 0,
    "results": [
        a_result("https://spiders.example/wolf", "Wolf spider", "Hunts by sight.", "wikipedia", 4.0),
        a_result(
            "https://Pictures.example:443/a/../gallery?utm_source=x&id=7", "Gallery", "", "bing images", 1.25,
            thumbnail="//pictures.example/t.jpg", template="images.html", category="images",
        ),
        a_result("https://news.example/2024/burrow", "A burrow", "Found.", "duckduckgo", 0.5,
                 publishedDate="2024-05-01T00:00:00"),
    ],
    "answers": [{"url": "https://answers.example/", "template": "answer/legacy.html", "answer": "Eight."}],
    "corrections": ["wolf spider"],
    "infoboxes": [{"infobox": "Wolf spider", "id": "https://w.example/", "content": "…", "engine": "wikidata"}],
    "suggestions": ["wolf spider size", "wolf spider bite"],
    "unresponsive_engines": [["brave", "Suspended: too many requests"], ["qwant", "timeout"]],
}  # fmt: skip


def as_json(value: Any, status: str = "200 OK") -> Misbehaviour:
    return answer(json.dumps(value).encode(), status, kind="application/json")


def ask(
    misbehave: Misbehaviour, number: int = 10, where: str = "", told: Any = None, host: str = "127.0.0.1"
) -> list[Found]:
    """What an engine on loopback with that misbehaviour finds."""

    async def scene() -> list[Found]:
        async with serving(misbehave) as port:
            engine = searxng(build(told or CALM), f"http://{host}:{port}{where}")
            return list(await engine.search("wolf spiders", number))

    return asyncio.run(asyncio.wait_for(scene(), 10))


def complaint(misbehave: Misbehaviour, **more: Any) -> str:
    """The one sentence about an engine that cannot be used; it names the engine."""
    with pytest.raises(EngineFailed) as failed:
        ask(misbehave, **more)
    sentence = str(failed.value)
    assert sentence.startswith("searxng:http://")
    assert "\n" not in sentence
    return sentence.partition(": ")[2]


# -- the engine that speaks SearXNG's JSON ------------------------------------------------------


def test_a_real_answer_is_understood() -> None:
    found = ask(as_json(RECORDED))
    assert found[0] == Found("https://spiders.example/wolf", "Wolf spider", "Hunts by sight.", "wikipedia", 4.0)
    assert [each.title for each in found] == ["Wolf spider", "Gallery", "A burrow"]
    assert ask(as_json(RECORDED), number=2) == found[:2]


def test_what_is_asked() -> None:
    asked: list[str] = []

    async def note(request: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(path_of(request))
        await as_json({"results": []})(request, writer)

    assert ask(note) == []
    assert ask(note, where="/searx/?language=de&q=mine&format=html") == []
    assert ask(note, where="/search?crawl=birds") == []
    assert [urlsplit(each).path for each in asked] == ["/search", "/searx/search", "/search"]
    assert parse_qs(urlsplit(asked[0]).query) == {"q": ["wolf spiders"], "format": ["json"], "pageno": ["1"]}
    assert parse_qs(urlsplit(asked[1]).query) == {
        "q": ["wolf spiders"], "format": ["json"], "pageno": ["1"], "language": ["de"],
    }  # fmt: skip
    assert "crawl=birds" in asked[2]


def paged(pages: Sequence[Sequence[str]], later: Misbehaviour | None = None) -> Misbehaviour:
    """An engine with these URLs on its pages, and something else after them."""

    async def misbehave(request: bytes, writer: asyncio.StreamWriter) -> None:
        number = int(parse_qs(urlsplit(path_of(request)).query)["pageno"][0])
        listed = pages[number - 1] if number <= len(pages) else ()
        reply = as_json({"results": [a_result(url, "", "", "e", 1) for url in listed]})
        await (later if later and number > len(pages) else reply)(request, writer)

    return misbehave


def test_pages_are_asked_for_until_there_are_enough_results_or_no_new_ones() -> None:
    pages = [[f"http://a.example/{page}/{place}" for place in range(4)] for page in range(5)]
    everything = [url for page in pages for url in page]
    assert [each.url for each in ask(paged(pages), number=10)] == everything[:10]
    assert [each.url for each in ask(paged(pages), number=100)] == everything
    assert [each.url for each in ask(paged([pages[0]] * 9), number=100)] == pages[0]


def test_a_later_page_that_fails_does_not_lose_the_first() -> None:
    pages = [["http://a.example/1"]]
    assert len(ask(paged(pages, answer(b"slow down", "429 Too Many Requests")), number=5)) == 1


def test_every_trouble_is_a_sentence_that_says_what_to_do() -> None:
    assert "search.formats" in complaint(answer(b"<h1>Forbidden</h1>", "403 Forbidden"))
    assert "limiter" in complaint(answer(b"", "429 Too Many Requests"))
    assert "front page" in complaint(answer(b"no", "404 Not Found"))
    assert "status 500" in complaint(answer(b"", "500 Oops"))
    assert "text/html instead of JSON" in complaint(answer(b"<html>"))
    assert "no valid JSON" in complaint(answer(b'{"results": [', kind="application/json"))
    assert "no valid JSON" in complaint(answer(b'\xff\xfe{"results"', kind="application/json"))
    assert "no list of `results`" in complaint(as_json({"hits": []}))
    assert "no list of `results`" in complaint(as_json({"results": {"url": "x"}}))
    assert "no list of `results`" in complaint(as_json([1, 2]))
    assert "no url" in complaint(as_json({"results": [1, None, {"url": 7}, {"title": "x"}, {"url": ""}]}))
    assert "nothing at all" in complaint(answer(b"", kind="application/json"))
    assert "timeout" in complaint(silence, told=QUICK)
    assert "its own engines did not answer (brave: timeout, 7)" in complaint(
        as_json({"results": [], "unresponsive_engines": [["brave", "timeout"], 7]})
    )


def test_a_redirect_is_told_and_not_followed() -> None:
    assert "http://127.0.0.2/search is the engine" in complaint(redirect("http://127.0.0.2/search?q=x"))


def test_answers_without_end_have_one_here() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
    assert "sends far more" in complaint(pouring(head + b'{"results": [', b" " * 65536))
    assert "timeout" in complaint(dripping(head + b'{"results": [', b" "), told=QUICK)
    bomb = answer(gzip_bomb(50_000_000), kind="application/json", headers=["Content-Encoding: gzip"])
    assert "unpacks to far more" in complaint(bomb)
    assert "no valid JSON" in complaint(raw(head + b"[" * 60_000, close=True))
    nested = b'{"results": [{"url": "http://a.example/", "title": ' + b"[" * 50_000 + b"]" * 50_000 + b"}]}"
    assert "no valid JSON" in complaint(answer(nested, kind="application/json"))


def test_an_odd_result_does_not_lose_the_others() -> None:
    odd = [{"url": 7}, "x", {"url": "http://a.example/", "title": None, "content": None, "score": None}]
    long = {"url": "http://b.example/", "title": "t" * 9999, "content": "c" * 99_999, "engine": "e" * 999}
    found = ask(as_json({"results": [*odd, long, {"url": "http://c.example/" + "x" * 9000}]}))
    assert found[0] == Found("http://a.example/")
    assert (len(found[1].title), len(found[1].content), len(found[1].engine)) == (300, 2000, 100)
    assert len(found) == 2
    lone = b'{"results": [{"url": "http://a.example/", "title": "\\ud800"}, {"url": "http://b.example/"}]}'
    assert [each.title for each in ask(answer(lone, kind="application/json"))] == ["?", ""]


@pytest.mark.parametrize("score", ["NaN", "-Infinity", "1e999", "1" + "0" * 400, '"9"', "true", "[]"])
def test_a_score_that_is_none_counts_nothing(score: str) -> None:
    sent = f'{{"results": [{{"url": "http://a.example/", "score": {score}}}]}}'.encode()
    (only,) = ask(answer(sent, kind="application/json"))
    assert only.score in (0.0, 1.0)


def test_an_engine_that_is_not_there() -> None:
    async def scene() -> None:
        async with serving(silence) as port:
            pass
        await searxng(build(CALM), f"http://127.0.0.1:{port}").search("x", 3)

    with pytest.raises(EngineFailed, match=r"cannot be reached .*is it running"):
        asyncio.run(scene())


def test_naming_this_machine_allows_it_but_a_name_of_the_dns_does_not() -> None:
    assert len(ask(as_json(RECORDED), host="localhost")) == 3
    hosts = {"names": {"hosts": {"search.example": "127.0.0.1"}}}
    assert "name the address itself" in complaint(as_json(RECORDED), host="search.example", told=CALM | hosts)
    allowed = {"fetching": {**CALM["fetching"], "allow_addresses": ["127.0.0.1"]}}
    assert len(ask(as_json(RECORDED), host="search.example", told=allowed | hosts)) == 3


@pytest.mark.parametrize("where", ["", "example.org", "ftp://a.example", "http://", "http://me:secret@a.example"])
def test_an_address_that_is_none_is_refused_at_the_door(where: str) -> None:
    with pytest.raises(ConfigurationError, match="engine searxng") as refused:
        searxng(Configuration(), where)
    assert "secret" not in str(refused.value)


# -- what engines agree on ----------------------------------------------------------------------


def found(*listed: str) -> list[Found]:
    return [Found(url, f"title of {url}", "content") for url in listed]


A, B, C, D = (f"https://{name}.example/" for name in "abcd")


def test_all_engines_make_a_seed_two_a_second_choice() -> None:
    decided = agreed("q", {"one": found(A, B, C), "two": found(C, B, D), "three": found(B, A)})
    assert [each.url for each in decided.seeds] == [B]
    assert [each.url for each in decided.second] == [A, C]
    assert [each.url for each in decided.others] == [D]
    assert decided.seeds[0].why == "returned by all 3 engines, best rank 1"
    assert decided.second[0].why == "returned by 2 of 3 engines, best rank 1"
    assert decided.seeds[0].engines == ("one", "two", "three")
    assert decided.answered == (("one", 3), ("two", 3), ("three", 2))


def test_urls_are_compared_in_normal_form() -> None:
    decided = agreed("q", {
        "one": found("HTTPS://A.example:443/x/../?utm_source=one", "javascript:alert(1)"),
        "two": found("https://a.example/#top", "https://a.example/"),
    })  # fmt: skip
    assert [each.url for each in decided.seeds] == [A]
    assert decided.answered == (("one", 1), ("two", 1))
    assert not decided.others


def test_a_lone_engine_is_all_of_them_and_says_so() -> None:
    decided = agreed("q", {"one": found(B, A)})
    assert [each.url for each in decided.seeds] == [B, A]
    assert decided.seeds[1].why == "returned by the only engine asked, best rank 2"
    left = agreed("q", {"one": found(A)}, (("two", "gone"),))
    assert left.seeds[0].why == "returned by the only engine that answered, best rank 1"


@given(st.lists(st.lists(st.sampled_from([A, B, C, D, A + "?x=1", "no url", A.upper()])), min_size=1, max_size=4))
def test_every_url_is_proposed_once_by_the_number_of_its_engines(lists: list[list[str]]) -> None:
    decided = agreed("q", {str(number): found(*listed) for number, listed in enumerate(lists)})
    sets = [{urls.normalise(url) for url in listed} - {None} for listed in lists]
    everything = set().union(*sets)
    held = {url: sum(url in each for each in sets) for url in everything}
    assert {each.url for each in decided.seeds} == {url for url in everything if held[url] == len(lists)}
    assert {each.url for each in decided.second} == {url for url in everything if 2 <= held[url] < len(lists)}
    assert len(decided.ranked()) == len(everything)


class Told:
    """An engine that answers with what it was told, or fails with it."""

    def __init__(self, name: str, answer: Sequence[Found] | Exception | None) -> None:
        self.name, self._answer = name, answer

    async def search(self, query: str, number: int) -> Sequence[Found]:
        if self._answer is None:
            await asyncio.Event().wait()
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer or []


def search(*engines: Told, query: str = "wolf  spiders", number: int = 10, within: float = 5.0) -> Proposals:
    return asyncio.run(meta_search(query, engines, number, within))


def test_an_engine_that_fails_is_counted_and_the_others_decide() -> None:
    broken = Told("three", EngineFailed("three: cannot be reached"))
    decided = search(Told("one", found(A, B)), Told("two", found(B)), broken)
    assert [each.url for each in decided.seeds] == [B]
    assert decided.seeds[0].why == "returned by all 2 engines that answered, best rank 1"
    assert decided.failed == (("three", "three: cannot be reached"),)
    assert decided.query == "wolf spiders"


def test_a_plug_in_that_breaks_down_or_hangs_takes_nobody_along() -> None:
    decided = search(Told("one", found(A)), Told("two", KeyError("x")), Told("three", None), within=0.05)
    assert [each.url for each in decided.seeds] == [A]
    told = dict(decided.failed)
    assert "broke down (KeyError" in told["two"]
    assert "no answer within 0.05 s" in told["three"]


def test_all_engines_failing_is_an_error_that_names_each() -> None:
    with pytest.raises(EngineFailed, match=r"one: gone; two: the engine broke down"):
        search(Told("one", EngineFailed("one: gone")), Told("two", ValueError()))


def test_an_engine_named_twice_does_not_agree_with_itself() -> None:
    decided = search(Told("one", found(A)), Told("one", found(A)), Told("two", found(A)))
    assert decided.seeds[0].why == "returned by all 2 engines, best rank 1"


def test_no_engine_gives_more_than_was_asked_for() -> None:
    many = found(*(f"https://a.example/{number}" for number in range(50)))
    assert len(search(Told("one", many), number=5).seeds) == 5


@pytest.mark.parametrize("query", ["", "  \n ", "x" * 501])
def test_a_query_that_is_none_is_refused(query: str) -> None:
    with pytest.raises(ConfigurationError, match="the query"):
        search(Told("one", []), query=query)


def test_a_query_from_a_broken_terminal_can_still_be_asked() -> None:
    with contextlib.suppress(EngineFailed):
        assert search(Told("one", found(A)), query="caf\udce9").query == "caf?"
