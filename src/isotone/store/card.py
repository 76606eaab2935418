"""The model card: README.md of a model folder, readable here and on the Hugging Face Hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from isotone import __version__
from isotone.models.config import ModelConfig
from isotone.store.metrics import Metrics
from isotone.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from isotone.store.folder import Member
    from isotone.store.manifest import Manifest

__all__ = ["export_card", "mixture_card", "model_card"]

_PIPELINE = """
It was trained on one fixed alignment per pair; scoring and decoding sum over all alignments.
"""

_COPIES = """
It has a copy gate: it can copy a source symbol to the output, with a probability, even one never seen in training.
"""


def model_card(member: Member, metrics: Metrics | None = None) -> str:
    """What the model is, how it was trained (where known), and how to use it."""
    return _card(member.config, member.vocabulary, member.parameters, metrics, "")


def export_card(manifest: Manifest) -> str:
    """The same of an exported model, with how far it is from the trained one."""
    facts = manifest.exported or {}
    difference = facts["difference"]
    note = f"""
Exported for ONNX Runtime in {facts["precision"]}: it loads and runs without PyTorch. On {difference["samples"]} made-up
sources it writes the same string as the trained model {difference["same"]} times; log-probabilities differ by at most
{difference["log_prob"]:.2g} nats per symbol.
"""
    return _card(manifest.config, manifest.vocabulary, manifest.parameters, manifest.metrics, note)


def _card(config: ModelConfig, vocabulary: Vocabulary, parameters: int, metrics: Metrics | None, note: str) -> str:
    architecture, text = config.architecture, config.text
    tags = f", {len(vocabulary.tags)} tags" if vocabulary.tags else ""
    notes = _PIPELINE if architecture.aligner_part.supervised else ""
    notes += _COPIES if architecture.emission.copy_gate else ""
    notes += note
    source = "".join(vocabulary.source.symbols[:3])
    return f"""---
library_name: isotone
tags: [isotone, {config.task}, hard-monotonic-attention]
---
# {architecture.aligner.name} model for {config.task}

A character transducer that sums exactly over all alignments (Wu & Cotterell, ACL 2019), made with Isotone
{__version__}: {parameters:,} parameters, {len(vocabulary.source.symbols)} source and
{len(vocabulary.target.symbols)} target symbols{tags}.
{notes}{_training(metrics) if metrics else ""}
```python
import isotone

model = isotone.load("path/to/this/folder")
print(model({source!r}).target)
```

Source text: {text.source.normalization}, {text.source.segmentation}. Target text: {text.target.normalization},
{text.target.segmentation}.
"""


def mixture_card(configs: Sequence[ModelConfig], metrics: Metrics | None = None) -> str:
    """What a mixture is, and its results on dev (where known)."""
    task, aligners = configs[0].task, [config.architecture.aligner.name for config in configs]
    return f"""---
library_name: isotone
tags: [isotone, {task}, hard-monotonic-attention, mixture]
---
# Mixture of {len(configs)} models for {task}

p(y | x) is the weighted mean of the members' probabilities ({", ".join(aligners)}; the weights are in `mixture.json`).
`isotone.load` on this folder loads all of them.
{_table(metrics.dev) if metrics and metrics.dev else ""}"""


def _table(dev: Mapping[str, float | None]) -> str:
    rows = "\n".join(f"| {name} | {'infinite' if value is None else f'{value:.4g}'} |" for name, value in dev.items())
    return f"""
| dev | |
|---|---|
{rows}
"""


def _training(metrics: Metrics) -> str:
    """What is known about the training, one sentence per fact."""
    facts = []
    if metrics.best_epoch and metrics.epochs:
        facts.append(f"These are the weights of epoch {metrics.best_epoch} of {metrics.epochs}.")
    if metrics.pairs is not None:
        facts.append(f"Trained on {metrics.pairs:,} pairs.")
    if name := metrics.recipe.get("name"):
        batch = f", batch size {metrics.batch_size}" if metrics.batch_size is not None else ""
        rate = f", learning rate {metrics.recipe['rate']}" if "rate" in metrics.recipe else ""
        seed = f", seed {metrics.seed}" if metrics.seed is not None else ""
        facts.append(f"Recipe: `{name}`{batch}{rate}{seed}.")
    if not metrics.finished:
        facts.append("Training was not finished.")
    table = _table(metrics.dev) if metrics.dev else ""
    return table + ("\n" + "\n".join(facts) + "\n" if facts else "")
