"""The structures of real pages, twelve each of eighty sites, where they have been unpacked."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from lycosa.pages.document import read_structure
from lycosa.pages.structure.skeleton import Skeleton


@cache
def structures_of_sites() -> dict[str, list[Skeleton]]:
    """The structures of the pages of each site; skips the test where there are none."""
    data = Path(os.environ.get("LYCOSA_DATA") or Path.home() / ".cache" / "lycosa-data") / "structure"
    files = sorted(data.glob("*/*/*.htm"))
    if not files:
        pytest.skip(f"no pages of sites at {data}; set LYCOSA_DATA")
    sites: dict[str, list[Skeleton]] = {}
    for file in files:
        sites.setdefault(file.parent.name, []).append(read_structure(file.read_bytes()))
    return sites
