"""Settings that no crawl could go by are refused at the door, and what is written can be read again."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.configuration import settings
from lycosa.configuration.settings import ConfigurationError
from lycosa.frontier.url_patterns import odd_pattern


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("politeness.per_address=0", "use at least 1"),
        ("index.memory=14MiB", "from 15MB to 4GB"),
        ("index.memory=5GiB", "from 15MB to 4GB"),
        ("politeness.adaptive=nan", "politeness.adaptive"),
        ("politeness.retries=-1", "politeness.retries"),
        ("ceilings.requests_per_second=inf", "ceilings.requests_per_second"),
        ("ceilings.requests_per_second=-1", "from 0 on"),
        ("pages=99999999999999999999999999", "pages"),
        ("fetching.most_links=-1", "fetching.most_links"),
        ("fetching.total_within=0s", "such as"),
        ("frontier.heads_per_site=0", "at least 1"),
        ("traps.urls_per_pattern=-1", "traps.urls_per_pattern"),
        ("politeness.delay=99999999999999d", "100 years"),
        ("storage.spare_disk=99999999999TiB", "1024 TiB"),
        ('ceilings.windows=[{begins="25:00",ends="01:00"}]', "write it as HH:MM"),
        ('ceilings.windows=[{begins="22:00",ends="01:00",requests_per_second=-1}]', "ceilings.windows"),
        ('scope.block=["a\\nb"]', "no URL has"),
        ("politeness.=1", "unknown key 'politeness.'"),
        (f"pages={'9' * 6000}", "pages"),
        (f"pages={'[' * 3000}{']' * 3000}", "pages"),
    ],
)
def test_what_cannot_be_is_refused_with_its_key(setting: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        settings.build({}, [setting])
    assert said in str(refused.value)
    assert len(str(refused.value)) < 10_000


@pytest.mark.parametrize("pattern", ["a.org", "a.org/*.pdf", "*.org/(x)?a=[0-9]", "example.*", "a.org/c++/$x"])
def test_patterns_of_urls_are_no_expressions(pattern: str) -> None:
    assert not odd_pattern(pattern)


@pytest.mark.parametrize(
    "pattern", ["^http://a.org/", r"a\.org/private", ".*/private/.*", "a.org/.+", "/end$", "(?i)a"]
)
def test_regular_expressions_are_no_patterns(pattern: str) -> None:
    assert "* stands for any letters" in odd_pattern(pattern)
    assert settings.build({"scope": {"block": [pattern]}}).scope.block == (pattern,), "kept ones can be read"


@pytest.mark.parametrize("text", [f"pages = {'9' * 6000}", f"x = {'[' * 3000}{']' * 3000}", "pages = = 3"])
def test_a_job_file_that_is_no_toml_is_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text(text)
    with pytest.raises(ConfigurationError, match="not valid TOML"):
        settings.load(tmp_path / "job.toml")


def test_a_job_file_is_a_file_within_bounds(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is no TOML file"):
        settings.load(Path("/dev/zero"))
    with (tmp_path / "job.toml").open("wb") as file:
        file.truncate(settings.LARGEST_FILE + 1)
    with pytest.raises(ConfigurationError, match="at most 64 MiB"):
        settings.load(tmp_path / "job.toml")


@given(st.floats(min_value=0, max_value=settings.LONGEST_SPAN))
def test_every_span_of_time_is_read_as_it_was_written(seconds: float) -> None:
    first = settings.build({"patience": seconds})
    again = settings.build(tomllib.loads(settings.to_toml(settings.plain(first))))
    assert again.patience == pytest.approx(first.patience, rel=1e-9, abs=1e-12)


def test_a_crawl_with_many_seeds_is_read_again(tmp_path: Path) -> None:
    many = settings.build({"seeds": [f"https://site-{number}.example/a/page" for number in range(40_000)]})
    settings.write(many, tmp_path / "crawl.toml")
    assert (tmp_path / "crawl.toml").stat().st_size > 1024**2
    assert settings.load(tmp_path / "crawl.toml") == many
