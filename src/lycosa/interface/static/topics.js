// The tree of topics filters as people type and follows the arrow keys; proposals are decided, examples come and go.

import {say, send} from "/static/lycosa.js";
import {trouble} from "/static/crawl_stream.js";

const said = document.querySelector("[data-said]");
const tree = document.querySelector("[data-tree]");
const filter = document.querySelector("[data-filter]");
const count = document.querySelector("[data-count]");

// -- filtering: a tree that is whole is filtered here, a part of one by the server when the form is sent

function matches(item, words) {
  const told = item.textContent.toLocaleLowerCase();
  return words.every((word) => told.includes(word));
}

function show(item, words) {
  const own = item.querySelector(":scope > details > summary, :scope > a")?.textContent.toLocaleLowerCase() ?? "";
  const hit = words.every((word) => own.includes(word));
  const below = [...item.querySelectorAll(":scope > details > ul > [data-topic]")];
  const found = below.map((child) => show(child, hit ? [] : words)).filter(Boolean).length;
  item.hidden = !hit && !found && !matches(item, words);
  const details = item.querySelector(":scope > details");
  if (details) details.open = words.length > 0 && !hit && found > 0;
  return !item.hidden;
}

function filterTree() {
  const words = filter.elements.q.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  for (const item of tree.querySelectorAll(":scope > [data-topic]")) show(item, words);
  const left = [...tree.querySelectorAll("[data-topic]")].filter((item) => !item.closest("[hidden]")).length;
  count.textContent = words.length ? `${left} ${left === 1 ? "topic" : "topics"} shown.` : `${left} topics.`;
}

if (filter && tree && "whole" in filter.dataset) {
  filter.elements.q.addEventListener("input", filterTree);
  filter.addEventListener("submit", (event) => {
    event.preventDefault();
    filterTree();
  });
  if (filter.elements.q.value) filterTree();
}

// -- arrow keys: up and down go through what can be seen, right opens, left closes or goes up

function visible() {
  return [...tree.querySelectorAll("summary, a")].filter((each) => each.checkVisibility());
}

function outer(element) {
  const details = element.closest("summary") ? element.closest("details").parentElement.closest("details") : element.closest("details");
  return details?.querySelector("summary");
}

tree?.addEventListener("keydown", (event) => {
  const at = event.target.closest("summary, a");
  if (!at || event.ctrlKey || event.metaKey || event.altKey) return;
  const details = at.tagName === "SUMMARY" ? at.parentElement : null;
  const seen = visible();
  const place = seen.indexOf(at);
  const ways = {
    ArrowDown: () => seen[place + 1],
    ArrowUp: () => seen[place - 1],
    ArrowRight: () => (details?.open ? seen[place + 1] : (details && (details.open = true), at)),
    ArrowLeft: () => (details?.open ? ((details.open = false), at) : outer(at)),
    Home: () => seen[0],
    End: () => seen[seen.length - 1],
  };
  if (!ways[event.key]) return;
  event.preventDefault();
  ways[event.key]()?.focus();
});

// -- changing things

function shownAgain(sentence) {
  sessionStorage.setItem("lycosa-topics-said", sentence);
  location.reload();
}

async function change(form, method, path, body, told) {
  const buttons = [...document.querySelectorAll("main button")];
  for (const button of buttons) button.disabled = true;
  say(said, "One moment …");
  try {
    const answer = await send(method, path, body);
    shownAgain(told(answer));
  } catch (error) {
    trouble(said, error.message, error.status === 404 ? 0 : error.status);
    said.scrollIntoView({block: "nearest"});
    for (const button of buttons) button.disabled = false;
  }
}

function sentence(text) {
  const told = text.charAt(0).toUpperCase() + text.slice(1);
  return told.endsWith(".") ? told : `${told}.`;
}

for (const form of document.querySelectorAll("[data-decide]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const what = event.submitter?.value ?? "accept";
    const body = {told: form.dataset.told, label: form.elements.label?.value.trim() ?? ""};
    change(form, "POST", `/api/v1/topics/proposals/${form.dataset.decide}/${what}`, body, (answer) => sentence(answer.what));
  });
}

for (const button of document.querySelectorAll("[data-undo]")) {
  button.addEventListener("click", () => change(button, "POST", button.dataset.undo, undefined, (answer) => sentence(answer.what ?? `undone: ${answer.edit}`)));
}

for (const button of document.querySelectorAll("[data-take]")) {
  const body = {path: button.dataset.topicId, url: button.dataset.take};
  button.addEventListener("click", () => change(button, "POST", "/api/v1/topics/examples/remove", body, (answer) => sentence(answer.edit)));
}

const examples = document.querySelector("[data-examples]");
examples?.addEventListener("submit", (event) => {
  event.preventDefault();
  const url = examples.elements.url.value.trim();
  const text = examples.elements.text.value.trim();
  if (!url && !text) {
    say(said, "Give the address of a page, or a text.", "trouble");
    examples.elements.url.focus();
    return;
  }
  const body = {path: examples.dataset.examples, urls: url ? [url] : [], texts: text ? [text] : []};
  change(examples, "POST", "/api/v1/topics/examples", body, (answer) => sentence(answer.edit));
});

const look = document.querySelector("[data-look]");
look?.addEventListener("submit", (event) => {
  event.preventDefault();
  const body = {crawl: look.elements.crawl.value, topic: look.elements.topic.value.trim()};
  const told = (answer) => (answer.total ? `${answer.total} ${answer.total === 1 ? "proposal" : "proposals"}.` : "Nothing to propose; the topics know what this crawl speaks of.");
  change(look, "POST", "/api/v1/topics/proposals", body, told);
  say(said, "The pages of the crawl are being read; this can take a minute …");
});

const kept = sessionStorage.getItem("lycosa-topics-said");
sessionStorage.removeItem("lycosa-topics-said");
if (kept && said) {
  say(said, kept);
  said.scrollIntoView({block: "nearest"});
}
