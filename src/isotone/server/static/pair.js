// The second view: a pair of your own, its probability, and how surprising each symbol is.

import { change } from "./address.js";
import { align, predict, score } from "./api.js";
import { alignmentFigure } from "./alignment.js";
import { unseenNote } from "./candidates.js";
import { byId, debounced, el, word } from "./dom.js";
import { nats, percent, visible } from "./symbols.js";
import { showTags } from "./tags.js";
import { options } from "./word.js";

const WAIT = 300;
const HOT = 5; // nats from which a symbol has the full colour: less than one chance in a hundred
const NOTABLE = 1;

/** Wires the view to the models; the function it returns shows a state. */
export function pairView(models) {
  const fields = { source: byId("pair-source"), target: byId("pair-target") };
  const typed = debounced(() => change({ source: fields.source.value, target: fields.target.value }), WAIT);
  for (const field of Object.values(fields)) field.addEventListener("input", typed);
  byId("pair-form").addEventListener("submit", (event) => {
    event.preventDefault();
    change({ source: fields.source.value, target: fields.target.value });
  });
  byId("pair-model").addEventListener("change", (event) => change({ model: event.target.value }));
  const answer = byId("pair-answer");
  let asked = "";
  let control = new AbortController();
  return (now, fromAddress) => {
    const model = models.find((each) => each.name === now.model) ?? models[0];
    options(byId("pair-model"), models.map((each) => each.name), model.name);
    for (const [name, field] of Object.entries(fields)) {
      if (fromAddress || document.activeElement !== field) field.value = now[name];
    }
    showTags(byId("pair-tags"), model.tags, now.tags, (picked) => change({ tags: picked }));
    const question = JSON.stringify([model.name, now.source, now.target, now.tags]);
    if (question === asked) return;
    asked = question;
    control.abort();
    control = new AbortController();
    if (!now.source.trim() || !now.target.trim()) {
      answer.replaceChildren();
      return;
    }
    show(answer, model, now, control.signal).catch((error) => {
      if (error.name === "AbortError") return;
      asked = "";
      answer.replaceChildren(el("p", { class: "problem", role: "alert" }, error.message));
    });
  };
}

async function show(answer, model, now, signal) {
  const tags = model.tags.length ? { tags: now.tags.filter((tag) => model.tags.includes(tag)) } : {};
  const item = { source: now.source, target: now.target, ...tags };
  const [[scored], [aligned], [best]] = await Promise.all([
    score(model.name, [item], signal),
    align(model.name, [item], signal),
    predict(model.name, [{ source: now.source, ...tags }], 1, signal),
  ]);
  if (signal.aborted) return;
  answer.replaceChildren(el("section", { class: "panel" },
    el("p", { class: "verdict" },
      el("strong", {}, percent(scored.probability)),
      el("span", { class: "about" }, ` log p = ${nats(scored.logprob)} nats`)),
    scored.reason ? el("p", { class: "unseen-note" }, scored.reason) : null,
    unseenNote(now.source, best.unseen),
    scored.surprisal ? surprise(aligned, scored.surprisal) : null,
    best.predictions.length ? alternative(best.predictions[0], scored) : null,
    el("div", { class: "drawing" }, alignmentFigure(aligned, model, best.unseen))));
}

/** The target symbol by symbol, each with its number and a colour that says the same. */
function surprise({ source, target, path }, surprisal) {
  const last = target.length - 1;
  const impossible = surprisal.findIndex((value) => value === null);
  const worst = impossible >= 0 ? impossible : surprisal.indexOf(Math.max(...surprisal));
  const tiles = surprisal.map((value, i) => {
    const after = impossible >= 0 && i > impossible;
    const tile = el("li", { class: `surprise${i === worst && (value === null || value >= NOTABLE) ? " worst" : ""}${after ? " after" : ""}` },
      word(i === last ? "end" : visible(target[i]), { class: i === last ? "edge" : null }),
      el("span", { class: "figure" }, after ? "–" : value === null ? "∞" : value.toFixed(2)));
    tile.style.setProperty("--heat", after ? "0%" : `${Math.round(100 * Math.min(1, (value ?? HOT) / HOT))}%`);
    return tile;
  });
  return el("div", {},
    el("h2", {}, "Where it is surprising"),
    el("ol", { class: "surprises", "aria-label": "surprisal of each symbol, in nats" }, tiles),
    el("p", { class: "note" }, sentence({ source, target, path }, surprisal, worst)),
    el("p", { class: "note" }, "Each number is −log p of the symbol given the ones before it, in nats; 0 is certain, 0.69 an even chance, 4.6 one in a hundred. They add up to −log p of the pair."));
}

function sentence({ source, target, path }, surprisal, worst) {
  const value = surprisal[worst];
  const name = worst === target.length - 1 ? "that it ends here" : ["", word(visible(target[worst]))];
  if (value === null) return ["The model cannot write ", name, " here."].flat();
  if (value < NOTABLE) return "Nothing here surprises the model.";
  const place = path.length ? [", written at ", word(visible(source[path[worst]]))] : [];
  return ["Most surprising: ", name, place, ` (${value.toFixed(2)} nats, a chance of ${percent(Math.exp(-value))})`].flat(2);
}

function alternative(best, scored) {
  if (best.target === scored.target) return el("p", { class: "note" }, "This is what the model itself would write.");
  return el("p", { class: "note" }, "The model itself would write ", word(best.target), ` (${percent(best.probability)}). `,
    el("button", { type: "button", class: "quiet", click: () => {
      byId("pair-target").value = best.target;
      change({ target: best.target });
    } }, "Score that"));
}
