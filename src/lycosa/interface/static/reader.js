// The reader's script: favourites, stars, and, only of those who said yes, notes of what they do with a page (M12).
// What is foreign here (titles, addresses) is only ever set as text.

const page = document.querySelector("[data-page]");
const quiet = (act, otherwise) => { try { return act(); } catch { return otherwise; } };
const remembered = (name) => quiet(() => localStorage.getItem(name), null);
const remember = (name, value) => quiet(() => localStorage.setItem(name, value));
const objects = navigator.doNotTrack === "1" || navigator.globalPrivacyControl === true;
const CONSENT = "lycosa-notes";
const mayNote = () => !objects && remembered(CONSENT) === "yes";

// -- favourites: kept in this browser and nowhere else -------------------------------------------------

const FAVOURITES = "lycosa-favourites";
const MOST_FAVOURITES = 500;
const favourites = () => {
  const found = quiet(() => JSON.parse(remembered(FAVOURITES) ?? "[]"), []);
  return Array.isArray(found) ? found.filter((each) => typeof each?.crawl === "string" && typeof each?.url === "string") : [];
};
const keepFavourites = (list) => remember(FAVOURITES, JSON.stringify(list.slice(0, MOST_FAVOURITES)));
const same = (one, other) => one.crawl === other.crawl && one.url === other.url;

function listFavourites(list) {
  const found = favourites();
  document.querySelector("[data-none]").hidden = found.length > 0;
  list.replaceChildren(...found.map((each) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = "/read?" + new URLSearchParams({crawl: each.crawl, url: each.url});
    link.textContent = String(each.title || each.url);
    const where = document.createElement("small");
    where.textContent = each.url;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.textContent = "Remove";
    button.setAttribute("aria-label", `Remove ${link.textContent}`);
    button.addEventListener("click", () => {
      keepFavourites(favourites().filter((other) => !same(other, each)));
      listFavourites(list);
      list.querySelector("button")?.focus();
    });
    item.append(link, where, button);
    return item;
  }));
}

// -- notes -------------------------------------------------------------------------------------------

const ACTION = {scroll: 1, copy: 2, find: 3, back: 4, direct: 5, forward: 6, stop: 7, favourite: 8, print: 9, link: 11, click: 13, refresh: 14, keys: 15};
const VIEW = "lycosa-reading";
const ACTIVE = 5000;
const EVERY = 15000;
const QUICK = 400;
const SLOW = 5000;
const QUICK_NOTES = 20;
const KEYS = {arrowup: 15, arrowdown: 15, pageup: 15, pagedown: 15, f3: 3, "^f": 3, "^d": 8, "^s": 10};

class Notes {
  constructor({crawl, url, query}) {
    this.of = {crawl, url, query};
    this.going = false;
    this.timer = 0;
  }

  // Begin to note: a view that goes on in another tab of the reader is the same view.
  begin(action, goesOn) {
    const before = goesOn ? this.before() : null;
    this.view = before?.view ?? [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    this.number = before?.number ?? 0;
    this.active = this.dwell = 0;
    this.actions = {};
    this.shown = this.stays = false;
    this.going = true;
    this.stir();
    if (action) this.actions[action] = 1;
    if (!before || action) this.send();
    else this.keep();
  }

  before() {
    const found = quiet(() => JSON.parse(sessionStorage.getItem(VIEW)), null);
    return found?.crawl === this.of.crawl && found?.url === this.of.url ? found : null;
  }

  keep() {
    const {view, number, stays, of: {crawl, url}} = this;
    quiet(() => sessionStorage.setItem(VIEW, JSON.stringify({crawl, url, view, number, stays})));
  }

  stay() {
    this.stays = true;
    this.keep();
  }

  end() {
    clearTimeout(this.timer);
    this.going = false;
    quiet(() => sessionStorage.removeItem(VIEW));
  }

  // Time counts while the page is seen; it is active for a while after somebody did something.
  settle() {
    const now = performance.now();
    if (this.shown) {
      this.dwell += now - this.mark;
      if (this.mark < this.until) this.active += Math.min(now, this.until) - this.mark;
    }
    this.shown = !document.hidden;
    return this.mark = now;
  }

  stir() {
    this.until = this.settle() + ACTIVE;
  }

  count(action) {
    if (!this.going) return;
    this.stir();
    this.actions[action] = (this.actions[action] ?? 0) + 1;
    if (!this.timer) this.timer = setTimeout(() => this.send(), this.number < QUICK_NOTES ? QUICK : SLOW);
  }

  send() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (!this.going) return;
    this.settle();
    if (this.number && this.dwell < 1 && !Object.keys(this.actions).length) return;
    const said = {active: Math.round(this.active), dwell: Math.round(this.dwell), actions: this.actions};
    this.active = this.dwell = 0;
    this.actions = {};
    this.post("/notes/behaviour", said).catch(() => {});
  }

