"""The classification of a crawl: read from a file or folder, kept with the crawl, refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.configuration import settings
from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder import class_scheme as class_schemes
from lycosa.crawl_folder.class_scheme import checked_classes, classes_told, keep_scheme, scheme_files, scheme_of_crawl

LINES = "5\tScience\tscience\n59\tAnimals\tanimal\n598\tBirds\tbird; nest\n"


def crawl(scheme: str = "", classes: tuple[str, ...] = ()) -> Configuration:
    return settings.build({"name": "c", "topic": {"scheme": scheme, "classes": list(classes)}}, [], "test")


def written(path: Path, text: str = LINES) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_a_folder_is_all_its_tables_in_order(tmp_path: Path) -> None:
    for name in ("b.tsv", "a.tsv", "notes.txt"):
        written(tmp_path / name, f"5\t{name}\n")
    assert [name for name, _ in scheme_files(tmp_path)] == ["a.tsv", "b.tsv"]


def test_what_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bytes.tsv").write_bytes(b"5\t\xff")
    for path, why in ((tmp_path / "none.tsv", "no such file"), (tmp_path / "bytes.tsv", "no UTF-8 text")):
        with pytest.raises(ConfigurationError, match=why):
            scheme_files(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match=r"no \.tsv file"):
        scheme_files(tmp_path / "empty")
    monkeypatch.setattr(class_schemes, "LARGEST_FILE", 3)
    with pytest.raises(ConfigurationError, match="is larger than"):
        scheme_files(written(tmp_path / "large.tsv"))


def test_a_crawl_keeps_its_own_copy(tmp_path: Path) -> None:
    source = written(tmp_path / "mine.txt")
    configuration, folder = crawl(str(source)), tmp_path / "crawl"
    keep_scheme(configuration, folder)
    written(source, "5\tChanged\n")
    keep_scheme(configuration, folder)
    assert scheme_of_crawl(configuration, folder) == (("mine.tsv", LINES),)
    source.unlink()
    assert scheme_of_crawl(configuration, folder) == (("mine.tsv", LINES),)
    assert scheme_of_crawl(crawl(), folder) == ()


def test_classes_are_checked_and_told(tmp_path: Path) -> None:
    scheme = scheme_files(written(tmp_path / "mine.tsv"))
    checked_classes(crawl(classes=("598", "598.25")), scheme)
    with pytest.raises(ConfigurationError, match="there is no class 77"):
        checked_classes(crawl(classes=("77",)), scheme)
    assert classes_told(crawl(classes=("598",)), scheme, []) == "classes: 598 Birds"
    assert "is 598 Birds" in classes_told(crawl(), scheme, ["the nest of a bird"])
    assert classes_told(crawl(), scheme, ["nothing known"]) == ""
