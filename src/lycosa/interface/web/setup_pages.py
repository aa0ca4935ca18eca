"""The page on which a crawl is set up: topic, where to begin, how much; for people who have read no manual."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from lycosa.configuration.settings import ConfigurationError
from lycosa.interface.operations.calls import Office
from lycosa.interface.operations.contact import remembered_contact
from lycosa.interface.shared.rendering import page
from lycosa.interface.shared.server_paths import sentence_of
from lycosa.plugins import registry
from lycosa.preparation.taxonomy_files import OwnTaxonomy
from lycosa.records import Record


class TopicChoice(Record, frozen=True):
    """A topic of the tree as it can be picked."""

    path: str
    label: str
    depth: int
    pages: tuple[str, ...]


def set_up_page(request: Request) -> Response:
    """`/crawls/new`."""
    office: Office = request.app.state.office
    topics, trouble = _topics(office)
    return page(
        request,
        "set_up.html",
        topics=topics,
        trouble=trouble,
        names=office.library.names(),
        strategies=registry.names("link_scorers"),
        contact_known=bool(remembered_contact(office.home)),
    )


def _topics(office: Office) -> tuple[list[TopicChoice], str]:
    """The whole tree, each topic after the one above it; a tree that cannot be read is told."""
    try:
        tree = OwnTaxonomy(office.home).load()
    except ConfigurationError as error:
        return [], sentence_of(error)
    nodes = [node for root in tree.roots() for node in (root, *tree.below(root.id))]
    return [TopicChoice(tree.path(node.id), node.label, len(tree.ancestors(node.id)), node.pages) for node in nodes], ""
