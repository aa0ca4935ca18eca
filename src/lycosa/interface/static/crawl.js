// The list of crawls and the page of one crawl: follows what happens, draws the charts, and steers the crawl.

import {say, send} from "/static/lycosa.js";
import {lineChart} from "/static/chart.js";
import {once} from "/static/crawl_fields.js";
import {follow, trouble} from "/static/crawl_stream.js";

const said = document.querySelector("[data-said]");
const board = document.querySelector("[data-crawl]");
const live = document.querySelector("[data-events]");
const name = board?.dataset.crawl;
const shown = {};
const drawn = {};
let source = null;

// -- following: the server renders each part; only what changed is exchanged, and nothing a person is just using

function inUse(part) {
  const selection = document.getSelection();
  return part.contains(document.activeElement) || (!selection.isCollapsed && part.contains(selection.anchorNode));
}

function showParts(parts) {
  for (const part of document.querySelectorAll("[data-part]")) {
    const fresh = parts[part.dataset.part];
    if (fresh === undefined || fresh === shown[part.dataset.part] || inUse(part)) continue;
    part.innerHTML = fresh;
    shown[part.dataset.part] = fresh;
  }
}

function showState(now) {
  const state = document.querySelector("[data-state]");
  if (state && state.textContent !== now) {
    state.textContent = now;
    state.className = `state ${now}`;
  }
  showButtons(now);
}

function heard(event) {
  showParts(event.parts);
  if (event.state) showState(event.state);
  for (const [plot, points] of Object.entries(event.plots ?? {})) draw(plot, points);
}

function ended(told) {
  source = null;
  if (told.trouble) for (const button of document.querySelectorAll("[data-act]")) button.hidden = true;
}

function watch(address) {
  if (!source && window.EventSource) source = follow(address, said, heard, ended);
}

// -- charts

const PLOTS = {
  speed: {label: "pages a second", x: "time", series: ["pages a second"], time: true, told: (last) => `${last[1].toFixed(1)} pages a second at last.`},
  harvest: {label: "share of relevant pages", x: "pages fetched", series: ["harvest"], percent: true, told: (last) => `After ${last[0]} pages, ${Math.round(last[1] * 100)} % of them are relevant.`},
  queues: {label: "links", x: "time", series: ["waiting", "under way", "later"], time: true, told: (last) => `${last[1]} links wait, ${last[2]} are under way, ${last[3]} come later.`},
};

function draw(plot, points) {
  const place = document.querySelector(`[data-plot="${plot}"]`);
  const how = PLOTS[plot];
  if (!place || !how || !window.uPlot || points.length < 2) return;
  drawn[plot] ??= lineChart(place, how);
  const data = [0, ...how.series.keys()].map((_, column) => points.map((point) => point[column]));
  drawn[plot](data, how.told(points[points.length - 1]));
}

// -- steering

function showButtons(state) {
  const before = document.activeElement;
  for (const button of document.querySelectorAll("[data-when]")) button.hidden = !button.dataset.when.split(" ").includes(state);
  if (before?.dataset?.when && before.hidden) document.querySelector("[data-when]:not([hidden])")?.focus();
}

const DONE = {pause: "It waits now; nothing is lost.", resume: "It goes on.", stop: "It ends after the pages under way.", revisit: "It looks again at the pages that may have changed."};

async function act(what) {
  say(said, "One moment …");
  const path = `/api/v1/crawls/${encodeURIComponent(name)}`;
  try {
    if (what === "delete") {
      source?.close();
      await send("DELETE", path);
      location.assign("/");
      return;
    }
    const told = await send("POST", `${path}/${what}`);
    say(said, DONE[what]);
    showState(told.state);
    watch(`/crawl/${encodeURIComponent(name)}/events`);
  } catch (error) {
    trouble(said, error.message, error.status);
  }
}

const buttons = [...document.querySelectorAll("[data-act]")];
const dialog = document.querySelector("[data-confirm]");
dialog?.addEventListener("close", () => {
  if (dialog.returnValue === "delete") once(buttons, () => act("delete"));
});
document.addEventListener("click", (event) => {
  const what = event.target.closest("[data-act]")?.dataset.act;
  if (what === "delete" && dialog) {
    dialog.returnValue = "";
    dialog.showModal();
  } else if (what) {
    once(buttons, () => act(what));
  }
});

if (live) watch(live.dataset.events);
