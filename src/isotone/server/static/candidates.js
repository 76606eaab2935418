// The candidates of one prediction: probabilities as bars, what is certain of them, and a choice by mouse or keyboard.

import { el, word } from "./dom.js";
import { percent, visible } from "./symbols.js";

/** A list for a PredictionJson; `choose(candidate)` is called when one is clicked, or Enter is pressed on it. */
export function candidateList(prediction, chosen, choose) {
  const found = prediction.predictions;
  const rest = 1 - found.reduce((sum, candidate) => sum + candidate.probability, 0);
  const buttons = found.map((candidate) => button(candidate, candidate.target === chosen, (node) => {
    for (const other of buttons) other.setAttribute("aria-pressed", String(other === node));
    choose(candidate);
  }));
  const list = el("ol", { class: "candidates", keydown: (event) => walk(event, buttons) },
    buttons.map((node) => el("li", {}, node)),
    rest > 0.00005 && found.length
      ? el("li", { class: "rest" }, el("span", {}, "all other strings"), bar(rest), el("span", { class: "figure" }, percent(rest)))
      : null);
  return el("div", {}, list, el("p", { class: "note" }, certainty(prediction)));
}

function button(candidate, pressed, press) {
  const node = el("button", {
    type: "button", class: "candidate", "aria-pressed": String(pressed),
    click: () => press(node),
  },
  word(candidate.target || visible(""), { class: "target" }), bar(candidate.probability),
  el("span", { class: "figure" }, percent(candidate.probability)));
  return node;
}

function bar(probability) {
  const inner = el("span", {});
  inner.style.width = `${Math.max(0.4, 100 * Math.min(1, probability))}%`;
  return el("span", { class: "bar", "aria-hidden": "true" }, inner);
}

function walk(event, buttons) {
  const here = buttons.indexOf(document.activeElement);
  const steps = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: buttons.length - 1 };
  if (here < 0 || !(event.key in steps)) return;
  event.preventDefault();
  buttons[Math.max(0, Math.min(buttons.length - 1, steps[event.key]))].focus();
}

function certainty(prediction) {
  if (!prediction.predictions.length) return "The model writes nothing for this word.";
  if (prediction.lexicon) return "Looked up in a lexicon.";
  if (prediction.certified) {
    return el("span", { class: "certified" }, "✓ Certified: no other string is more probable than these.");
  }
  if (prediction.certified === null) return "Nobody has tried to prove that these are the most probable strings.";
  const most = typeof prediction.bound === "number" ? `, but another string has at most ${percent(Math.exp(prediction.bound))}` : "";
  return `Not certified: the search gave up early${most}.`;
}

/** A word with the symbols marked that training never saw; null where it has none. */
export function unseenNote(source, unseen = []) {
  if (!unseen.length) return null;
  const parts = [];
  let rest = source;
  while (rest) {
    const symbol = unseen.find((each) => each && rest.startsWith(each));
    const piece = symbol ?? [...rest][0];
    parts.push(symbol ? el("mark", { class: "unseen" }, visible(piece)) : piece);
    rest = rest.slice(piece.length);
  }
  return el("p", { class: "unseen-note" }, el("bdi", { dir: "auto" }, parts),
    ` – never seen in training: ${unseen.map(visible).join(", ")}`);
}
