// The tags of a model, to be switched on and off. Many of them can be searched.

import { el } from "./dom.js";

const MANY = 24;

/** Fills a fieldset with the model's tags; `choose(tags)` gets the new choice, in the model's order. */
export function showTags(fieldset, known, chosen, choose) {
  fieldset.hidden = !known.length;
  const shown = JSON.stringify(known);
  if (fieldset.dataset.known !== shown) {
    fieldset.dataset.known = shown;
    build(fieldset, known);
  }
  fieldset.choose = (tag) => {
    const wanted = new Set(fieldset.chosen);
    if (!wanted.delete(tag)) wanted.add(tag);
    choose([...known.filter((each) => wanted.has(each)), ...[...wanted].filter((each) => !known.includes(each))]);
  };
  fieldset.chosen = chosen;
  for (const chip of fieldset.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", String(chosen.includes(chip.value)));
}

function build(fieldset, known) {
  const chips = known.map((tag) => el("button",
    { type: "button", class: "chip", value: tag, "aria-pressed": "false", click: () => fieldset.choose(tag) }, tag));
  const search = el("input", {
    type: "search", placeholder: "Find a tag …", "aria-label": "Find a tag", class: "find",
    input: () => {
      const wanted = search.value.trim().toLowerCase();
      for (const chip of chips) chip.hidden = !chip.value.toLowerCase().includes(wanted) && chip.getAttribute("aria-pressed") !== "true";
    },
    keydown: (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      const first = chips.find((chip) => !chip.hidden && chip.getAttribute("aria-pressed") !== "true");
      if (first && search.value.trim()) {
        first.click();
        search.value = "";
        search.dispatchEvent(new Event("input"));
      }
    },
  });
  fieldset.replaceChildren(el("legend", {}, "Tags"), ...(known.length > MANY ? [search] : []),
    el("div", { class: "chips" }, chips));
}
