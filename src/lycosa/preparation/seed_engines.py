"""Which search engines can be asked for seeds (N1).

Engines are written `KIND:WHERE`, such as `searxng:http://127.0.0.1:8080` or
`index:NAME`; which of them are asked, and where the index of a crawl lies, is
known here.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.plugins import registry
from lycosa.plugins.plug_points import SeedEngine

ENGINES_FILE = "engines.txt"


def known_engines(base: Path) -> list[str]:
    """The engines to ask where none was named: those of `engines.txt`, else the indexes of all crawls here."""
    path = base / ENGINES_FILE
    listed = _listed(path) if path.is_file() else []
    found = listed or [f"index:{each.name}" for each in CrawlFolder.all(base) if (each.index / "meta.json").exists()]
    if not found:
        raise ConfigurationError(
            f"no search engine is known: name one (--engine searxng:http://127.0.0.1:8080), "
            f"or list some in {path}, one a line; crawls with an index are asked by themselves, but there is none yet"
        )
    return found


def _listed(path: Path) -> list[str]:
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read ({error}); it has one engine a line") from None
    return [line for line in (written.strip() for written in lines) if line and not line.startswith("#")]


def engines(notations: Iterable[str], base: Path, configuration: Configuration) -> list[SeedEngine]:
    """The engines that these notations name; a wrong one is refused before any is asked."""
    return [_engine(notation.strip(), base, configuration) for notation in notations]


def _engine(notation: str, base: Path, configuration: Configuration) -> SeedEngine:
    kind, _, where = notation.partition(":")
    if not where or where.startswith("//"):
        meant = f"searxng:{notation}" if where else "searxng:http://127.0.0.1:8080 or index:NAME"
        raise ConfigurationError(f"engine {notation!r} is no KIND:WHERE; write {meant}")
    place = str(CrawlFolder.find(base, where).index) if kind == "index" else where
    engine: SeedEngine = registry.find("seed_engines", kind)(configuration, place)
    return engine
