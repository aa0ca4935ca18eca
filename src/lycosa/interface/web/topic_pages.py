"""The pages about topics: the tree, one topic, which topics a text is about, what the topics lack, and the classes."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.interface.operations.calls import Office
from lycosa.interface.operations.crawl_setup import Texts, map_texts
from lycosa.interface.operations.proposals import proposals_told
from lycosa.interface.operations.topics import ClassAsked, classified, get_class, named_topic, topic_detail
from lycosa.interface.shared.foreign_text import href, tidy
from lycosa.interface.shared.rendering import page
from lycosa.interface.views.topic_tree import MOST_SHOWN, branches, known_topics, matching
from lycosa.interface.web.error_pages import asked_number, small_form, with_ways_on
from lycosa.interface.web.t_graph_pages import crawls_with_graphs, treasure_page
from lycosa.preparation.taxonomy_files import OwnTaxonomy
from lycosa.preparation.taxonomy_proposals import OwnVocabulary

LONGEST_NAME, LONGEST_WORDS, LONGEST_TEXT = 1000, 300, 200_000
PER_PAGE, MOST_NUMBER = 20, 10_000
TABS = (
    ("/topics", "Tree"),
    ("/topics/map", "Map a text"),
    ("/topics/proposals", "Proposals"),
    ("/topics/classes", "Classes"),
)
TREE = ("/topics", "The tree of topics")
CRAWLS = ("/", "The crawls")


@with_ways_on("topics", [CRAWLS])
def topics_page(request: Request) -> Response:
    """`/topics?q=WORDS&under=TOPIC`: the tree, what fits some words, or what is below a topic."""
    office: Office = request.app.state.office
    typed = tidy(request.query_params.get("q", "")[:LONGEST_WORDS])
    taxonomy = known_topics(office.home)
    name = request.query_params.get("under", "")[:LONGEST_NAME]
    under = named_topic(taxonomy, name) if name else None
    inside = under.id if under else ""
    hits = matching(taxonomy, typed, inside) if typed else None
    shown = branches(taxonomy, inside, hits)
    return page(
        request, "topics.html", tabs=TABS, tab="/topics", typed=typed, under=under, branches=shown,
        found=len(hits) if hits is not None else None, total=len(taxonomy), most=MOST_SHOWN,
        whole=hits is None and not under and len(taxonomy) <= MOST_SHOWN,
        graphs=crawls_with_graphs(office.home),
    )  # fmt: skip


@with_ways_on("topics", [TREE])
def topic_page(request: Request) -> Response:
    """`/topics/node?path=NAME`: one topic."""
    office: Office = request.app.state.office
    taxonomy = known_topics(office.home)
    found = topic_detail(taxonomy, named_topic(taxonomy, request.query_params.get("path", "")[:LONGEST_NAME]))
    pages = [(tidy(url), href(url), url) for url in found.pages]
    last = next((edit.what for edit in reversed(OwnTaxonomy(office.home).history())), "")
    return page(request, "topic.html", tabs=TABS, tab="", found=found, pages=pages, last_edit=last)


async def map_page(request: Request) -> Response:
    """`/topics/map`: a text is sent as a form, and the topics that it is about come back."""
    form = await small_form(request) if request.method == "POST" else {}
    return await run_in_threadpool(_mapped, request, form.get("text", "").strip()[:LONGEST_TEXT])


@with_ways_on("topics", [TREE])
def _mapped(request: Request, text: str) -> Response:
    office: Office = request.app.state.office
    matched = map_texts.act(office, Texts((text,))) if text else None
    empty = request.method == "POST" and not text
    return page(
        request, "topics_map.html", 422 if empty else 200,
        tabs=TABS, tab="/topics/map", text=text, matched=matched, empty=empty,
    )  # fmt: skip


@with_ways_on("topics", [TREE])
def proposals_page(request: Request) -> Response:
    """`/topics/proposals?page=N`: what the topics lack, to accept or reject."""
    office: Office = request.app.state.office
    number = asked_number(request, "page", MOST_NUMBER)
    told = proposals_told(OwnVocabulary(office.home).noted(), PER_PAGE, PER_PAGE * (number - 1))
    last = next((edit.what for edit in reversed(OwnTaxonomy(office.home).history())), "")
    taxonomy = known_topics(office.home)
    paths = {each.node: taxonomy.path(each.node) for each in told.proposals if each.node in taxonomy}
    return page(
        request, "topics_proposals.html", tabs=TABS, tab="/topics/proposals", told=told, last_edit=last, paths=paths,
        number=number, last=-(-told.total // PER_PAGE), crawls=office.library.names(), href=href, tidy=tidy,
    )  # fmt: skip


async def classes_page(request: Request) -> Response:
    """`/topics/classes?number=N`: the decimal classes; a text that is sent as a form is classified."""
    form = await small_form(request) if request.method == "POST" else {}
    return await run_in_threadpool(_classes, request, form.get("text", "").strip()[:LONGEST_TEXT])


@with_ways_on("topics", [("/topics/classes", "All classes"), TREE])
def _classes(request: Request, text: str) -> Response:
    office: Office = request.app.state.office
    found = get_class.act(office, ClassAsked(request.query_params.get("number", "").strip()[:16]))
    told = classified(text) if text else None
    empty = request.method == "POST" and not text
    address = "/topics/classes" + (f"?{urlencode({'number': found.number})}" if found.number else "")
    return page(
        request, "topics_classes.html", 422 if empty else 200, tabs=TABS, tab="/topics/classes", found=found,
        text=text, told=told, empty=empty, address=address,
    )  # fmt: skip


TOPIC_ROUTES = [
    Route("/topics", topics_page),
    Route("/topics/node", topic_page),
    Route("/topics/map", map_page, methods=["GET", "POST"]),
    Route("/topics/proposals", proposals_page),
    Route("/topics/classes", classes_page, methods=["GET", "POST"]),
    Route("/crawl/{name}/treasure", treasure_page),
]
