// What makes search quicker: suggestions while typing, keys to move among results, filters that act at once.
// Everything here is foreign text to the page, so it is only ever set as text.

const WAIT = 120;
const form = document.querySelector("form[data-suggest]");
const box = form?.querySelector("input[type=search]");

// -- suggestions: a combobox with a list, as WAI-ARIA describes it ---------------------------------

function suggestions() {
  const list = document.createElement("ul");
  list.id = "suggestions";
  list.className = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  box.parentElement.append(list);
  box.setAttribute("role", "combobox");
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", list.id);
  box.setAttribute("aria-expanded", "false");

  let active = -1;
  let typed = box.value;
  let timer = 0;
  let asking = null;

  function close() {
    clearTimeout(timer);
    asking?.abort();
    list.hidden = true;
    list.replaceChildren();
    active = -1;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  }

  function show(found) {
    const options = found.slice(0, 8).map((text, place) => {
      const option = document.createElement("li");
      option.id = `suggestion-${place}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.textContent = text;
      return option;
    });
    if (!options.length) return close();
    list.replaceChildren(...options);
    active = -1;
    box.removeAttribute("aria-activedescendant");
    list.hidden = false;
    box.setAttribute("aria-expanded", "true");
  }

  async function ask() {
    asking?.abort();
    asking = new AbortController();
    const question = box.value;
    const crawl = form.elements.crawl?.value ?? "";
    if (!question.trim()) return close();
    try {
      const address = `${form.dataset.suggest}?${new URLSearchParams({crawl, q: question})}`;
      const answer = await fetch(address, {signal: asking.signal});
      if (!answer.ok) return close();
      const [about, found] = await answer.json();
      if (about === box.value && document.activeElement === box) show(found);
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  }

  function choose(place) {
    list.children[active]?.setAttribute("aria-selected", "false");
    active = place;
    const option = list.children[active];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({block: "nearest"});
    box.value = option ? option.textContent : typed;
    if (option) box.setAttribute("aria-activedescendant", option.id);
    else box.removeAttribute("aria-activedescendant");
  }

  function move(step) {
    const places = list.children.length + 1;
    choose(((active + 1 + step + places) % places) - 1);
  }

  box.addEventListener("input", () => {
    typed = box.value;
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT);
  });
  box.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      choose(-1);
      close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) ask();
      else move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter") {
      close();
    }
  });
  box.addEventListener("blur", close);
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (!option) return;
    box.value = option.textContent;
    close();
    form.requestSubmit();
  });
}

// -- keys: j and k move among results, the arrows too once one is reached, ? helps -------------------

const help = document.getElementById("help");

function moveAmongResults(step) {
  const links = [...document.querySelectorAll("ol.results h2 a")];
  if (!links.length) return;
  const item = document.activeElement.closest("ol.results > li");
  const here = links.findIndex((link) => link.closest("li") === item);
  const next = here < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(Math.max(here + step, 0), links.length - 1);
  links[next].focus();
  links[next].closest("li").scrollIntoView({block: "nearest"});
}

function atResult() {
  return document.activeElement.matches("ol.results h2 a");
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || help?.open) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const steps = {j: 1, k: -1, ...(atResult() ? {ArrowDown: 1, ArrowUp: -1} : {})};
  if (event.key === "?" && help) {
    event.preventDefault();
    help.showModal();
  } else if (event.key in steps) {
    event.preventDefault();
    moveAmongResults(steps[event.key]);
  }
}

// -- filters: they act when they are chosen, and leave no empty fields in the address ----------------

function filtersActAtOnce(filters) {
  const details = filters.querySelector("details");
  if (matchMedia("(min-width: 58rem)").matches) details.open = true;
  filters.addEventListener("submit", () => {
    for (const field of filters.elements) if (field.name && !field.value) field.disabled = true;
  });
  filters.addEventListener("change", (event) => {
    if (event.target.type !== "date") filters.requestSubmit();
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) for (const field of filters.elements) field.disabled = false;
  });
}

for (const button of document.querySelectorAll("[data-help]")) {
  button.hidden = !help;
  button.addEventListener("click", () => help.showModal());
}
if (box) suggestions();
document.addEventListener("keydown", pressed);
for (const filters of document.querySelectorAll("form.filters")) filtersActAtOnce(filters);
