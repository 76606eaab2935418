// The first view: a word, its candidates under one model or two, and the alignment of the candidate chosen.

import { change, state } from "./address.js";
import { align, predict } from "./api.js";
import { alignmentFigure } from "./alignment.js";
import { candidateList, unseenNote } from "./candidates.js";
import { byId, debounced, el } from "./dom.js";
import { showTags } from "./tags.js";

const WAIT = 220; // milliseconds after the last key

/** Wires the view to the models; the function it returns shows a state. */
export function wordView(models) {
  const panels = [panel("pick"), panel("pick2")];
  const source = byId("word-source");
  const typed = debounced(() => change({ source: source.value, pick: "", pick2: "" }), WAIT);
  source.addEventListener("input", typed);
  source.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    const first = byId("word-panels").querySelector(".candidate");
    if (!first) return;
    event.preventDefault();
    first.focus();
  });
  byId("word-form").addEventListener("submit", (event) => {
    event.preventDefault();
    change({ source: source.value });
  });
  for (const [id, name] of [["word-model", "model"], ["word-with", "with"], ["word-n", "n"]]) {
    byId(id).addEventListener("change", (event) => change({ [name]: event.target.value, pick: "", pick2: "" }));
  }
  return (now, fromAddress) => {
    const names = models.map((model) => model.name);
    const chosen = [models.find((model) => model.name === now.model) ?? models[0], models.find((model) => model.name === now.with)];
    options(byId("word-model"), names, chosen[0].name);
    options(byId("word-with"), ["", ...names.filter((name) => name !== chosen[0].name)], chosen[1]?.name ?? "");
    byId("word-with").closest("label").hidden = names.length < 2;
    byId("word-n").value = now.n || "5";
    if (fromAddress || document.activeElement !== source) source.value = now.source;
    const tags = [...new Set(chosen.flatMap((model) => model?.tags ?? []))];
    showTags(byId("word-tags"), tags, now.tags, (picked) => change({ tags: picked, pick: "", pick2: "" }));
    const asked = chosen[1] && chosen[1] !== chosen[0] ? chosen : chosen.slice(0, 1);
    const holder = byId("word-panels");
    holder.classList.toggle("two", asked.length === 2);
    panels.forEach((each, place) => each.show(holder, asked[place], now));
  };
}

/** Fills a select; "" stands for none. */
export function options(select, names, chosen) {
  if (JSON.stringify([...select.options].map((option) => option.value)) !== JSON.stringify(names)) {
    select.replaceChildren(...names.map((name) => el("option", { value: name }, name || "no other model")));
  }
  select.value = chosen;
}

/** One model's answer. `pick` names the part of the state that holds the candidate chosen. */
function panel(pick) {
  const heading = el("h2", {});
  const about = el("span", { class: "about" });
  const body = el("div", { class: "body" });
  const drawing = el("div", { class: "drawing" });
  const node = el("section", { class: "panel" }, el("header", {}, heading, about), body, drawing);
  let asked = "";
  let follow = () => {}; // the choice of a candidate that comes with an address
  let control = new AbortController();

  async function ask(model, now) {
    control.abort();
    control = new AbortController();
    follow = () => {};
    const { signal } = control;
    const item = { source: now.source, ...(model.tags.length ? { tags: now.tags.filter((tag) => model.tags.includes(tag)) } : {}) };
    node.setAttribute("aria-busy", "true");
    try {
      const [found] = await predict(model.name, [item], Number(now.n || 5), signal);
      const first = found.predictions[0]?.target;
      let wanted = state()[pick] || first;
      const draw = async (target) => {
        wanted = target;
        const [alignment] = await align(model.name, [{ ...item, target }], signal);
        if (!signal.aborted) drawing.replaceChildren(alignmentFigure(alignment, model, found.unseen));
      };
      const failed = (error) => { if (error.name !== "AbortError") fail(error); };
      const choose = (candidate) => {
        wanted = candidate.target; // before the address changes, or the list would be drawn again under the focus
        change({ [pick]: candidate.target === first ? "" : candidate.target });
        draw(candidate.target).catch(failed);
      };
      const list = () => body.replaceChildren(...[
        unseenNote(now.source, found.unseen), candidateList(found, wanted, choose)].filter(Boolean));
      follow = (target) => {
        if ((target || first) === wanted) return;
        draw(target || first).catch(failed);
        list();
      };
      list();
      node.removeAttribute("aria-busy");
      if (wanted === undefined) drawing.replaceChildren();
      else await draw(wanted);
    } catch (error) {
      if (error.name === "AbortError") return;
      fail(error);
    }
    node.removeAttribute("aria-busy");
  }

  function fail(error) {
    asked = "";
    follow = () => {};
    node.removeAttribute("aria-busy");
    body.replaceChildren(el("p", { class: "problem", role: "alert" }, error.message));
    drawing.replaceChildren();
  }

  return {
    show(holder, model, now) {
      if (!model || !now.source.trim()) {
        control.abort();
        asked = "";
        node.remove();
        return;
      }
      if (node.parentNode !== holder) holder.append(node);
      heading.textContent = model.name;
      about.textContent = `${model.task}, ${model.model}`;
      const question = JSON.stringify([model.name, now.source, now.tags, now.n]);
      if (question === asked) {
        follow(now[pick]);
        return;
      }
      asked = question;
      ask(model, now);
    },
  };
}
