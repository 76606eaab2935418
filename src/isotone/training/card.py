"""The model card: README.md of a model folder, readable here and on the Hugging Face Hub."""

from __future__ import annotations

from typing import Any

from isotone import __version__
from isotone.models.store import Bundle

__all__ = ["model_card"]


def model_card(bundle: Bundle, metrics: dict[str, Any]) -> str:
    """What the model is, how it was trained, how good it is, how to use it."""
    architecture = bundle.config.architecture
    dev = "\n".join(f"| {name} | {value:.4g} |" for name, value in metrics["dev"].items())
    recipe = metrics["recipe"]
    tags = f", {len(bundle.vocabulary.tags)} tags" if bundle.vocabulary.tags else ""
    return f"""---
library_name: isotone
tags: [isotone, {bundle.config.task}, hard-monotonic-attention]
---
# {architecture.aligner} model for {bundle.config.task}

A character transducer with exact marginalisation over alignments (Wu & Cotterell, ACL 2019), trained with Isotone
{__version__}: {bundle.network.parameter_count():,} parameters, {len(bundle.vocabulary.source.symbols)} source and
{len(bundle.vocabulary.target.symbols)} target symbols{tags}.

| dev | |
|---|---|
{dev}

Best of {metrics["epochs"]} epochs: {metrics["best_epoch"]}. Trained on {metrics["pairs"]:,} pairs with the recipe
`{recipe["name"]}` (batch {recipe["batch_size"] or "default"}, Adam {recipe["rate"]}), seed {metrics["seed"]}.

```python
import isotone

model = isotone.load("path/to/this/folder")
print(model("{"".join(bundle.vocabulary.source.symbols[:3])}").target)
```

Source: {bundle.config.text.source.normalization}, {bundle.config.text.source.segmentation}; target:
{bundle.config.text.target.normalization}, {bundle.config.text.target.segmentation}.
"""
