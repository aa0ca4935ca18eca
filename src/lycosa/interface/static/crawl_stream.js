// One stream of events from the server, and what to say to people when it ends, breaks or is refused.

import {say} from "/static/lycosa.js";

// Say what went wrong, with a way on: to the door for those who may not, to the list where a crawl is gone.
export function trouble(place, sentence, status) {
  say(place, sentence, "trouble");
  const ways = {401: ["Sign in", `/sign-in?to=${encodeURIComponent(location.pathname)}`], 403: ["Sign in with another token", `/sign-in?to=${encodeURIComponent(location.pathname)}`], 404: ["Back to the list of crawls", "/"]};
  const [told, address] = ways[status] ?? [];
  if (!told) return;
  const link = document.createElement("a");
  link.href = address;
  link.textContent = told;
  place.append(" ", link);
}

async function whyRefused(address) {
  try {
    const answer = await fetch(address, {headers: {Accept: "application/json"}});
    if (answer.ok) {
      await answer.body?.cancel();
      return {sentence: "The server had too much to do; load the page again to go on following."};
    }
    const text = await answer.text();
    try {
      return {sentence: JSON.parse(text).error, status: answer.status};
    } catch {
      return {sentence: text, status: answer.status};
    }
  } catch {
    return {sentence: "The server does not answer. Is it still running?"};
  }
}

// Follow a stream: `heard` gets every event, `ended` its last words. Trouble is said at `place`.
export function follow(address, place, heard, ended = () => {}) {
  const source = new EventSource(address);
  let lost = false;
  source.addEventListener("message", (event) => {
    if (lost) say(place, "", "note");
    lost = false;
    heard(JSON.parse(event.data), event.lastEventId);
  });
  source.addEventListener("end", (event) => {
    source.close();
    const told = JSON.parse(event.data);
    if (told.trouble) trouble(place, told.trouble, told.status ?? 404);
    ended(told);
  });
  source.addEventListener("error", async () => {
    if (source.readyState !== EventSource.CLOSED) {
      lost = true;
      say(place, "The connection to the server is lost; trying again.", "trouble");
      return;
    }
    const {sentence, status} = await whyRefused(address);
    trouble(place, sentence, status);
    ended({});
  });
  return source;
}
