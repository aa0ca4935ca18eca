// The log of a process: what is written while somebody looks is put below, and stays in sight unless they scrolled away.

import {follow} from "/static/crawl_stream.js";

const MOST_LINES = 5000;
const log = document.querySelector("[data-log]");
const said = document.querySelector("[data-said]");

function atEnd() {
  return log.scrollHeight - log.scrollTop - log.clientHeight < 40;
}

function heard(event) {
  const stay = !atEnd();
  document.querySelector("[data-empty]")?.remove();
  for (const line of event.lines) {
    const shown = document.createElement("span");
    shown.textContent = line;
    log.append(shown, "\n");
  }
  while (log.childNodes.length > 2 * MOST_LINES) log.firstChild.remove();
  if (!stay) log.scrollTop = log.scrollHeight;
}

log.scrollTop = log.scrollHeight;
if (window.EventSource) follow(log.dataset.log, said, heard);
