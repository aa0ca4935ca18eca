"""Class schemes and samples that are no files, are too much, or are gone: one sentence each, and nothing waits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import tiny_web
from tiny_web import TinyWeb, page

from lycosa.configuration import settings
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder import class_scheme as class_schemes
from lycosa.crawl_folder import structure_samples
from lycosa.crawl_folder.class_scheme import KEPT, keep_scheme, scheme_files, scheme_of_crawl
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.structure_samples import keep_samples, samples_of
from lycosa.inspection.explanation import explain
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.preparation.structure_samples import page_in_file
from lycosa.topics.classification import scheme_file as classes_file
from lycosa.topics.classification.scheme_file import scheme_of

SEED = "http://birds.localhost/"


def pipe(folder: Path) -> str:
    os.mkfifo(folder / "pipe.tsv")
    return str(folder / "pipe.tsv")


@pytest.fixture(params=["pipe", "/dev/zero"])
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Something that reading would wait for, or that fills memory."""
    return pipe(tmp_path) if request.param == "pipe" else request.param


# -- what is no file --------------------------------------------------------------------------------


def test_a_classification_that_is_no_file_is_never_opened(tmp_path: Path, endless: str) -> None:
    configuration = settings.build({"name": "c", "topic": {"scheme": endless}}, [], "test")
    with pytest.raises(ConfigurationError, match=f"{endless}: is no file; name a file of classes"):
        scheme_of_crawl(configuration, tmp_path / "crawl")
    with pytest.raises(ConfigurationError, match="is no file"):
        keep_scheme(configuration, tmp_path / "crawl")


def test_a_pipe_among_the_tables_of_a_folder_is_never_opened(tmp_path: Path) -> None:
    named = pipe(tmp_path)
    with pytest.raises(ConfigurationError, match=f"{named}: is no file"):
        scheme_files(tmp_path)


def test_a_sample_that_is_no_file_is_never_opened(tmp_path: Path, endless: str) -> None:
    configuration = settings.build({"name": "c", "structure": {"samples": [endless]}}, [], "test")
    with pytest.raises(
        ConfigurationError, match=rf"^structure\.samples: '{endless}': is no file; name the page itself"
    ):
        samples_of(configuration, tmp_path / "crawl")
    with pytest.raises(ConfigurationError, match=f"{endless}: is no file; give an HTML file"):
        page_in_file(endless)


def test_a_sample_is_not_read_beyond_its_bound(tmp_path: Path) -> None:
    (tmp_path / "large.bin").write_bytes(bytes(structure_samples.LARGEST_CODE + 1))
    configuration = settings.build({"name": "c", "structure": {"samples": ["large.bin"]}}, [], "test")
    with pytest.raises(ConfigurationError, match="is larger than 4 MiB; name the page itself"):
        samples_of(configuration, tmp_path)


# -- samples are written whole ----------------------------------------------------------------------


