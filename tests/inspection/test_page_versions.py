"""The past of a page: every visit is told, versions are texts that differ, and differences are small and bounded."""

from __future__ import annotations

import argparse
import io
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as trying
from hypothesis import strategies as st
from written_visits import Written, new_crawl, page, write

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.inspection.page_versions import (
    LONGEST_LINE,
    MOST_COMPARED,
    MOST_TOLD,
    compared,
    difference,
    sentences,
    versions_of,
)
from lycosa.interface.commands import history as command
from lycosa.interface.commands.history import difference_lines, visit_lines

URL = "https://a.example/page"
ONE, TWO = page("Wolf spiders hunt.", "They see well."), page("Wolf spiders hunt.", "They see very well.")


@pytest.fixture
def folder(tmp_path: Path) -> CrawlFolder:
    return new_crawl(tmp_path)


def lived(folder: CrawlFolder, *, roll: bool = False) -> None:
    """A page with a past: seen, unchanged, changed, failed, as at first again, gone."""
    visits = [
        Written(URL, 1e9, ONE, facts={"relevance": 0.5}),
        Written("https://a.example/other", 1e9 + 1, TWO),
        Written(URL, 1e9 + 100, facts={"outcome": "unchanged", "status": 304}),
        Written(URL, 1e9 + 200, TWO, facts={"relevance": 0.75}),
        Written(URL, 1e9 + 300, facts={"why": "timeout", "detail": "after 10 s"}),
        Written(URL, 1e9 + 400, page("Wolf spiders hunt.", "They see very well.", frame="other frame")),
        Written(URL, 1e9 + 500, ONE),
        Written(URL, 1e9 + 600, facts={"outcome": "redirected", "status": 301, "target": "https://b.example/"}),
    ]
    write(folder, visits, roll=roll)


@pytest.mark.parametrize("roll", [False, True])
def test_every_visit_is_told_with_its_outcome_and_whether_the_text_changed(folder: CrawlFolder, roll: bool) -> None:
    lived(folder, roll=roll)
    found = versions_of(folder, URL)
    told = [(visit.outcome, visit.version, visit.changed, visit.same_as) for visit in found.visits]
    assert told == [
        ("fetched", 1, False, 0),
        ("unchanged", 1, False, 0),
        ("fetched", 2, True, 0),
        ("failed", 2, None, 0),
        ("fetched", 2, False, 0),
        ("fetched", 3, True, 1),
        ("redirected", 3, None, 0),
    ]
    assert [visit.relevance for visit in found.visits[:3]] == [0.5, None, 0.75]
    assert [visit.at - 1e9 for visit in found.visits] == [0, 100, 200, 300, 400, 500, 600]
    assert found.visits[0].length == len(ONE)
    assert (len(found.places), found.beginning_of(2)) == (3, 1e9 + 200)
    assert found.visits[3].detail == "timeout after 10 s"
    assert found.visits[6].detail == "to https://b.example/"


def test_versions_span_rolled_and_fresh_rows_and_all_agents(tmp_path: Path) -> None:
    folder = new_crawl(tmp_path, agents=2)
    write(folder, [Written(URL, 10.0, ONE)], roll=True)
    write(folder, [Written(URL, 30.0, ONE)])
    write(folder, [Written(URL, 20.0, TWO)], agent=1)
    assert [visit.version for visit in versions_of(folder, URL).visits] == [1, 2, 3]


def test_a_clock_that_went_backwards_does_not_turn_the_past_around(folder: CrawlFolder) -> None:
    write(folder, [Written(URL, 500.0, ONE), Written(URL, 100.0, TWO)])
    found = versions_of(folder, URL)
    assert [visit.at for visit in found.visits] == [500.0, 100.0]
    assert difference(folder, found).added == 1


def test_a_url_without_a_scheme_is_found_either_way(folder: CrawlFolder) -> None:
    write(folder, [Written(URL, 1.0, ONE), Written("http://b.example/", 2.0, ONE)])
    assert versions_of(folder, "a.example/page").url == URL
    assert versions_of(folder, "b.example").url == "http://b.example/"


def test_what_cannot_be_told_is_said_in_a_sentence(folder: CrawlFolder) -> None:
    with pytest.raises(CrawlError, match="fetched nothing yet"):
        versions_of(folder, URL)
    write(folder, [Written(URL, 1.0, ONE), Written("https://a.example/lost", 2.0)])
    with pytest.raises(CrawlError, match="no http"):
        versions_of(folder, "mailto://x")
    with pytest.raises(CrawlError, match=r"never visited.*lycosa explain"):
        versions_of(folder, "https://a.example/unknown")
    with pytest.raises(CrawlError, match="one version"):
        difference(folder, versions_of(folder, URL))
    with pytest.raises(CrawlError, match="the versions are 1 to 1"):
        difference(folder, versions_of(folder, URL), 1, 2)
    with pytest.raises(CrawlError, match="no version of the text"):
        difference(folder, versions_of(folder, "https://a.example/lost"))
    with pytest.raises(CrawlError, match="no text of it ever came"):
        difference(folder, versions_of(folder, "https://a.example/lost"), 1, 2)


def test_a_damaged_archive_is_named(folder: CrawlFolder) -> None:
    lived(folder)
    (path,) = folder.archive.glob("*.warc.gz")
    path.write_bytes(bytes(path.stat().st_size))
    with pytest.raises(CrawlError, match=r"version 2 cannot be read.*lycosa check past"):
        difference(folder, versions_of(folder, URL), 2, 3)


# -- differences -------------------------------------------------------------------------------------


