"""How pages that are no articles are built: three more skeletons within the frame of every template.

All pages of a kind on a host have the same parts and differ in how many rows, paragraphs and points
these have. The parts come in the same order and with the same words in every template, so that a copy
of a page says on another host what the original says.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from lycosa.lab.simulated_web.page_kinds import KINDS

_FEWEST = 2
_LEAD_SENTENCES = 2


class Shape(NamedTuple):
    """The content of one kind of page: the whole, and its repeated parts."""

    whole: str
    lead: str
    row: str
    point: str


SHAPES: tuple[dict[str, Shape], ...] = (
    {
        "listing": Shape(
            "{lead}<section>\n<h2>{second}</h2>\n<ol>\n{rows}</ol>\n</section>\n"
            "<details>\n<summary>{first}</summary>\n{points}</details>\n",
            "<p>{}</p>\n",
            "<li><strong>{}</strong><p>{}</p></li>\n",
            "<p><small>{}</small></p>\n",
        ),
        "entry": Shape(
            "<section>\n<h2>{first}</h2>\n{lead}</section>\n<figure>\n<table>\n<tbody>\n{rows}</tbody>\n</table>\n"
            "<figcaption>{second}</figcaption>\n</figure>\n<ul>\n{points}</ul>\n",
            "<p>{}</p>\n",
            "<tr><th>{}</th><td>{}</td></tr>\n",
            "<li>{}</li>\n",
        ),
        "profile": Shape(
            "<section>\n<h2>{first}</h2>\n<dl>\n{rows}</dl>\n</section>\n{lead}"
            "<section>\n<h3>{second}</h3>\n<ol>\n{points}</ol>\n</section>\n",
            "<blockquote><p>{}</p></blockquote>\n",
            "<dt>{}</dt><dd>{}</dd>\n",
            "<li><em>{}</em></li>\n",
        ),
    },
    {
        "listing": Shape(
            '<div class="text">\n{lead}</div>\n<div class="grid">\n<h2>{second}</h2>\n<ul>\n{rows}</ul>\n</div>\n'
            '<div class="notes"><h4>{first}</h4>\n{points}</div>\n',
            "<p>{}</p>\n",
            '<li class="cell"><b>{}</b><span>{}</span></li>\n',
            "<div><i>{}</i></div>\n",
        ),
        "entry": Shape(
            '<div class="sheet">\n<h2>{first}</h2>\n{lead}</div>\n<div class="sheet">\n<dl>\n{rows}</dl>\n'
            '<h4>{second}</h4>\n</div>\n<div class="marks">\n{points}</div>\n',
            '<div class="text"><span>{}</span></div>\n',
            '<dt class="name">{}</dt><dd class="value">{}</dd>\n',
            '<div class="mark"><em>{}</em></div>\n',
        ),
        "profile": Shape(
            '<div class="badge">\n<h2>{first}</h2>\n<table>\n{rows}</table>\n</div>\n<div class="wide">\n{lead}</div>\n'
            '<div class="block">\n<h3>{second}</h3>\n<ol>\n{points}</ol>\n</div>\n',
            "<blockquote>{}</blockquote>\n",
            "<tr><td>{}</td><td>{}</td></tr>\n",
            "<li><span>{}</span></li>\n",
        ),
    },
    {
        "listing": Shape(
            '{lead}<h2>{second}</h2>\n<table cellpadding="4">\n{rows}</table>\n<h3>{first}</h3>\n{points}',
            "<p><i>{}</i></p>\n",
            '<tr><td><font size="4">{}</font></td><td><small>{}</small></td></tr>\n',
            "<p><small>{}</small></p>\n",
        ),
        "entry": Shape(
            '<h2>{first}</h2>\n{lead}<center><table border="1">\n{rows}</table>\n<i>{second}</i></center>\n'
            "<ul>\n{points}</ul>\n",
            '<p><font size="2">{}</font></p>\n',
            '<tr><th align="left">{}</th><td>{}</td></tr>\n',
            "<li>{}</li>\n",
        ),
        "profile": Shape(
            "<h2>{first}</h2>\n<dl>\n{rows}</dl>\n{lead}<h3>{second}</h3>\n<ol>\n{points}</ol>\n",
            "<blockquote>{}</blockquote>\n",
            "<dt><b>{}</b></dt><dd>{}</dd>\n",
            "<li><tt>{}</tt></li>\n",
        ),
    },
    {
        "listing": Shape(
            '<div class="well">\n{lead}</div>\n<h2>{second}</h2>\n<ul class="media-list">\n{rows}</ul>\n'
            '<div class="alert"><h5>{first}</h5>\n{points}</div>\n',
            "<p>{}</p>\n",
            '<li class="media"><div class="media-body"><strong>{}</strong><p>{}</p></div></li>\n',
            "<small>{}</small>\n",
        ),
        "entry": Shape(
            '<div class="media"><h2 class="media-title">{first}</h2>\n{lead}</div>\n<table class="table"><tbody>\n'
            '{rows}</tbody></table>\n<h5>{second}</h5>\n<div class="list-group">\n{points}</div>\n',
            '<div class="media-body"><p>{}</p></div>\n',
            "<tr><td>{}</td><td><span>{}</span></td></tr>\n",
            '<div class="list-group-item"><em>{}</em></div>\n',
        ),
        "profile": Shape(
            '<div class="jumbotron"><h2>{first}</h2>\n<dl class="row">\n{rows}</dl></div>\n{lead}'
            '<div class="panel"><h3 class="panel-title">{second}</h3>\n<ol class="steps">\n{points}</ol></div>\n',
            '<blockquote class="quote"><p>{}</p></blockquote>\n',
            '<dt class="col-4">{}</dt><dd class="col-8">{}</dd>\n',
            "<li><p>{}</p></li>\n",
        ),
    },
    {
        "listing": Shape(
            "<dd>\n{lead}</dd>\n<dt><h2>{second}</h2></dt>\n<dd><ul>\n{rows}</ul></dd>\n"
            "<dt><h4>{first}</h4></dt>\n<dd>\n{points}</dd>\n",
            "<p><i>{}</i></p>\n",
            "<li><b>{}</b><br>{}</li>\n",
            "<p><small>{}</small></p>\n",
        ),
        "entry": Shape(
            "<dt><h2>{first}</h2></dt>\n<dd>\n{lead}</dd>\n<dd><table>\n{rows}</table></dd>\n"
            "<dt><h3>{second}</h3></dt>\n<dd><ol>\n{points}</ol></dd>\n",
            "<div>{}</div>\n",
            "<tr><th>{}</th><td><em>{}</em></td></tr>\n",
            "<li>{}</li>\n",
        ),
        "profile": Shape(
            "<dt><h2>{first}</h2></dt>\n{rows}<dd>\n{lead}</dd>\n<dt><h4>{second}</h4></dt>\n"
            "<dd><ul>\n{points}</ul></dd>\n",
            "<blockquote><q>{}</q></blockquote>\n",
            "<dd><b>{}</b> <span>{}</span></dd>\n",
            "<li><i>{}</i></li>\n",
        ),
    },
)
"""The kinds but articles in each template, in the order of the templates."""


def shape_of(template: int, kind: int) -> Shape:
    """How a kind of page is built in a template."""
    return SHAPES[template][KINDS[kind]]


def row_count(lines: int, rng: Random) -> int:
    """How many rows a page with so many sentences has."""
    return max(_FEWEST, int(lines * (0.25 + 0.3 * rng.random())))


def shaped(shape: Shape, lines: Sequence[str], names: Sequence[str], headings: tuple[str, str], rng: Random) -> str:
    """The content of a page: some sentences to lead in, one for each row, the rest as points."""
    leading = max(_FEWEST, int(len(lines) * (0.15 + 0.2 * rng.random())))
    described = max(0, min(len(names), len(lines) - leading - _FEWEST))
    said = [*lines[leading : leading + described], *[""] * (len(names) - described)]
    starts = range(0, leading, _LEAD_SENTENCES)
    return shape.whole.format(
        first=headings[0],
        second=headings[1],
        lead="".join([shape.lead.format(" ".join(lines[k : min(k + _LEAD_SENTENCES, leading)])) for k in starts]),
        rows="".join([shape.row.format(name, line) for name, line in zip(names, said, strict=True)]),
        points="".join([shape.point.format(line) for line in lines[leading + described :]]),
    )
