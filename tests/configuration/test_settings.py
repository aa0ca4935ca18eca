"""Wrong configuration is refused at the door, with the place and a suggestion."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.configuration.sections import Bytes, Configuration, Seconds
from lycosa.configuration.settings import ConfigurationError, build, changed, load, plain, write


def test_units() -> None:
    found = build({"politeness": {"delay": "250ms", "rest": "2h"}, "fetching": {"largest_body": "3MiB"}})
    assert found.politeness.delay == Seconds(0.25)
    assert found.politeness.rest == 7200
    assert found.fetching.largest_body == Bytes(3 * 1024**2)


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    odd = build({"names": {"hosts": {"*.box": "127.0.0.1"}}, "topic": {"words": 'the "best" \\ birds\n'}, "pages": 7})
    write(odd, tmp_path / "crawl.toml")
    assert load(tmp_path / "crawl.toml") == odd
    write(Configuration(), tmp_path / "plain.toml")
    assert load(tmp_path / "plain.toml") == Configuration()
    assert build(plain(odd)) == odd


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pages = ", "not valid TOML"),
        ("pagse = 5", "unknown key 'pagse'; did you mean 'pages'?"),
        ("[politeness]\ndealy = '1s'", "unknown key 'politeness.dealy'; did you mean 'delay'?"),
        ("[politeness]\ndelay = 'soon'", "'soon' is no quantity"),
        ("[politeness]\ndelay = '5 parsecs'", "'5 parsecs' is no quantity"),
        ("pages = 'many'", "pages = 'many'"),
        ("agents = 0", "agents = 0 is not possible; use between 1 and 256"),
        ("mode = 'chaos'", "mode = 'chaos' is not possible"),
        ("name = '../x'", "name = '../x' is not possible"),
        ("[[ceilings.windows]]\nbegin = '1'", "unknown key"),
    ],
)
def test_errors_name_file_key_and_remedy(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError) as error:
        load(path)
    assert str(path) in str(error.value)
    assert message in str(error.value)


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file"):
        load(tmp_path / "nothing.toml")


def test_overrides_on_the_command_line() -> None:
    found = build({}, ["politeness.delay=2s", "pages=10", 'seeds=["http://a.org/"]', "topic.words=wolf spiders"])
    assert (found.politeness.delay, found.pages, found.seeds) == (2.0, 10, ("http://a.org/",))
    assert found.topic.words == "wolf spiders"
    with pytest.raises(ConfigurationError, match="KEY=VALUE"):
        build({}, ["pages"])


def test_a_running_crawl_changes_one_thing() -> None:
    before = Configuration(pages=10)
    after = changed(before, "ceilings.requests_per_second=3")
    assert after.ceilings.requests_per_second == 3
    assert after.pages == 10
