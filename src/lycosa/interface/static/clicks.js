// What people do with pages: the chart of visits, the lines to paste, watching a site and forgetting one.

import {say, send} from "/static/lycosa.js";
import {trouble} from "/static/crawl_stream.js";
import {lineChart} from "/static/chart.js";

const said = document.querySelector("[data-said]");

// -- visits over time; the drawing of the server stays where there is too little for a chart

function drawVisits() {
  for (const place of document.querySelectorAll("[data-points]")) {
    const points = JSON.parse(place.dataset.points);
    if (!window.uPlot || points.length < 2) continue;
    const told = place.querySelector("desc")?.textContent ?? "Visits over time";
    const show = lineChart(place, {label: "a day", x: "day", series: ["visits", "visitors"], time: true, summary: told});
    show([0, 1, 2].map((column) => points.map((point) => point[column])), told);
  }
}

if (document.querySelector("[data-points]")) {
  if (window.uPlot) drawVisits();
  else window.addEventListener("load", drawVisits);
}

// -- the lines to paste

const paste = document.querySelector("[data-paste]");
const copy = document.querySelector("[data-copy]");
const copied = document.querySelector("[data-copied]");

function selectPaste() {
  const range = document.createRange();
  range.selectNodeContents(paste);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}

if (copy) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(paste.textContent);
      say(copied, "Copied.");
    } catch {
      selectPaste();
      say(copied, "The lines are selected; press Ctrl+C to copy them.");
    }
  });
}

// -- watching and forgetting

const watch = document.querySelector("[data-watch]");
watch?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = watch.elements.site;
  const origins = watch.elements.origins.value.split(/\s+/).filter(Boolean);
  if (!field.value.trim()) {
    say(said, "Name a site first, such as example.org.", "trouble");
    field.focus();
    return;
  }
  try {
    const answer = await send("POST", "/api/v1/clicks/sites", {site: field.value.trim(), origins});
    location.assign(`/clicks/site?${new URLSearchParams({site: answer.site})}#beacon`);
  } catch (error) {
    trouble(said, error.message, error.status);
    said.scrollIntoView({block: "nearest"});
  }
});

const forget = document.querySelector("[data-forget]");
const dialog = document.querySelector("[data-confirm]");
forget?.addEventListener("click", () => {
  dialog.returnValue = "";
  dialog.showModal();
});
dialog?.addEventListener("close", async () => {
  if (dialog.returnValue !== "forget") return;
  try {
    await send("DELETE", forget.dataset.forget);
    location.assign("/clicks");
  } catch (error) {
    trouble(said, error.message, error.status === 404 ? 0 : error.status);
    said.scrollIntoView({block: "nearest"});
  }
});
