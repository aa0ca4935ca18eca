"""The beacon where it is not easy: hiding, single-page applications, opting out, policies, broken pages."""

from __future__ import annotations

from typing import Any

import pytest
from beacon_reader import LONG, Reader, reading
from listening_server import KEY, Site
from playwright.sync_api import Browser

from real_browser import until_scrolled

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(120)]

ROUTER = """<h1>one</h1><script>
  const show = () => { document.querySelector("h1").textContent = location.pathname.slice(1); };
  const go = (path, how = "pushState") => { history[how]({}, "", path); show(); };
  addEventListener("popstate", show);
</script>"""
GPC = "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', {get: () => true})"
DNT = "Object.defineProperty(Navigator.prototype, 'doNotTrack', {get: () => '1'})"
NOTES_LISTENERS = """window.added = [];
const add = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (kind, ...rest) {
  window.added.push(kind);
  return add.call(this, kind, ...rest);
};"""


def view_at(site: Site, path: str, *known: dict[str, Any]) -> dict[str, Any]:
    """The first event of a view of that path that is none of the known ones."""
    seen = {event["i"] for event in known}
    return site.listener.event(
        lambda event: event["n"] == 0 and event["u"] == site.address + path and event["i"] not in seen
    )


SEEN = """<script>
  addEventListener("visibilitychange", () => document.hidden || fetch("/is-seen"));
</script>"""
"""A page that says so when it comes to the front."""


def test_hiding_sends_and_the_view_goes_on_when_it_is_seen_again(browser: Browser, site: Site) -> None:
    with reading(browser, site):
        tabs = browser.new_browser_cdp_session()
        person = tabs.send("Target.createBrowserContext")
        url = site.page("/hidden", LONG + SEEN)
        first = tabs.send("Target.createTarget", {"url": url, **person})
        shown = site.listener.event(lambda event: event["n"] == 0)
        other = tabs.send("Target.createTarget", {"url": site.plain("/other", "other"), **person})
        hidden = site.listener.event(lambda event: event["n"] == 1)
        tabs.send("Target.activateTarget", first)
        site.visits.request(lambda heard: heard.path == "/is-seen")
        tabs.send("Target.activateTarget", other)
        again = site.listener.event(lambda event: event["n"] == 2)
        assert {event["i"] for event in (shown, hidden, again)} == {shown["i"]}
        assert again["d"] <= again["t"] - hidden["t"]
        tabs.send("Target.disposeBrowserContext", person)


READY = """<script>
  const idle = () => new Promise((done) => requestIdleCallback(done));
  onload = () => setTimeout(() => idle().then(idle).then(() => fetch("/is-ready")));
</script>"""
"""A page that says so once whatever waits for its loading and for idle time has had its turn."""


def test_a_page_in_the_background_is_no_visit_until_it_is_seen(browser: Browser, site: Site) -> None:
    with reading(browser, site):
        tabs = browser.new_browser_cdp_session()
        person = tabs.send("Target.createBrowserContext")
        tabs.send("Target.createTarget", {"url": site.page("/front", LONG), **person})
        site.listener.event(lambda event: event["u"].endswith("/front"))
        url = site.page("/behind", LONG + READY)
        behind = tabs.send("Target.createTarget", {"url": url, "background": True, **person})
        site.visits.request(lambda heard: heard.path == "/is-ready")
        assert site.listener.events("/behind") == []
        tabs.send("Target.activateTarget", behind)
        assert site.listener.event(lambda event: event["u"] == url)["n"] == 0
        tabs.send("Target.disposeBrowserContext", person)


def test_a_page_prepared_in_advance_is_no_visit_until_it_is_seen(browser: Browser, site: Site) -> None:
    with reading(browser, site):
        tabs = browser.new_browser_cdp_session()
        person = tabs.send("Target.createBrowserContext")
        later = site.page("/later", LONG + READY)
        rules = '{"prerender": [{"urls": ["/later"], "eagerness": "immediate"}]}'
        goes = "<script>fetch('/gate').then(() => { location.href = '/later'; })</script>"
        now = site.page("/now", goes, head=f"<script type=speculationrules>{rules}</script>")
        tabs.send("Target.createTarget", {"url": now, **person})
        try:
            ready = site.visits.request(lambda heard: heard.path == "/is-ready")
        except AssertionError:
            pytest.skip("Chromium chose not to prepare the page in advance; it decides by how busy the machine is")
        assert "prerender" in ready.headers["sec-purpose"]
        site.listener.event(lambda event: event["u"] == now)
        assert site.listener.events("/later") == []
        site.gate.set()
        seen = site.listener.event(lambda event: event["u"] == later)
        assert (seen["n"], seen["r"], seen["e"]) == (0, now, {})
        tabs.send("Target.disposeBrowserContext", person)


