// The third view: many words at once, and files of the answers.

import { change } from "./address.js";
import { dictionary, predict } from "./api.js";
import { announce, byId, debounced, el, reachable, word } from "./dom.js";
import { percent, visible } from "./symbols.js";
import { options } from "./word.js";

const CHUNK = 100;
const PREVIEW = 200;

/** Wires the view to the models; the function it returns shows a state. */
export function listView(models) {
  const text = byId("list-text");
  const answer = byId("list-answer");
  const model = () => models.find((each) => each.name === byId("list-model").value) ?? models[0];
  text.addEventListener("input", debounced(() => change({ text: text.value }), 400));
  byId("list-model").addEventListener("change", (event) => change({ model: event.target.value }));
  byId("list-n").addEventListener("change", (event) => change({ n: event.target.value }));
  let control = new AbortController();
  byId("list-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    change({ text: text.value });
    control.abort();
    control = new AbortController();
    const { signal } = control;
    const asked = { model: model(), items: items(text.value, model()), n: Number(byId("list-n").value) };
    try {
      await run(answer, asked, signal);
    } catch (error) {
      if (error.name !== "AbortError") answer.replaceChildren(el("p", { class: "problem", role: "alert" }, error.message));
    }
  });
  return (now, fromAddress) => {
    options(byId("list-model"), models.map((each) => each.name), (models.find((each) => each.name === now.model) ?? models[0]).name);
    if (["1", "3", "5"].includes(now.n)) byId("list-n").value = now.n;
    if (fromAddress || document.activeElement !== text) text.value = now.text;
  };
}

/** Words of the lines that are not blank; tags after a tab, with ; between them. */
export function items(text, model) {
  return text.split(/\r?\n/).filter((line) => line.trim()).map((line) => {
    const [source, tags] = line.split("\t");
    return model.tags.length && tags ? { source: source.trim(), tags: tags.split(";").map((tag) => tag.trim()).filter(Boolean) } : { source: source.trim() };
  });
}

async function chunked(all, ask, progress) {
  const found = [];
  for (let start = 0; start < all.length; start += CHUNK) {
    found.push(await ask(all.slice(start, start + CHUNK)));
    progress(Math.min(all.length, start + CHUNK));
  }
  return found;
}

async function run(answer, { model, items: all, n }, signal) {
  if (!all.length) {
    answer.replaceChildren(el("p", { class: "note" }, "There are no words yet."));
    return;
  }
  const meter = el("progress", { max: all.length, value: 0, "aria-label": "words predicted" });
  answer.replaceChildren(meter);
  const found = (await chunked(all, (some) => predict(model.name, some, n, signal), (done) => { meter.value = done; })).flat();
  answer.replaceChildren(el("section", { class: "panel", "aria-label": "Predictions" },
    downloads({ model, items: all, n, found }), preview(found)));
  announce(`${found.length} words predicted`);
}

function downloads(asked) {
  const { model, found } = asked;
  const button = (label, action) => el("button", {
    type: "button",
    click: () => action().catch((error) => announce(error.message)),
  }, label);
  const styles = model.task === "g2p" ? [["cmudict", "CMUdict", "dict"], ["mfa", "MFA dictionary", "dict"]] : [];
  return el("p", { class: "actions" }, el("span", { class: "about" }, "Download"),
    button("TSV", async () => save(`${model.name}.tsv`, tsv(found), "text/tab-separated-values")),
    button("JSON", async () => save(`${model.name}.json`, `${JSON.stringify(found, null, 1)}\n`, "application/json")),
    styles.map(([style, label, ending]) => button(label, async () => {
      const once = [...new Map(asked.items.map((item) => [item.source, item])).values()]; // a dictionary has a word once
      const parts = await chunked(once, (some) => dictionary(model.name, some, { style, n: asked.n }), () => {});
      const leftOut = parts.reduce((sum, part) => sum + part.leftOut, 0);
      save(`${model.name}-${style}.${ending}`, parts.map((part) => part.text).join(""), "text/plain");
      if (leftOut) announce(`${leftOut} words do not fit this format and were left out.`);
    })));
}

const ESCAPES = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const cell = (text) => text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character]);

function tsv(found) {
  const rows = found.flatMap((each) => each.predictions.map((candidate) =>
    [each.source, each.tags.join(";"), String(candidate.rank), candidate.target, candidate.probability.toPrecision(6)].map(cell)));
  return [["source", "tags", "rank", "target", "probability"], ...rows].map((row) => `${row.join("\t")}\n`).join("");
}

function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  announce(`${name} saved`);
}

function preview(found) {
  const rows = found.slice(0, PREVIEW).map((each) => el("tr", {},
    el("th", { scope: "row" }, word(each.source), each.tags.length ? el("small", {}, ` ${each.tags.join(";")}`) : null,
      each.unseen ? el("small", { class: "unseen-note" }, ` unseen: ${each.unseen.map(visible).join(", ")}`) : null),
    el("td", {}, each.predictions.map((candidate) => el("div", {}, word(candidate.target), " ",
      el("small", {}, percent(candidate.probability))))),
    el("td", {}, each.certified ? "✓" : each.certified === false ? "not certified" : "–")));
  const more = found.length > PREVIEW ? el("p", { class: "note" }, `The first ${PREVIEW} of ${found.length} words; files have them all.`) : null;
  return el("div", {}, reachable(el("div", { class: "scroll" }, el("table", {},
    el("thead", {}, el("tr", {}, ["word", "predictions", "certified"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, rows))), "predictions"), more);
}
