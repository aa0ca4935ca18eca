// Setting up a crawl: shows what a topic matches, suggests where to begin, says in words what will happen, starts it.

import {say, send} from "/static/lycosa.js";
import {trouble} from "/static/crawl_stream.js";
import {clear, fault, lines, once} from "/static/crawl_fields.js";

const form = document.querySelector("[data-set-up]");
const fields = form.elements;
const said = form.querySelector("[data-said]");
const matched = form.querySelector("[data-matched]");
const suggested = form.querySelector("[data-suggested]");
const taken = new Set(fields.name.dataset.taken.split(" "));
let nameTyped = false;

function made(tag, text = "", className = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className) element.className = className;
  return element;
}

// -- what the person means

const ADDRESS = /^(https?:\/\/\S+|[\w-]+(\.[\w-]+)+(:\d+)?(\/\S*)?)$/i;

function brought() {
  const urls = [];
  const texts = [[]];
  for (const line of fields.examples.value.split("\n").map((each) => each.trim())) {
    if (ADDRESS.test(line)) urls.push(line);
    else if (line) texts[texts.length - 1].push(line);
    else texts.push([]);
  }
  return {urls, texts: texts.map((each) => each.join("\n")).filter(Boolean)};
}

function topicTold() {
  const way = fields.way.value;
  if (way === "words") return fields.topic.value.trim();
  if (way === "tree") return fields.tree.selectedOptions[0]?.textContent.trim() ?? "";
  const {urls, texts} = brought();
  return urls[0] ?? texts[0]?.split("\n")[0].slice(0, 60) ?? "";
}

function treePages() {
  return (fields.way.value === "tree" && fields.tree.selectedOptions[0]?.dataset.pages?.split(" ").filter(Boolean)) || [];
}

function wanted() {
  const way = fields.way.value;
  const {urls, texts} = way === "examples" ? brought() : {urls: [], texts: []};
  const settings = [...lines(fields.settings), ...(fields.speed.value ? [fields.speed.value] : []), ...(fields.stay.checked ? ["scope.sites=seeds"] : [])];
  const topic = {words: fields.topic.value.trim(), tree: fields.tree?.value ?? "", examples: ""}[way];
  return {
    name: fields.name.value.trim(), topic, examples: urls, texts, seeds: lines(fields.seeds), settings,
    pages: Number(fields.pages.value), agents: Number(fields.agents.value), strategy: fields.strategy.value,
    continuous: fields.continuous.checked, contact: fields.contact.value.trim(),
  };
}

// -- in words

