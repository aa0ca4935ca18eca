// Lycosa's beacon: see docs/beacon.md
{
  const quiet = (act) => (...all) => { try { act(...all); } catch {} };
  const on = (kinds, act, late) => {
    for (const kind of kinds.split(" ")) addEventListener(kind, quiet((e) => e.isTrusted && act(e)), !late);
  };
  const idle = (act) => (window.requestIdleCallback || setTimeout)(quiet(act), { timeout: 1e3 });
  const address = () => location.href.split("#")[0];
  const { currentScript, referrer } = document;
  const places = window.navigation || {};
  const file = /^\/.*\.(7z|apk|bz2|csv|deb|dmg|docx?|epub|exe|gz|iso|msi|od[pst]|pdf|pptx?|rar|rpm|tar|tgz|xlsx?|xz|zip)$/i;
  const chords = { arrowup: 15, arrowdown: 15, pageup: 15, pagedown: 15, f3: 3, "^f": 3, "^d": 8, "^s": 10 };
  let view, place, key, to, shown, mark, until, pressed, clicked, rolled, scrolled;

  const settle = () => {
    const now = Math.round(performance.now());
    if (shown) {
      view.d += now - mark;
      if (mark < until) view.a += Math.min(now, until) - mark;
    }
    shown = !document.hidden;
    return mark = now;
  };
  const stir = () => { until = settle() + 5000; };
  const count = (action) => {
    stir();
    if (action) view.e[action] = (view.e[action] || 0) + 1;
  };

  const send = () => {
    settle();
    if (view.n && !view.d) return;
    view.t = Date.now();
    const body = JSON.stringify(view);
    view.n++;
    view.a = view.d = 0;
    view.e = {};
    navigator.sendBeacon?.(to, body) || fetch(to, { method: "POST", body, keepalive: true, mode: "no-cors" }).catch(() => 0);
  };
  const measure = () => {
    const text = document.body.innerText.slice(0, 1e6);
    let at = view.l = text.length, s = 0;
    while (at) s += text.charCodeAt(--at);
    view.s = s;
    view.o = [...document.links].filter((node) => node.matches("[download]") || file.test(node.pathname)).length;
    send();
  };

  const begin = (r, action, wait) => {
    const i = crypto.getRandomValues(new BigUint64Array(1))[0].toString(16).padStart(16, "0");
    const seen = view = { v: 1, k: key, i, n: 0, u: address(), r, a: 0, d: 0, e: {} };
    const read = () => seen === view && idle(measure);
    place = places.currentEntry;
    shown = 0;
    count(action);
    setTimeout(quiet(() => document.readyState === "complete" ? read() : on("load", read)), wait);
  };
  const turn = (from) => places.currentEntry?.index > from?.index ? 6 : 4;
  const moved = (action) => {
    if (view.u === address()) return;
    send();
    begin(view.u, action, 500);
  };

  const watch = () => {
    const kinds = { reload: 14, back_forward: turn(places.activation?.from), navigate: referrer ? 0 : 5 };
    begin(referrer, kinds[performance.getEntriesByType("navigation")[0]?.type]);
    on("pagehide", () => shown = send());
    on("pageshow", (e) => e.persisted && begin(referrer, turn(places.activation?.from)));
    on("keydown pointerdown pointermove pointerup pointercancel", (e) => {
      pressed = e.buttons;
      stir();
    });
    on("wheel touchmove", () => {
      stir();
      rolled = mark + 1000;
    });
    on("scroll", () => {
      if (settle() < scrolled) stir();
      else if (pressed || mark < rolled) count(1);
      else return;
      scrolled = mark + 500;
    });
    on("copy", () => getSelection() + "" && count(2));
    on("beforeprint", () => count(9));
    on("click auxclick", (e) => {
      if (clicked === (clicked = e.timeStamp)) return;
      if (e.button < 2 && e.composedPath().some((node) => node.matches?.(":any-link"))) count(11);
      else if (e.detail) count(13);
    });
    on("keydown", (e) => {
      if (e.repeat || e.defaultPrevented || e.altKey || e.shiftKey) return;
      const action = chords[(e.metaKey || e.ctrlKey ? "^" : "") + (e.key > "~" ? e.code[3] : e.key).toLowerCase()];
      if (action < 15 || !e.target.matches(":read-write,input,select")) count(action);
    }, true);
    setInterval(quiet(() => settle() && view.a && (view.n < 2 ? idle(measure) : send())), 15000);
    on("popstate", () => moved(turn(place)));
    for (const kind of ["pushState", "replaceState"]) {
      const old = history[kind];
      history[kind] = (...all) => quiet(moved)(old.apply(history, all));
    }
  };
  const show = () => document.hidden ? view && send() : view ? stir() : watch();

  try {
    key = currentScript.dataset.key;
    to = new URL(currentScript.dataset.to || "collect", currentScript.src).href;
    if (key && /^http/.test(address()) && navigator.doNotTrack !== "1" && !navigator.globalPrivacyControl && !window[to]) {
      window[to] = 1;
      on("visibilitychange", show);
      show();
    }
  } catch {}
}
