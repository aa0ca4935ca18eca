"""The commands, as a person types them, on a real crawl."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import duckdb
import polars
import pytest
from real_crawl import Crawled, Lycosa
from warcio.archiveiterator import ArchiveIterator

from lycosa.lab.web_server import serve_in_process

PRINTED = ("--to", "jsonl", "--output", "-", "--table")


def test_status_in_words_and_figures(crawled: Crawled) -> None:
    assert re.search(r"birds finished · \d+ pages · harvest", crawled.run("status", "birds").stdout)
    found = json.loads(crawled.run("status", "birds", "--json").stdout)
    assert found["fetched"] > 60
    assert len(found["agents"]) == 2
    assert found["stages"]["parse"]["count"] == found["fetched"]
    stages = found["stages"]
    cycle = ["inject", "generate", "fetch", "parse", "score", "archive", "update", "exchange", "index"]
    assert list(stages) == cycle
    assert all({"count", "seconds", "cpu", "queue", "rate"} == set(stage) for stage in stages.values())
    assert all(stages[name]["cpu"] > 0 and stages[name]["rate"] > 0 for name in cycle if name != "exchange")
    assert stages["generate"]["queue"] == found["waiting"]
    assert stages["index"]["queue"] == 0 < stages["index"]["count"]
    for told in (crawled.run("status", "birds").stdout, crawled.run("report", "birds").stdout):
        assert re.search(r"stage +queue +count +a second +CPU each", told)
        assert re.search(r"\n +index +0 +\d+", told)
    assert [each["name"] for each in json.loads(crawled.run("status", "--json").stdout)] == ["birds"]


def test_search(crawled: Crawled) -> None:
    assert "pages for" in crawled.run("search", "birds", "feather wing").stdout
    found = json.loads(crawled.run("search", "birds", "feather", "--json").stdout)
    assert found["total"] > 0
    assert all(result["url"].startswith("http://") for result in found["results"])
    nothing = crawled.run("search", "birds", "xyzzyplugh")
    assert "nothing found" in nothing.stdout
    assert json.loads(crawled.run("search", "birds", "xyzzyplugh", "--json").stdout)["results"] == []


def test_search_without_a_word_needs_no_quotes(crawled: Crawled) -> None:
    every = json.loads(crawled.run("search", "birds", "feather", "--json").stdout)
    quoted = json.loads(crawled.run("search", "birds", "feather -nest", "--json").stdout)
    assert 0 < quoted["total"] < every["total"]
    for typed in (("feather", "-nest", "--json"), ("--json", "feather", "-nest"), ("feather", "--json", "-nest")):
        found = json.loads(crawled.run("search", "birds", *typed).stdout)
        assert (found["query"], found["total"]) == (quoted["query"], quoted["total"])


def test_report_as_text_json_and_page(crawled: Crawled, tmp_path: Path) -> None:
    assert "harvest" in crawled.run("report", "birds").stdout
    found = json.loads(crawled.run("report", "birds", "--json").stdout)
    assert found["curve"][-1][0] == found["fetched"]
    assert found["refused"]["blocked"] > 0
    page = tmp_path / "report.html"
    crawled.run("report", "birds", "--html", str(page))
    assert page.read_text("utf-8").count("<svg") >= 2


def verdict(crawled: Crawled, url: str) -> tuple[str, str]:
    found = json.loads(crawled.run("explain", "birds", url, "--json").stdout)
    times = [event["at"] for event in found["events"] if event["at"] is not None]
    assert times == sorted(times)
    return found["verdict"], " | ".join(event["what"] for event in found["events"])


def exported(crawled: Crawled, table: str, tmp_path: Path) -> list[dict[str, object]]:
    path = tmp_path / f"{table}.jsonl"
    crawled.run("export", "birds", "--to", "jsonl", "--table", table, "--output", str(path))
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_explain_answers_for_every_fate(crawled: Crawled, tmp_path: Path) -> None:
    history = exported(crawled, "history", tmp_path)
    urls = exported(crawled, "urls", tmp_path)
    pages = [row for row in history if row["outcome"] == "fetched" and row["parent"] and not row["duplicate_of"]]
    fetched = next(row for row in pages if not row["placeholder"])
    told, events = verdict(crawled, str(fetched["url"]))
    assert told == "fetched"
    without = next(row for row in pages if row["placeholder"] == "soft-404")
    assert verdict(crawled, str(without["url"]))[0] == "fetched, but without content (soft-404)"
    assert f"found on {fetched['parent']}" in events
    assert "relevance" in events
    duplicate = next(row for row in history if row["duplicate_of"])
    assert verdict(crawled, str(duplicate["url"]))[0] == f"fetched; a duplicate of {duplicate['duplicate_of']}"
    robots = next(row for row in history if row["why"] == "robots")
    told, events = verdict(crawled, str(robots["url"]))
    assert told == "refused: robots"
    assert re.search(r"let in with priority [\d.]+: (?!robots).* \| refused: robots", events)
    blocked = next(row for row in urls if str(row["why"]).startswith("blocked"))
    assert verdict(crawled, str(blocked["url"]))[0].startswith("refused: blocked:")
    gone = next(row for row in history if row["why"] == "http-404")
    assert verdict(crawled, str(gone["url"]))[0].startswith("failed: http-404")
    attempts = [row["url"] for row in history if row["outcome"] == "failed" and row["why"] == "http-500"]
    retried = next(url for url in attempts if url in {row["url"] for row in history if row["outcome"] == "fetched"})
    told, events = verdict(crawled, str(retried))
    assert told == "fetched"
    assert re.search(r"failed: http-500 \(attempt 1\) \| (failed: .* \| )*fetched: .* \(attempt \d\)", events)
    told, events = verdict(crawled, "http://never.example/")
    assert told.startswith("never seen")
    assert "would be let in" in events
    redirected = next(row for row in history if row["outcome"] == "redirected")
    assert str(redirected["target"]) in verdict(crawled, str(redirected["url"]))[1]


def test_explain_tells_the_place_of_a_waiting_link(crawled: Crawled, tmp_path: Path) -> None:
    crawled.run("crawl", str(crawled.job), "--name", "short", "--pages", "5", "--agents", "1")
    path = tmp_path / "urls.jsonl"
    crawled.run("export", "short", "--to", "jsonl", "--table", "urls", "--output", str(path))
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    waiting = next(row for row in rows if row["state"] == "waiting")
    found = json.loads(crawled.run("explain", "short", waiting["url"], "--json").stdout)
    assert found["verdict"] == "waiting"
    *_, stopped, spent, place = (event["what"] for event in found["events"])
    assert stopped == "the crawl does not run; `lycosa resume short` lets it go on"
    assert spent == "the budget is spent (5 of 5 pages); `lycosa set short pages=N` gives more"
    assert re.search(r"\d+ links? of its site (is|are) ahead of it", place)


def test_explain_tells_that_a_site_rests(lycosa: Lycosa, tmp_path: Path) -> None:
    """Its server asked for an hour; the crawl gives it as long as it rests from errors, also after a restart."""

    class Busy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response({"/": 200, "/1": 503, "/2": 503}.get(self.path, 404))
            self.send_header("Content-Type", "text/html")
            self.send_header("Retry-After", "3600")
            self.end_headers()
            self.wfile.write(b"<a href=/1>1</a> <a href=/2>2</a>" if self.path == "/" else b"")
            asked.append(self.path)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    asked: list[str] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Busy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        seed = f"http://127.0.0.1:{server.server_port}/"
        settings = ('fetching.allow_addresses=["127.0.0.0/8"]', "politeness.delay=0s", "patience=1s")
        order = [part for each in settings for part in ("--set", each)]
        lycosa("crawl", *order, "--name", "busy", "--topic", "birds", "--seed", seed)
        pages = [path for path in asked if path in ("/1", "/2")]
        lycosa("resume", "busy")
        server.shutdown()
    assert len(pages) == 1
    assert [path for path in asked if path in ("/1", "/2")] == pages
    (left,) = {"/1", "/2"} - set(pages)
    told = lycosa("explain", "busy", seed + left[1:]).stdout
    assert re.search(r"waiting\n(.*\n)+  20.* not before then: its site rests \(slowed down by http-503\)", told)
    sites = [json.loads(line) for line in lycosa("export", "busy", *PRINTED, "sites").stdout.splitlines()]
    assert [(site["waiting"], site["why"]) for site in sites] == [(1, "slowed down by http-503")]
    assert sites[0]["rests_until"] > time.time()
    refused = lycosa("export", "busy", "--to", "parquet", "--output", "-", check=False)
    assert refused.returncode == 2
    assert "--to jsonl" in refused.stderr


def test_the_owners_of_a_begun_crawl_cannot_be_changed(crawled: Crawled) -> None:
    done = crawled.run("crawl", "--name", "birds", "--agents", "3", check=False)
    assert done.returncode == 2
    assert "began with 2 agents" in done.stderr


def test_other_tools_read_the_exports(crawled: Crawled, tmp_path: Path) -> None:
    for table in ("pages", "links", "history", "urls", "sites"):
        path = tmp_path / f"{table}.parquet"
        crawled.run("export", "birds", "--to", "parquet", "--table", table, "--output", str(path))
        with duckdb.connect() as database:
            counted = database.execute(f"select count(*) from '{path}'").fetchone()
        assert counted == (polars.read_parquet(path).height,)
        assert counted[0] > 0
    crawled.run("export", "birds", "--to", "warc", "--output", str(tmp_path / "warc"))
    records = 0
    for path in (tmp_path / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            records += sum(record.rec_type == "response" for record in ArchiveIterator(file))
    pages = polars.read_parquet(tmp_path / "pages.parquet").height
    assert records > pages


def crawling(home: Path, port: int, *more: str) -> subprocess.Popen[str]:
    """A crawl named `live` in a process of its own."""
    order = [sys.executable, "-m", "lycosa.interface.cli", "--home", str(home), "crawl", "--name", "live"]
    order += ["--topic", "birds", "--seed", f"http://birds-1.localhost:{port}/", "--set", "politeness.delay=1ms"]
    order += ["--set", f'fetching.allow_addresses=["127.0.0.0/8:{port}"]', *more]
    return subprocess.Popen(order, stderr=subprocess.PIPE, text=True)


def test_a_crawl_is_paused_changed_and_stopped_while_it_runs(lycosa: Lycosa, tmp_path: Path) -> None:
    with serve_in_process("box:3?hosts=4&pages=4000&size=2KiB&errors=0&traps=0", latency=0.01) as served:
        process = crawling(tmp_path, served.port)
        try:
            until(lambda: status(lycosa)["fetched"] > 20)
            again = lycosa("crawl", "--name", "live", check=False)
            assert again.returncode == 2
            assert "is running already" in again.stderr
            lycosa("pause", "live")
            until(lambda: status(lycosa)["state"] == "paused" and status(lycosa)["in_flight"] == 0)
            before = len(served.requests())
            lycosa("set", "live", "politeness.delay=2ms", "ceilings.requests_per_second=50")
            refused = lycosa("block", "live", r"^http://astronomy-\d", check=False)
            assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
            lycosa("block", "live", "astronomy-1.localhost")
            lycosa("add", "live", f"http://birds-1.localhost:{served.port}/added-by-hand")
            assert len(served.requests()) == before
            lycosa("resume", "live")
            until(lambda: any(request.path == "/added-by-hand" for request in served.requests()))
            lycosa("stop", "live")
            assert process.wait(30) == 0
            found = status(lycosa)
            assert found["state"] == "stopped"
            assert found["waiting"] > 0
        finally:
            process.kill()
            process.communicate()


def test_ctrl_c_stops_cleanly(lycosa: Lycosa, tmp_path: Path) -> None:
    with serve_in_process("box:3?hosts=4&pages=4000&size=2KiB&errors=0", latency=0.01) as served:
        process = crawling(tmp_path, served.port)
        try:
            until(lambda: status(lycosa)["fetched"] > 10)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=30)
        finally:
            process.kill()
        assert process.returncode == 0
        assert "Stopping after the pages under way" in told
        assert "Traceback" not in told


def test_ctrl_c_twice_stops_now_and_gives_the_pages_under_way_back(lycosa: Lycosa, tmp_path: Path) -> None:
    with serve_in_process("box:3?hosts=4&pages=400&size=2KiB&errors=0", latency=20.0) as served:
        process = crawling(tmp_path, served.port, "--set", "politeness.robots=false", "--set", "sitemaps.read=false")
        try:
            until(lambda: status(lycosa)["in_flight"] > 0)
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            until(lambda: status(lycosa)["state"] == "stopping")
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=30)
        finally:
            process.kill()
        assert time.monotonic() - begin < 10
        assert process.returncode == 0
        assert "Traceback" not in told
        found = status(lycosa)
        assert (found["restarts"], found["waiting"]) == (0, 1)


def status(lycosa: Lycosa) -> dict[str, object]:
    done = lycosa("status", "live", "--json", check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {"fetched": 0, "state": "unborn", "in_flight": 0}


def until(holds, seconds: float = 30.0) -> None:  # type: ignore[no-untyped-def]
    """Wait for another process, which tells only through files."""
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it did not come to pass"
        time.sleep(0.05)


def test_doctor(lycosa: Lycosa) -> None:
    found = json.loads(lycosa("doctor", "--json", check=False).stdout)
    assert {"Python", "disk", "open files", "names", "clock", "contact"} <= {each["what"] for each in found}


def test_demo_once(lycosa: Lycosa) -> None:
    done = lycosa("demo", "--once")
    assert "pages for" in done.stdout
    assert "http://" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["crawl", "nowhere.toml"], "no such file"),
        (["crawl", "--topic", "birds"], "no seeds"),
        (["crawl", "--topic", "birds", "--seed", "ftp://x/"], "is no http(s) URL"),
        (["crawl", "--topic", "the of", "--seed", "http://a.localhost/"], "only stop words"),
        (["crawl", "--topic", "birds", "--seed", "https://example.org/"], "needs a contact"),
        (["crawl", "--topic", "x", "--seed", "http://a.localhost/", "--strategy", "best-frist"], "did you mean"),
        (["crawl", "--topic", "x", "--seed", "http://a.localhost/", "--set", "pagse=3"], "did you mean 'pages'"),
        (["crawl", "--example", "nothing.html", "--seed", "http://a.localhost/"], "no such file"),
        (["status", "nobody"], "no crawl named 'nobody'"),
        (["search", "nobody", "x"], "no crawl named 'nobody'"),
        (["serve", "--host", "0.0.0.0"], "lycosa tokens add NAME"),
    ],
)  # fmt: skip
def test_mistakes_are_answered_in_one_sentence(arguments: list[str], sentence: str, lycosa: Lycosa) -> None:
    done = lycosa(*arguments, check=False)
    assert done.returncode == 2, done
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_broken_job_file_names_the_place(lycosa: Lycosa, tmp_path: Path) -> None:
    job = tmp_path / "job.toml"
    job.write_text("pages = = 3", "utf-8")
    done = lycosa("crawl", str(job), check=False)
    assert done.returncode == 2
    assert "job.toml: not valid TOML" in done.stderr


def test_an_unreachable_seed_is_told(lycosa: Lycosa) -> None:
    order = ["crawl", "--topic", "birds", "--seed", "http://a.localhost:9/", "--set", "patience=1s", "--name", "lost"]
    done = lycosa(*order, "--set", 'fetching.allow_addresses=["127.0.0.1:9"]', check=False)
    assert done.returncode == 2
    assert "no page could be fetched: the seed http://a.localhost:9/ could not be reached (robots-unr" in done.stderr
    assert "Failed to connect" in done.stderr
    assert "patience" not in done.stderr
    guarded = lycosa(
        "crawl", "--topic", "birds", "--seed", "http://b.localhost:9/", "--set", "patience=1s", check=False
    )
    assert "http://b.localhost:9/ is at 127.0.0.1 (loopback)" in guarded.stderr


def test_a_port_in_use_is_told(lycosa: Lycosa) -> None:
    with serve_in_process("box:1?hosts=1&pages=1") as served:
        done = lycosa("serve", "--port", str(served.port), check=False)
    assert done.returncode == 2
    assert "in use" in done.stderr


def test_an_export_replaces_files_only(crawled: Crawled, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    told = crawled.run("export", "birds", "--to", "jsonl", "--output", str(pipe), check=False)
    assert (told.returncode, "is no file that can be written over" in told.stderr) == (2, True)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
