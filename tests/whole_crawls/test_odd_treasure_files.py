"""T-Graph files with a slip in them: the place and the reason are told, and what helps."""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF8
from pathlib import Path

import pytest

from lycosa.configuration.settings import ConfigurationError, build
from lycosa.crawl_folder import t_graph_files as treasure_folder
from lycosa.crawl_folder.t_graph_files import OWN_COPY, given_graph, keep_treasure, read_graph

ENTRY = {"distance": 1, "page": "http://a/", "boundary": "words"}
WHOLE = json.dumps({"format": "lycosa T-Graph", "version": 1, "nodes": [ENTRY]}, indent=1).encode()


def placed(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (WHOLE[:-3], r"line 10, column 2: damaged JSON \(the file ends too soon\)"),
        (WHOLE + b"\n\nmore\n", r"line 13, column 1: damaged JSON \(trailing characters\)"),
        (WHOLE.replace(b"1,\n   ", b"NaN,\n   "), r"line 6, column 16: damaged JSON \(invalid character\)"),
        (WHOLE.replace(b"words", rb"bird \ud800"), r"line 8, column 22: damaged JSON \(half of a character"),
        (WHOLE.replace(b"words", rb"bird \ud800 and more"), r"line 8, column 22: damaged JSON \(half of a character"),
        (WHOLE.replace(b"words", rb"bird \udc00 and more"), r"line 8, column 22: damaged JSON \(half of a character"),
        (WHOLE.replace(b"words", b"\xc3\xa9 \xff"), r"line 8, column 19: damaged JSON \(this is no UTF-8 text\)"),
        (BOM_UTF8 + b'{"format" 1}', r"line 1, column 11: damaged JSON"),
    ],
)
def test_a_slip_in_a_t_graph_is_told_with_its_place(tmp_path: Path, data: bytes, told: str) -> None:
    path = placed(tmp_path / "graph.json", data)
    with pytest.raises(ConfigurationError, match=told) as error:
        read_graph(path)
    assert str(error.value).startswith(f"{path}: line ")
    assert str(error.value).endswith("; correct it there, or build it anew with `lycosa treasure build`")


def test_a_byte_order_mark_before_a_t_graph_does_no_harm(tmp_path: Path) -> None:
    paired = WHOLE.replace(b"words", rb"\\ud800 \ud83e\udd89")
    plain, marked = placed(tmp_path / "a.json", paired), placed(tmp_path / "b.json", BOM_UTF8 + paired)
    assert read_graph(marked) == read_graph(plain)


@pytest.mark.parametrize("version", ["1", [], 1.5])
def test_a_strange_version_is_told_as_it_is_written(tmp_path: Path, version: object) -> None:
    path = placed(tmp_path / "graph.json", json.dumps({"format": "lycosa T-Graph", "version": version}).encode())
    with pytest.raises(ConfigurationError, match=r"a T-Graph of version .*, and this Lycosa reads version 1"):
        read_graph(path)


def test_too_many_nodes_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(treasure_folder, "MOST_NODES", 1000)
    entries = [ENTRY | {"boundary": f"words {number}"} for number in range(1234)]
    data = json.dumps({"format": "lycosa T-Graph", "version": 1, "nodes": entries})
    path = placed(tmp_path / "graph.json", data.encode())
    with pytest.raises(ConfigurationError, match="has 1,234 nodes; at most 1,000 are read"):
        read_graph(path)


def test_a_pipe_is_no_t_graph_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigurationError, match="pipe: is no file; `lycosa treasure build` makes"):
        read_graph(tmp_path / "pipe")


@pytest.mark.parametrize("damage", [WHOLE[:-3], b"\x00", b"", WHOLE.replace(b'"page"', b'"side"')])
def test_a_damaged_copy_of_a_crawl_is_told_with_what_helps_that_crawl(tmp_path: Path, damage: bytes) -> None:
    source, folder = placed(tmp_path / "graph.json", WHOLE), tmp_path / "crawl"
    configuration = build({"treasure": {"graph": str(source)}})
    own = placed(folder / OWN_COPY, damage)
    with pytest.raises(ConfigurationError, match=f"remove it, and the crawl takes its copy of {source} anew$"):
        given_graph(configuration, folder)
    own.unlink()
    assert given_graph(configuration, folder) == read_graph(source)
    keep_treasure(configuration, folder)
    assert own.read_bytes() == WHOLE
    source.unlink()
    own.write_bytes(damage)
    with pytest.raises(ConfigurationError, match="begin a crawl of another --name with a T-Graph that") as error:
        given_graph(configuration, folder)
    assert str(error.value).startswith(f"{own}: ")
