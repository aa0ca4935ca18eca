"""A small crawl whose pages are really stored: well-meant, changing, odd and hostile ones."""

from __future__ import annotations

import gzip
from pathlib import Path

from small_crawl import LONG_AGO, a_crawl

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.pages.document import read_page
from lycosa.queue_records import Changes, SiteRecord, State, UrlRecord, url_key
from lycosa.records import Fetched, Link, Response
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.archive import Archive, Position
from lycosa.storage.catalogue import VisitRow
from lycosa.storage.link_columns import LinkColumns
from lycosa.urls import fingerprint, site_of

SITE = "https://spiders.example"
WOLF = f"{SITE}/wolf"
HUNT = f"{SITE}/hunt"
EVIL = "https://evil.example/trap"
HOSTILE = """<!doctype html><html><head><title>Trap <img src=x onerror="window.attacked='title'"></title>
<base href="https://elsewhere.example/"><meta http-equiv="refresh" content="0;url=https://elsewhere.example/refreshed">
<link rel="stylesheet" href="https://elsewhere.example/style.css"><link rel="preconnect" href="https://elsewhere.example">
<link rel="prefetch" href="https://elsewhere.example/next"><link rel="icon" href="https://elsewhere.example/icon.png">
<style>@import url("https://elsewhere.example/import.css");
@font-face { font-family: x; src: url(https://elsewhere.example/f.woff) }
body { background: url(https://elsewhere.example/ground.png); font-family: x; color: rgb(1, 2, 3) }</style>
<script>window.attacked = top.attacked = "script"; fetch("https://elsewhere.example/fetched")</script>
<script src="https://elsewhere.example/evil.js"></script></head>
<body onload="top.attacked='load'" background="https://elsewhere.example/body.png"><main>
<h1>The trapdoor spider</h1>
<p onclick="top.attacked='click'">It waits behind a door of silk &lt;script&gt;alert(1)&lt;/script&gt; and
hears its prey walk by. It is patient, and it never runs far from home;
whoever comes near enough is caught in an instant, and eaten behind the closed door.</p>
<img src="https://elsewhere.example/picture.png" srcset="https://elsewhere.example/2x.png 2x"
onerror="top.attacked='image'" alt="a door">
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==" alt="a dot">
<p><a id="away" href="https://elsewhere.example/left"
ping="https://elsewhere.example/ping" target="_top">A link to elsewhere</a>
<a href="javascript:top.attacked='address'">A script</a> <a id="below" href="#end">Below</a></p>
<form action="https://elsewhere.example/form" id="form"><input name="a" autofocus>
<button formaction="https://elsewhere.example/b">Go</button></form>
<iframe src="https://elsewhere.example/frame"></iframe><iframe srcdoc="<script>top.attacked='srcdoc'</script>"></iframe>
<object data="https://elsewhere.example/object"></object><embed src="https://elsewhere.example/embed">
<video src="https://elsewhere.example/v.mp4" poster="https://elsewhere.example/p.png" autoplay></video>
<svg><image href="https://elsewhere.example/i.svg"
xlink:href="https://elsewhere.example/x.svg"/><use href="https://elsewhere.example/u.svg#a"/>
<script>top.attacked='svg'</script><a xlink:href="javascript:top.attacked='svg link'"><text>t</text></a>
<foreignObject><img src=x onerror="top.attacked='foreign'"></foreignObject></svg>
<math><mtext><style><img src=x onerror="top.attacked='mutation'"></style></mtext></math>
<noscript><p title="</noscript><img src=x onerror=top.attacked='noscript'>">
<meta http-equiv="refresh" content="0;url=https://elsewhere.example/n"></noscript>
<template shadowrootmode="open"><a href="https://elsewhere.example/shadow">shadow</a></template>
<div style="background-image: url('https://elsewhere.example/inline.png');
list-style: url(//elsewhere.example/list.png)">styled</div>
<table background="https://elsewhere.example/t.png"><tr><td>left</td><td>right</td></tr></table>
<p id="end">The end.</p></main></body></html>"""
PARAGRAPHS = "".join(
    f"<p>Paragraph {number}: the wolf spider hunts by sight, runs down its prey among fallen leaves, and rests.</p>"
    for number in range(60)
)


