// An alignment as two lines of symbols, the source above, the target below, with a link for each posterior.

import { svg } from "./dom.js";
import { visible } from "./symbols.js";

const HEIGHT = 40;
const GAP = 8;
const DROP = 64;
const FAINTEST = 0.05;
const measuring = document.createElement("canvas").getContext("2d");

/** Pixels that a label takes at the size of the drawings. */
export function labelWidth(text) {
  measuring.font = '17px system-ui, "Noto Sans", sans-serif';
  return measuring.measureText(text).width;
}

/** The drawing of an AlignmentJson; `unseen` symbols of the source are marked. */
export function ribbon({ source, target, path, posterior }, unseen) {
  const written = target.length - 1; // the end of the target is no symbol to look at
  const weight = (i, j) => (posterior ? posterior[i][j] : Number(path[i] === j));
  const used = (j) => Array.from({ length: written }, (_, i) => weight(i, j)).some((value) => value >= FAINTEST);
  const columns = source.map((_, j) => j).filter((j) => (j > 0 && j < source.length - 1) || used(j));
  const above = row(columns.map((j) => visible(source[j])));
  const labels = target.slice(0, written).map(visible);
  const arrange = () => settle(labels, path.slice(0, written).map((j) => above.centres[columns.indexOf(j)] ?? 0));
  let below = arrange();
  if (below.width > above.width) { // the shorter line stands over the middle of the longer one
    const shift = (below.width - above.width) / 2;
    above.centres = above.centres.map((x) => x + shift);
    below = arrange();
  }
  const ends = above.centres.map((x, place) => x + above.widths[place] / 2);
  const width = Math.max(0, ...ends, below.width) + 4;
  const links = [];
  for (let i = 0; i < written; i++) {
    columns.forEach((j, place) => {
      if (weight(i, j) >= FAINTEST) links.push(link(above.centres[place], below.centres[i], weight(i, j), path[i] === j));
    });
  }
  const top = columns.map((j, place) => {
    const kind = unseen.has(source[j]) ? "tile unseen" : used(j) ? "tile" : "tile silent";
    return tile(above, place, visible(source[j]), { kind: j === 0 || j === source.length - 1 ? `${kind} edge` : kind, y: 2 });
  });
  const bottom = target.slice(0, written).map((symbol, i) => tile(below, i, visible(symbol), { kind: "tile", y: HEIGHT + DROP + 2 }));
  const height = 2 * HEIGHT + DROP + 4;
  return svg("svg", { class: "ribbon", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    svg("g", { class: "links" }, links.sort((a, b) => a.weight - b.weight).map((each) => each.node)), top, bottom);
}

function row(labels) {
  const widths = labels.map((label) => Math.max(34, labelWidth(label) + 18));
  const centres = [];
  let left = 2;
  for (const width of widths) {
    centres.push(left + width / 2);
    left += width + GAP;
  }
  return { widths, centres, width: left - GAP };
}

/** Target symbols as near below their source as their widths allow. */
function settle(labels, wanted) {
  const widths = labels.map((label) => Math.max(34, labelWidth(label) + 18));
  const centres = [];
  labels.forEach((_, i) => {
    const least = i ? centres[i - 1] + (widths[i - 1] + widths[i]) / 2 + GAP : 2 + widths[i] / 2;
    // Symbols of one source letter stand around it, not all to its right.
    const siblings = wanted.filter((x) => x === wanted[i]).length;
    centres.push(Math.max(least, wanted[i] - ((siblings - 1) * (widths[i] + GAP)) / 2));
    if (siblings > 1 && i && wanted[i] === wanted[i - 1]) centres[i] = least;
  });
  const last = centres.length - 1;
  return { widths, centres, width: last < 0 ? 0 : centres[last] + widths[last] / 2 };
}

function link(x1, x2, weight, best) {
  const start = HEIGHT + 3;
  const end = HEIGHT + DROP + 1;
  const middle = (start + end) / 2;
  const d = `M${x1},${start}C${x1},${middle} ${x2},${middle} ${x2},${end}`;
  const node = svg("path", { d, class: best ? "best" : "other", "stroke-width": 1 + 3.5 * weight, "stroke-opacity": 0.15 + 0.85 * weight });
  return { node, weight: weight + Number(best) };
}

function tile(line, place, label, { kind, y }) {
  const width = line.widths[place];
  return svg("g", { class: kind },
    svg("rect", { x: line.centres[place] - width / 2, y, width, height: HEIGHT, rx: 9 }),
    svg("text", { x: line.centres[place], y: y + HEIGHT / 2 }, label));
}
