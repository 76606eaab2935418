"""The one door for notebooks, the command line and the server: load a model, call it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, overload

import torch

from isotone.decoding.alignment import align_pairs
from isotone.decoding.constraint import AllowedSymbols, Constraint, Trie
from isotone.decoding.copying import spell
from isotone.decoding.decode import collate_for, log_probs, predict
from isotone.decoding.ensemble import Mixture
from isotone.decoding.lexicon import Lexicon
from isotone.decoding.options import DecodeOptions, decode
from isotone.decoding.prediction import Candidate, Prediction
from isotone.decoding.sample import sample
from isotone.drawing.alignment import Alignment
from isotone.errors import ConfigError
from isotone.evaluation import Report, Scored, evaluate, group_references
from isotone.models.config import ModelConfig
from isotone.models.hub import fetch, push
from isotone.models.store import Bundle, load_bundle, save_bundle
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.frames import column, with_columns
from isotone.text.readers import guess_format, read
from isotone.text.readers.selection import DataFormat
from isotone.text.segment import Segmenter
from isotone.text.vocabulary import Vocabulary
from isotone.training import Callback, Recipe, Settings, recipe_named
from isotone.training import train as fit

__all__ = ["Transducer", "load", "train"]

BLOCK = 4096
"""Examples that `predict` reads ahead, to sort them by length."""

Tags = Sequence[str] | str


def load(*paths: str | Path, weights: Sequence[float] | None = None) -> Transducer:
    """The model in a folder; several folders act as one mixture, with equal weights unless given."""
    return Transducer([load_bundle(Path(path)) for path in paths], weights=weights)


def train(
    *,
    train: Iterable[Example] | str | Path,
    dev: Iterable[Example] | str | Path,
    out: str | Path,
    task: str = "transduction",
    model: str = "0-mono",
    recipe: str | Recipe = "fast",
    format: str | None = None,
    texts: Texts | None = None,
    callbacks: Sequence[Callback] = (),
    **settings: Any,
) -> Transducer:
    """Train on examples or files, as `isotone train` does; gives back the best epoch's model.

    `settings` are those of `isotone.training.Settings`: seed, device, precision, threads, resume, overwrite.
    """
    named = None if format is None else DataFormat(name=format)
    if named is None and isinstance(train, str | Path):
        named = DataFormat(name=guess_format(train, task))
    natural = named.format().texts if named else Texts()
    chosen = Settings(
        task=task,
        aligner=model,
        recipe=recipe_named(recipe) if isinstance(recipe, str) else recipe,
        texts=texts or natural,
        data_format=named,
        **settings,
    )
    bundle, _ = fit(_listed(train, named), _listed(dev, named), Path(out), chosen, callbacks)
    return Transducer([bundle])


class Transducer:
    """A trained model, or a mixture of several with the same alphabets. Safe to share between threads."""

    def __init__(self, bundles: Sequence[Bundle], *, weights: Sequence[float] | None = None) -> None:
        if not bundles:
            raise ConfigError("no model was given")
        first = bundles[0]
        for other in bundles[1:]:
            same = other.vocabulary == first.vocabulary and other.config.text == first.config.text
            if not same or other.config.architecture.copies_unknown != first.config.architecture.copies_unknown:
                raise ConfigError("models of a mixture must share alphabets, tags and text settings")
        if weights is not None and len(weights) != len(bundles):
            raise ConfigError(f"{len(bundles)} models need as many weights, found {len(weights)}")
        self._bundles = tuple(bundles)
        networks = [bundle.network for bundle in bundles]
        shares = list(weights) if weights is not None else [1.0] * len(bundles)
        if min(shares) <= 0:
            raise ConfigError(f"weights must be positive, found {shares}")
        self._weights = [share / sum(shares) for share in shares]
        self._model = networks[0] if len(networks) == 1 else Mixture(networks, self._weights)

    @classmethod
    def from_pretrained(cls, name: str | Path, *, revision: str | None = None) -> Transducer:
        """A model folder, or the name of one on the Hugging Face Hub."""
        folder = Path(name)
        return cls([load_bundle(folder if folder.is_dir() else fetch(str(name), revision=revision))])

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the model folder; a mixture has no folder of its own."""
        save_bundle(self._only("save"), Path(folder))

    def push_to_hub(self, name: str, *, private: bool = False, token: str | None = None) -> str:
        """Upload the model with its card to the Hugging Face Hub; gives back its address."""
        return push(self._only("upload"), name, private=private, token=token)

    @property
    def config(self) -> ModelConfig:
        """What the (first) model is."""
        return self._bundles[0].config

    @property
    def vocabulary(self) -> Vocabulary:
        """Its alphabets and tags."""
        return self._bundles[0].vocabulary

    @property
    def bundles(self) -> tuple[Bundle, ...]:
        """The models behind it, one unless it is a mixture."""
        return self._bundles

    @overload
    def __call__(self, source: str, *, tags: Tags | None = None, n_best: int = 1, **options: Any) -> Prediction: ...

    @overload
    def __call__(
        self, source: Sequence[str], *, tags: Sequence[Tags] | None = None, n_best: int = 1, **options: Any
    ) -> list[Prediction]: ...

    def __call__(
        self, source: str | Sequence[str], *, tags: Any = None, n_best: int = 1, **options: Any
    ) -> Prediction | list[Prediction]:
        """Predict the target of one source, or of each of a list; the options are those of `DecodeOptions`."""
        settings = DecodeOptions.choose(n_best=n_best, **options)
        if isinstance(source, str):
            return next(self.predict([Example(source, None, _tags(tags))], settings))
        return list(self.predict(_examples(source, None, tags), settings))

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
        stream = iter(examples)
        while block := list(islice(stream, BLOCK)):
            known = {row: self._look_up(e, lexicon) for row, e in enumerate(block) if lexicon and e in lexicon}
            rest = [row for row in range(len(block)) if row not in known]
            found = predict(
                self._bundles[0],
                [block[row] for row in rest],
                lambda batch: decode(self._model, batch, settings, constraint),
            )
            known |= {rest[place]: prediction for place, prediction in found}
            yield from (known[row] for row in range(len(block)))

    def _look_up(self, example: Example, lexicon: Lexicon) -> Prediction:
        """The lexicon's targets with the model's probabilities, best first."""
        targets = lexicon[example]
        values = self.log_probs([Example(example.source, target, example.tags) for target in targets])
        ranked = sorted(zip(targets, values, strict=True), key=lambda pair: -pair[1])
        segment = Segmenter(self.config.text.target).split
        candidates = [Candidate(target, segment(target), value, r) for r, (target, value) in enumerate(ranked, 1)]
        return Prediction(example.source, example.tags, tuple(candidates), from_lexicon=True)

    def allow(self, *, symbols: Iterable[str] | None = None, targets: Iterable[str] | None = None) -> Constraint:
        """A constraint for `predict`: only these target symbols, or only these targets."""
        if (symbols is None) == (targets is None):
            raise ConfigError("allow either symbols or targets")
        alphabet = self.vocabulary.target
        if symbols is not None:
            return AllowedSymbols([alphabet.id(symbol) for symbol in symbols if symbol in alphabet], len(alphabet))
        segment = Segmenter(self.config.text.target).split
        strings = [segment(target) for target in targets or ()]
        possible = [string for string in strings if all(symbol in alphabet for symbol in string)]
        return Trie([alphabet.encode(string) for string in possible], len(alphabet))

    @overload
    def score(self, source: str, target: str, *, tags: Tags | None = None) -> float: ...  # type: ignore[overload-overlap]

    @overload
    def score(
        self, source: Sequence[str], target: Sequence[str], *, tags: Sequence[Tags] | None = None
    ) -> list[float]: ...

    def score(self, source: Any, target: Any, *, tags: Any = None) -> float | list[float]:
        """Exact log p(target | source), in nats; −inf where the target has a symbol never seen in training."""
        one = isinstance(source, str)
        examples = [Example(source, target, _tags(tags))] if one else _examples(source, target, tags)
        values = self.log_probs(examples)
        return values[0] if one else values

    def log_probs(self, examples: Sequence[Example]) -> list[float]:
        """`score` for examples."""
        return log_probs(self._bundles[0], self._model, [self._bundles[0].codec.encode(e) for e in examples])

    def unseen(self, example: Example) -> tuple[str, ...]:
        """Target symbols never seen in training: why `score` is −inf."""
        return self._bundles[0].codec.encode(example).unseen

    @overload
    def align(self, source: str, target: str, *, tags: Tags | None = None) -> Alignment: ...  # type: ignore[overload-overlap]

    @overload
    def align(
        self, source: Sequence[str], target: Sequence[str], *, tags: Sequence[Tags] | None = None
    ) -> list[Alignment]: ...

    def align(self, source: Any, target: Any, *, tags: Any = None) -> Alignment | list[Alignment]:
        """The best alignment of a pair with the exact posterior of every link."""
        one = isinstance(source, str)
        examples = [Example(source, target, _tags(tags))] if one else _examples(source, target, tags)
        found = self.alignments(examples)
        return found[0] if one else found

    def alignments(self, examples: Sequence[Example]) -> list[Alignment]:
        """`align` for examples. A mixture's posterior weighs each model by its share of p(target | source)."""
        return align_pairs(self._bundles, self._weights, examples)

    def sample(
        self, source: str, *, tags: Tags | None = None, count: int = 1, seed: int | None = None
    ) -> list[Candidate]:
        """Targets drawn from p(target | source), each with its log-probability; reproducible with a seed."""
        bundle = self._bundles[0]
        encoded = bundle.codec.encode(Example(source, None, _tags(tags)))
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        (drawn,) = sample(self._model, collate_for(bundle, [encoded]), count=count, generator=generator)
        spelled = spell(bundle.network, bundle.vocabulary, encoded, [hypothesis.symbols for hypothesis in drawn])
        text = bundle.codec.target_text
        return [
            Candidate(text(symbols), symbols, hypothesis.log_prob, rank)
            for rank, (symbols, hypothesis) in enumerate(zip(spelled, drawn, strict=True), 1)
        ]

    def scored(self, examples: Sequence[Example], options: DecodeOptions | None = None) -> list[Scored]:
        """Each source once, with its prediction, its references and the best reference's log-probability."""
        segment = Segmenter(self.config.text.target).split
        groups = group_references((e.source, e.tags, segment(e.target or "")) for e in examples)
        best: dict[tuple[str, tuple[str, ...]], float] = {}
        for example, value in zip(examples, self.log_probs(examples), strict=True):
            key = (example.source, example.tags)
            best[key] = max(value, best.get(key, -math.inf))
        predictions = self.predict([Example(source, None, tags) for source, tags in groups], options)
        return [
            Scored(key[0], key[1], prediction.best.symbols, references, best[key])
            for (key, references), prediction in zip(groups.items(), predictions, strict=True)
        ]

    def evaluate(
        self, examples: Sequence[Example], options: DecodeOptions | None = None, *, bootstrap: int = 1000
    ) -> Report:
        """The task's metrics on examples with targets, with 95 % intervals."""
        return evaluate(self.scored(examples, options), self.config.task, bootstrap=bootstrap)

    def predict_frame(self, frame: Any, *, source: str = "source", tags: str | None = None, **options: Any) -> Any:
        """A pandas or polars frame with the columns `prediction` and `logprob` added."""
        sources = column(frame, source)
        predictions = self(sources, tags=None if tags is None else column(frame, tags), **options)
        return with_columns(
            frame, {"prediction": [p.target for p in predictions], "logprob": [p.logprob for p in predictions]}
        )

    def _only(self, what: str) -> Bundle:
        if len(self._bundles) > 1:
            raise ConfigError(f"cannot {what} a mixture of {len(self._bundles)} models; do it model by model")
        return self._bundles[0]


def _listed(data: Iterable[Example] | str | Path, format: DataFormat | None) -> list[Example]:
    """A file's examples, or the examples themselves."""
    if not isinstance(data, str | Path):
        return list(data)
    if format is None:
        raise ConfigError(f"{data}: name the format of this file")
    return list(read(data, format.format()))


def _tags(tags: Tags | None) -> tuple[str, ...]:
    """("N", "PL") and "N;PL" mean the same."""
    if tags is None:
        return ()
    return tuple(filter(None, tags.split(";"))) if isinstance(tags, str) else tuple(tags)


def _examples(sources: Sequence[str], targets: Sequence[str] | None, tags: Sequence[Tags] | None) -> list[Example]:
    for name, values in (("targets", targets), ("tags", tags)):
        if values is not None and (isinstance(values, str) or len(values) != len(sources)):
            raise ConfigError(f"{len(sources)} sources need a list of as many {name}")
    return [
        Example(source, None if targets is None else targets[i], _tags(None if tags is None else tags[i]))
        for i, source in enumerate(sources)
    ]