def wolf(told: str) -> str:
    """The page that changes."""
    return f"""<html lang=en><head><title>The wolf spider</title></head><body><nav><a href=/>Home</a></nav><main>
<h1>Wolf spiders</h1><p>The <b>wolf</b> spider hunts by sight. {told}</p><h3>Where it lives</h3>
<ul><li>in meadows</li><li>among <a href="/hunt">hunting grounds</a></li></ul>
<table><tr><th>Eyes</th><td>8</td></tr></table><pre>one
  two</pre><blockquote><p>It carries its young.</p></blockquote>
<p><a href="/leaflet.pdf">A leaflet</a>
<a href="/unfetched">More</a> <a href="https://other.example/">Another site</a></p>
{PARAGRAPHS}
</main></body></html>"""


def a_crawl_to_read(home: Path, name: str = "reads") -> CrawlFolder:
    """A crawl of one agent with stored pages, of which one has three visits and two versions."""
    folder = a_crawl(home, name)
    html = "text/html; charset=utf-8"
    visits = [
        (f"{SITE}/", b"<title>Home</title><p>Home of the spiders", html),
        (WOLF, wolf("It has eight eyes.").encode(), html),
        (HUNT, wolf("It hunts.").replace("The wolf spider</title>", "The hunt</title>").encode(), html),
        (EVIL, HOSTILE.encode(), html),
        (f"{SITE}/plain", b"First line\n\nSecond <b>part</b> & more", "text/plain"),
        (f"{SITE}/leaflet.pdf", b"%PDF-1.4 \x00\x01 binary", "application/pdf"),
        (
            f"{SITE}/umlaut",
            "<title>Käfer</title><p>Die Käfer über dem Moor".encode("cp1252"),
            "text/html; charset=utf-8",
        ),
        (f"{SITE}/huge", b"<title>Huge</title>" + b"<p>A long, long walk of a spider.</p>" * 300_000, html),
        (f"{SITE}/empty", b"", html),
        (f"{SITE}/noindex", b"<meta name=robots content=noindex><title>Private</title><p>Not for the index.", html),
        (WOLF, wolf("It has eight eyes and good ones.").encode(), html),
    ]
    with AgentStore(folder.agent(0) / "store") as store:
        archive = Archive(folder.archive, "agent-0", Position(), 1 << 30)
        rows = [_row(archive, LONG_AGO + 60 * number, *visit) for number, visit in enumerate(visits)]
        rows.append(VisitRow(WOLF, LONG_AGO + 9000, 0, "unchanged", status=304))
        rows.append(VisitRow(f"{SITE}/old", LONG_AGO, 0, "redirected", status=301, target=WOLF))
        rows.append(VisitRow(f"{SITE}/gone", LONG_AGO, 0, "failed", "http-404"))
        store.commit(Batch(_known(rows), rows, position=archive.position))
        archive.close()
    (folder.agent(0) / "store" / "ready").touch()
    return folder


def _row(archive: Archive, at: float, url: str, body: bytes, kind: str) -> VisitRow:
    packed = gzip.compress(body)
    headers = (("Content-Type", kind), ("Content-Encoding", "gzip"), ("Set-Cookie", "evil=1"))
    (place,) = archive.append([Response(url, 200, headers, body, packed, at)])
    page = read_page(Fetched(Link(url), Response(url, 200, headers, body, packed, at)))
    links = LinkColumns.of(page.links, [0.5] * len(page.links))
    return VisitRow(
        url, at, 0, "fetched", status=200, mime=kind.partition(";")[0], title=page.title, length=len(body),
        digest=page.digest.hex(), relevance=0.75, relevance_why="spiders are its topic", importance=0.5,
        noindex=page.noindex, file=place.file, offset=place.offset, size=place.length, links=links, classes="595",
    )  # fmt: skip


def _known(rows: list[VisitRow]) -> Changes:
    changes = Changes()
    states = {row.url: State.FAILED if row.outcome == "failed" else State.DONE for row in rows}
    states |= {f"{SITE}/unfetched": State.WAITING, f"{SITE}/secret": State.REFUSED}
    sites = sorted({site_of(url) for url in states})
    for number, site in enumerate(sites, 1):
        changes.sites[number] = SiteRecord(number, site)
    for number, (url, state) in enumerate(states.items(), 1):
        key = url_key(sites.index(site_of(url)) + 1, fingerprint(url))
        parent = SITE + "/" if url == WOLF else ""
        changes.urls[key] = UrlRecord(
            url, state, 0.25, LONG_AGO, parent=parent, anchors=("about <wolves>",), why="robots", number=number
        )
    return changes
