"""A crawl in a real Chromium, at a desk and on a phone: set up, watched, steered, ended, deleted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from own_server import served
from playwright.sync_api import Browser, Page, expect
from small_crawl import a_crawl, a_full_crawl, keep, report

from lycosa.crawl_folder.folder import CrawlFolder, own
from lycosa.interface.shared.tokens import Role, TokenFile
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.web_server import serve_in_process

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(180)]

BOX = "box:7?hosts=8&pages=900&topics=4&size=4KiB&links=12&unlinked=0&errors=0.05"
SIZES = [pytest.param((1280, 800), id="desk"), pytest.param((390, 844), id="phone")]
ATTACK = "<img src=x onerror=window.attacked=1><script>window.attacked=1</script>"
BIRDS = "Birds have feathers and wings; they build nests and lay eggs. Owls, eagles and sparrows are birds."


@pytest.fixture(autouse=True)
def _patience() -> Iterator[None]:
    """Crawls are processes that must start first, on a machine that may be busy."""
    expect.set_options(timeout=30_000)
    yield
    expect.set_options(timeout=5_000)


@pytest.fixture(scope="module")
def web() -> Iterator[SimulatedWeb]:
    with serve_in_process(BOX, cached=1000) as served_web:
        yield SimulatedWeb.of(f"{BOX}&port={served_web.port}")


@contextmanager
def signed_in(
    browser: Browser, home: Path, size: tuple[int, int], complaints: list[str], role: Role = Role.ADMIN
) -> Iterator[Page]:
    """A page of somebody who has signed in, at the list of crawls."""
    secret = TokenFile(home).add(f"{role.told} {size[0]}", role)
    with served(home) as (address, _):
        context = browser.new_context(base_url=address, viewport={"width": size[0], "height": size[1]})
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto("/sign-in")
        page.get_by_label("Token").fill(secret)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("button", name="Sign out")).to_be_visible()
        yield page
        context.close()


def settings_of(web: SimulatedWeb) -> str:
    port = web.roots()[0].rpartition(":")[2].strip("/")
    return "\n".join([
        f'fetching.allow_addresses=["127.0.0.0/8:{port}"]', "politeness.delay=100ms", "politeness.address_delay=0s",
        "politeness.per_address=64", "politeness.longest_delay=200ms", "politeness.longest_crawl_delay=200ms",
        "index.commit_every=500ms", "patience=60s",
    ])  # fmt: skip


def go(page: Page, link: str, path: str) -> None:
    """Follow a link, and wait until its page is there."""
    page.get_by_role("link", name=link, exact=True).click()
    page.wait_for_url(f"**{path}")


def fits(page: Page) -> None:
    """Nothing scrolls sideways, and whoever cannot see or use a mouse is not shut out."""
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("window.innerWidth")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("size", SIZES)
def test_a_crawl_is_set_up_watched_steered_and_deleted(
    browser: Browser, crawls: Path, web: SimulatedWeb, size: tuple[int, int], complaints: list[str]
) -> None:
    with signed_in(browser, crawls, size, complaints) as page:
        go(page, "New crawl", "/crawls/new")
        fits(page)
        page.get_by_role("textbox", name="Words").fill("birds feather wing nest plumage")
        page.get_by_role("button", name="Show what this matches").click()
        expect(page.get_by_text("Life sciences and nature › Birds")).to_be_visible()
        expect(page.get_by_text("Because of: ").first).to_contain_text("feather")
        expect(page.get_by_label("Name of the crawl")).to_have_value("birds-feather-wing-nest")
        page.get_by_label("Pages to begin with").fill("\n".join(web.roots()[:4]))
        page.get_by_label("Pages to fetch").fill("800")
        page.get_by_label("Name of the crawl").fill("birds")
        page.get_by_text("More settings").click()
        page.get_by_label("Any other setting").fill(settings_of(web))
        expect(page.locator("[data-summary]")).to_contain_text(
            "It will look for “birds feather wing nest plumage”, begin at 4 pages, "
            "take about a page a second from each site, and end after 800 pages."
        )
        fits(page)
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/crawl/birds")
        _watch(page)
        _steer(page)
        _change(page, crawls, web)
        _look(page, web)
        _end(page)
    assert complaints == []
    assert CrawlFolder.all(crawls) == []


def test_a_site_on_this_machine_is_offered_to_be_allowed(
    browser: Browser, crawls: Path, web: SimulatedWeb, complaints: list[str]
) -> None:
    with signed_in(browser, crawls, (1280, 800), complaints) as page:
        go(page, "New crawl", "/crawls/new")
        page.get_by_role("textbox", name="Words").fill("birds feather")
        page.get_by_label("Pages to begin with").fill(web.roots()[0])
        page.get_by_label("Pages to fetch").fill("3")
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_text("such addresses are fetched from only where you allow it")).to_be_visible()
        fits(page)
        port = web.roots()[0].rpartition(":")[2].strip("/")
        allow = page.get_by_role("button", name=f"Allow 127.0.0.1:{port} and start")
        expect(allow).to_be_focused()
        allow.click()
        page.wait_for_url("**/crawl/birds-feather")
        expect(page.locator("[data-state]")).to_have_text("finished", timeout=60_000)
    assert CrawlFolder(crawls / "crawls" / "birds-feather").configuration().fetching.allow_addresses == (
        f"127.0.0.1:{port}",
    )
    complaints[:] = [each for each in complaints if "422" not in each]  # the browser's own word about the refusal
    assert complaints == []


def _watch(page: Page) -> None:
    """The page shows the crawl growing, with charts, without being loaded again."""
    page.evaluate("window.loadedOnce = true")
    expect(page.locator("[data-state]")).to_have_text("running")
    pages = page.locator("[data-part=figures] dl > div", has=page.get_by_text("Pages", exact=True)).locator("dd")
    expect(pages).to_have_text(re.compile(r"^\s*\d\d+ of 800"))
    expect(pages).not_to_have_text(pages.inner_text())
    for plot in ("speed", "harvest", "queues"):
        expect(page.locator(f"[data-plot={plot}] canvas")).to_be_visible()
        expect(page.locator(f"[data-plot={plot}]")).to_have_attribute("aria-label", re.compile(r"\d"))
    expect(page.locator("[data-part=sites] tbody tr").first).to_be_visible()
    assert page.evaluate("window.loadedOnce")
    fits(page)


def _steer(page: Page) -> None:
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("[data-state]")).to_have_text("paused")
    expect(page.get_by_role("button", name="Resume")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-state]")).to_have_text("running")


def _change(page: Page, home: Path, web: SimulatedWeb) -> None:
    """Settings, patterns and seeds of the running crawl."""
    folder = CrawlFolder(home / "crawls" / "birds")
    go(page, "Settings", "/crawl/birds/settings")
    fits(page)
    page.get_by_label("Requests a second in all").fill("3")
    page.get_by_label("Relevant from").fill("0.25")
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_text("Changed: ceilings.requests_per_second=3, topic.threshold=0.25.")).to_be_visible()
    assert folder.configuration().topic.threshold == 0.25
    page.get_by_label("Site or pattern").fill("*.blocked.example/private/*")
    page.get_by_role("button", name="Block", exact=True).click()
    expect(page.get_by_text("Blocked: *.blocked.example/private/*.")).to_be_visible()
    assert folder.configuration().scope.block == ("*.blocked.example/private/*",)
    page.get_by_role("button", name="Lift block *.blocked.example/private/*").click()
    expect(page.get_by_text("No longer blocked: *.blocked.example/private/*.")).to_be_visible()
    assert folder.configuration().scope.block == ()
    page.get_by_label("Addresses").fill(f"{web.roots()[5]}\n{web.roots()[6]}")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("2 pages were added.")).to_be_visible()


def _look(page: Page, web: SimulatedWeb) -> None:
    go(page, "Why?", "/crawl/birds/why")
    page.get_by_label("Why was (not) this page crawled").fill(web.roots()[0])
    page.keyboard.press("Enter")
    expect(page.get_by_text("given as a seed")).to_be_visible()
    fits(page)
    go(page, "Logs", "/crawl/birds/logs")
    expect(page.get_by_role("log")).to_be_visible()
    fits(page)
    go(page, "Overview", "/crawl/birds")


def _end(page: Page) -> None:
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("[data-state]")).to_have_text("stopped", timeout=60_000)
    page.get_by_role("button", name="Revisit").click()
    expect(page.locator("[data-state]")).to_have_text("running")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("[data-state]")).to_have_text("stopped", timeout=60_000)
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.get_by_role("button", name="Delete…").click()
    fits(page)
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_text("There is no crawl yet.")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_what_is_wrong_with_a_new_crawl_stands_beside_its_field(
    browser: Browser, crawls: Path, size: tuple[int, int], complaints: list[str]
) -> None:
    a_crawl(crawls, "taken")
    (crawls / "contact.txt").write_text("me@example.org\n")
    with signed_in(browser, crawls, size, complaints, Role.OPERATE) as page:
        page.goto("/crawls/new")

        def told_beside(field: str, sentence: str) -> None:
            page.get_by_role("button", name="Start").click()
            box = page.get_by_role("textbox", name=field)
            expect(box).to_be_focused()
            expect(box).to_have_attribute("aria-invalid", "true")
            expect(box.locator("xpath=following-sibling::*[1]")).to_contain_text(sentence)

        told_beside("Words", "Say in a few words what it should look for.")
        page.get_by_role("textbox", name="Words").fill("spiders")
        told_beside("Pages to begin with", "Name at least one page")
        page.get_by_label("Pages to begin with").fill("https://spiders.example/")
        page.get_by_label("Name of the crawl").fill("taken")
        told_beside("Name of the crawl", "There is a crawl of this name already")
        page.get_by_label("Name of the crawl").fill("no spaces")
        told_beside("Name of the crawl", "Use letters, digits")
        page.get_by_label("Name of the crawl").fill("fine")
        page.get_by_text("More settings").click()
        page.get_by_label("Any other setting").fill("politeness.dlay=2s")
        page.get_by_text("More settings").click()
        told_beside("Any other setting", "did you mean 'delay'?")
        page.get_by_label("Any other setting").fill('scope.block=["spiders.example"]')
        told_beside("Pages to begin with", "no seed is let in")
        assert [folder.name for folder in CrawlFolder.all(crawls)] == ["taken"]
        fits(page)


def test_the_contact_appears_when_it_is_needed(browser: Browser, crawls: Path, complaints: list[str]) -> None:
    with signed_in(browser, crawls, (390, 844), complaints) as page:
        (crawls / "contact.txt").write_text("me@example.org\n")
        page.goto("/crawls/new")
        contact = page.get_by_label("Contact for site owners")
        expect(contact).to_be_hidden()
        (crawls / "contact.txt").unlink()
        page.get_by_role("textbox", name="Words").fill("spiders")
        page.get_by_label("Pages to begin with").fill("https://spiders.example/")
        page.get_by_role("button", name="Start").click()
        expect(contact).to_be_focused()
        expect(page.get_by_text("a crawl of the public web needs a contact for site owners")).to_be_visible()


def test_examples_lead_to_a_topic_of_the_tree(browser: Browser, crawls: Path, complaints: list[str]) -> None:
    with signed_in(browser, crawls, (390, 844), complaints) as page:
        page.goto("/crawls/new")
        page.get_by_label("By examples").check()
        page.get_by_label("Example pages or texts").fill(f"{BIRDS}\n\nOwls hunt mice at night.")
        page.get_by_role("button", name="Show what this matches").click()
        page.get_by_role("button", name="Use this topic").first.click()
        expect(page.get_by_label("From the topic tree")).to_be_checked()
        expect(page.get_by_role("combobox", name="Topic")).to_be_focused()
        expect(page.locator("[data-summary]")).to_contain_text("look for “Birds”")
        page.get_by_role("button", name="Suggest some").click()
        expect(page.get_by_text("No search engine is known here yet")).to_be_visible()
    assert complaints == []


def test_a_crawl_deleted_while_it_is_shown_says_so(browser: Browser, crawls: Path, complaints: list[str]) -> None:
    folder = a_full_crawl(crawls)
    with signed_in(browser, crawls, (1280, 800), complaints) as page:
        with own(folder.path / "lock", "the crawl"):
            page.goto("/crawl/spiders")
            expect(page.locator("[data-plot=queues] canvas")).to_be_visible()
            folder.path.rename(folder.path.with_name(".gone"))
            expect(page.get_by_role("alert")).to_contain_text("The crawl “spiders” was deleted.")
        expect(page.get_by_role("link", name="Back to the list of crawls")).to_be_visible()
        expect(page.get_by_role("button", name="Pause")).to_be_hidden()
        page.goto("/crawl/spiders")
        expect(page.get_by_role("heading", name="There is no crawl named “spiders”.")).to_be_visible()


def test_a_lost_token_leads_to_the_door(browser: Browser, crawls: Path, complaints: list[str]) -> None:
    a_full_crawl(crawls)
    with signed_in(browser, crawls, (390, 844), complaints, Role.OPERATE) as page:
        page.goto("/crawl/spiders")
        TokenFile(crawls).remove("operate 390")
        page.get_by_role("button", name="Resume").click()
        expect(page.get_by_role("alert")).to_contain_text("This needs a token that may operate")
        page.get_by_role("alert").get_by_role("link", name="Sign in").click()
        page.wait_for_url("**/sign-in?to=%2Fcrawl%2Fspiders")
        expect(page.get_by_label("Token")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_what_is_wrong_with_a_setting_stands_beside_its_field(
    browser: Browser, crawls: Path, size: tuple[int, int], complaints: list[str]
) -> None:
    folder = a_full_crawl(crawls)
    with signed_in(browser, crawls, size, complaints, Role.OPERATE) as page:
        page.goto("/crawl/spiders/settings")
        fields = {
            "Relevant from": ("7", "topic.threshold = 7", "0.2"),
            "Delay between two requests": ("soon", "'soon' is no quantity", "1s"),
            "Other settings": ("politeness.dlay=1s", "did you mean 'delay'?", ""),
        }
        for label, (wrong, sentence, right) in fields.items():
            box = page.get_by_role("textbox", name=label)
            box.fill(wrong)
            page.get_by_role("button", name="Change").click()
            expect(box).to_be_focused()
            expect(box.locator("xpath=following-sibling::*[1]")).to_contain_text(sentence)
            box.fill(right)
        page.get_by_role("button", name="Change").click()
        expect(page.get_by_text("Nothing was changed.")).to_be_visible()
        page.get_by_label("Addresses").fill("not an address at all")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_text("nothing was added")).to_be_visible()
    assert folder.configuration().topic.threshold == 0.2


@pytest.mark.parametrize("size", SIZES)
def test_scripts_in_what_a_crawl_says_do_not_run_when_it_is_followed(
    browser: Browser, crawls: Path, size: tuple[int, int], complaints: list[str]
) -> None:
    folder = a_crawl(crawls, "odd")
    keep(folder, 0, [0.9, None])
    report(folder, 0, 5, 1)
    log = folder.path / "logs" / "crawl.log"
    log.parent.mkdir()
    log.write_text("begun\n", "utf-8")
    with signed_in(browser, crawls, size, complaints) as page, own(folder.path / "lock", "the crawl"):
        page.goto("/crawl/odd")
        report(folder, 0, 6, 1, failed={ATTACK: 3}, refused={ATTACK: 1}, site_phases={ATTACK: 1}, state=ATTACK)
        expect(page.locator("[data-part=troubles]").get_by_text(ATTACK).first).to_be_visible()
        expect(page.locator("[data-part=agents]").get_by_text(ATTACK)).to_be_attached()
        page.goto("/crawl/odd/logs")
        with log.open("a", encoding="utf-8") as file:
            file.write(ATTACK + "\n")
        expect(page.get_by_role("log").get_by_text(ATTACK)).to_be_visible()
        page.goto(f"/crawl/odd/why?url=https://a.example/{ATTACK}")
        expect(page.get_by_role("heading", level=2)).to_contain_text("a.example")
        assert page.evaluate("window.attacked") is None
        assert page.locator("main img, main script").count() == 0
    assert complaints == []


def test_the_console_works_without_javascript(browser: Browser, server: str) -> None:
    context = browser.new_context(base_url=server, java_script_enabled=False)
    page = context.new_page()
    page.goto("/crawl/spiders")
    expect(page.locator("svg.chart path.line")).to_have_count(2)
    page.get_by_role("link", name="Why?").click()
    page.get_by_label("Why was (not) this page crawled").fill("https://site0.example/0")
    page.get_by_role("button", name="Explain").click()
    expect(page.get_by_role("heading", name="https://site0.example/0")).to_be_visible()
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("cell", name="treasure")).to_be_visible()
    context.close()
