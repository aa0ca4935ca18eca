"""`lycosa topics classify`: the knowledge classes of texts and links, with the reason."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.class_scheme import scheme_files
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.commands.topics.taxonomy import DOCUMENTS, action, documents, fetching_options
from lycosa.interface.shared.wording import print_json, printable
from lycosa.topics.classification.classifier import Galaxy, galaxy_of_link, galaxy_of_texts
from lycosa.topics.classification.scheme import Scheme
from lycosa.topics.classification.scheme_file import scheme_in

GROUPS_SHOWN = 4


def add_actions(actions: Commands, shared: argparse.ArgumentParser) -> None:
    """What can be typed after `lycosa topics` about classes."""
    classify = action(actions, "classify", "the knowledge classes of texts, or of a link by its words", shared)
    classify.add_argument("document", **DOCUMENTS)  # type: ignore[arg-type]
    classify.add_argument("--text", action="append", default=[], metavar="TEXT", help="a text itself")
    classify.add_argument("--anchor", default="", help="the words of a link in the text: the class that it leads to")
    classify.add_argument("--number", action="append", default=[], metavar="N", help="what a class number means")
    classify.add_argument("--scheme", metavar="PATH", help="a classification of your own: a file, or a folder of them")
    fetching_options(classify)
    classify.set_defaults(run=run)


def run(told: argparse.Namespace) -> int:
    """Classify texts, or tell what numbers mean."""
    scheme = scheme_in(scheme_files(Path(told.scheme)) if told.scheme else ())
    if told.number:
        return _numbers(scheme, told.number, told.json)
    texts = [text for _, text in documents(told)]
    if told.anchor and len(texts) > 1:
        raise ConfigurationError("--anchor goes with one text; classify one link at a time")
    found = galaxy_of_link(scheme, texts[0], told.anchor) if told.anchor else galaxy_of_texts(scheme, texts)
    known = sum(map(scheme.share_known, texts)) / len(texts)
    if told.json:
        print_json(_plain(scheme, found, known))
    else:
        print("\n".join(map(printable, _lines(scheme, found, known))))
    return 0 if found.classes else 1


def _numbers(scheme: Scheme, numbers: list[str], as_json: bool) -> int:
    lines = [scheme.find(number) for number in numbers]
    if as_json:
        return print_json(
            [{"class": each.written, "caption": each.caption, "words": list(each.phrases)} for each in lines]
        )
    for each in lines:
        print(printable(f"{scheme.path(each.number)}: {', '.join(each.phrases) or 'no words of its own'}"))
    return 0


def _plain(scheme: Scheme, found: Galaxy, known: float) -> dict[str, Any]:
    return {
        "classes": [{"class": number, "path": scheme.path(number)} for number in found.classes],
        "why": found.why,
        "words": list(found.words),
        "known": round(known, 4),
        "steps": [
            {"inside": step.inside, "groups": [{"class": g.number, "n": g.n, "W": g.weight} for g in step.groups]}
            for step in found.steps
        ],
    }


def _lines(scheme: Scheme, found: Galaxy, known: float) -> list[str]:
    if not found.classes:
        return ["no word of it is known to the classification; try a longer text, or --scheme with one of your own"]
    lines = [scheme.path(number) for number in found.classes]
    for step in found.steps:
        groups = [f"{scheme.named(g.number)} (n {g.n}, W {g.weight:g})" for g in step.groups[:GROUPS_SHOWN]]
        more = f", and {len(step.groups) - GROUPS_SHOWN} more" if len(step.groups) > GROUPS_SHOWN else ""
        lines.append(f"  digit {len(step.inside) + 1}: {', '.join(groups)}{more}")
    lines.append(f"  words: {', '.join(found.words[:20])}")
    lines.append(f"  the classification knows {known:.0%} of the words")
    return lines