  // A fetch that outlives the page; unlike a beacon it can show that our own page sends it.
  post(path, said) {
    const body = JSON.stringify({...this.of, view: this.view, number: this.number++, ...said});
    this.keep();
    const key = document.querySelector("meta[name=page-key]")?.content ?? "";
    return fetch(path, {method: "POST", body, keepalive: true, headers: {"Content-Type": "application/json", "X-Lycosa-Key": key}});
  }
}

// -- what can be seen ----------------------------------------------------------------------------------

const places = window.navigation ?? {};
const turned = () => places.currentEntry?.index > places.activation?.from?.index ? ACTION.forward : ACTION.back;

// How the page was opened. Without a referrer, a query or a page of ours before it, somebody opened it directly.
// (Of a page of ours before it no address is known, since we send no referrers, only that there was one.)
function opened(notes) {
  const type = performance.getEntriesByType("navigation")[0]?.type;
  const before = notes.before();
  if (type === "reload") return [ACTION.refresh, false];
  if (type === "back_forward") return [turned(), Boolean(before)];
  if (before?.stays) return [0, true];
  return [document.referrer || page.dataset.query || places.activation?.from ? 0 : ACTION.direct, false];
}

function watch(notes) {
  const on = (kinds, act) => {
    for (const kind of kinds.split(" ")) addEventListener(kind, (event) => event.isTrusted && notes.going && act(event), true);
  };
  let pressed = 0;
  let rolled = 0;
  let scrolled = 0;
  let clicked;
  on("keydown pointerdown pointermove pointerup pointercancel", (event) => {
    pressed = event.buttons;
    notes.stir();
  });
  on("wheel touchmove", () => {
    notes.stir();
    rolled = notes.mark + 1000;
  });
  on("scroll", () => {
    const now = notes.settle();
    if (now < scrolled) notes.stir();
    else if (pressed || now < rolled) notes.count(ACTION.scroll);
    else return;
    scrolled = now + 500;
  });
  on("copy", () => String(getSelection()) && notes.count(ACTION.copy));
  on("beforeprint", () => notes.count(ACTION.print));
  on("click auxclick", (event) => {
    if (clicked === (clicked = event.timeStamp) || event.button > 1) return;
    const target = event.target;
    const own = target.closest("[data-action]");
    if (own) return notes.count(Number(own.dataset.action));
    if (target.closest("[data-stay], button, input, select, label, summary") || !page.contains(target)) return;
    if (target.closest("a[href]")) notes.count(ACTION.link);
    else if (event.detail && event.button === 0) notes.count(ACTION.click);
  });
  on("keydown", (event) => {
    if (event.repeat || event.altKey || event.shiftKey) return;
    const action = KEYS[(event.metaKey || event.ctrlKey ? "^" : "") + event.key.toLowerCase()];
    if (action && (action < 15 || !event.target.matches?.(":read-write, input, select"))) notes.count(action);
  });
  on("submit", (event) => event.target.matches("[data-find]") && event.target.elements.find.value.trim() && notes.count(ACTION.find));
  on("visibilitychange", () => document.hidden ? notes.send() : notes.stir());
  on("pagehide", (event) => {
    notes.send();
    if (event.persisted) notes.shown = false;
  });
  on("pageshow", (event) => {
    if (event.persisted) notes.begin(turned(), Boolean(notes.before()));
  });
  setInterval(() => {
    if (!notes.going) return;
    notes.settle();
    if (notes.active) notes.send();
  }, EVERY);
}

