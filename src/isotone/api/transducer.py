"""A trained model, ready to be asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

from isotone.api.frames import with_candidates, with_predictions
from isotone.api.predicting import constraint_of, predictions
from isotone.api.sampling import samples
from isotone.api.scoring import scored_examples
from isotone.api.stored import Stored
from isotone.decoding.alignment import align_pairs
from isotone.decoding.constraint import Constraint
from isotone.decoding.lexicon import Lexicon
from isotone.decoding.options import DecodeOptions
from isotone.evaluation import evaluate
from isotone.results import Judged, Report
from isotone.results.alignment import Alignment
from isotone.results.prediction import Candidate, Prediction
from isotone.text.example import Example
from isotone.text.frames import column
from isotone.text.inputs import Pairs, Tags, examples_of, format_of, pairs_of, tags_of
from isotone.text.readers import DataFormat

__all__ = ["Transducer"]


class Transducer(Stored):
    """A trained model, or a mixture of several with the same alphabets. Safe to share between threads."""

    @overload
    def __call__(self, source: str, *, tags: Tags | None = None, n_best: int = 1, **options: Any) -> Prediction: ...

    @overload
    def __call__(
        self, source: Iterable[str], *, tags: Iterable[Tags] | None = None, n_best: int = 1, **options: Any
    ) -> list[Prediction]: ...

    def __call__(
        self,
        source: str | Iterable[str],
        *,
        tags: Any = None,
        n_best: int = 1,
        constraint: Constraint | None = None,
        lexicon: Lexicon | None = None,
        **options: Any,
    ) -> Prediction | list[Prediction]:
        """Predict the target of one source, or of each of a list; the options are those of `DecodeOptions`."""
        settings = DecodeOptions.choose(n_best=n_best, **options)
        found = self.predict(_asked(source, None, tags), settings, constraint=constraint, lexicon=lexicon)
        return next(found) if isinstance(source, str) else list(found)

    def predict(
        self,
        examples: Iterable[Example],
        options: DecodeOptions | None = None,
        *,
        constraint: Constraint | None = None,
        lexicon: Lexicon | None = None,
    ) -> Iterator[Prediction]:
        """Predictions in the order of the examples, which may be a stream of any length.

        `constraint` (see `allow`) restricts what may be written; sources in `lexicon` are looked up, not decoded.
        """
        settings = options or DecodeOptions()
        return predictions(self._members, examples, settings, constraint=constraint, lexicon=lexicon)

    def allow(self, *, symbols: Iterable[str] | None = None, targets: Iterable[str] | None = None) -> Constraint:
        """A constraint for `predict`: only these target symbols, or only these targets."""
        return constraint_of(self._members, symbols=symbols, targets=targets)

    @overload
    def score(self, source: str, target: str, *, tags: Tags | None = None) -> float: ...  # type: ignore[overload-overlap]

    @overload
    def score(
        self, source: Iterable[str], target: Iterable[str], *, tags: Iterable[Tags] | None = None
    ) -> list[float]: ...

    def score(self, source: Any, target: Any, *, tags: Any = None) -> float | list[float]:
        """Exact log p(target | source), in nats; −inf where the target has a symbol never seen in training.

        A model with a copy gate may have such a symbol from the source, with its true probability.
        """
        values = self.log_probs(_asked(source, target, tags))
        return values[0] if isinstance(source, str) else values

    def log_probs(self, examples: Sequence[Example]) -> list[float]:
        """`score` for examples."""
        return self._members.log_probs(examples)

    def unseen(self, example: Example) -> tuple[str, ...]:
        """Target symbols never seen in training: why `score` is −inf."""
        return self._members.first.codec.encode(example).unseen

    @overload
    def align(self, source: str, target: str, *, tags: Tags | None = None) -> Alignment: ...  # type: ignore[overload-overlap]

    @overload
    def align(
        self, source: Iterable[str], target: Iterable[str], *, tags: Iterable[Tags] | None = None
    ) -> list[Alignment]: ...

    def align(self, source: Any, target: Any, *, tags: Any = None) -> Alignment | list[Alignment]:
        """The best alignment of a pair with the exact posterior of every link."""
        found = self.alignments(_asked(source, target, tags))
        return found[0] if isinstance(source, str) else found

    def alignments(self, examples: Sequence[Example]) -> list[Alignment]:
        """`align` for examples. A mixture's posterior weighs each model by its share of p(target | source)."""
        return align_pairs(self._members.bundles, self._members.weights, examples)

    def sample(
        self, source: str, *, tags: Tags | None = None, count: int = 1, seed: int | None = None
    ) -> list[Candidate]:
        """Targets drawn from p(target | source), each with its log-probability; reproducible with a seed."""
        return samples(self._members, Example(source, None, tags_of(tags)), count=count, seed=seed)

    def scored(self, examples: Sequence[Example], options: DecodeOptions | None = None) -> list[Judged]:
        """Each source once, with its prediction, its references and the log-probabilities of both."""
        return scored_examples(self._members, examples, options or DecodeOptions())

    def evaluate(
        self,
        examples: Pairs,
        options: DecodeOptions | None = None,
        *,
        bootstrap: int = 1000,
        format: str | DataFormat | None = None,
        **decoding: Any,
    ) -> Report:
        """The task's metrics, with 95 % intervals, on pairs with targets or a file of them.

        A file is read in the format given, else in that of the training data. `decoding` is as in a call.
        """
        named = format_of(examples, format or self.config.data_format, self.config.task)
        settings = options or DecodeOptions.choose(**decoding)
        return evaluate(self.scored(pairs_of(examples, named), settings), self.config.task, bootstrap=bootstrap)

    def predict_frame(self, frame: Any, *, source: str = "source", tags: str | None = None, **options: Any) -> Any:
        """A pandas or polars frame with the columns `prediction` and `logprob` added.

        With `n_best` or `mass` each row comes once for each candidate, and a column `rank` tells them apart.
        """
        found = self(column(frame, source), tags=None if tags is None else column(frame, tags), **options)
        one_each = options.get("n_best", 1) == 1 and options.get("mass") is None
        return with_predictions(frame, found) if one_each else with_candidates(frame, found)


def _asked(source: str | Iterable[str], target: Any, tags: Any) -> list[Example]:
    """One source with one target and its tags, or lists of them."""
    if isinstance(source, str):
        return examples_of([source], [target], [tags])
    return examples_of(source, target, tags)
