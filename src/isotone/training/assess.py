"""Dev loss and dev metric after an epoch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from isotone.decoding.decode import log_probs, predict
from isotone.decoding.ensemble import Mixture
from isotone.decoding.greedy import greedy
from isotone.evaluation import METRICS, group_references, task_named
from isotone.store.folder import Member
from isotone.text.example import Example
from isotone.text.segment import Segmenter

__all__ = ["Assessment", "DevSet"]


@dataclass(frozen=True)
class Assessment:
    """How good a model is on the dev set."""

    loss: float
    """Nats per target symbol (EOS counted), over the pairs that the model can express at all."""
    metrics: dict[str, float]


class DevSet:
    """A dev set made ready once: encoded pairs for the loss, grouped references for the metric."""

    def __init__(self, bundle: Member, examples: Sequence[Example]) -> None:
        segment = Segmenter(bundle.config.text.target).split
        self._pairs = [bundle.codec.encode(example) for example in examples]
        groups = group_references((e.source, e.tags, segment(e.target or "")) for e in examples)
        self._sources = [Example(source, None, tags) for source, tags in groups]
        self._references = list(groups.values())

    def assess(self, bundle: Member, mixture: Mixture | None = None) -> Assessment:
        """Exact loss and greedy decoding, in evaluation mode; of `mixture`, where `bundle` is only a part of it."""
        model = mixture or bundle.network
        training = bundle.network.training
        bundle.network.eval()
        pairs = [pair for pair in self._pairs if not pair.unseen]
        values = log_probs(bundle, model, pairs)
        # of what must be copied, some may be out of every alignment's reach: a pair with no probability at all
        possible = [
            (value, len(pair.target or ())) for value, pair in zip(values, pairs, strict=True) if value > -math.inf
        ]
        loss = -sum(value for value, _ in possible) / max(1, sum(symbols for _, symbols in possible))
        predictions = dict(predict(bundle, self._sources, partial(greedy, model)))
        candidates = [predictions[row].best.symbols for row in range(len(self._sources))]
        bundle.network.train(training)
        metrics = {
            name: METRICS[name].mean(candidates, self._references) for name in task_named(bundle.config.task).metrics
        }
        return Assessment(loss, metrics)
