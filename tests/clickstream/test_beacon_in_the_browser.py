"""Each action that a script can see, done by a person in a real Chromium: exactly that action arrives."""

from __future__ import annotations

import pytest
from beacon_reader import LONG, Reader, launched, reading
from listening_server import KEY, Site
from playwright.sync_api import Browser

from real_browser import until_scrolled

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(120)]


def turn_the_wheel(reader: Reader) -> None:
    """Turn the wheel, and see the page move."""
    before = reader.tab.evaluate("scrollY")
    reader.tab.mouse.move(300, 300)
    reader.tab.mouse.wheel(0, 200)
    until_scrolled(reader.tab, before + 200)


def test_a_visit_says_all_that_the_contract_names(reader: Reader) -> None:
    event = reader.reads("<h1>Spiders</h1><p>Wolf — 🕷</p><p hidden>unseen</p>", "/visit")
    text = "Spiders\n\nWolf — 🕷"
    assert set(event) == {"v", "k", "i", "n", "u", "r", "t", "a", "d", "l", "s", "o", "e"}
    assert (event["v"], event["k"], event["n"], event["r"]) == (1, KEY, 0, "")
    units = memoryview(text.encode("utf-16-le")).cast("H")
    assert (event["l"], event["s"], event["o"]) == (len(units), sum(units), 0)
    assert len(event["i"]) == 16
    assert int(event["i"], 16) >= 0
    assert abs(event["t"] - reader.tab.evaluate("Date.now()")) < 60_000
    assert 0 <= event["a"] <= event["d"]
    sent = reader.site.listener.posts()[0]
    assert (sent.path, sent.headers["content-type"]) == ("/collect", "text/plain;charset=UTF-8")
    assert sent.headers["origin"] == reader.site.address
    assert "cookie" not in sent.headers


def test_download_links_are_counted(reader: Reader) -> None:
    counted = ["/a.zip", "/b.PDF?page=1#top", "https://other.example/c.tar.gz", "/odd.docx"]
    others = ["/zip", "/a.html", "/?file=a.zip", "mailto:me@host.zip", "javascript:'a.zip'", "/a.zip/"]
    links = "".join(f'<a href="{href}">x</a> ' for href in counted + others)
    event = reader.reads(links + '<a href="/whatever" download>x</a> <a download>no link</a>')
    assert event["o"] == len(counted) + 1


def test_opened_directly(reader: Reader) -> None:
    assert reader.reads()["e"] == {"5": 1}


def test_by_a_link_is_not_direct_and_tells_where_from(reader: Reader) -> None:
    second = reader.site.page("/second")
    first = reader.reads("<a href=/second>on</a>", "/first")
    reader.tab.get_by_role("link").click()
    event = reader.site.listener.event(lambda event: event["u"] == second)
    assert (event["e"], event["r"]) == ({}, first["u"])


def test_scrolling_counts_gestures(reader: Reader) -> None:
    reader.tab.clock.install()
    reader.reads()
    turn_the_wheel(reader)
    turn_the_wheel(reader)
    reader.tab.clock.run_for(1000)
    turn_the_wheel(reader)
    assert reader.did() == {"1": 2}


def test_scrolling_by_the_scroll_bar(reader: Reader) -> None:
    reader.reads()
    reader.tab.mouse.move(995, 40)
    reader.tab.mouse.down()
    reader.tab.mouse.move(995, 300, steps=5)
    until_scrolled(reader.tab, 201)
    reader.tab.mouse.up()
    assert reader.did() == {"1": 1}


def test_scrolling_by_touch(browser: Browser, site: Site) -> None:
    with reading(browser, site, has_touch=True) as reader:
        reader.reads()
        finger = reader.context.new_cdp_session(reader.tab)
        finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": 300, "y": 600}]})
        for y in range(580, 200, -20):
            finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": 300, "y": y}]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        until_scrolled(reader.tab, 201)
        assert reader.did() == {"1": 1}


def test_a_page_that_scrolls_by_itself_is_not_scrolled(reader: Reader) -> None:
    reader.reads()
    reader.tab.evaluate("new Promise((done) => { onscroll = done; scrollTo(0, 500); })")
    assert reader.did() == {}


def test_copy(reader: Reader) -> None:
    reader.reads()
    reader.tab.keyboard.press("Control+c")
    reader.tab.evaluate("getSelection().selectAllChildren(document.querySelector('p'))")
    reader.tab.keyboard.press("Control+c")
    assert reader.did() == {"2": 1}


