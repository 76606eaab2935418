"""The findings of an audit as one page: filters, search, alignments, and decisions to download."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from html import escape

from isotone.drawing.audit_text import Piece, finding_pieces
from isotone.drawing.document import document
from isotone.drawing.page import LEGEND, STYLE
from isotone.drawing.svg import STYLE as MAP_STYLE
from isotone.drawing.svg import heat_map
from isotone.drawing.symbols import spelled
from isotone.results.audited import Audit
from isotone.results.finding import Finding

__all__ = ["audit_page"]

MOST = 2_000
"""Findings on a page; the table that `--out` writes has all of them."""

_STYLE = """
main{grid-template-columns:repeat(auto-fill,minmax(min(30rem,100%),1fr))}
fieldset{border:0;margin:.4rem 0 0;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1rem}
u{text-decoration:underline;text-decoration-color:var(--hot);text-decoration-thickness:3px;text-underline-offset:.25em}
.kinds{display:flex;flex-wrap:wrap;gap:.3rem;margin:.4rem 0;padding:0;list-style:none;font-size:.8rem}
.kinds li{padding:.05rem .5rem;border:1px solid var(--hot);color:var(--hot);border-radius:99px}
dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem .8rem;margin:.4rem 0;font-size:.9rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
details summary{cursor:pointer;color:var(--soft);font-size:.85rem}
.decide{display:flex;flex-wrap:wrap;gap:.4rem;margin-top:.6rem}
button{font:inherit;font-size:.85rem;color:inherit;background:var(--page);border:1px solid var(--line);
border-radius:8px;padding:.2rem .7rem;cursor:pointer}
button[aria-pressed=true]{background:#1f5fbf;color:#fff;border-color:#1f5fbf}
article.done{opacity:.55}
.decide input{flex:1 1 10rem;max-width:none;font-size:.85rem;padding:.2rem .6rem}
"""

_SCRIPT = """
const cards = [...document.querySelectorAll("article")];
const find = document.getElementById("find");
const kinds = [...document.querySelectorAll("fieldset input")];
const count = document.getElementById("count");
const show = () => {
  const wanted = find.value.trim().toLowerCase();
  const on = new Set(kinds.filter((box) => box.checked).map((box) => box.value));
  let shown = 0;
  for (const card of cards) {
    const fits = card.dataset.kinds.split(" ").some((kind) => on.has(kind));
    card.hidden = !fits || !card.dataset.words.includes(wanted);
    shown += !card.hidden;
  }
  count.value = shown.toLocaleString("en") + " of " + cards.length.toLocaleString("en") + " findings";
};
find.addEventListener("input", show);
kinds.forEach((box) => box.addEventListener("input", show));
const decided = new Map();
for (const card of cards) {
  for (const button of card.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const same = decided.get(card) === button.value;
      if (same) decided.delete(card); else decided.set(card, button.value);
      for (const other of card.querySelectorAll("button")) {
        other.setAttribute("aria-pressed", String(!same && other === button));
      }
      card.classList.toggle("done", !same);
    });
  }
}
const save = (what) => {
  const lines = ["source\\ttarget\\ttags\\treplacement"];
  for (const [card, decision] of decided) {
    if (decision !== what) continue;
    const entry = JSON.parse(card.dataset.entry);
    const replacement = what === "reject" ? card.querySelector(".decide input").value.trim() : "";
    lines.push([...entry, replacement].join("\\t"));
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines.join("\\n") + "\\n"], {type: "text/tab-separated-values"}));
  link.download = what + "ed.tsv";
  link.click();
};
document.getElementById("save-accept").addEventListener("click", () => save("accept"));
document.getElementById("save-reject").addEventListener("click", () => save("reject"));
show();
"""


def audit_page(audit: Audit) -> str:
    """The page, complete in one string; it fetches nothing, and takes nothing in the lexicon for markup."""
    title = f"Audit of {audit.name}"
    shown = audit.findings[:MOST]
    body = [
        f"<header><h1>{escape(title)}</h1><p>{escape(_summary(audit))}</p>{_controls(audit)}</header>\n<main>\n",
        "\n".join(map(_card, shown)) or '<p class="none">Nothing suspicious.</p>',
        "\n</main>\n",
    ]
    return document(title, "".join(body), style=STYLE + MAP_STYLE + _STYLE, script=_SCRIPT)


def _summary(audit: Audit) -> str:
    text = f"{len(audit):,} of {len(audit.scores):,} entries are suspicious, worst first."
    if audit.folds:
        text += f" Each entry was judged by a model trained on the other {audit.folds - 1} of {audit.folds} parts only."
    if audit.decided:
        text += f" {audit.decided:,} more are left out because they were decided about."
    return text + (f" The worst {MOST:,} are shown." if len(audit) > MOST else "")


def _controls(audit: Audit) -> str:
    boxes = "".join(
        f'<label><input type="checkbox" value="{escape(kind)}" checked> {escape(kind)} ({count:,})</label>'
        for kind, count in audit.kinds.items()
    )
    return (
        '<form role="search" onsubmit="return false">'
        '<input id="find" type="search" placeholder="Find …" aria-label="Find entries">'
        '<output id="count"></output>'
        '<button type="button" id="save-accept">Download accepted.tsv</button>'
        '<button type="button" id="save-reject">Download rejected.tsv</button>'
        f'<fieldset aria-label="Kinds">{boxes}</fieldset></form>{LEGEND}'
    )


def _card(finding: Finding) -> str:
    source, target = (_markup(pieces) for pieces in finding_pieces(finding))
    place = "" if finding.line is None else f"line {finding.line} · "
    tags = f" <small>{escape(spelled(';'.join(finding.tags)))}</small>" if finding.tags else ""
    words = escape(f"{finding.source} {finding.target} {';'.join(finding.tags)}".lower())
    entry = escape(json.dumps([finding.source, finding.target, ";".join(finding.tags)]))
    return (
        f'<article data-kinds="{escape(" ".join(finding.kinds))}" data-words="{words}" data-entry="{entry}">'
        f'<h2><bdi>{source}</bdi>{tags} <span class="arrow">→</span> <bdi>{target}</bdi></h2>'
        f'<p class="score">{place}score {finding.score:.1f}</p>'
        f'<ul class="kinds">{"".join(f"<li>{escape(kind)}</li>" for kind in finding.kinds)}</ul>'
        f"{_facts(finding)}{_map(finding)}"
        '<div class="decide"><button type="button" value="accept" aria-pressed="false">accept</button>'
        '<button type="button" value="reject" aria-pressed="false">reject</button>'
        '<input placeholder="replacement (none: remove)" aria-label="Replacement"></div></article>'
    )


def _markup(pieces: Iterable[Piece]) -> str:
    return "".join(f"<u>{escape(text)}</u>" if marked else escape(text) for text, marked in pieces)


def _facts(finding: Finding) -> str:
    facts = [(reason.kind, reason.text) for reason in finding.reasons]
    verdict = finding.verdict
    if verdict is not None:
        proof = "" if verdict.certified else ", not certified"
        facts += [
            ("model's answer", f"{verdict.best} (p = {math.exp(verdict.best_logprob):.3f}{proof})"),
            ("surprisal", f"{verdict.total:.1f} nats, {verdict.per_symbol:.2f} per symbol, z = {verdict.z:.1f}"),
        ]
        facts += [("speaks for it", verdict.rescued)] if verdict.rescued else []
    items = [f"<dt>{escape(name)}</dt><dd><bdi>{escape(spelled(text))}</bdi></dd>" for name, text in facts]
    return f"<dl>{''.join(items)}</dl>"


def _map(finding: Finding) -> str:
    if finding.verdict is None or finding.verdict.alignment is None:
        return ""
    drawn = heat_map(finding.verdict.alignment, style=False)
    return f'<details><summary>alignment</summary><div class="map">{drawn}</div></details>'
