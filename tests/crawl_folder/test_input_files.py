"""Files that people name are read within bounds, and a crawl's own files are whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.input_files import bytes_of_file
from lycosa.durable import put_file
from lycosa.preparation.page_fetching import page_of_file

LARGEST = 1 << 20


def refusal(path: Path) -> str:
    with pytest.raises(ConfigurationError) as refused:
        bytes_of_file(path, LARGEST, "name another", "topic.examples")
    return str(refused.value)


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_bytes(b"x" * LARGEST)
    assert len(bytes_of_file(path, LARGEST, "name another")) == LARGEST
    path.write_bytes(b"x" * (LARGEST + 1))
    assert refusal(path) == "topic.examples: is larger than 1 MiB; name another"


def test_what_is_no_file_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe") == "topic.examples: is no file; name another"
    assert refusal(Path("/dev/zero")) == "topic.examples: is no file; name another"
    assert refusal(tmp_path) == "topic.examples: is a folder; name another"
    assert refusal(tmp_path / "none") == "topic.examples: no such file; name another"
    with pytest.raises(ConfigurationError, match="is no file"):
        page_of_file(tmp_path / "pipe", "http://site.test/")


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept"
    put_file(path, b"old")

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        put_file(path, b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["kept"]
    assert path.read_bytes() == b"old"
