"""The one door for notebooks, the command line and the server: load a model, call it."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, overload

import numpy as np
import torch

from isotone.decoding.alignment import align_pairs
from isotone.decoding.constraint import AllowedSymbols, Constraint, Trie
from isotone.decoding.copying import idle, spell
from isotone.decoding.decode import collate_for, log_probs, predict
from isotone.decoding.ensemble import Mixture
from isotone.decoding.lexicon import Lexicon
from isotone.decoding.options import DecodeOptions, decode
from isotone.decoding.prediction import Candidate, Hypothesis, Prediction
from isotone.decoding.sample import sample
from isotone.drawing.alignment import Alignment
from isotone.errors import ConfigError
from isotone.evaluation import Report, Scored, evaluate, group_references
from isotone.models.config import ModelConfig
from isotone.models.hub import fetch, push, read_metrics, save_with_card
from isotone.models.store import Bundle, load_bundle
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.frames import column, with_columns
from isotone.text.inputs import Pairs, Tags, examples_of, format_of, pairs_of, tags_of
from isotone.text.readers.selection import DataFormat
from isotone.text.segment import Segmenter
from isotone.text.vocabulary import Vocabulary
from isotone.training import Callback, Recipe
from isotone.training import train as fit
from isotone.training.request import request

__all__ = ["Transducer", "load", "train"]

BLOCK = 4096
"""Examples that `predict` reads ahead, to sort them by length."""
DRAWS = 20
"""How often `sample` draws again in place of strings that copy where there is nothing to copy."""


def load(*paths: str | Path, weights: Sequence[float] | None = None) -> Transducer:
    """The model in a folder; several folders act as one mixture, with equal weights unless given."""
    return Transducer([load_bundle(Path(path)) for path in paths], weights=weights, metrics=_metrics(paths))


def train(
    *,
    train: Pairs,
    dev: Pairs | float,
    out: str | Path | None = None,
    task: str = "transduction",
    model: str = "0-mono",
    recipe: str | Recipe = "fast",
    copy: bool | None = None,
    format: str | DataFormat | None = None,
    texts: Texts | None = None,
    callbacks: Sequence[Callback] = (),
    **settings: Any,
) -> Transducer:
    """Train on pairs or files, as `isotone train` does; gives back the best epoch's model.

    `dev` may be a share of the training pairs to hold out, such as 0.05. Without `out` nothing is kept on disk. `copy`
    gives the model a copy gate: what it has never seen can be copied with a true probability.
    `settings` are those of `isotone.training.Settings` (seed, device, threads, resume, overwrite) and
    fields of the recipe to change (epochs, size, batch_size, rate, dropout, …).
    """
    if copy is not None:
        settings["copy_gate"] = copy
    pairs, held_out, chosen = request(
        train=train, dev=dev, task=task, model=model, recipe=recipe, format=format, texts=texts, settings=settings
    )
    with tempfile.TemporaryDirectory(prefix="isotone-") as temporary:
        folder = Path(temporary) / "model" if out is None else Path(out)
        bundle, _ = fit(pairs, held_out, folder, chosen, callbacks)
        return Transducer([bundle], metrics=_metrics([folder]))


class Transducer:
    """A trained model, or a mixture of several with the same alphabets. Safe to share between threads."""

    def __init__(
        self,
        bundles: Sequence[Bundle],
        *,
        weights: Sequence[float] | None = None,
        metrics: Mapping[str, Any] | None = None,
    ) -> None:
        """`metrics` is how a single model was trained, as in its metrics.json, to travel with it."""
        if not bundles:
            raise ConfigError("no model was given")
        first = bundles[0]
        for other in bundles[1:]:
            same = other.vocabulary == first.vocabulary and other.config.text == first.config.text
            if not same or _copying(other) != _copying(first):
                raise ConfigError("models of a mixture must share alphabets, tags, text settings and how they copy")
        if weights is not None and len(weights) != len(bundles):
            raise ConfigError(f"{len(bundles)} models need as many weights, found {len(weights)}")
        self._bundles = tuple(bundles)
        self._metrics = metrics
        networks = [bundle.network for bundle in bundles]
        shares = list(weights) if weights is not None else [1.0] * len(bundles)
        if not all(0 < share < math.inf for share in shares):
            raise ConfigError(f"weights must be positive numbers, found {shares}")
        self._weights = [share / sum(shares) for share in shares]
        self._model = networks[0] if len(networks) == 1 else Mixture(networks, self._weights)

    @classmethod
    def from_pretrained(cls, name: str | Path, *, revision: str | None = None) -> Transducer:
        """A model folder, or the name of one on the Hugging Face Hub."""
        folder = Path(name) if Path(name).is_dir() else fetch(str(name), revision=revision)
        return cls([load_bundle(folder)], metrics=_metrics([folder]))

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the model folder with its card; a mixture has no folder of its own."""
        save_with_card(self._only("save"), Path(folder), self._metrics)

    def push_to_hub(self, name: str, *, private: bool = False, token: str | None = None) -> str:
        """Upload the model with its card to the Hugging Face Hub; gives back its address."""
        return push(self._only("upload"), name, self._metrics, private=private, token=token)

    def __repr__(self) -> str:
        sizes = [f"{sum(bundle.network.parameter_count() for bundle in self._bundles):,} parameters"]
        sizes += [
            f"{len(self.vocabulary.source.symbols)} source and {len(self.vocabulary.target.symbols)} target symbols"
        ]
        sizes += [f"{len(self.vocabulary.tags)} tags"] if self.vocabulary.tags else []
        names = " + ".join(bundle.config.architecture.aligner for bundle in self._bundles)
        return f"<isotone.Transducer {names} for {self.config.task}: {', '.join(sizes)}>"

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

    @property
    def metrics(self) -> Mapping[str, Any] | None:
        """How the model was trained and what it reached on dev: its metrics.json, if there is one."""
        return self._metrics

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
        stream = iter(examples)
        while block := list(islice(stream, BLOCK)):
            known = self._look_up(block, lexicon) if lexicon else {}
            rest = [row for row in range(len(block)) if row not in known]
            found = predict(
                self._bundles[0],
                [block[row] for row in rest],
                lambda batch: decode(self._model, batch, settings, constraint),
            )
            known |= {rest[place]: prediction for place, prediction in found}
            yield from (known[row] for row in range(len(block)))

    def _look_up(self, block: Sequence[Example], lexicon: Lexicon) -> dict[int, Prediction]:
        """By row, the lexicon's targets with the model's probabilities, best first."""
        segment = Segmenter(self.config.text.target).split
        pairs = [
            (row, target) for row, example in enumerate(block) if example in lexicon for target in lexicon[example]
        ]
        values = self.log_probs([Example(block[row].source, target, block[row].tags) for row, target in pairs])
        targets: dict[int, list[tuple[float, str]]] = {}
        for (row, target), value in zip(pairs, values, strict=True):
            targets.setdefault(row, []).append((value, target))
        known = {}
        for row, listed in targets.items():
            listed.sort(key=lambda pair: -pair[0])
            candidates = tuple(Candidate(text, segment(text), value, r) for r, (value, text) in enumerate(listed, 1))
            known[row] = Prediction(block[row].source, block[row].tags, candidates, from_lexicon=True)
        return known

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
        return log_probs(self._bundles[0], self._model, [self._bundles[0].codec.encode(e) for e in examples])

    def unseen(self, example: Example) -> tuple[str, ...]:
        """Target symbols never seen in training: why `score` is −inf."""
        return self._bundles[0].codec.encode(example).unseen

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
        return align_pairs(self._bundles, self._weights, examples)

    def sample(
        self, source: str, *, tags: Tags | None = None, count: int = 1, seed: int | None = None
    ) -> list[Candidate]:
        """Targets drawn from p(target | source), each with its log-probability; reproducible with a seed."""
        bundle = self._bundles[0]
        encoded = bundle.codec.encode(Example(source, None, tags_of(tags)))
        batch = collate_for(bundle, [encoded])
        generator = None if seed is None else torch.Generator(batch.source.device).manual_seed(seed)
        drawn: list[Hypothesis] = []
        for _ in range(DRAWS):
            (more,) = sample(self._model, batch, count=count, generator=generator)
            drawn += [hypothesis for hypothesis in more if not idle(encoded, hypothesis.symbols)]
            if len(drawn) >= count:
                break
        del drawn[count:]
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
        if options.get("n_best", 1) == 1 and options.get("mass") is None:
            best = [prediction.best for prediction in found]
            return with_columns(frame, _columns(best))
        listed = [(row, candidate) for row, prediction in enumerate(found) for candidate in prediction.candidates]
        candidates = [candidate for _, candidate in listed]
        ranks = np.array([candidate.rank for candidate in candidates], dtype=np.int64)
        return with_columns(frame, {"rank": ranks, **_columns(candidates)}, rows=[row for row, _ in listed])

    def _only(self, what: str) -> Bundle:
        if len(self._bundles) > 1:
            raise ConfigError(f"cannot {what} a mixture of {len(self._bundles)} models; do it model by model")
        return self._bundles[0]


def _asked(source: str | Iterable[str], target: Any, tags: Any) -> list[Example]:
    """One source with one target and its tags, or lists of them."""
    if isinstance(source, str):
        return examples_of([source], [target], [tags])
    return examples_of(source, target, tags)


def _copying(bundle: Bundle) -> tuple[bool, bool]:
    return bundle.config.architecture.copies_unknown, bundle.config.architecture.copy_gate


def _columns(candidates: Sequence[Candidate]) -> dict[str, Any]:
    values = np.array([candidate.logprob for candidate in candidates], dtype=np.float64)
    return {"prediction": [candidate.target for candidate in candidates], "logprob": values}


def _metrics(folders: Sequence[str | Path]) -> Mapping[str, Any] | None:
    """The metrics.json of a single folder."""
    return read_metrics(Path(folders[0])) if len(folders) == 1 else None
