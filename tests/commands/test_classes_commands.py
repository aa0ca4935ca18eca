import json
from pathlib import Path

import pytest

from lycosa.interface.cli import main

BIRDS = "The owl is a bird of prey; its plumage is soft and it lays eggs in a nest. Owls hunt at night."


def typed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def test_a_text_gets_its_class_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = typed(capsys, "topics", "classify", "--text", BIRDS)
    assert code == 0
    assert "598" in out.splitlines()[0]
    assert "digit 1:" in out
    assert "owl" in out


def test_a_link_in_a_text_gets_the_class_it_leads_to(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = typed(capsys, "topics", "classify", "--text", f"{BIRDS} See railways.", "--anchor", "owl", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["classes"][0]["class"].startswith("59")
    assert found["steps"][0]["groups"][0]["W"] > 0


def test_a_text_without_known_words_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = typed(capsys, "topics", "classify", "--text", "xyzzy plugh")
    assert code == 1
    assert "no word of it is known" in out


def test_a_number_is_explained_and_an_unknown_one_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    own = tmp_path / "own.tsv"
    own.write_text("5\tNature\n59\tAnimals\tbeast\n598\tBirds\towl; birds of prey\n", "utf-8")
    code, out, _ = typed(capsys, "topics", "classify", "--number", "598", "--scheme", str(own))
    assert code == 0
    assert out.strip() == "5 Nature > 59 Animals > 598 Birds: owl, birds of prey"
    code, _, err = typed(capsys, "topics", "classify", "--number", "777", "--scheme", str(own))
    assert code == 2
    assert "there is no class 777" in err


@pytest.mark.parametrize(
    ("written", "said"),
    [("59", "own.tsv:1: there is no tab"), ("x\tBirds", "own.tsv:1: the number"), ("", "there is no class in it")],
)
def test_a_wrong_scheme_is_refused_with_line_and_reason(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, written: str, said: str
) -> None:
    own = tmp_path / "own.tsv"
    own.write_text(written, "utf-8")
    code, _, err = typed(capsys, "topics", "classify", "--text", "owl", "--scheme", str(own))
    assert code == 2
    assert said in err


def test_a_scheme_that_is_not_there_or_no_text_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = typed(capsys, "topics", "classify", "--text", "owl", "--scheme", str(tmp_path / "none.tsv"))
    assert (code, "no such file" in err) == (2, True)
    (tmp_path / "bad.tsv").write_bytes(b"\xff\xfe\x00")
    code, _, err = typed(capsys, "topics", "classify", "--text", "owl", "--scheme", str(tmp_path / "bad.tsv"))
    assert (code, "no UTF-8" in err) == (2, True)
    code, _, err = typed(capsys, "topics", "classify", "--text", "owl", "--scheme", str(tmp_path / "sub"))
    assert code == 2


BOX = ("--set", "fetching.fetcher=simulated", "--set", "fetching.web=box:3?pages=200&hosts=5")
SEED = ("--seed", "http://birds-1.localhost:8080/", "--pages", "20", "--contact", "https://me.example/bot")


def test_a_crawl_tells_its_classes_and_keeps_those_of_its_pages(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    home = ("--home", str(tmp_path))
    code, _, err = typed(capsys, "crawl", "--topic", "owls and eagles", "--name", "a", *SEED, *BOX, *home)
    assert code == 0, err
    assert "the topic's class, by its words, is 598" in err
    typed(capsys, "export", "a", "--to", "jsonl", "--table", "pages", "--output", str(tmp_path / "p.jsonl"), *home)
    rows = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text("utf-8").splitlines()]
    assert any(row["classes"] for row in rows)
    seen = next(row for row in rows if row["classes"])
    _, out, _ = typed(capsys, "explain", "a", seen["url"], *home)
    assert f"class {seen['classes'].split()[0]}" in out


def test_a_crawl_by_classes_of_an_own_scheme_takes_it_along(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    own, home = tmp_path / "own.tsv", ("--home", str(tmp_path))
    own.write_text("5\tNature\tanimal\n59\tFeathered\tbird; nest; wing\n", "utf-8")
    by = ("--class", "59", "--topic", "birds", "--set", f"topic.scheme={own}", "--strategy", "treasure")
    code, _, err = typed(capsys, "crawl", "--name", "b", *by, *SEED, *BOX, *home)
    assert code == 0, err
    assert "classes: 59 Feathered" in err
    own.unlink()
    code, _, err = typed(capsys, "crawl", "--name", "b", *home, "--pages", "25")
    assert code == 0, err
    code, _, err = typed(capsys, "crawl", "--name", "c", "--class", "5x", "--topic", "birds", *SEED, *BOX, *home)
    assert (code, "'5x' is no class number" in err) == (2, True)
    by = ("--class", "777", "--set", f"topic.scheme={tmp_path / 'crawls' / 'b' / 'classes'}")
    code, _, err = typed(capsys, "crawl", "--name", "d", *by, "--topic", "birds", *SEED, *BOX, *home)
    assert (code, "there is no class 777" in err) == (2, True)