function freeName(from) {
  const words = from.replace(/^https?:\/\//, "").normalize("NFKD").toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const wish = words.slice(0, 4).join("-").slice(0, 40) || "crawl";
  for (let number = 1; ; number += 1) {
    const found = number === 1 ? wish : `${wish}-${number}`;
    if (!taken.has(found)) return found;
  }
}

function summary() {
  const topic = topicTold();
  if (!nameTyped) fields.name.value = topic ? freeName(topic) : "";
  const asked = wanted();
  const begin = new Set([...asked.seeds, ...asked.examples, ...treePages()]).size;
  const about = fields.way.value === "examples" ? `pages like ${topic ? `“${topic}”` : "your examples"}` : `“${topic || "…"}”`;
  const where = begin ? `begin at ${begin} ${begin === 1 ? "page" : "pages"}` : "begin at the pages you name";
  const end = asked.pages ? `${asked.continuous ? "fetch" : "end after"} ${asked.pages.toLocaleString("en")} pages` : "go on until nothing is left";
  const fresh = asked.continuous ? " Then it keeps looking at them again until you stop it." : "";
  form.querySelector("[data-summary]").textContent = `It will look for ${about}, ${where}, take ${fields.speed.selectedOptions[0].dataset.told}, and ${end}.${fresh} robots.txt is obeyed, and you can pause or change everything while it runs.`;
}

function showWay() {
  for (const each of form.querySelectorAll("[data-way]")) each.hidden = each.dataset.way !== fields.way.value;
  form.querySelector("[data-match]").hidden = fields.way.value === "tree";
  matched.replaceChildren();
}

form.addEventListener("input", (event) => {
  if (event.target === fields.name) nameTyped = fields.name.value.trim() !== "";
  summary();
});
form.addEventListener("change", (event) => {
  if (event.target.name === "way") showWay();
  summary();
});

// -- what it matches, and where to begin

function addSeed(url) {
  const kept = lines(fields.seeds);
  if (!kept.includes(url)) fields.seeds.value = [...kept, url].join("\n");
  summary();
}

function pageButton(url, told) {
  const item = made("li");
  const button = made("button", "Add");
  button.type = "button";
  button.setAttribute("aria-label", `Add ${url}`);
  button.addEventListener("click", () => {
    addSeed(url);
    button.disabled = true;
  });
  const text = made("span");
  text.append(made("bdi", url));
  if (told) text.append(made("small", ` ${told}`));
  item.append(button, text);
  return item;
}

function topicItem(topic) {
  const item = made("li", "", topic.best ? "best" : "");
  const head = made("p");
  head.append(made(topic.best ? "strong" : "span", topic.path.replaceAll(".", " › ")));
  if (topic.best) head.append(made("small", " fits best"));
  item.append(head, made("p", `Because of: ${topic.terms.map((each) => `${each.term} (${Math.round(each.share * 100)} %)`).join(", ") || "nothing"}`, "note"));
  if (fields.tree) {
    const use = made("button", "Use this topic");
    use.type = "button";
    use.addEventListener("click", () => {
      form.querySelector("[name=way][value=tree]").checked = true;
      fields.tree.value = topic.path;
      showWay();
      summary();
      fields.tree.focus();
    });
    item.append(use);
  }
  if (topic.best && topic.pages.length) {
    const pages = made("ul", "", "picks");
    pages.append(...topic.pages.slice(0, 10).map((url) => pageButton(url, "")));
    item.append(made("p", "Pages of this topic to begin with:", "note"), pages);
  }
  return item;
}

async function showMatched() {
  clear(form);
  const words = fields.way.value === "words";
  const {urls, texts} = words ? {urls: [], texts: [fields.topic.value.trim()].filter(Boolean)} : brought();
  const field = words ? fields.topic : fields.examples;
  if (!urls.length && !texts.length) return fault(field, words ? "Type some words first." : "Name a page or paste a text first.");
  matched.replaceChildren(made("p", "One moment …", "note"));
  try {
    const {settings, contact} = wanted();
    const found = urls.length ? await send("POST", "/api/v1/topics/map/pages", {urls, texts, settings, contact}) : await send("POST", "/api/v1/topics/map", {texts});
    const list = made("ol", "", "matched");
    list.append(...found.topics.slice(0, 5).map(topicItem));
    const missed = found.missed.map((each) => made("p", `${each.url}: ${each.why}`, "trouble"));
    const none = found.why ? [made("p", `${found.why[0].toUpperCase()}${found.why.slice(1)}. The crawl goes by your own ${words ? "words" : "examples"} then.`, "note")] : [];
    matched.replaceChildren(...missed, ...none, list);
  } catch (error) {
    matched.replaceChildren();
    complain(error, field);
  }
  return undefined;
}

async function showSuggested() {
  clear(form);
  const query = topicTold().slice(0, 300);
  if (!query) return fault(fields.way.value === "words" ? fields.topic : fields[fields.way.value], "Say first what it should look for.");
  suggested.replaceChildren(made("p", "One moment …", "note"));
  try {
    const found = await send("POST", "/api/v1/seeds/find", {query, settings: lines(fields.settings)});
    const list = made("ul", "", "picks");
    list.append(...treePages().map((url) => pageButton(url, "of the topic tree")), ...found.seeds.map((each) => pageButton(each.url, each.title)));
    suggested.replaceChildren(...(found.note ? [made("p", found.note, "note")] : []), list);
  } catch (error) {
    suggested.replaceChildren();
    complain(error, fields.seeds);
  }
  return undefined;
}

const matchButton = form.querySelector("[data-match]");
const suggestButton = form.querySelector("[data-suggest]");
matchButton.addEventListener("click", () => once([matchButton], showMatched));
suggestButton.addEventListener("click", () => once([suggestButton], showSuggested));

// -- starting

const ABOUT = [
  [/needs a contact|contact/, "contact"], [/crawl named|\$\.name|: name =/, "name"], [/\$\.seeds|\bseeds?\b/, "seeds"],
  [/\$\.examples|\$\.texts|^example /, "examples"], [/\$\.pages/, "pages"], [/\$\.agents|: agents =/, "agents"], [/strategy named/, "strategy"],
  [/KEY=VALUE|unknown key|is not possible|no quantity|\$\.settings/, "settings"], [/several topics|\$\.topic/, "topic"],
];

// What the server does not like stands beside the field it is about.
function complain(error, otherwise) {
  if (error.status === 401 || error.status === 403) return trouble(said, error.message, error.status);
  const [, about] = ABOUT.find(([words]) => words.test(error.message)) ?? [];
  const field = about === "topic" && fields.way.value === "tree" ? fields.tree : fields[about] ?? otherwise;
  return field ? fault(field, error.message) : trouble(said, error.message);
}

// A seed on this machine or in a private network: its address can be allowed here.
const PRIVATE = /fetching\.allow_addresses=\["([^"]+)"\]/;

