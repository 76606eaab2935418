"""A trained model, ready to be asked: one network or a mixture of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, overload

import isotone.drawing  # noqa: F401  registers how results show themselves
from isotone.api.asking import as_examples, questions
from isotone.api.frames import with_candidates, with_predictions
from isotone.api.load import read_members
from isotone.decoding.align import align_examples, sample_alignments
from isotone.decoding.constraint import AllowedSymbols, Constraint, Trie
from isotone.decoding.decoders import Decoder, decoder_named
from isotone.decoding.draw import draw_targets
from isotone.decoding.judge import References
from isotone.decoding.lexicon import Lexicon
from isotone.decoding.mixture import Mixture
from isotone.decoding.predict import BLOCK, predict_examples
from isotone.decoding.protocol import Model
from isotone.decoding.score import score_examples
from isotone.decoding.sources import SourceReader, check_unknown
from isotone.errors import ConfigError
from isotone.evaluation import evaluate, mistakes
from isotone.models.config import ModelConfig
from isotone.models.inference import TorchModel
from isotone.results import Alignment, Candidate, Judged, Prediction, Report, Scored
from isotone.store.describe import read_folder
from isotone.store.folder import Member, save_members
from isotone.store.hub import fetch, push
from isotone.store.metrics import Metrics
from isotone.text.codec import Codec
from isotone.text.example import Example
from isotone.text.frames import column
from isotone.text.inputs import Pairs, Tags, format_of, pairs_of, tags_of
from isotone.text.readers import DataFormat
from isotone.text.segment import Segmenter
from isotone.text.vocabulary import Vocabulary

__all__ = ["Transducer"]


class Transducer:
    """A trained model, or a mixture of several with the same alphabets. Safe to share between threads."""

    def __init__(
        self,
        members: Sequence[Member],
        *,
        weights: Sequence[float] | None = None,
        metrics: Metrics | None = None,
        run: Mapping[str, Any] | None = None,
    ) -> None:
        """Equal weights unless given. `metrics` and `run` say how the model was trained, and travel with it."""
        mixture = Mixture([TorchModel(member.network, len(member.vocabulary.tags)) for member in members], weights)
        for other in members[1:]:
            if _interface(other) != _interface(members[0]):
                raise ConfigError("models of a mixture must share alphabets, tags, text settings and how they copy")
        self.members = tuple(members)
        self.weights = mixture.weights
        self.metrics = metrics
        self.run = run
        self.model: Model = mixture if len(members) > 1 else mixture.models[0]

    @classmethod
    def from_pretrained(cls, name: str | Path, *, revision: str | None = None) -> Self:
        """A model folder, or the name of one on the Hugging Face Hub."""
        folder = Path(name) if Path(name).is_dir() else fetch(str(name), revision=revision)
        members, weights = read_members([folder], [1.0])
        known = read_folder(folder)
        return cls(members, weights=weights, metrics=known.metrics, run=known.run)

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the model folder with its card; a mixture's has a folder in it for each member."""
        save_members(Path(folder), self._weighted(), metrics=self.metrics, run=self.run)

    def push_to_hub(self, name: str, *, private: bool = False, token: str | None = None) -> str:
        """Upload the model with its card to the Hugging Face Hub; returns its address."""
        return push(self._weighted(), name, metrics=self.metrics, run=self.run, private=private, token=token)

    def _weighted(self) -> list[tuple[Member, float]]:
        return list(zip(self.members, self.weights, strict=True))

    @property
    def config(self) -> ModelConfig:
        """What the first member is; all members share its task and text settings."""
        return self.members[0].config

    @property
    def vocabulary(self) -> Vocabulary:
        """The alphabets and tags, which all members share."""
        return self.members[0].vocabulary

    @property
    def codec(self) -> Codec:
        """Turns examples into ids, and symbols back into text."""
        return self.members[0].codec

    def __repr__(self) -> str:
        sizes = [f"{sum(member.network.parameter_count() for member in self.members):,} parameters"]
        source, target = self.vocabulary.source.symbols, self.vocabulary.target.symbols
        sizes += [f"{len(source)} source and {len(target)} target symbols"]
        sizes += [f"{len(self.vocabulary.tags)} tags"] if self.vocabulary.tags else []
        names = " + ".join(member.config.architecture.aligner.name for member in self.members)
        return f"<isotone.Transducer {names} for {self.config.task}: {', '.join(sizes)}>"

    @overload
    def __call__(self, source: str, *, tags: Tags | None = None, **options: Any) -> Prediction: ...

    @overload
    def __call__(
        self, source: Iterable[str], *, tags: Iterable[Tags] | None = None, **options: Any
    ) -> list[Prediction]: ...

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
    ) -> Prediction | list[Prediction]:
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
        return next(found) if isinstance(source, str) else list(found)

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

    def scores(self, examples: Iterable[Example]) -> Iterator[Scored]:
        """`score` for a stream of examples: each pair with its log-probability, and the reason where that is −inf."""
        return score_examples(self.model, self.codec, examples)

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
        return References.of(self.codec, examples).judge(self.model, _decoder(decoder, options))

    def evaluate(
        self,
        examples: Pairs,
        decoder: Decoder | None = None,
        *,
        bootstrap: int = 1000,
        format: str | DataFormat | None = None,
        **options: Any,
    ) -> Report:
        """The task's metrics, with 95 % intervals, on pairs with targets or a file of them.

        A file is read in the format given, else in that of the training data. A `decoder`, or options as in a call.
        """
        chosen = _decoder(decoder, options)
        named = format_of(examples, format or self.config.data_format, self.config.task)
        return evaluate(self.judge(pairs_of(examples, named), chosen), self.config.task, bootstrap=bootstrap)

    def mistakes(self, report: Report) -> Iterator[tuple[str, ...]]:
        """The wrong predictions of an evaluation as rows of `isotone.results.MISTAKE_COLUMNS`, worst first."""
        separated = self.config.text.target.segmentation == "separator"
        return mistakes(report.items, separator=" " if separated else "")

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


def _interface(member: Member) -> tuple[Any, ...]:
    """What members of a mixture must have in common."""
    return member.vocabulary, member.config.text, member.config.architecture.emission
