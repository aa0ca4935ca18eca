"""A topic is found by its path or a part of it; what is unclear is refused with the choices."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.configuration.settings import ConfigurationError
from lycosa.lab.labels import Topics, read_labels

PATHS = {
    "u:1": ("subject.Science.Biology.Birds",),
    "u:2": ("subject.Science.Biology.Birds", "subject.Music.Performers_and_composers"),
    "u:3": ("subject.Science.Physics.Space_Astronomy",),
    "u:4": ("subject.People.Performers_and_composers",),
    "u:5": ("subject.Art.Art",),
    "u:6": ("subject.Art.Artists",),
}
TOPICS = Topics({url: frozenset(paths) for url, paths in PATHS.items()})


@pytest.mark.parametrize(
    ("name", "pages"),
    [
        ("subject.Science.Biology.Birds", "12"),
        ("Birds", "12"),
        ("biology/birds", "12"),
        ("BIOLOGY.BIRDS", "12"),
        ("Space Astronomy", "3"),
        ("space/astronomy", "3"),
        ("Science", "123"),
        ("Music", "2"),
        ("subject", "123456"),
        ("Music.Performers and composers", "2"),
        ("Art", "56"),
        ("Art.Art", "5"),
    ],
)
def test_a_topic_goes_by_any_part_that_ends_a_step(name: str, pages: str) -> None:
    assert TOPICS.pages(name) == {f"u:{number}" for number in pages}


def test_an_ambiguous_name_is_refused_with_the_choices() -> None:
    with pytest.raises(ConfigurationError) as refused:
        TOPICS.pages("performers_and_composers")
    assert "subject.Music.Performers_and_composers, subject.People.Performers_and_composers" in str(refused.value)


def test_an_unknown_name_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ConfigurationError, match=r"did you mean subject\.Science\.Biology\.Birds\?"):
        TOPICS.pages("brids")
    with pytest.raises(ConfigurationError, match=r"there are: subject\.Art\.Art, subject\.Art\.Artists"):
        TOPICS.pages("xyz")
    with pytest.raises(ConfigurationError, match="no labels at all; give them with labels=FILE"):
        Topics({}).pages("Birds")


@pytest.mark.parametrize("name", ["Bird", "iology", "Performers", ""])
def test_a_part_of_a_step_is_no_name(name: str) -> None:
    with pytest.raises(ConfigurationError):
        TOPICS.pages(name)


STEPS = st.lists(
    st.text("abAB_ ", min_size=1, max_size=3).filter(lambda step: step.strip("_ ")), min_size=1, max_size=3
)


@given(st.lists(STEPS.map(".".join), min_size=1, max_size=8, unique=True))
def test_a_whole_path_finds_exactly_what_lies_at_or_below_it(paths: list[str]) -> None:
    topics = Topics({path: frozenset((path,)) for path in paths})

    def alike(path: str) -> str:
        return re.sub(r"[_ .]+", "_", path.strip().lower()).strip("_")

    for path in paths:
        same = [other for other in topics.paths() if alike(other) == alike(path)]
        if len(same) == 1 and len([other for other in topics.paths() if alike(other).endswith(alike(path))]) == 1:
            assert topics.pages(path) == {other for other in paths if f"{other}.".startswith(f"{path}.")}


def labels(tmp_path: Path, text: str) -> tuple[dict[str, frozenset[str]], list[str]]:
    path = tmp_path / "labels.tsv"
    path.write_text(text, "utf-8")
    return read_labels(path, lambda name: f"u:{name}" if name.startswith("known") else None)


def test_a_page_may_have_several_labels_and_comments_say_nothing(tmp_path: Path) -> None:
    found, warnings = labels(tmp_path, "\ufeff# a comment\nknown1\ta.b\r\n\nknown1\tc\nknown2\ta.b\n")
    assert found == {"u:known1": {"a.b", "c"}, "u:known2": {"a.b"}}
    assert warnings == []


def test_unknown_pages_are_counted_in_one_warning(tmp_path: Path) -> None:
    found, warnings = labels(tmp_path, "known1\ta\nnowhere\ta\nneither\tb\n")
    assert set(found) == {"u:known1"}
    (warning,) = warnings
    assert "2 lines name pages that this web does not have, such as 'nowhere'" in warning


@pytest.mark.parametrize("line", ["known1 topic", "known1\t", "\ttopic", "known1\ta\tb"])
def test_a_malformed_line_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    with pytest.raises(ConfigurationError, match=r"line 3: .* is no label; write a path or URL, a tab and a topic"):
        labels(tmp_path, f"known1\ta\n\n{line}\n")


def test_a_label_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_labels(tmp_path / "none.tsv", lambda name: name)
    (tmp_path / "latin").write_bytes(b"caf\xe9\ttopic\n")
    with pytest.raises(ConfigurationError, match="not UTF-8"):
        read_labels(tmp_path / "latin", lambda name: name)