function allow(address) {
  const kept = lines(fields.settings);
  const place = kept.findIndex((line) => line.startsWith("fetching.allow_addresses="));
  const before = place < 0 ? [] : [...kept[place].matchAll(/"([^"]+)"/g)].map((found) => found[1]);
  const line = `fetching.allow_addresses=${JSON.stringify([...before, address])}`;
  fields.settings.value = [...kept.filter((_, number) => number !== place), line].join("\n");
}

function offerToAllow(error) {
  const [, address] = PRIVATE.exec(error.message) ?? [];
  if (!address) return false;
  fault(fields.seeds, error.message);
  const button = made("button", `Allow ${address} and start`);
  button.type = "button";
  button.addEventListener("click", () => {
    allow(address);
    form.requestSubmit();
  });
  const offer = made("p", "", "buttons");
  offer.dataset.fault = "";
  offer.append(button);
  form.querySelector("#seeds-fault").after(offer);
  button.focus();
  return true;
}

function sound(asked) {
  const way = fields.way.value;
  if (way === "words" && !asked.topic) return fault(fields.topic, "Say in a few words what it should look for.");
  if (way === "tree" && !asked.topic) return fault(fields.tree, "Choose a topic.");
  if (way === "examples" && !asked.examples.length && !asked.texts.length) return fault(fields.examples, "Name a page that is about it, or paste a text.");
  if (!asked.seeds.length && !asked.examples.length && !treePages().length) return fault(fields.seeds, "Name at least one page to begin with.");
  if (!Number.isInteger(asked.pages) || asked.pages < 0 || fields.pages.value === "") return fault(fields.pages, "Use a whole number, 0 or more.");
  if (!Number.isInteger(asked.agents) || asked.agents < 1) return fault(fields.agents, "Use a whole number, 1 or more.");
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(asked.name)) return fault(fields.name, "Use letters, digits, . _ and -, a letter or digit first.");
  if (taken.has(asked.name)) return fault(fields.name, "There is a crawl of this name already; choose another one.");
  return true;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  clear(form);
  summary();
  const asked = wanted();
  if (!sound(asked)) return;
  say(said, "Starting …");
  await once([form.querySelector("[type=submit]")], async () => {
    try {
      await send("POST", "/api/v1/crawls", asked);
      location.assign(`/crawl/${encodeURIComponent(asked.name)}`);
    } catch (error) {
      say(said, "");
      if (!offerToAllow(error)) complain(error, null);
    }
  });
});

showWay();
summary();
