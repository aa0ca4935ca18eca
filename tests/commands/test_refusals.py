"""What no crawl could go by is refused at the door: when it begins, when it is changed, and by those who run it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from real_crawl import quick

from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, Wish, own
from lycosa.crawl_folder.status import crawl_status
from lycosa.interface.cli import main
from lycosa.interface.commands.status import details
from lycosa.interface.operations import crawl_control as controls
from lycosa.interface.operations import crawl_start

SEED = "http://birds-1.localhost:8080/"
BOX = "box:7?hosts=4&pages=400&topics=3&size=2KiB&errors=0"


@pytest.fixture
def folder(tmp_path: Path) -> CrawlFolder:
    """A crawl that has begun."""
    made = CrawlFolder(tmp_path / "crawls" / "c")
    told = {"fetcher": "simulated", "web": BOX}
    made.create(build({"name": "c", "seeds": [SEED], "topic": {"words": "birds"}, "fetching": told}))
    made.agent(0).mkdir(parents=True)
    return made


NONSENSE = [
    ('scope.rules=["nosuch"]', "no admission rule named 'nosuch'"),
    ("clicks.source=/nonexistent", "there is no '/nonexistent'"),
    ("clicks.source=store", "lycosa clicks import"),
    ("strategy=nosuch", "no strategy named 'nosuch'"),
    ("strategy=structure", "--example-structure"),
    ("relevance.scorer=nosuch", "no page scorer named 'nosuch'"),
    ("ranking.name=nosuch", "no ranking named 'nosuch'"),
    ("fetching.fetcher=nosuch", "no fetcher named 'nosuch'"),
    ("fetching.web=nosuch", "is no simulated web"),
    ('fetching.allow_addresses=["nonsense"]', "fetching.allow_addresses"),
    ("topic.words=the", "only stop words"),
    ('topic.classes=["xyz"]', "xyz"),
    ('topic.examples=["nosuch.txt"]', "topic.examples"),
    ('structure.samples=["nosuch.bin"]', "structure.samples"),
    ("treasure.graph=nosuch.json", "nosuch.json"),
    ('seeds=["ftp://x"]', "is no http(s) URL"),
    ("seeds=[]", "at least one page"),
    ('scope.block=["^(a+)+$"]', "regular expression"),
    ('scope.allow=["/private"]', "no URL could match"),
    ("fetching.contact=nobody", "is no contact"),
    ("mode=nosuch", "mode"),
    ("partition=nosuch", "partition"),
    ("partition=url-hash", "cannot be changed once a crawl has begun"),
    ("agents=2", "cannot be changed once a crawl has begun"),
    ("name=d", "called what its folder is called"),
]


@pytest.mark.parametrize(("setting", "said"), NONSENSE)
def test_nonsense_is_refused_and_nothing_is_written(
    setting: str, said: str, folder: CrawlFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder.path / "crawl.toml").read_bytes()
    assert main(["--home", str(tmp_path), "set", "c", "pages=7", setting]) == 2
    told = capsys.readouterr().err.strip()
    assert said in told
    assert len(told.splitlines()) == 1
    assert (folder.path / "crawl.toml").read_bytes() == before


def test_what_can_be_is_changed_all_at_once(folder: CrawlFolder) -> None:
    controls.change(folder, ["agents=1", "strategy=breadth-first", 'scope.block=["birds-1.localhost"]', "pages=9"])
    found = folder.configuration()
    assert (found.pages, found.strategy) == (9, "breadth-first")


def test_what_agents_took_up_when_they_began_cannot_be_changed_while_they_run(folder: CrawlFolder) -> None:
    with CrawlFolder(folder.path).owned():
        for setting in ("mode=firewall", "fetching.contact=me@example.org"):
            with pytest.raises(CrawlError, match="cannot be changed while the crawl runs"):
                controls.change(folder, [setting])
    controls.change(folder, ["fetching.contact=me@example.org"])


def test_a_crawl_that_has_not_begun_keeps_a_seed_that_is_let_in(folder: CrawlFolder) -> None:
    folder.agent(0).rmdir()
    with pytest.raises(Exception, match="no seed is let in"):
        controls.change(folder, ['scope.block=["birds-1.localhost"]'])


# -- two at once ----------------------------------------------------------------------------------


def begin(home: Path, topic: str) -> int:
    return main(["--home", str(home), "crawl", "--name", "c", "--topic", topic, "--seed", SEED, *quick(BOX)])


def meanwhile(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Let something happen when a crawl has been prepared and has written nothing yet."""
    monkeypatch.setattr(crawl_start, "check_a_seed_is_let_in", lambda configuration: happens())


def test_who_comes_second_changes_nothing(
    folder: CrawlFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder.path / "crawl.toml").read_bytes()
    held = []
    meanwhile(monkeypatch, lambda: held.append(own(folder.path / "lock", "it")))
    assert begin(tmp_path, "birds") == 2
    held.pop().close()
    assert "in use by another process" in capsys.readouterr().err
    assert (folder.path / "crawl.toml").read_bytes() == before


def test_settings_that_were_made_meanwhile_are_not_written_over(
    folder: CrawlFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    meanwhile(monkeypatch, lambda: folder.change("pages=77"))
    assert begin(tmp_path, "birds") == 2
    assert "was changed by somebody else just now" in capsys.readouterr().err
    assert folder.configuration().pages == 77


def test_a_folder_that_is_owned_is_taken_over_and_then_free(folder: CrawlFolder) -> None:
    with folder.owned():
        with pytest.raises(CrawlError, match="in use"), CrawlFolder(folder.path).owned():
            raise AssertionError
        with folder.owned():
            assert folder.running()
        assert not folder.running()
    with folder.owned():
        assert folder.running()


# -- settings that were written by hand -----------------------------------------------------------


def until(holds: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait for another process, which tells only through files."""
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it did not come to pass"
        time.sleep(0.02)


def test_a_running_crawl_goes_on_when_its_settings_are_spoilt(tmp_path: Path) -> None:
    folder = CrawlFolder(tmp_path / "crawls" / "c")
    told = ["--topic", "birds", "--seed", SEED, *quick(BOX, "politeness.delay=50ms", "index.enabled=false")]
    order = [sys.executable, "-m", "lycosa.interface.cli", "--home", str(tmp_path), "crawl", "--name", "c", *told]
    with subprocess.Popen(order, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as running:
        until(lambda: folder.exists and folder.statuses(1))
        (folder.path / "crawl.toml").write_text("no toml [", "utf-8")
        until(lambda: folder.statuses(1)[0]["settings_trouble"])
        had = folder.statuses(1)[0]["fetched"]
        until(lambda: folder.statuses(1)[0]["fetched"] > had)
        folder.want(Wish.STOP)
        said = running.communicate(timeout=30)[1]
    assert running.returncode == 0, said


def test_status_says_that_settings_were_not_taken_up(folder: CrawlFolder) -> None:
    status = crawl_status(folder)
    assert "not taken up" not in details(status)[0]
    troubled = msgspec.structs.replace(status, trouble="no strategy named 'x'")
    assert "the crawl goes on with those before: no strategy named 'x'" in details(troubled)[0]