def test_a_full_disk_leaves_the_sample_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = Skeleton.written("html(head body(p p p))"), Skeleton.written("html(head body(div(p) div(p)))")
    keep_samples([before], tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        keep_samples([after], tmp_path)
    monkeypatch.undo()
    assert [path.name for path in (tmp_path / "structures").iterdir()] == ["1.bin"]
    assert Skeleton.from_bytes((tmp_path / "structures" / "1.bin").read_bytes()) == before
    keep_samples([after], tmp_path)
    assert Skeleton.from_bytes((tmp_path / "structures" / "1.bin").read_bytes()) == after


# -- how much a classification may be ---------------------------------------------------------------


def test_the_files_of_a_classification_are_bounded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.tsv", "b.tsv", "c.tsv"):
        (tmp_path / name).write_text(f"# {name}\n5\tScience\n", "utf-8")
    monkeypatch.setattr(class_schemes, "LARGEST_SCHEME", 40)
    with pytest.raises(ConfigurationError, match=r"c\.tsv: with it the files of .* have more than"):
        scheme_files(tmp_path)


def test_captions_and_phrases_have_a_length() -> None:
    scheme_of([("a.tsv", "5\t" + "x" * classes_file.LONGEST_CAPTION)])
    with pytest.raises(
        ConfigurationError, match=r"a\.tsv:2: caption: 'xxx.*…' is too long; use at most 300 characters"
    ):
        scheme_of([("a.tsv", "\n5\t" + "x" * (classes_file.LONGEST_CAPTION + 1))])
    for phrase in (", " * 300 + "owl", "-" * 501):
        with pytest.raises(ConfigurationError, match=r"a\.tsv:1: words: .* is too long"):
            scheme_of([("a.tsv", f"5\tScience\tbird; {phrase}")])


def test_words_and_classes_are_counted_over_all_files(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [("a.tsv", "5\tScience\tbird; owl\n"), ("b.tsv", "6\tWork\tsaw\n# more\n7\tArts\tsong; play\n")]
    assert len(scheme_of(texts)) == 3
    monkeypatch.setattr(classes_file, "MOST_PHRASES", 4)
    with pytest.raises(ConfigurationError, match=r"^b\.tsv:3: words: with these there are more than 4 words and"):
        scheme_of(texts)
    with pytest.raises(ConfigurationError, match=r"^c\.tsv:1: words: with these there are more than 4"):
        scheme_of([("c.tsv", "5\tScience\t" + ";" * 9)])
    monkeypatch.undo()
    monkeypatch.setattr(classes_file, "MOST_CLASSES", 2)
    with pytest.raises(ConfigurationError, match=r"^b\.tsv:3: there are more than 2 classes"):
        scheme_of(texts)


# -- classes near an unknown one --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "number", "told"),
    [
        ("746.92\tClothes", "7469", "there is no class 746.9; near it is 746.92 Clothes"),
        ("746.92\tClothes", "746", "there is no class 746; near it is 746.92 Clothes"),
        ("746.92\tClothes\n7\tArts", "746.8", "there is no class 746.8; near it are 7 Arts, 746.92 Clothes"),
        ("746.92\tClothes\n746.1\tYarn\n74\tDrawing", "7469",
         "there is no class 746.9; near it are 74 Drawing, 746.92 Clothes, 746.1 Yarn"),
        ("59\tAnimals", "598", "there is no class 598; near it is 59 Animals"),
        ("746.92\tClothes", "598", "there is no class 598; the classification has nothing near it"),
    ],
)  # fmt: skip
def test_classes_inside_and_beside_an_unknown_one_are_near_it(lines: str, number: str, told: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        scheme_of([("a.tsv", lines)]).find(number)
    assert str(error.value) == told


# -- explanations -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> CrawlFolder:
    home = tmp_path_factory.mktemp("home")
    (home / "mine.tsv").write_text("5\tScience\tscience\n59\tAnimals\tanimal\n598\tBirds\tbird; nest\n", "utf-8")
    topic = {"words": "birds nest", "scheme": str(home / "mine.tsv")}
    folder = tiny_web.crawl_folder(home, [SEED], strategy="breadth-first", topic=topic)
    keep_scheme(folder.configuration(), folder.path)
    tiny_web.run(folder, TinyWeb(lambda url: page("the nest of a bird", []) if url == SEED else None))
    return folder


@pytest.mark.parametrize(
    ("damage", "why"),
    [(b"598\tBirds\t;;\n", "mine.tsv:1: words"), (b"\xff", "no UTF-8 text"), (None, "no .tsv file")],
)
def test_a_url_is_explained_where_the_classification_is_damaged(
    crawled: CrawlFolder, damage: bytes | None, why: str
) -> None:
    kept = crawled.path / KEPT / "mine.tsv"
    whole = kept.read_bytes()
    assert "class 598 Birds" in " ".join(explain(crawled, SEED).lines())
    kept.unlink()
    if damage is not None:
        kept.write_bytes(damage)
    try:
        lines = explain(crawled, SEED).lines()
    finally:
        kept.write_bytes(whole)
    told = [line for line in lines if "what its classes are cannot be told" in line]
    assert len(told) == 1
    assert why in told[0]
    assert any("fetched: status 200" in line for line in lines)
    assert any(line.endswith("class 598") for line in lines)