def test_the_difference_of_the_last_two_versions_is_the_sentence_that_changed(folder: CrawlFolder) -> None:
    lived(folder)
    found = difference(folder, versions_of(folder, URL))
    assert (found.older, found.newer, found.removed, found.added) == (2, 3, 1, 1)
    assert [line for line in found.lines[3:] if line[0] != " "] == ["-They see very well.", "+They see well."]
    same = difference(folder, versions_of(folder, URL), 1, 3)
    assert (same.lines, same.removed, same.added) == ((), 0, 0)
    assert difference(folder, versions_of(folder, URL), 1, 2).added == 1


words = st.sampled_from(["ant", "bee", "cat", "dog", "elk", "fox.", "gnu!", "hen?", "ibis\n", "Ω"])
texts = st.lists(words, max_size=200).map(" ".join)


@given(before=texts, after=texts)
def test_a_difference_tells_exactly_what_is_gone_and_what_is_new(before: str, after: str) -> None:
    found = compared(1, before, 2, after)
    old, new = list(sentences(before)), list(sentences(after))
    assert (not found.lines) == (old == new)
    assert len(new) - len(old) == found.added - found.removed
    _apply(found.lines, old, new)


def _apply(lines: tuple[str, ...], old: list[str], new: list[str]) -> None:
    """A patch program that goes by the numbers of the hunks gets from the old text to the new one."""
    made, place = [], 0
    for line in lines[2:]:
        if line.startswith("@@"):
            first, _, count = line.split()[1][1:].partition(",")
            begin = int(first) - (count != "0")
            made += old[place:begin]
            place = begin
        elif line[0] != "+":
            assert old[place] == line[1:]
            place += 1
            made += [line[1:]] if line[0] == " " else []
        else:
            made.append(line[1:])
    assert made + old[place:] == new


@given(text=texts)
def test_sentences_lose_no_word(text: str) -> None:
    assert " ".join(sentences(text)).split() == text.split()


@trying(max_examples=30)
@given(place=st.integers(0, 399))
def test_a_word_more_in_a_text_without_sentences_changes_little(place: int) -> None:
    before = [f"word{number}" for number in range(400)]
    found = compared(1, " ".join(before), 2, " ".join([*before[:place], "new", *before[place:]]))
    assert found.removed <= 2
    assert found.added <= 3


def test_hostile_texts_are_compared_within_bounds() -> None:
    before = " ".join(f"a{number}." for number in range(300_000))
    after = " ".join(f"b{number}." for number in range(300_000))
    found = compared(1, before, 2, after)
    assert len(found.lines) == MOST_TOLD
    assert found.left_out + MOST_TOLD == 2 * MOST_COMPARED + 3
    assert found.not_compared == 600_000 - 2 * MOST_COMPARED
    long = compared(1, "x" * 1_000_000, 2, "y" * 1_000_000)
    assert max(map(len, long.lines)) == LONGEST_LINE


# -- the command --------------------------------------------------------------------------------------


def typed(folder: CrawlFolder, *arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--home", default=str(folder.path.parent.parent))
    shared.add_argument("--json", action="store_true")
    command.add_commands(parser.add_subparsers(), shared)
    return parser.parse_args(["history", "past", *arguments])


def test_the_command_prints_a_line_a_visit(folder: CrawlFolder, capsys: pytest.CaptureFixture[str]) -> None:
    lived(folder)
    assert command.run(typed(folder, URL)) == 0
    head, columns, *lines = capsys.readouterr().out.splitlines()
    assert head == f"{URL}: 7 visits, 3 versions"
    assert "digest" in columns
    assert [line.split()[3] for line in lines] == [visit.outcome for visit in versions_of(folder, URL).visits]
    assert lines[0].endswith("first seen")
    assert "text unchanged" in lines[1]
    assert lines[2].split()[4] == "2"
    assert "text changed, back to version 1" in lines[5]
    assert lines[0].startswith("    1  2001-09-09 01:46:40")


def test_json_has_the_visits_and_the_difference(folder: CrawlFolder, capsys: pytest.CaptureFixture[str]) -> None:
    lived(folder)
    command.run(typed(folder, URL, "--json", "--diff", "1", "2"))
    told = json.loads(capsys.readouterr().out)
    assert (told["url"], told["versions"], len(told["visits"])) == (URL, 3, 7)
    assert told["visits"][2]["changed"] is True
    assert told["difference"]["removed"] == told["difference"]["added"] == 1


@pytest.mark.parametrize("numbers", [["1"], ["1", "x"], ["1", "2", "3"], ["0", "1"], ["-1", "2"]])
def test_other_than_two_versions_are_refused(folder: CrawlFolder, numbers: list[str]) -> None:
    lived(folder)
    told = typed(folder, URL)
    told.diff = numbers
    with pytest.raises(CrawlError, match="--diff 1 3"):
        command.run(told)


def test_colours_are_for_terminals_only(
    folder: CrawlFolder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(folder)
    command.run(typed(folder, URL, "--diff"))
    plain = capsys.readouterr().out
    assert "+They see well." in plain
    assert "\x1b" not in plain

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", screen := Terminal())
    command.run(typed(folder, URL, "--diff"))
    assert "\x1b[32m+They see well.\x1b[0m" in screen.getvalue()


def test_foreign_text_cannot_send_commands_to_a_terminal(folder: CrawlFolder) -> None:
    write(folder, [Written(URL, 1.0, ONE), Written(URL, 2.0, page("\x1b]0;owned\x07 spiders."))])
    write(folder, [Written(URL, 3.0, facts={"why": "http-500", "detail": "\x1b[2J"})])
    found = versions_of(folder, URL)
    lines = visit_lines(found) + difference_lines(found, difference(folder, found), coloured=False)
    assert all(line.isprintable() for line in lines)
