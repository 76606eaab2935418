// The alignment of a pair: ribbon, heat map, the links in numbers, and what to know about the script.

import { el, reachable, word } from "./dom.js";
import { heatMap } from "./heat.js";
import { ribbon } from "./ribbon.js";
import { percent, remark, visible } from "./symbols.js";

const DOUBTFUL = 0.5;

/** A figure for an AlignmentJson of `model`; `unseen` names source symbols never seen in training. */
export function alignmentFigure(found, model, unseen = []) {
  const source = found.source.slice(1, -1);
  const target = found.target.slice(0, -1);
  const title = `Alignment of ${source.map(visible).join(" ")} with ${target.map(visible).join(" ")}`;
  if (!found.path.length) {
    const why = unseen.some((symbol) => target.includes(symbol))
      ? "the target holds a copied symbol that training never saw."
      : "this pair has probability 0 under the model.";
    return el("p", { class: "note" }, `No alignment: ${why}`);
  }
  const marked = new Set(unseen);
  const soft = model.model === "soft"; // it has no alignments, only weights of attention
  const caption = remark([...source, ...target]);
  return el("figure", { class: "alignment", "aria-label": title },
    el("div", { class: "maps" }, box(ribbon(found, marked), "ribbon"), box(heatMap(found, marked), "heat map")),
    el("figcaption", {},
      el("p", { class: "legend" },
        el("span", {}, el("span", { class: "scale", "aria-hidden": "true" }), `${soft ? "attention" : "posterior"} 0 – 100 %`),
        el("span", {}, el("span", { class: "ring", "aria-hidden": "true" }), soft ? "strongest" : "best path")),
      caption && el("p", { class: "note script" }, caption)),
    el("details", {}, el("summary", {}, "Links in numbers"), numbers(found)));
}

function box(drawing, name) {
  const frame = el("div", { class: "scroll" }, drawing);
  // Letters shrink to two thirds of their size before the drawing scrolls.
  drawing.style.minWidth = `${Math.round(Number(drawing.getAttribute("width")) * 0.66)}px`;
  return reachable(frame, name);
}

function numbers({ source, target, path, posterior }) {
  const last = source.length - 1;
  const links = path.map((j, i) => ({ j, i })).filter(({ j, i }) => i < target.length - 1 || j !== last);
  return el("ol", { class: "links" }, links.map(({ j, i }) => {
    const certainty = posterior ? posterior[i][j] : null;
    const end = i === target.length - 1;
    return el("li", { class: certainty !== null && certainty < DOUBTFUL ? "doubt" : null },
      word(visible(source[j])), " → ", word(end ? "end" : visible(target[i])),
      certainty === null ? null : el("small", {}, ` ${percent(certainty)}`));
  }));
}
