"use strict";

// The key "/" goes to the search box, from anywhere but a field.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing) return;
  const box = document.querySelector("input[type=search]");
  if (!box) return;
  event.preventDefault();
  box.focus();
  box.select();
});

// A crawl's page follows the crawl. The server renders each part; only what changed is exchanged,
// and nothing a person is just selecting or has focused.
function inUse(part) {
  const selection = document.getSelection();
  return part.contains(document.activeElement) || (!selection.isCollapsed && part.contains(selection.anchorNode));
}

function show(event, shown) {
  for (const part of document.querySelectorAll("[data-part]")) {
    const name = part.dataset.part;
    const fresh = event.parts[name];
    if (fresh === undefined || fresh === shown[name] || inUse(part)) continue;
    part.innerHTML = fresh;
    shown[name] = fresh;
  }
  const state = document.querySelector("[data-state]");
  if (state.textContent !== event.state) {
    state.textContent = event.state;
    state.className = "state " + event.state;
  }
}

const live = document.querySelector("[data-events]");
if (live && window.EventSource) {
  const shown = {};
  const source = new EventSource(live.dataset.events);
  source.addEventListener("message", (event) => show(JSON.parse(event.data), shown));
  source.addEventListener("end", () => source.close());
}

// Which result somebody chooses is told to the search that showed it, and to nobody else;
// not by those who ask not to be watched.
function noteChoice(event) {
  const link = event.target.closest("[data-query] h2 a");
  if (!link || (event.type === "auxclick" && event.button !== 1)) return;
  if (navigator.doNotTrack === "1" || navigator.globalPrivacyControl || !navigator.sendBeacon) return;
  const list = link.closest("[data-query]");
  const {crawl, query} = list.dataset;
  const place = list.start + [...list.children].indexOf(link.closest("li"));
  const told = JSON.stringify({crawl, query, url: link.getAttribute("href"), place});
  if (place <= 20) navigator.sendBeacon("/clicks/chosen", new Blob([told], {type: "application/json"}));
}

document.addEventListener("click", noteChoice);
document.addEventListener("auxclick", noteChoice);
