// What every page can do: go to the search box, and send what people change or note.

// Send something to this server and get its answer; what went wrong is an Error with a sentence for people.
export async function send(method, path, body) {
  const headers = {"X-Lycosa-Key": document.querySelector("meta[name=page-key]")?.content ?? ""};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, {method, headers, body: body === undefined ? undefined : JSON.stringify(body), keepalive: true});
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  const text = await answer.text();
  let told = null;
  try {
    told = text ? JSON.parse(text) : null;
  } catch {
    told = {error: text};
  }
  if (!answer.ok) {
    const error = new Error(told?.error || `The server answered ${answer.status}.`);
    error.status = answer.status;
    throw error;
  }
  return told;
}

// Say something to people, near the thing it is about; screen readers hear it too.
export function say(place, sentence, kind = "note") {
  place.textContent = sentence;
  place.className = kind;
  place.setAttribute("role", kind === "trouble" ? "alert" : "status");
}

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

// Which result somebody chooses is told to the search that showed it, and to nobody else;
// not by those who ask not to be watched.
function noteChoice(event) {
  const link = event.target.closest("[data-query] h2 a");
  if (!link || (event.type === "auxclick" && event.button !== 1)) return;
  if (navigator.doNotTrack === "1" || navigator.globalPrivacyControl) return;
  const list = link.closest("[data-query]");
  const {crawl, query} = list.dataset;
  const place = list.start + [...list.children].indexOf(link.closest("li"));
  const told = {crawl, query, url: link.getAttribute("href"), place};
  if (place <= 20) send("POST", "/notes/chosen", told).catch(() => {}); // a choice that was not noted harms nobody
}

document.addEventListener("click", noteChoice);
document.addEventListener("auxclick", noteChoice);
