"""The model card: README.md of a model folder, readable here and on the Hugging Face Hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from isotone import __version__
from isotone.store.folder import Member

__all__ = ["mixture_card", "model_card"]

_PIPELINE = """
It was trained on alignments fixed beforehand, one for each pair; scoring and decoding sum over all of them.
"""


_COPIES = """
It has a copy gate: a source symbol may be written as it is, with a probability, also one never seen in training.
"""


def model_card(bundle: Member, metrics: dict[str, Any] | None = None) -> str:
    """What the model is, how it was trained (`metrics.json`, where known), how to use it."""
    architecture, text = bundle.config.architecture, bundle.config.text
    tags = f", {len(bundle.vocabulary.tags)} tags" if bundle.vocabulary.tags else ""
    notes = _PIPELINE if architecture.aligner_part.supervised else ""
    notes += _COPIES if architecture.emission.copy_gate else ""
    source = "".join(bundle.vocabulary.source.symbols[:3])
    return f"""---
library_name: isotone
tags: [isotone, {bundle.config.task}, hard-monotonic-attention]
---
# {architecture.aligner.name} model for {bundle.config.task}

A character transducer with exact marginalisation over alignments (Wu & Cotterell, ACL 2019), made with Isotone
{__version__}: {bundle.network.parameter_count():,} parameters, {len(bundle.vocabulary.source.symbols)} source and
{len(bundle.vocabulary.target.symbols)} target symbols{tags}.
{notes}{_training(metrics) if metrics else ""}
```python
import isotone

model = isotone.load("path/to/this/folder")
print(model({source!r}).target)
```

Source: {text.source.normalization}, {text.source.segmentation}; target: {text.target.normalization},
{text.target.segmentation}.
"""


def mixture_card(bundles: Sequence[Member], dev: Mapping[str, float] | None = None) -> str:
    """What a mixture is, and what it reached on dev, where that is known."""
    task, aligners = bundles[0].config.task, [bundle.config.architecture.aligner.name for bundle in bundles]
    return f"""---
library_name: isotone
tags: [isotone, {task}, hard-monotonic-attention, mixture]
---
# Mixture of {len(bundles)} models for {task}

p(y | x) is the weighted mean of the members' probabilities ({", ".join(aligners)}; `mixture.json` has the weights).
`isotone.load` of this folder loads them all.
{_table(dev) if dev else ""}"""


def _table(dev: Mapping[str, float]) -> str:
    rows = "\n".join(f"| {name} | {value:.4g} |" for name, value in dev.items())
    return f"""
| dev | |
|---|---|
{rows}
"""


def _training(metrics: dict[str, Any]) -> str:
    recipe = metrics["recipe"]
    return f"""{_table(metrics["dev"])}
Best of {metrics["epochs"]} epochs: {metrics["best_epoch"]}. Trained on {metrics["pairs"]:,} pairs with the recipe
`{recipe["name"]}` (batch {metrics["batch_size"]}, Adam {recipe["rate"]}), seed {metrics["seed"]}.
"""
