"""The card of a made model: what it is, what it was made of, how good it is."""

from __future__ import annotations

import datetime
from pathlib import Path

from isotone import __version__
from isotone.results import Report
from zoo.made import Made

__all__ = ["card"]

TEMPLATE = """---
library_name: isotone
tags: [isotone, {task}, hard-monotonic-attention]
---
# {name}: {title}

- **Data**: {data}; {train:,} pairs for training, {dev:,} for choosing the epoch, {test:,} held out.
- **Licence of the data**: {licence}.
- **Model**: {model}, {parameters:,} parameters, exported in int8, {megabytes:.1f} MB; runs without PyTorch.
- **Recipe**: {recipe}, {epochs} epochs; `make models` in the repository trains it again.
- **Held-out part** ({words:,} words, none of them in training; right is what the word's own entries list): {metrics}.
- **Made** on {date} with Isotone {version}.
{note}
```python
import isotone

isotone.load("{load}")
```
"""

STRESS = """
Phones are ARPAbet with stress on the vowels (`AH0`, `EY1`). Names and foreign words are guessed from their spelling;
`isotone predict` says how probable each pronunciation is, and names characters that it never saw.
"""


def card(made: Made, folder: Path, report: Report, counts: dict[str, int]) -> str:
    """Markdown for README.md of the exported model in `folder`."""
    from isotone.api.describe import describe

    facts = describe(folder)
    training = facts["training"]
    graphs = sum(path.stat().st_size for path in folder.glob("*.onnx"))
    metrics = ", ".join(f"{name.upper()} {value:.4g}" for name, value in report.metrics.items() if value is not None)
    intervals = ", ".join(
        f"{name.upper()} {low:.4g}–{high:.4g}" for name, (low, high) in (report.intervals or {}).items()
    )
    return TEMPLATE.format(
        task=made.task,
        name=made.name,
        title=made.title,
        data=made.data,
        licence=made.licence,
        **counts,
        model=facts["model"],
        parameters=facts["parameters"],
        megabytes=graphs / 1e6,
        recipe=training["recipe"]["name"],
        epochs=training["epochs"],
        words=len(report.items),
        metrics=f"{metrics} (95 % intervals: {intervals})" if intervals else metrics,
        date=datetime.date.today().isoformat(),
        version=__version__,
        note=STRESS if made.name == "en-us" else "",
        load=made.name if made.shipped else f"runs/models/{made.name}/exported",
    )
