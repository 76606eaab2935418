"""Dev loss and dev metric after an epoch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from isotone.decoding.decoders import Decoder, Greedy
from isotone.decoding.directions import joined
from isotone.decoding.judge import References
from isotone.decoding.score import log_probs
from isotone.evaluation import METRICS, task_named
from isotone.results.report import Judged
from isotone.store.folder import Member
from isotone.text.example import Example

__all__ = ["Assessment", "DevSet", "standard_error"]


@dataclass(frozen=True)
class Assessment:
    """How good a model is on the dev set."""

    loss: float
    """Nats per target symbol (EOS counted), over the pairs that the model can express at all."""
    metrics: dict[str, float]


class DevSet:
    """A dev set made ready once: encoded pairs for the loss, grouped references for the metric."""

    def __init__(self, member: Member, examples: Sequence[Example]) -> None:
        self._task = task_named(member.config.task)
        self._codec = member.codec
        self._references = References.of(member.codec, examples)
        self.judged: list[Judged] = []
        """The sources as they were last assessed."""

    @property
    def sources(self) -> int:
        """How many the metrics are means over."""
        return len(self._references.groups)

    def assess(self, *members: Member, decoder: Decoder | None = None) -> Assessment:
        """Exact loss and the task's metrics of one member, or of several as a mixture with equal weights.

        With the same decoder, the metrics are the numbers that `Transducer.evaluate` gives; greedy decoding unless
        another is given, as in the paper.
        """
        pairs = self._references.pairs
        with _evaluating(members):
            model = joined([member.engine() for member in members])
            values = log_probs(model, pairs)
            items = self.judged = self._references.judge(model, decoder or Greedy(), values)
        # Of what must be copied, some may be out of every alignment's reach: a pair with no probability at all.
        possible = [(v, len(p.target or ())) for v, p in zip(values, pairs, strict=True) if v > -math.inf]
        if impossible := len(pairs) - len(possible):
            self._codec.warn_once(
                "impossible dev references",
                f"{impossible:,} of {len(pairs):,} dev references have probability 0, as with symbols that training "
                "never saw: they are left out of the dev loss",
            )
        symbols = sum(length for _, length in possible)
        loss = -sum(value for value, _ in possible) / symbols if symbols else math.inf
        candidates, references = [item.prediction for item in items], [item.references for item in items]
        return Assessment(loss, {name: METRICS[name].mean(candidates, references) for name in self._task.metrics})


def standard_error(percentage: float, count: int) -> float:
    """Of a percentage over that many sources: 100·√(p(1 − p)/n), with p a little away from 0 and 1."""
    share = (count * percentage / 100 + 1) / (count + 2)
    return 100 * math.sqrt(share * (1 - share) / max(1, count))


@contextmanager
def _evaluating(members: Sequence[Member]) -> Iterator[None]:
    """Networks in evaluation mode, and afterwards as they were."""
    training = [member.network.training for member in members]
    for member in members:
        member.network.eval()
    try:
        yield
    finally:
        for member, before in zip(members, training, strict=True):
            member.network.train(before)
