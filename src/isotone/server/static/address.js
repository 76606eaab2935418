// What is on screen, and its address. It stands behind the #, which browsers do not send to any server.

const VIEWS = ["word", "pair", "list"];
const LONGEST = 4000; // characters of a list; longer addresses break in mails and chats

const EMPTY = { view: "word", model: "", with: "", source: "", target: "", tags: [], n: "", pick: "", pick2: "", text: "" };

let current = read();
const watchers = [];

/** The state of the page. */
export const state = () => current;

/** Calls `watcher` with the new state, and whether the change came from the address: from a link or the back button. */
export const watch = (watcher) => watchers.push(watcher);

/** Changes some of the state, and the address with it. */
export function change(parts) {
  const changed = Object.keys(parts).filter((name) => String(parts[name]) !== String(current[name]));
  if (!changed.length) return;
  const views = changed.includes("view");
  current = { ...current, ...parts };
  history[views ? "pushState" : "replaceState"](null, "", `#${write(current)}`);
  tell(false);
}

/** An address that shows what is on screen; null where it would be too long. */
export function link() {
  return current.view === "list" && current.text.length > LONGEST ? null : location.href;
}

export function read(hash = location.hash) {
  const [view, query] = hash.slice(1).split(/\?(.*)/s);
  const given = Object.fromEntries(new URLSearchParams(query ?? ""));
  const known = Object.fromEntries(Object.keys(EMPTY).filter((name) => name in given).map((name) => [name, given[name]]));
  return { ...EMPTY, ...known, tags: given.tags ? given.tags.split(";") : [], view: VIEWS.includes(view) ? view : "word" };
}

function write(value) {
  const parts = new URLSearchParams();
  const shown = {
    word: ["model", "with", "source", "tags", "n", "pick", "pick2"],
    pair: ["model", "source", "target", "tags"],
    list: ["model", "n", "text"],
  }[value.view];
  for (const name of shown) {
    const text = name === "tags" ? value.tags.join(";") : value[name];
    if (text && !(name === "text" && text.length > LONGEST)) parts.set(name, text);
  }
  const query = parts.toString().replaceAll("%3B", ";");
  return query ? `${value.view}?${query}` : value.view;
}

function tell(fromAddress) {
  for (const watcher of watchers) watcher(current, fromAddress);
}

function follow() {
  const found = read();
  // A plain #pair, as in the links above, keeps what was typed.
  current = location.hash.includes("?") ? found : { ...current, view: found.view };
  if (!location.hash.includes("?")) history.replaceState(null, "", `#${write(current)}`);
  tell(true);
}

addEventListener("hashchange", follow);
addEventListener("popstate", follow);
