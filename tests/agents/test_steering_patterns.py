"""A crawl's folder: what people want of it is kept there."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.agents.folder import CrawlError, CrawlFolder
from lycosa.configuration import build


def test_an_order_is_lifted_however_the_opposite_is_spelled(tmp_path: Path) -> None:
    folder = CrawlFolder(tmp_path / "c")
    folder.create(build({"name": "c"}))
    folder.add_pattern("block", "S.Test/two words")
    folder.add_pattern("block", "https://s.test/two%20words")
    assert folder.configuration().scope.block == ("https://s.test/two%20words",)
    folder.add_pattern("allow", "s.test/two words")
    assert (folder.configuration().scope.block, folder.configuration().scope.allow) == ((), ())
    with pytest.raises(CrawlError, match="no URL could match '/private'"):
        folder.add_pattern("block", "/private")
