// "Was this enough?": there as a question below the results; asked again when somebody comes back to them,
// and about the last query when another one is typed. "No" shows pages built alike at once, and follows what
// the crawl finds meanwhile.

import {send, say} from "./lycosa.js";

const KEPT = "lycosa-last-search";

function shownResults() {
  const list = document.querySelector("ol.results[data-query]");
  if (!list) return null;
  const results = [...list.querySelectorAll("h2 a")].map((link) => link.getAttribute("href")).slice(0, 20);
  return results.length ? {crawl: list.dataset.crawl, query: list.dataset.query, results} : null;
}

function keep(search, answered) {
  sessionStorage.setItem(KEPT, JSON.stringify({...search, answered}));
}

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

function pageItem(page, fresh) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.textContent = page.title || page.url;
  if (/^https?:\/\//i.test(page.url)) link.href = page.url;
  link.rel = "noopener noreferrer nofollow";
  const facts = document.createElement("small");
  facts.textContent = `${page.url} · ${Math.round(page.likeness * 100)} % alike`;
  item.append(link, document.createElement("br"), facts);
  if (fresh) item.className = "fresh";
  return item;
}

function list(place, heading, pages, fresh = false) {
  const known = new Set([...place.querySelectorAll("a")].map((link) => link.href));
  let shown = place.querySelector(`[data-list="${heading}"]`);
  if (!shown) {
    const title = document.createElement("h3");
    title.textContent = heading;
    shown = document.createElement("ul");
    shown.className = "pages";
    shown.dataset.list = heading;
    place.append(title, shown);
  }
  for (const page of pages) {
    if (!known.has(page.url)) shown.append(pageItem(page, fresh));
  }
}

function follow(section, crawl, number) {
  const told = section.querySelector("[data-told]");
  const more = section.querySelector("[data-more]");
  const source = new EventSource(`/crawl/${encodeURIComponent(crawl)}/follow-ups/${number}/events`);
  const show = (event) => {
    const state = JSON.parse(event.data);
    if (state.trouble) return say(told, state.trouble, "trouble");
    section.dataset.state = state.state;
    if (state.state === "done" && !state.looked) return say(told, "Nothing more could be fetched just now; the crawl's page says why.");
    const counts = `${state.looked} of at most ${state.pages} pages looked at, ${state.kept} kept`;
    const over = state.state === "done" ? "That is all for now: " : state.state === "asked" ? "The crawl is about to begin: " : "Looking for more: ";
    say(told, over + counts);
    if (state.found.length) list(more, "New pages", state.found, true);
  };
  source.addEventListener("message", show);
  source.addEventListener("end", (event) => {
    show(event);
    source.close();
  });
}

async function answer(section, search, enough) {
  const told = section.querySelector("[data-told]");
  const more = section.querySelector("[data-more]");
  for (const button of section.querySelectorAll("[data-answer]")) button.disabled = true;
  keep(search, true);
  try {
    const {answered: _, ...shown} = search;
    const found = await send("POST", "/notes/enough", {...shown, enough});
    if (enough) return say(told, "Thank you.");
    if (found.similar.length) list(more, "Built like these results", found.similar);
    if (!found.may_follow) {
      return say(told, found.samples.length ? "These pages are built alike. To have more of them fetched, sign in." : "None of these results has a structure to go by.");
    }
    say(told, "Looking for more pages like these …");
    const path = `/api/v1/crawls/${encodeURIComponent(search.crawl)}/follow-ups`;
    const started = await send("POST", path, {query: search.query, results: search.results});
    follow(section, search.crawl, started.number);
  } catch (error) {
    say(told, error.message, "trouble");
    for (const button of section.querySelectorAll("[data-answer]")) button.disabled = false;
  }
}

function ask(section, search) {
  for (const button of section.querySelectorAll("[data-answer]")) {
    button.addEventListener("click", () => answer(section, search, button.dataset.answer === "yes"));
  }
  section.hidden = false;
}

const now = shownResults();
const before = kept();
const here = document.querySelector("[data-enough=now]");
const earlier = document.querySelector("[data-enough=before]");

if (earlier && before && !before.answered && now && (before.query !== now.query || before.crawl !== now.crawl)) {
  earlier.querySelector("[data-asked]").textContent = before.query;
  ask(earlier, before);
}
if (here && now) {
  ask(here, now);
  keep(now, before?.answered === true && before.query === now.query && before.crawl === now.crawl);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && !kept()?.answered) here.classList.add("wanted");
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted && !kept()?.answered) here.classList.add("wanted");
  });
}
