"""Commands that write do not write over what crawls keep, and orders that lead nowhere are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from real_crawl import Lycosa, quick, runner

BOX = "box:7?hosts=2&pages=20&topics=2&size=2KiB&links=6&errors=0&duplicates=0"
SEED = "http://birds-1.localhost:8080/"
QUICK = quick(BOX, "index.commit_every=200ms")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def crawled(home: Path) -> Lycosa:
    run = runner(home)
    run("crawl", *QUICK, "--name", "birds", "--topic", "birds", "--seed", SEED, "--pages", "6")
    return run


def refused(crawled: Lycosa, *order: str) -> str:
    done = crawled(*order, check=False)
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    return done.stderr


def kept(home: Path) -> dict[str, bytes]:
    """The files of the crawl that commands must leave alone."""
    folder = home / "crawls" / "birds"
    archive = sorted(folder.glob("archive/*.warc.gz"))
    return {str(path): path.read_bytes() for path in (folder / "crawl.toml", *archive)}


@pytest.mark.parametrize("form", ["jsonl", "parquet", "warc"])
def test_an_export_does_not_write_over_the_files_of_a_crawl(form: str, crawled: Lycosa, home: Path) -> None:
    before = kept(home)
    for target in (*before, str(home / "crawls/birds/archive"), str(home / "crawls/birds/new")):
        assert "among the files of crawls" in refused(crawled, "export", "birds", "--to", form, "--output", target)
    assert kept(home) == before


def test_a_report_does_not_write_over_the_files_of_a_crawl(crawled: Lycosa, home: Path, tmp_path: Path) -> None:
    before = kept(home)
    for target in before:
        assert "among the files of crawls" in refused(crawled, "report", "birds", "--html", target)
    assert kept(home) == before
    assert "make it first" in refused(crawled, "report", "birds", "--html", str(tmp_path / "none/report.html"))
    assert "is a folder" in refused(crawled, "report", "birds", "--html", str(tmp_path))
    crawled("report", "birds", "--html", str(tmp_path / "report.html"))
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!doctype html>")


def test_an_archive_is_not_written_into_a_file(crawled: Lycosa, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    assert "needs a folder" in refused(crawled, "export", "birds", "--to", "warc", "--output", str(tmp_path / "file"))
    assert (tmp_path / "file").read_text() == "mine"


def test_what_would_be_refused_is_not_added(crawled: Lycosa) -> None:
    said = refused(crawled, "add", "birds", "http://birds-1.localhost:8080/" + "a" * 5000)
    assert "would be refused: trap" in said
    assert "nothing was added" in said
    assert "1 URLs added" in crawled("add", "birds", "http://birds-1.localhost:8080/later").stdout


@pytest.mark.parametrize("limit", ["0", "-1", "99999999999999999999"])
def test_a_search_asks_for_a_possible_number_of_results(limit: str, crawled: Lycosa) -> None:
    assert "use 1 to 1000" in refused(crawled, "search", "birds", "nest", "--limit", limit)


def test_a_name_that_is_too_long_is_told_so(crawled: Lycosa) -> None:
    said = refused(crawled, "crawl", *QUICK, "--name", "a" * 300, "--topic", "birds", "--seed", SEED)
    assert "up to 64 letters" in said
