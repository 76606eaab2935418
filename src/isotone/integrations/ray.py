"""A callable for Ray Data: `dataset.map_batches(Predict, fn_constructor_args=["models/en"], concurrency=2)`.

Ray keeps an actor alive for each copy, so the model is loaded once per actor, not once per batch.
"""

from __future__ import annotations

from typing import Any

from isotone.api import decoder_named, load
from isotone.api.threads import set_threads
from isotone.text.inputs import questions

__all__ = ["Predict"]


class Predict:
    """Adds the columns `prediction` and `logprob` to a batch: a dictionary of columns, as Ray Data hands it out."""

    def __init__(
        self, *models: str, source: str = "source", tags: str | None = None, threads: int = 1, **options: Any
    ) -> None:
        """Load the model, or several as one mixture. `source` and `tags` name columns; options are those of a call,
        such as decode="beam"."""
        set_threads(threads)
        self._model = load(*models)
        self._source, self._tags = source, tags
        self._decoder = decoder_named(options.pop("decode", None), **options)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The batch with the two columns added; its rows stay as they are."""
        import numpy as np

        sources = [str(source) for source in batch[self._source]]
        tags = None if self._tags is None else [_tags(cell) for cell in batch[self._tags]]
        found = list(self._model.predict(questions(sources, None, tags), self._decoder))
        best = [prediction.candidates[0] if prediction.candidates else None for prediction in found]
        targets = np.array(["" if one is None else one.target for one in best], dtype=object)
        values = np.array([-np.inf if one is None else one.logprob for one in best], dtype=np.float64)
        return {**batch, "prediction": targets, "logprob": values}


def _tags(cell: Any) -> Any:
    return cell if isinstance(cell, str) else [str(tag) for tag in cell]
