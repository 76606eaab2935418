// The studio: three views of the models of this server, one at a time, all of them in the address.

import { change, link, state, watch } from "./address.js";
import { models as askModels } from "./api.js";
import { announce, byId } from "./dom.js";
import { listView } from "./list.js";
import { pairView } from "./pair.js";
import { wordView } from "./word.js";

const TITLES = { word: "Word", pair: "Pair", list: "List" };

async function start() {
  let models;
  try {
    models = await askModels();
  } catch (error) {
    const line = byId("problem");
    line.textContent = error.message;
    line.hidden = false;
    return;
  }
  const views = { word: wordView(models), pair: pairView(models), list: listView(models) };
  const show = (now, fromAddress) => {
    for (const name of Object.keys(views)) byId(name).hidden = name !== now.view;
    for (const anchor of document.querySelectorAll("[data-view]")) {
      if (anchor.dataset.view === now.view) anchor.setAttribute("aria-current", "page");
      else anchor.removeAttribute("aria-current");
    }
    document.title = `${now.source && now.view !== "list" ? `${now.source} · ` : ""}${TITLES[now.view]} · Isotone studio`;
    views[now.view](now, fromAddress);
  };
  watch(show);
  show(state(), true);
  if (!state().model) change({ model: models[0].name });
  if (state().view === "list" && state().text) byId("list-form").requestSubmit();
  else if (!state().source) byId(state().view === "pair" ? "pair-source" : "word-source").focus();
}

byId("share").addEventListener("click", async () => {
  const address = link();
  if (!address) {
    announce("This list is too long for an address.");
    return;
  }
  try {
    await navigator.clipboard.writeText(address);
    announce("The link is in the clipboard.");
  } catch {
    announce("The link is in the address bar.");
  }
});

start();
