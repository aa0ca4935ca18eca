"""The labels of Wikipedia for Schools are complete and cannot be read off its pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hand_made import SITE

from lycosa.configuration.settings import ConfigurationError
from lycosa.lab.webs import LabWeb, open_web
from lycosa.lab.wikispeedia import data_folder, gives_labels_away

ARTICLE = """<html><head><title>{0}</title></head><body><div id="content"><h1>{0}</h1>
<h3 id="siteSub"><a href="../../index.htm">2007 Selection</a>. Related subjects:
<a href="../index/subject.Science.Birds.htm">Secretword</a></h3>
<p>About {0}, with a link to <a href="../b/Bread.htm">bread</a> and its <a href="../index/alpha/b.htm">letter</a>.</p>
</div></body></html>"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    articles = {"o/Owl": "Owl", "b/Bread": "Bread", "%/%C3%89ire": "Éire", "c/C%2B%2B": "C++", "d/D'Arcy_(X)": "D'Arcy"}
    for name, title in articles.items():
        path = tmp_path / "wpcd" / "wp" / f"{name}.htm"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ARTICLE.format(title), "utf-8")
    index = tmp_path / "wpcd" / "wp" / "index" / "subject.Science.Birds.htm"
    index.parent.mkdir(parents=True)
    index.write_text('<html><body><p><a href="../o/Owl.htm">Owl</a></p></body></html>')
    categories = tmp_path / "paths-and-graph" / "categories.tsv"
    categories.parent.mkdir()
    categories.write_text(
        "# comment\n\nOwl\tsubject.Science.Birds\n%C3%89ire\tsubject.Places\nC%2B%2B\tsubject.IT\n"
        "D%27Arcy_(X)\tsubject.People\nOwl\tsubject.Animals\nGhost\tsubject.People\n"
    )
    return tmp_path


def test_every_article_gets_its_categories_however_its_name_is_encoded(data: Path, tmp_path: Path) -> None:
    web = open_web(f"wikispeedia:{data}", cache=tmp_path / "cache")
    assert web.labels == {
        f"{SITE}/wp/o/Owl.htm": {"subject.Science.Birds", "subject.Animals"},
        f"{SITE}/wp/%25/%25C3%2589ire.htm": {"subject.Places"},
        f"{SITE}/wp/c/C%252B%252B.htm": {"subject.IT"},
        f"{SITE}/wp/d/D'Arcy_(X).htm": {"subject.People"},
    }
    assert web.generic_seed == f"{SITE}/wp/b/Bread.htm"
    assert ["1 articles have no page, such as 'Ghost'" in warning for warning in web.warnings] == [True]


def leaks(web: LabWeb) -> list[str]:
    """Pages that tell their subject."""
    found = []
    for url in web.urls():
        page = web.page(url)
        assert page is not None
        said = [page.title, page.text, *page.headings]
        for link in page.links:
            said += [link.anchor, link.boundary, link.headings.main, link.headings.nearest, *link.headings.sections]
        shown = any("Secretword" in text or "Related subjects:" in text for text in said)
        if shown or any(gives_labels_away(link.url) for link in page.links) or gives_labels_away(url):
            found.append(url)
    return found


def test_nothing_of_the_subjects_is_left_on_the_pages(data: Path, tmp_path: Path) -> None:
    web = open_web(f"wikispeedia:{data}", cache=tmp_path / "cache")
    assert leaks(web) == []
    assert web.page(f"{SITE}/wp/index/subject.Science.Birds.htm") is None
    owl = web.page(f"{SITE}/wp/o/Owl.htm")
    assert owl is not None
    assert [link.url for link in owl.links] == [f"{SITE}/wp/b/Bread.htm"]
    assert "About Owl" in owl.text


def test_data_that_is_not_there_is_told_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LYCOSA_DATA", str(tmp_path))
    with pytest.raises(ConfigurationError, match="unpack the data and name its folder, or set LYCOSA_DATA"):
        open_web("wikispeedia:")


def test_a_damaged_category_file_is_told_with_its_line(data: Path, tmp_path: Path) -> None:
    (data / "paths-and-graph" / "categories.tsv").write_text("Owl\tsubject.Birds\nno tab here\n")
    with pytest.raises(ConfigurationError, match="line 2 has no tab"):
        open_web(f"wikispeedia:{data}", cache=tmp_path / "cache")


@pytest.mark.skipif(not (data_folder() / "wikispeedia" / "wpcd").is_dir(), reason="no Wikispeedia below LYCOSA_DATA")
def test_all_labelled_articles_of_the_real_web_are_found_and_none_tells_its_label() -> None:
    web = open_web("wikispeedia:")
    assert len(web.labels) == 4598
    assert web.warnings == []
    assert web.generic_seed == f"{SITE}/wp/b/Bread.htm"
    assert leaks(web) == []
    sizes = {"Birds": 161, "Chemical_elements": 119, "Music": 97, "IT": 84, "Everyday_life.Sports": 32, "Religion": 131}
    assert {name: len(web.topic(name)) for name in sizes} == sizes
