"""A trained model, ready to be asked: one network or a mixture of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

from isotone.api.frames import with_candidates, with_predictions
from isotone.api.knowing import with_known_forms
from isotone.api.saving import SavedModel
from isotone.decoding.align import align_examples, sample_alignments
from isotone.decoding.constraint import AllowedSymbols, Constraint, Trie
from isotone.decoding.decoders import Decoder, decoder_named
from isotone.decoding.draw import draw_targets
from isotone.decoding.judge import References
from isotone.decoding.lexicon import Lexicon
from isotone.decoding.predict import BLOCK, predict_examples
from isotone.decoding.score import score_examples
from isotone.decoding.sources import SourceReader, check_unknown
from isotone.errors import ConfigError
from isotone.results import (
    Alignment,
    Candidate,
    Correspondences,
    ErrorReport,
    Judged,
    Prediction,
    Predictions,
    Report,
    Scored,
)
from isotone.store.temperature import Temperature
from isotone.text.example import Example
from isotone.text.frames import column
from isotone.text.inputs import Pairs, Tags, as_examples, format_of, pairs_of, questions, stream_of, tags_of
from isotone.text.readers import DataFormat
from isotone.text.segment import Segmenter

__all__ = ["Transducer"]


class Transducer(SavedModel):
    """A trained model, or a mixture of several with the same alphabets. Safe to share between threads."""

    @overload
    def __call__(self, source: str, *, tags: Tags | None = None, **options: Any) -> Prediction: ...

    @overload
    def __call__(self, source: Iterable[str], *, tags: Iterable[Tags] | None = None, **options: Any) -> Predictions: ...

    def __call__(
        self,
        source: str | Iterable[str],
        *,
        tags: Any = None,
        decode: str | None = None,
        constraint: Constraint | None = None,
        lexicon: Lexicon | None = None,
        unknown: str | None = None,
        fold_case: bool = False,
        **options: Any,
    ) -> Prediction | Predictions:
        """Predict the target of one source, or of each of a list.

        `decode` names a decoder ("exact" by default); the options are its own: n_best, mass, min_probability, budget,
        beam, max_length. The others are those of `predict`.
        """
        found = self.predict(
            questions(source, None, tags),
            decoder_named(decode, **options),
            constraint=constraint,
            lexicon=lexicon,
            unknown=unknown,
            fold_case=fold_case,
        )
        return next(found) if isinstance(source, str) else Predictions(found)

    def predict(
        self,
        examples: Iterable[Example | str],
        decoder: Decoder | None = None,
        *,
        constraint: Constraint | None = None,
        lexicon: Lexicon | None = None,
        unknown: str | None = None,
        fold_case: bool = False,
        at_once: bool = False,
        **options: Any,
    ) -> Iterator[Prediction]:
        """Predictions in the order of the examples, which may be a stream of any length.

        `constraint` (see `allow`) restricts what may be written; sources in `lexicon` are looked up, not decoded.
        `decoder` is one of `isotone.Exact`, `isotone.Beam`, `isotone.Greedy`; or give options as in a call. `unknown`
        decides about sources with symbols never seen in training: "error", "skip" (no answer), "drop" (leave the
        symbols out) or "copy"; by default they are read as unknown symbols, and copied by models that do so.
        `fold_case` reads capitals as lower case. `at_once` answers each example before the next one is read.
        """
        chosen = _decoder(decoder, options)
        emission = self.config.architecture.emission
        policy = check_unknown(unknown, copies=emission.copies_unknown or emission.copy_gate)
        return predict_examples(
            self.model,
            self.codec,
            as_examples(examples),
            chosen,
            constraint=constraint,
            lexicon=lexicon,
            reader=SourceReader(self.codec, unknown=policy, longest=self.config.longest_source),
            fold_case=fold_case,
            block=1 if at_once else BLOCK,
        )

    def allow(self, *, symbols: Iterable[str] | None = None, targets: Iterable[str] | None = None) -> Constraint:
        """A constraint for `predict`: only these target symbols, or only these targets.

        What was never seen in training cannot be written anyway and is left out.
        """
        if (symbols is None) == (targets is None):
            raise ConfigError("allow either symbols or targets")
        alphabet = self.vocabulary.target
        if symbols is not None:
            return AllowedSymbols([alphabet.id(symbol) for symbol in symbols if symbol in alphabet], len(alphabet))
        strings = map(Segmenter(self.config.text.target).split, targets or ())
        possible = [string for string in strings if all(symbol in alphabet for symbol in string)]
        return Trie([alphabet.encode(string) for string in possible], len(alphabet))

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
        values = [scored.logprob for scored in self.scores(questions(source, target, tags))]
        return values[0] if isinstance(source, str) else values

    def scores(self, examples: Iterable[Example], *, surprisal: bool = False) -> Iterator[Scored]:
        """`score` for a stream of examples: each pair with its log-probability, and the reason where that is −inf.

        With `surprisal` each comes with the surprisal of its symbols, as `surprisals` gives it.
        """
        return score_examples(self.model, self.codec, examples, surprisal=surprisal)

    @overload
    def surprisals(self, source: str, target: str, *, tags: Tags | None = None) -> tuple[float, ...]: ...  # type: ignore[overload-overlap]

    @overload
    def surprisals(
        self, source: Iterable[str], target: Iterable[str], *, tags: Iterable[Tags] | None = None
    ) -> list[tuple[float, ...]]: ...

    def surprisals(self, source: Any, target: Any, *, tags: Any = None) -> Any:
        """−log p(symbol | symbols before it, source) of each target symbol and of the end, in nats.

        They add up to −`score`, and are infinite from the first symbol on that the model cannot write.
        """
        found = [one.surprisal or () for one in self.scores(questions(source, target, tags), surprisal=True)]
        return found[0] if isinstance(source, str) else found

    def unseen(self, example: Example) -> tuple[str, ...]:
        """Target symbols never seen in training: why `score` is −inf."""
        return self.codec.encode(example).unseen

    @overload
    def align(self, source: str, target: str, *, tags: Tags | None = None) -> Alignment: ...  # type: ignore[overload-overlap]

    @overload
    def align(
        self, source: Iterable[str], target: Iterable[str], *, tags: Iterable[Tags] | None = None
    ) -> list[Alignment]: ...

    def align(self, source: Any, target: Any, *, tags: Any = None) -> Alignment | list[Alignment]:
        """The best alignment of a pair with the exact posterior of every link."""
        found = self.alignments(questions(source, target, tags))
        return next(found) if isinstance(source, str) else list(found)

    def alignments(self, examples: Iterable[Example]) -> Iterator[Alignment]:
        """`align` for a stream of examples. A mixture's posterior weighs each model by its share of p(target | source),
        and the path is that of the model with the largest share."""
        return align_examples(self.model, self.codec, examples)

    def correspondences(
        self, pairs: Pairs, *, context: int = 0, format: str | DataFormat | None = None
    ) -> Correspondences:
        """Expected counts of what source symbols turn into, over pairs or a file of them; see docs/analysis.md.

        `context` source symbols on either side, if any, tell occurrences apart.
        """
        from isotone.evaluation.correspondences import count_correspondences

        named = format_of(pairs, format or self.config.data_format, self.config.task)
        alignments = self.alignments(stream_of(pairs, named))
        return count_correspondences(alignments, context=context, separator=self._separator)

    def sample(
        self, source: str, *, tags: Tags | None = None, count: int = 1, seed: int | None = None
    ) -> list[Candidate]:
        """Targets drawn from p(target | source), each with its log-probability; reproducible with a seed."""
        return draw_targets(self.model, self.codec, Example(source, None, tags_of(tags)), count=count, seed=seed)

    def sample_alignments(
        self, source: str, target: str, *, tags: Tags | None = None, count: int = 1, seed: int | None = None
    ) -> list[Alignment]:
        """Alignments of a pair drawn from p(alignment | source, target); an empty list for an impossible pair.

        Their `logprob` is that of the pair, over all alignments. `soft` models have no alignments to draw.
        """
        example = Example(source, target, tags_of(tags))
        return sample_alignments(self.model, self.codec, example, count=count, seed=seed)

    def judge(self, examples: Sequence[Example], decoder: Decoder | None = None, **options: Any) -> list[Judged]:
        """Each source once, with its prediction, its references and the log-probabilities of both."""
        return References.of(self.codec, examples, tell=True).judge(self.model, _decoder(decoder, options))

    def evaluate(
        self,
        examples: Pairs,
        decoder: Decoder | None = None,
        *,
        bootstrap: int = 1000,
        calibration: int | None = None,
        format: str | DataFormat | None = None,
        **options: Any,
    ) -> Report:
        """The task's metrics, with 95 % intervals, on pairs with targets or a file of them.

        `calibration`, a number of bins, adds how far the predictions' probabilities can be trusted.

        A file is read in the format given, else in that of the training data. A `decoder`, or options as in a call.
        """
        from isotone.evaluation import evaluate

        chosen = _decoder(decoder, options)
        named = format_of(examples, format or self.config.data_format, self.config.task)
        items = self.judge(pairs_of(examples, named), chosen)
        return evaluate(items, self.config.task, bootstrap=bootstrap, calibration=calibration)

    def mistakes(self, report: Report) -> Iterator[tuple[str, ...]]:
        """The wrong predictions of an evaluation as rows of `isotone.results.MISTAKE_COLUMNS`, worst first."""
        from isotone.evaluation import mistakes

        return mistakes(report.items, separator=self._separator)

    def errors(
        self,
        pairs: Pairs,
        decoder: Decoder | None = None,
        *,
        against: Transducer | None = None,
        train: Pairs | None = None,
        examples: int = 3,
        format: str | DataFormat | None = None,
        **options: Any,
    ) -> ErrorReport:
        """What goes wrong on pairs or a file of them, and what another model does there; see docs/analysis.md.

        `train` are the training pairs, for telling seen from unseen sources; by default those that the model names, if
        their file is still there. A `decoder`, or options as in a call; `examples` of each kind of edit.
        """
        from isotone.api.analysis import find_errors

        chosen = _decoder(decoder, options)
        named = format_of(pairs, format or self.config.data_format, self.config.task)
        return find_errors(
            self, pairs_of(pairs, named), chosen, against=against, train=train, examples=examples, format=format
        )

    @property
    def _separator(self) -> str:
        """What joins target symbols for people: a blank for phones, nothing for characters."""
        return " " if self.config.text.target.segmentation == "separator" else ""

    def with_temperature(self, temperature: float | Temperature | None) -> Transducer:
        """The same model with another temperature, or (None) without one; the members of a mixture keep their own.

        p_T(symbol | prefix) ∝ p(symbol | prefix)^(1/T): still an exact distribution over strings, and alignments stay.
        """
        given = Temperature(value=temperature) if isinstance(temperature, float | int) else temperature
        members = self.members if len(self.members) > 1 else [self.members[0].with_temperature(None)]
        return Transducer(members, weights=self.weights, metrics=self.metrics, run=self.run, temperature=given)

    def with_known(self, forms: Pairs, *, format: str | DataFormat | None = None) -> Transducer:
        """The same model with known forms of lemmas (pairs with tags, or a file of them), for models trained with
        `paradigm`: the target of a lemma is then predicted from the lemma and from every known form of it with other
        tags, p(y) = 1/n Σ_k p(y | source k). Alignments stay those of the lemma.
        """
        named = format_of(forms, format or self.config.data_format, self.config.task)
        return with_known_forms(self, pairs_of(forms, named))

    def calibrate(
        self, dev: Pairs, *, share: float = 0.5, bins: int = 10, format: str | DataFormat | None = None
    ) -> Transducer:
        """The same model with a temperature fitted on a share of the dev pairs and measured on the others.

        Its `temperature` says what it is, and the expected calibration error without and with it. The fit minimises
        −log p of the references, so it may also leave that error as it is or raise it: look at the figures.
        """
        from isotone.api.analysis import calibrate

        named = format_of(dev, format or self.config.data_format, self.config.task)
        return calibrate(self, pairs_of(dev, named), share=share, bins=bins)

    def predict_frame(
        self, frame: Any, *, source: str = "source", tags: str | None = None, decode: str | None = None, **options: Any
    ) -> Any:
        """A pandas or polars frame with the columns `prediction`, `logprob` and `probability` added.

        With `n_best`, `mass` or `min_probability` each row comes once for each candidate, and a column `rank` tells
        them apart. Columns of these names must not be there yet.
        """
        others = ("lexicon", "constraint", "unknown", "fold_case")
        asking = {name: options.pop(name) for name in others if name in options}
        decoder = decoder_named(decode, **options)
        asked = questions(column(frame, source), None, None if tags is None else column(frame, tags))
        found = list(self.predict(asked, decoder, **asking))
        return with_candidates(frame, found) if decoder.several else with_predictions(frame, found)


def _decoder(decoder: Decoder | None, options: dict[str, Any]) -> Decoder:
    """The decoder given, or the one that the options describe; never both, so that none of them is dropped."""
    given = {name: value for name, value in options.items() if value is not None}
    if decoder is not None and given:
        raise ConfigError(f"give either a decoder or options, not both: {decoder} and {', '.join(given)}")
    if isinstance(decoder, str):
        raise ConfigError(f"expected a decoder such as isotone.Exact(), found {decoder!r}; or give decode={decoder!r}")
    name = given.pop("decode", None)
    return decoder if decoder is not None else decoder_named(name, **given)