@pytest.mark.parametrize(
    ("keys", "action"),
    [
        (["Control+f"], {"3": 1}),
        (["Meta+f", "F3"], {"3": 2}),
        (["Control+d"], {"8": 1}),
        (["Meta+d"], {"8": 1}),
        (["Control+s"], {"10": 1}),
        (["ArrowDown", "ArrowDown", "ArrowUp", "PageDown", "PageUp"], {"15": 5}),
        (["f", "d", "s", "ArrowLeft", "Control+Shift+s", "Alt+d", "Shift+ArrowDown", "Escape"], {}),
    ],
)
def test_keys(reader: Reader, keys: list[str], action: dict[str, int]) -> None:
    reader.reads()
    for key in keys:
        reader.tab.keyboard.press(key)
    assert reader.did() == action


def test_a_key_held_down_counts_once(reader: Reader) -> None:
    reader.reads()
    for _ in range(5):
        reader.tab.keyboard.down("ArrowDown")
    assert reader.did() == {"15": 1}


def test_shortcuts_on_a_keyboard_with_other_letters(reader: Reader) -> None:
    reader.reads()
    pressed = {"type": "rawKeyDown", "modifiers": 2, "key": "а", "code": "KeyF", "windowsVirtualKeyCode": 70}
    reader.context.new_cdp_session(reader.tab).send("Input.dispatchKeyEvent", pressed)
    assert reader.did() == {"3": 1}


def test_keys_that_a_page_uses_itself_do_not_count(reader: Reader) -> None:
    reader.reads("<textarea></textarea><div contenteditable>a</div><select><option>1</select>" + LONG)
    for field in ("textarea", "div", "select"):
        reader.tab.focus(field)
        reader.tab.keyboard.press("ArrowDown")
    reader.tab.evaluate("document.addEventListener('keydown', (event) => event.preventDefault())")
    reader.tab.keyboard.press("Control+s")
    assert reader.did() == {}


def test_print(reader: Reader) -> None:
    reader.reads()
    reader.tab.evaluate("print()")
    assert reader.did() == {"9": 1}


TO_THE_TOP = """new Promise((done) => {
  scrollTo(0, 0);
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""


def test_hyperlinks(reader: Reader) -> None:
    opened = reader.reads("<a href='#part'><b>by mouse</b></a>" + LONG + "<p id=part>here")
    reader.tab.get_by_role("link").click()
    until_scrolled(reader.tab, 201)
    reader.tab.get_by_role("link").press("Enter")
    reader.tab.evaluate(TO_THE_TOP)  # else the link scrolls into view while a button is pressed, as if by a person
    with reader.context.expect_page():
        reader.tab.get_by_role("link").click(button="middle")
    assert reader.did(opened) == {"11": 3}


def test_mouse_clicks(reader: Reader) -> None:
    reader.reads("<p>text</p><button>button</button><a>no link</a><label>label <input type=checkbox></label>")
    reader.tab.click("p")
    for _ in range(2):  # two clicks at the very same moment would count as one, which no hand can do
        reader.tab.click("button", delay=5)
    reader.tab.click("a", button="right")
    reader.tab.click("label", position={"x": 3, "y": 3})
    reader.tab.focus("button")
    reader.tab.keyboard.press("Enter")
    reader.tab.evaluate("document.querySelector('p').dispatchEvent(new MouseEvent('click', {detail: 1}))")
    assert reader.did() == {"13": 5}


@pytest.mark.parametrize("keeps_pages", [True, False], ids=["kept", "loaded again"])
def test_back_forward_and_refresh_begin_views(browser: Browser, site: Site, keeps_pages: bool) -> None:
    with launched(browser.browser_type, keeps_pages=keeps_pages) as other, reading(other, site) as reader:
        first, second = reader.reads(path="/first"), reader.reads(path="/second")
        reader.tab.evaluate("window.kept = true")
        views = {first["i"], second["i"]}
        turns = [
            ("history.back()", first, "4"),
            ("history.forward()", second, "6"),
            ("location.reload()", second, "14"),
        ]
        for go, page, action in turns:
            reader.turns(go)
            event = site.listener.event(lambda event: event["n"] == 0 and event["i"] not in views)
            assert (event["u"], event["e"]) == (page["u"], {action: 1})
            views.add(event["i"])
            reader.tab.wait_for_url(page["u"], wait_until="commit")  # the beacon is heard before the tab has turned
            if not keeps_pages:
                reader.tab.wait_for_load_state()
            if action == "6":
                assert (reader.tab.evaluate("window.kept") is True) == keeps_pages
        reader.leaves()


def test_a_person_who_scrolls_copies_prints_and_leaves(reader: Reader) -> None:
    reader.reads()
    turn_the_wheel(reader)
    reader.tab.evaluate("getSelection().selectAllChildren(document.querySelector('p'))")
    reader.tab.keyboard.press("Control+c")
    reader.tab.evaluate("print()")
    assert reader.did() == {"1": 1, "2": 1, "9": 1}
