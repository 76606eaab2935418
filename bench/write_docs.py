"""docs/speed.md, written from bench/results/*.json: every number in it was measured, with the command that does it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench import BENCHES, RELIABILITY
from bench.plots import draw
from bench.report import RESULTS, cell

DOCS = Path(__file__).parents[1] / "docs"

INTRODUCTION = """# Speed

<!-- Written by `python -m bench report` from bench/results/*.json: change bench/write_docs.py, not this file. -->

How fast Isotone trains and decodes, how much memory it takes, where the time goes, and how that compares with other
tools and with the same model written plainly.

    make bench                       # everything, about 25 minutes; leave the machine alone meanwhile
    python -m bench train-speed      # one bench; `--list` names them all, `--quick` only checks that they run
    python -m bench report           # write this page and its tables again

Contestants of one table ran in one session, taking turns, and the median counts: trust the ratios more than the
numbers. Ratios marked *cross-machine* compare with figures of the paper's own code taken on another computer, and are
for orientation only. Peers are installed from pip into `bench/peers/`, each in an environment of its own.
"""

CHOICES = """## What makes the difference

- V[h_d; h_e] = V_d·h_d + V_e·h_e: |x| + |y| products in place of |x|·|y| (`models/emission.py`).
- One LSTM call for a whole target; the only loop over positions is the dynamic program's.
- Batches of similar length, by the source first: most of a step is the encoder (`data/loader.py`).
- Each direction of the encoder is a plain LSTM, the backward one on input reversed by rows: no packed sequences, which
  take a slow path on a CPU (`models/encoders/lstm.py`).
- Decoding and scoring take a batch to each core, not a product to all of them: for 1,000 words in turn with the other
  way, greedy 388–441 words/s against 329–380, exact search 357–426 against 313–346, scoring 445–515 against 385–444
  (`models/parallel.py`). A step of decoding looks its input up (W·emb(y) of every symbol), and finished words leave.
- Emission cells of padding are passed over, in batches whose longest targets come first (`data/loader.py`).
- Emission cells in blocks that stay in the cache, kept for the backward pass where they fit, recomputed where not;
  tanh as 2σ(2x) − 1; dropout masks from whole random words; gradients clipped only where they are too long.

What did not help: torch's LSTM without oneDNN (52–60 GFLOP/s a core against 63–70); an LSTM of our own with a product
for all inputs, one for both directions at each step and one for each weight's gradient (both directions of a layer,
batch 20, forward and backward: 29 against 25 ms for the first layer, 40 against 40 for the second); one word's encoder
as a loop of cells (8.6 against 6.8 ms on two threads, 7.6 against 7.9 on one); one core for each direction of the
encoder, on threads of its own: on a virtual machine whose host is busy 90–99 examples/s against 82, but 105–114 against
123–130 in its quiet minutes, which are more like a laptop (0-MONO, batch 20, in turn).

One word at the paper's size takes 18–23 ms here, depending on machine load. In a profile a third is the encoder's
LSTMs, a third the other matrix products and a third small operations, some sixty per symbol written. The products
wait for memory: each symbol written reads 5 MB of weights, and on this virtual machine, whose L3 cache others use
too, weights that were last read a millisecond ago come at 10 GB/s, not at the 30 of a loop over one matrix.
"""

SECTIONS = {
    "train-speed": (
        "Training",
        "A training step at the paper's sizes is forward, backward, clipping and Adam on batches of similar length. "
        "The *plain twin* computes the same log-probabilities with torch's packed bidirectional LSTM, all emission "
        "cells at once and dense transitions; *the paper's way* follows the paper's code step by step (a loop over "
        "target positions, V for every pair of positions) on random batches.",
    ),
    "decode-speed": ("Decoding", "A trained model of the paper's size on German dev words, and one word at a time."),
    "before-after": (
        "Before and after the rebuild",
        "The rooms above the dynamic program were rebuilt once (search without torch, one model object, results in a "
        "room of their own). The same questions to the same model, put to the code before that and to this code.",
    ),
    "serve": (
        "Serving",
        "`isotone serve` under load from a second process, one word per request; docs/deploy.md says how requests are "
        "decoded together.",
    ),
    "runtime": (
        "Exported models",
        "Trained models with torch against the same models exported for ONNX Runtime; see [the page](runtime.md).",
    ),
    "start-up": ("Start-up", "Help texts and refusals, from the start of the process to its end."),
    "threads": ("Several callers", "One model, asked by eight threads at once and by one."),
    "install-size": ("Size", "What `pip install isotone` brings, and what the extra `train` adds."),
    "conversions": ("Conversions", "Numbers that a training step in bf16 converts, counted, not timed."),
    "memory": (
        "Memory",
        "The emission is computed in chunks and recomputed in the backward pass, so its hidden layer never exists as "
        "a whole.",
    ),
    "profile": ("Where the time goes", "The parts of a training step, forward and backward."),
    "scaling": (
        "How cost grows",
        "![Training examples per second against length](figures/speed-length.svg)\n\n"
        "![Training examples per second against batch size](figures/speed-batch.svg)",
    ),
    "sizes": ("Presets", "The sizes `medium`, `small` and `tiny` beside the paper's."),
    "recipes": (
        "To the same accuracy",
        "The recipe `small` against the paper's. (The default for inflection takes twice as long, for accuracy.)",
    ),
    "operations": ("Operations", "What training one network costs, counted, beside a transformer."),
    "audit": (
        "Lexicon audit",
        "How well `isotone audit` finds planted errors, and how long it takes; see [Auditing a lexicon](audit.md).",
    ),
    "peers-yoyodyne": (
        "Against Yoyodyne",
        "Yoyodyne's hard attention LSTM is the same model family; both sides have the same sizes, data and threads.",
    ),
    "peers-phonetisaurus": (
        "Against Phonetisaurus",
        "A different kind of model, a joint n-gram compiled to a finite-state transducer; fast on a CPU, so it is the "
        "measure for G2P.",
    ),
    "english": (
        "English, out of the box",
        "`en-us`, the model in the package, on words it never saw; see [Models that are there](models.md).",
    ),
    "selection": ("Picking an epoch", "Which rule loses least with few dev words; see [Recipes](recipes.md)."),
    "dp-scaling": (
        "The dynamic program alone",
        "Prefix sums and bands against dense transitions, without the network around them.",
    ),
}
"""Heading and first sentence of each bench's section, in the page's order."""


def write(*, quick: bool = False) -> Path:
    """The page; from quick results, which mean nothing, it goes beside them and not into docs/."""
    path = RESULTS / "speed.quick.md" if quick else DOCS / "speed.md"
    path.write_text(page(quick=quick), encoding="utf-8")
    if not quick and (scaling := _load("scaling", quick=False)):
        draw(scaling["rows"])
    return path


def page(*, quick: bool = False) -> str:
    """The whole page; a bench that has not been run is named with its command."""
    found = {name: _load(name, quick=quick) for name in SECTIONS}
    assert SECTIONS.keys() == BENCHES.keys() - RELIABILITY, "every bench has its section"
    parts = [INTRODUCTION]
    for name, (heading, text) in SECTIONS.items():
        result = found[name]
        body = _result(result) if result else f"Not measured in this copy: `python -m bench {name}`.\n"
        parts.append(f"## {heading}\n\n{text}\n\n{body}")
        if name == "profile":
            parts.append(CHOICES)
    return "\n".join(parts)


def _load(name: str, *, quick: bool) -> dict[str, Any] | None:
    path = RESULTS / f"{name}{'.quick' if quick else ''}.json"
    if not path.is_file():
        return None
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value


def _result(result: dict[str, Any]) -> str:
    lines = [f"**{_escape(result['title'])}**", ""]
    if result.get("status", "ok") != "ok":
        lines += [f"*{result['status']}*", ""]
    if result["rows"]:
        lines += [*_table(result), ""]
    if result["headline"]:
        lines += ["| in short | |", "|---|---:|"]
        lines += [f"| {_escape(name)} | {cell(value)} |" for name, value in result["headline"].items()]
        lines.append("")
    lines += [f"- {_escape(note)}" for note in result["notes"]]
    machine = result["machine"]
    lines += [
        "",
        f"{machine['cpu']}, {machine['cores']} cores; torch {machine['torch']}, Python {machine['python']}; "
        f"{machine['date'][:10]}. Command: `python -m bench {result['bench']}`.",
        "",
    ]
    return "\n".join(lines)


def _table(result: dict[str, Any]) -> list[str]:
    columns = result["columns"]
    numeric = {name: any(not isinstance(row[name], str) for row in result["rows"]) for name in columns}
    lines = ["| " + " | ".join(map(_escape, columns)) + " |"]
    lines.append("|" + "|".join("---:" if numeric[name] else "---" for name in columns) + "|")
    lines += ["| " + " | ".join(_escape(cell(row[name])) for name in columns) + " |" for row in result["rows"]]
    return lines


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
