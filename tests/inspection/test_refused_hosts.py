"""A host all of whose links were refused is no site of the crawl, wherever sites are listed or counted."""

from __future__ import annotations

import io
import json
from pathlib import Path

from tiny_web import TinyWeb, crawl_folder, page, run

from lycosa.inspection.export import print_table
from lycosa.interface.views.crawl_statistics import Ledger


def test_only_sites_that_links_were_let_in_of_are_listed(tmp_path: Path) -> None:
    links = ["/x", *(f"http://b{number}.example/" for number in range(3))]
    pages = {"http://a.example/": page("birds", links), "http://a.example/x": page("nest", [])}
    folder = crawl_folder(tmp_path, ["http://a.example/"], scope={"sites": "seeds"})
    run(folder, TinyWeb(pages.get))
    listed = io.StringIO()
    print_table(folder, "sites", listed)
    assert [json.loads(line)["site"] for line in listed.getvalue().splitlines()] == ["http://a.example"]
    assert [site.site for site in Ledger(folder).look().sites] == ["http://a.example"]
