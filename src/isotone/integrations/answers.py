"""What is asked of a model in bulk, as a record that travels to other machines, and the lines that answer it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from isotone.api import decoder_named, existing_folder, load
from isotone.api.data import Reading, read, read_lines
from isotone.api.threads import set_threads
from isotone.results import json_line, tsv_line
from isotone.store.describe import read_folder
from isotone.store.exported import is_exported
from isotone.store.layout import EXPORT, WEIGHTS
from isotone.text.example import Example
from isotone.text.readers import DataFormat

__all__ = ["Answers", "Question"]


@dataclass(frozen=True, kw_only=True)
class Question:
    """Everything that an output line depends on besides its input line."""

    models: tuple[str, ...]
    """Model folders; several act as one mixture."""
    weights: tuple[float, ...] | None = None
    decode: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of the decoder: n_best, beam, mass, budget, max_length."""
    json: bool = False
    format: DataFormat
    """Of the input files."""
    skip_bad: bool = False
    unknown: str | None = None
    fold_case: bool = False
    lexicon: str | None = None
    alphabet: tuple[str, ...] | None = None
    choices: str | None = None

    def read(self, path: str | Path) -> Reading:
        """The examples of an input file, targets left out."""
        return read(path, self.format, targets=False, may_be_empty=True, skip_bad=self.skip_bad)

    def to_json(self) -> dict[str, Any]:
        """What tells it from other questions: models and word lists by content, wherever they lie."""
        value = asdict(self) | {"format": self.format.model_dump(mode="json"), "options": dict(self.options)}
        members = [path for name in self.models for path, _ in read_folder(existing_folder(name)).members]
        value["models"] = [_digest(path / (EXPORT if is_exported(path) else WEIGHTS)) for path in members]
        for name in ("lexicon", "choices"):
            value[name] = value[name] and _digest(Path(value[name]))
        return value


class Answers:
    """A question with its model loaded."""

    def __init__(self, question: Question, *, threads: int | None = 1) -> None:
        from isotone.api import Lexicon

        set_threads(threads)
        self._question = question
        self._decoder = decoder_named(question.decode, **question.options)
        self._model = load(*question.models, weights=question.weights)
        self._lexicon = None
        if question.lexicon is not None:
            self._lexicon = Lexicon(read(question.lexicon, question.format))
        self._constraint = None
        if question.alphabet is not None:
            self._constraint = self._model.allow(symbols=question.alphabet)
        elif question.choices is not None:
            self._constraint = self._model.allow(targets=read_lines(question.choices))

    def lines(self, examples: Iterable[Example]) -> Iterator[str]:
        """The output of `isotone predict` for a stream of examples."""
        found = self._model.predict(
            examples,
            self._decoder,
            constraint=self._constraint,
            lexicon=self._lexicon,
            unknown=self._question.unknown,
            fold_case=self._question.fold_case,
        )
        for prediction in found:
            if self._question.json:
                yield json_line(prediction.to_json())
            else:
                yield from map(tsv_line, prediction.rows(several=self._decoder.several))


def _digest(path: Path) -> str:
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