def test_engaged_is_visible_and_active(reader: Reader) -> None:
    reader.tab.clock.install(time=0)
    reader.tab.clock.pause_at(1000)
    reader.tab.goto(reader.site.page("/time", LONG))
    reader.tab.clock.run_for(8000)
    reader.tab.mouse.move(50, 50)
    reader.tab.clock.run_for(2000)
    reader.tab.keyboard.press("a")
    reader.tab.clock.run_for(100_000)
    reader.leaves()
    told = reader.site.listener.events
    reader.site.listener.event(lambda _: sum(event["d"] for event in told("/time")) == 110_000)
    assert sum(event["a"] for event in told("/time")) == 5000 + 2000 + 5000
    assert sorted(event["n"] for event in told("/time")) == list(range(len(told("/time"))))


def test_while_something_happens_it_is_sent_now_and_then(reader: Reader) -> None:
    """The visit, three times what happened, the first time with the text as it is then; in silence nothing; the end."""
    reader.tab.clock.install(time=0)
    reader.tab.clock.pause_at(1000)
    reader.tab.goto(reader.site.page("/long", LONG))
    reader.tab.clock.run_for(100)
    reader.tab.evaluate("document.body.append('more')")
    for _ in range(3):
        reader.tab.mouse.click(50, 50)
        reader.tab.clock.run_for(15_000)
    reader.tab.clock.run_for(60_000)
    reader.leaves()
    told = [reader.site.listener.event(lambda event, n=number: event["n"] == n) for number in range(5)]
    assert len(reader.site.listener.events("/long")) == 5
    assert [event["e"] for event in told[1:]] == [{"13": 1}, {"13": 1}, {"13": 1}, {}]
    assert told[1]["l"] > told[0]["l"]
    assert told[-1]["d"] > 50_000
    assert told[-1]["a"] == 0


def test_single_page_applications(reader: Reader) -> None:
    one = reader.reads(ROUTER, "/one")
    reader.tab.mouse.click(500, 500)
    reader.tab.evaluate("go('/second#part')")
    second = view_at(reader.site, "/second")
    end = reader.site.listener.event(lambda event: event["i"] == one["i"] and event["n"] == 1)
    assert (end["u"], end["e"], end["l"]) == (one["u"], {"13": 1}, len("one"))
    assert (second["r"], second["e"], second["l"]) == (one["u"], {}, len("second"))
    reader.tab.evaluate("go('/third', 'replaceState')")
    third = view_at(reader.site, "/third")
    assert (third["r"], third["e"], third["l"]) == (second["u"], {}, len("third"))
    reader.turns("history.back()")
    back = view_at(reader.site, "/one", one)
    assert (back["e"], back["r"]) == ({"4": 1}, third["u"])
    reader.turns("history.forward()")
    assert view_at(reader.site, "/third", third)["e"] == {"6": 1}


def test_where_direction_cannot_be_known_it_is_back(reader: Reader) -> None:
    reader.tab.add_init_script("delete window.navigation")
    reader.reads(ROUTER, "/one")
    reader.tab.evaluate("go('/second')")
    second = view_at(reader.site, "/second")
    reader.turns("history.back()")
    back = view_at(reader.site, "/one", reader.site.listener.events("/one")[0])
    reader.turns("history.forward()")
    assert (back["e"], view_at(reader.site, "/second", second)["e"]) == ({"4": 1}, {"4": 1})


def test_another_fragment_is_the_same_view(reader: Reader) -> None:
    reader.reads(ROUTER, "/one")
    reader.tab.evaluate("location.hash = 'part'; go('#other'); go('/one', 'replaceState')")
    assert reader.did() == {}


def test_an_application_keeps_its_history_functions(reader: Reader) -> None:
    reader.reads(ROUTER, "/one")
    answer = reader.tab.evaluate("[history.pushState({at: 1}, '', '/second') === undefined, history.state.at]")
    refused = reader.tab.evaluate(
        "() => { try { history.pushState({}, '', 'http://x/'); } catch (e) { return e.name; } }"
    )
    assert (answer, refused) == ([True, 1], "SecurityError")


@pytest.mark.parametrize("wish", [GPC, DNT], ids=["gpc", "dnt"])
def test_who_does_not_want_it_is_left_alone(browser: Browser, site: Site, wish: str) -> None:
    with reading(browser, site, extra_http_headers={"DNT": "1", "Sec-GPC": "1"}) as reader:
        reader.context.add_init_script(wish)
        reader.context.add_init_script(NOTES_LISTENERS)
        reader.tab.goto(site.page("/private", LONG))
        assert reader.tab.evaluate("[window.added, history.pushState === History.prototype.pushState]") == [[], True]
        reader.tab.mouse.click(50, 50)
        reader.tab.mouse.wheel(0, 200)
        until_scrolled(reader.tab, 101)
        reader.leaves()
        assert [heard.path for heard in site.listener.heard] == ["/beacon.js", "/end"]


