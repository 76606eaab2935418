// An alignment as a heat map: source symbols as columns, target symbols as rows, the best path ringed.

import { svg } from "./dom.js";
import { labelWidth } from "./ribbon.js";
import { percent, visible } from "./symbols.js";

const ROW = 30;
const FAINTEST = 0.01;

/** The drawing of an AlignmentJson; `unseen` symbols of the source are marked. */
export function heatMap({ source, target, path, posterior }, unseen) {
  const widths = source.map((symbol) => Math.max(30, labelWidth(visible(symbol)) + 12));
  const lefts = widths.map((_, j) => widths.slice(0, j).reduce((sum, width) => sum + width, 0));
  const total = lefts.at(-1) + widths.at(-1);
  const margin = Math.max(...target.map((symbol) => labelWidth(visible(symbol)))) + 14;
  const size = { width: margin + total + 2, height: (target.length + 1) * ROW + 4 };
  const centre = (j) => lefts[j] + widths[j] / 2;
  const edge = (j) => j === 0 || j === source.length - 1;
  return svg("svg", { class: "heat", viewBox: `0 0 ${size.width} ${size.height}`, ...size, "aria-hidden": "true" },
    source.map((symbol, j) => svg("text",
      { x: margin + centre(j), y: ROW / 2, class: edge(j) ? "edge" : unseen.has(symbol) ? "unseen" : null }, visible(symbol))),
    target.map((symbol, i) => svg("text",
      { x: margin - 8, y: ROW * (i + 1.5), class: i === target.length - 1 ? "row edge" : "row" }, visible(symbol))),
    svg("g", { transform: `translate(${margin} ${ROW})` },
      svg("rect", { class: "ground", width: total, height: target.length * ROW, rx: 8 }),
      cells({ source, target, path, posterior }, lefts, widths),
      steps(path, centre)));
}

function cells({ source, target, path, posterior }, lefts, widths) {
  const found = [];
  target.forEach((symbol, i) => source.forEach((letter, j) => {
    const strength = posterior ? posterior[i][j] : Number(path[i] === j);
    if (strength < FAINTEST) return;
    found.push(svg("rect",
      { class: "cell", x: lefts[j] + 1, y: i * ROW + 1, width: widths[j] - 2, height: ROW - 2, rx: 6, "fill-opacity": strength.toFixed(3) },
      svg("title", {}, `\u2068${visible(letter)}\u2069 → \u2068${visible(symbol)}\u2069: ${percent(strength)}`)));
  }));
  return found;
}

function steps(path, centre) {
  const points = path.map((j, i) => [centre(j), (i + 0.5) * ROW]);
  return svg("g", { class: "steps" },
    svg("polyline", { points: points.map((point) => point.join(",")).join(" ") }),
    points.map(([cx, cy]) => svg("circle", { cx, cy, r: 4.5 })));
}
