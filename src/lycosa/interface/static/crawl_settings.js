// The tab with a crawl's settings: changes what differs, blocks and allows, adds pages.

import {say, send} from "/static/lycosa.js";
import {trouble} from "/static/crawl_stream.js";
import {clear, fault, lines, once} from "/static/crawl_fields.js";

const said = document.querySelector("[data-said]");
const settings = document.querySelector("[data-settings]");
const patterns = document.querySelector("[data-patterns]");
const seeds = document.querySelector("[data-seeds]");

function scrolledTo(sentence) {
  say(said, sentence);
  said.scrollIntoView({block: "nearest"});
}

// Send something; what goes wrong stands beside the field that `about` names for it, or above the page.
function sent(form, method, path, body, about) {
  return once([...form.querySelectorAll("button")], async () => {
    try {
      return await send(method, path, body);
    } catch (error) {
      const field = error.status === 401 || error.status === 403 ? null : about(error.message);
      if (field) fault(field, error.message);
      else trouble(said, error.message, error.status);
      return null;
    }
  });
}

settings.addEventListener("submit", async (event) => {
  event.preventDefault();
  clear(settings);
  const fields = [...settings.querySelectorAll("[data-was]")].filter((field) => field.value.trim() !== field.dataset.was);
  const wanted = [...fields.map((field) => `${field.name}=${field.value.trim()}`), ...lines(settings.elements.other)];
  if (!wanted.length) return scrolledTo("Nothing was changed.");
  const meant = (sentence) => fields.find((field) => sentence.includes(field.name)) ?? fields.find((field) => field.name === "strategy" && sentence.includes("strategy")) ?? settings.elements.other;
  const answer = await sent(settings, "PATCH", settings.dataset.settings, {settings: wanted}, meant);
  if (!answer) return undefined;
  for (const field of fields) field.dataset.was = field.value.trim();
  settings.elements.other.value = "";
  return scrolledTo(`Changed: ${wanted.join(", ")}.`);
});

function shownAgain(sentence) {
  sessionStorage.setItem("lycosa-said", sentence);
  location.reload();
}

patterns.addEventListener("submit", async (event) => {
  event.preventDefault();
  clear(patterns);
  const field = patterns.elements.pattern;
  const pattern = field.value.trim();
  const kind = event.submitter?.value ?? "block";
  if (!pattern) return fault(field, "Name a site or a pattern first.");
  const answer = await sent(patterns, "POST", patterns.dataset.patterns, {kind, pattern}, () => field);
  return answer && shownAgain(`${kind === "block" ? "Blocked" : "Allowed"}: ${pattern}.`);
});

for (const button of document.querySelectorAll("[data-lift]")) {
  button.addEventListener("click", async () => {
    const {lift, kind} = button.dataset;
    const kept = [...document.querySelectorAll(`[data-kind="${kind}"]`)].map((other) => other.dataset.lift).filter((other) => other !== lift);
    const body = {settings: [`scope.${kind}=${JSON.stringify(kept)}`]};
    const answer = await sent(patterns, "PATCH", settings.dataset.settings, body, () => patterns.elements.pattern);
    if (answer) shownAgain(`No longer ${kind === "block" ? "blocked" : "allowed by name"}: ${lift}.`);
  });
}

seeds.addEventListener("submit", async (event) => {
  event.preventDefault();
  clear(seeds);
  const urls = lines(seeds.elements.urls);
  if (!urls.length) return fault(seeds.elements.urls, "Name at least one page.");
  const answer = await sent(seeds, "POST", seeds.dataset.seeds, {urls}, () => seeds.elements.urls);
  if (!answer) return undefined;
  seeds.elements.urls.value = "";
  return scrolledTo(`${answer.added} ${answer.added === 1 ? "page was" : "pages were"} added.`);
});

const kept = sessionStorage.getItem("lycosa-said");
if (kept) scrolledTo(kept);
sessionStorage.removeItem("lycosa-said");