def test_it_leaves_no_trace_in_the_browser(reader: Reader) -> None:
    reader.reads()
    assert reader.context.cookies() == []
    assert reader.context.storage_state() == {"cookies": [], "origins": []}
    assert reader.tab.evaluate("indexedDB.databases()") == []


def test_a_strict_policy_needs_only_the_collector(reader: Reader) -> None:
    policy = "default-src 'none'; script-src {0}; connect-src {0}; require-trusted-types-for 'script'"
    reader.reads("text", headers={"Content-Security-Policy": policy.format(reader.site.listening)})
    reader.tab.mouse.click(50, 50)
    assert reader.did() == {"13": 1}


def test_without_javascript_a_pixel_counts_the_page(browser: Browser, site: Site) -> None:
    with reading(browser, site, java_script_enabled=False) as reader:
        url = site.page("/still", LONG)
        reader.tab.goto(url + "?part=2")
        pixel = site.listener.request(lambda heard: heard.path.startswith("/pixel"))
        assert (pixel.path, pixel.headers["referer"]) == (f"/pixel.gif?k={KEY}", url + "?part=2")
        assert [heard.path for heard in site.listener.heard] == [pixel.path]


@pytest.mark.parametrize(
    "broken",
    [
        "delete Navigator.prototype.sendBeacon",
        "Navigator.prototype.sendBeacon = () => false",
        "delete window.requestIdleCallback",
        "for (const kind of [Object, Array, EventTarget, History, Navigator, Event]) Object.freeze(kind.prototype)",
        "Object.freeze(history)",
        "performance.getEntriesByType = () => []",
    ],
)
def test_it_works_in_a_broken_environment(reader: Reader, broken: str) -> None:
    reader.context.add_init_script(broken)
    reader.reads()
    reader.tab.mouse.click(50, 50)
    assert reader.did() == {"13": 1}


@pytest.mark.parametrize(
    "broken",
    [
        "Object.defineProperty(window, 'crypto', {value: undefined})",
        "window.addEventListener = () => { throw new Error('no'); }",
        "JSON.stringify = () => { throw new Error('no'); }",
        "Navigator.prototype.sendBeacon = () => { throw new Error('no'); }",
        "Object.defineProperty(document, 'currentScript', {value: null})",
    ],
)
def test_where_it_cannot_work_it_is_silent(reader: Reader, broken: str) -> None:
    reader.context.add_init_script(broken)
    reader.tab.goto(reader.site.page("/broken", LONG))
    reader.tab.mouse.click(50, 50)
    reader.tab.mouse.wheel(0, 200)
    reader.leaves()
    assert [heard.path for heard in reader.site.listener.posts()] == ["/end"]


def test_pasted_twice_it_counts_once(reader: Reader) -> None:
    reader.reads(f"<script async src='{reader.site.listening}/beacon.js' data-key='{KEY}'></script>")
    reader.tab.mouse.click(50, 50)
    assert reader.did() == {"13": 1}
    assert len({event["i"] for event in reader.site.listener.events()}) == 1


def test_on_an_origin_without_encryption(reader: Reader) -> None:
    url = reader.site.page("/plain", LONG).replace("127.0.0.1", "insecure.example")
    event = reader.opens(url)
    assert reader.tab.evaluate("isSecureContext") is False
    assert len(event["i"]) == 16


def test_events_go_where_data_to_says(reader: Reader) -> None:
    to = f"{reader.site.listening}/own/place"
    tag = f"<script async src='{reader.site.listening}/beacon.js' data-key=other data-to='{to}'></script>"
    reader.tab.goto(reader.site.plain("/own", "<!doctype html><body>text" + tag))
    assert reader.site.listener.request(lambda heard: heard.path == "/own/place").event["k"] == "other"


def test_a_huge_page_is_read_in_idle_time_and_up_to_a_million_characters(reader: Reader) -> None:
    event = reader.reads(f"<p style='overflow-wrap: anywhere'>{'a' * 1_200_000}</p>")
    assert (event["l"], event["s"]) == (1_000_000, 97_000_000)
    reader.site.listener.forget()
    reader.context.add_init_script("window.requestIdleCallback = () => 0")
    reader.tab.goto(reader.site.page("/busy", LONG))
    reader.leaves()
    reader.site.listener.event(lambda event: event["u"].endswith("/busy"))
    assert [("l" in event, event["n"]) for event in reader.site.listener.events("/busy")] == [(False, 0)]