// Going to another view of the same page is no new visit.
function stays(notes) {
  document.addEventListener("click", (event) => {
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (notes.going && plain && event.target.closest("a[data-stay]")) notes.stay();
  });
  document.addEventListener("submit", (event) => {
    if (notes.going && event.target.matches("[data-stay]")) notes.stay();
  });
}

// -- consent -------------------------------------------------------------------------------------------

function askForConsent(notes) {
  const bar = document.querySelector("[data-consent]");
  const told = document.querySelector("[data-consent-state]");
  const change = document.querySelector("[data-consent-change]");
  const tell = () => {
    const noted = mayNote();
    change.hidden = objects;
    told.textContent = objects ? "Your browser asks not to be watched, so nothing you do here is noted."
      : noted ? "You allowed Lycosa to note what you do with pages." : "Nothing you do here is noted.";
    bar.hidden = objects || remembered(CONSENT) !== null;
  };
  const ask = () => {
    bar.hidden = false;
    bar.querySelector("button").focus();
  };
  for (const button of bar.querySelectorAll("[data-answer]")) {
    button.addEventListener("click", () => {
      remember(CONSENT, button.dataset.answer);
      tell();
      bar.hidden = true;
      if (mayNote() && !notes.going) notes.begin(0, false);
      else if (!mayNote()) notes.end();
      document.getElementById("main").focus();
      document.dispatchEvent(new Event("lycosa-consent"));
    });
  }
  change.addEventListener("click", ask);
  tell();
  return ask;
}

// -- buttons -------------------------------------------------------------------------------------------

function favouriteButton(notes) {
  const button = document.querySelector("[data-favourite]");
  const {crawl, url, title} = page.dataset;
  const here = {crawl, url, title};
  const show = () => {
    const marked = favourites().some((each) => same(each, here));
    button.setAttribute("aria-pressed", String(marked));
    button.firstElementChild.textContent = marked ? "★" : "☆";
    return marked;
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    const others = favourites().filter((each) => !same(each, here));
    const marked = show();
    keepFavourites(marked ? others : [{...here, at: Date.now()}, ...others]);
    if (!marked) notes.count(ACTION.favourite);
    show();
  });
  show();
}

function printButton() {
  const button = document.querySelector("[data-print]");
  button.hidden = false;
  button.addEventListener("click", () => print());
}

function stopButton(notes) {
  const button = document.querySelector("[data-stop]");
  if (!button || document.readyState === "complete") return;
  button.hidden = false;
  addEventListener("load", () => { button.hidden = true; });
  button.addEventListener("click", () => {
    notes.count(ACTION.stop);
    window.stop();
    button.hidden = true;
    document.querySelector("[data-stopped]").textContent = "Stopped.";
  });
}

function ratingForm(notes, ask) {
  const form = document.querySelector("[data-rating]");
  const answer = form.querySelector("[data-rating-answer]");
  let waiting = 0;
  const rate = async (rating) => {
    waiting = 0;
    try {
      const said = await notes.post("/notes/rating", {rating});
      const told = said.ok ? null : (await said.json()).error;
      answer.textContent = told ?? `Thank you: ${rating} ${rating === 1 ? "star" : "stars"} noted.`;
    } catch {
      answer.textContent = "The server does not answer. Is it still running?";
    }
  };
  form.hidden = objects;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    const rating = Number(event.target.value);
    if (notes.going) return rate(rating);
    waiting = rating;
    answer.textContent = "Your stars are only kept if you allow notes: see the question at the top.";
    ask();
  });
  document.addEventListener("lycosa-consent", () => {
    if (waiting && notes.going) rate(waiting);
    else if (waiting) {
      waiting = 0;
      form.reset();
      answer.textContent = "Your stars were not kept.";
    }
  });
}

const list = document.querySelector("[data-favourites]");
if (list) listFavourites(list);
if (page) {
  const notes = new Notes(page.dataset);
  watch(notes);
  stays(notes);
  const ask = askForConsent(notes);
  favouriteButton(notes);
  printButton();
  stopButton(notes);
  ratingForm(notes, ask);
  if (mayNote()) notes.begin(...opened(notes));
}
