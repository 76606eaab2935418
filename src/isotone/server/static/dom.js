// Elements from data. Text only ever becomes text nodes, so no word can become markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element; properties that are functions listen to an event, null and false leave an attribute out. */
export function el(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** The same for SVG. */
export function svg(name, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, name), properties, children);
}

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Text of any script, isolated from the direction of what is around it. */
export function word(text, properties = {}) {
  return el("bdi", { dir: "auto", ...properties }, text);
}

export const byId = (id) => document.getElementById(id);

/** Runs `action` once, `milliseconds` after the last call. */
export function debounced(action, milliseconds) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds, ...values);
  };
}

/** A line for people and screen readers that goes away by itself. */
export function announce(text) {
  const line = byId("status");
  line.textContent = text;
  clearTimeout(line.timer);
  line.timer = setTimeout(() => { line.textContent = ""; }, 4000);
}

/** Lets the keyboard scroll what does not fit. */
export function reachable(box, name) {
  new ResizeObserver(() => {
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    if (scrolls) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", name);
    } else {
      for (const attribute of ["tabindex", "role", "aria-label"]) box.removeAttribute(attribute);
    }
  }).observe(box);
  return box;
}
