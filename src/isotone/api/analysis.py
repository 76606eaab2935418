"""What `Transducer.errors` and `Transducer.calibrate` do: questions to a model about its own answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from isotone.api.training_data import training_pairs
from isotone.decoding.decoders import Decoder
from isotone.errors import ConfigError
from isotone.evaluation.errors import Seen, analyse, compare_models
from isotone.results import ErrorReport
from isotone.text.example import Example
from isotone.text.inputs import Pairs, format_of, pairs_of
from isotone.text.readers import DataFormat
from isotone.text.segment import Segmenter

if TYPE_CHECKING:
    from isotone.api.transducer import Transducer

__all__ = ["find_errors"]


def find_errors(
    model: Transducer,
    examples_of_test: Sequence[Example],
    decoder: Decoder,
    *,
    against: Transducer | None,
    train: Pairs | None,
    examples: int,
    format: str | DataFormat | None,
) -> ErrorReport:
    """The table of edits, the groups, and the comparison with another model."""
    if against is not None and against.config.text.target != model.config.text.target:
        raise ConfigError("the two models segment or normalise targets differently: their edits cannot be compared")
    config = model.config
    if train is None:
        pairs, reason = training_pairs(model.run)
    else:
        named = format_of(train, format or config.data_format, config.task)
        pairs, reason = pairs_of(train, named), ""
    split = Segmenter(config.text.source).split
    report = analyse(
        model.judge(examples_of_test, decoder),
        config.task,
        split=split,
        separator=" " if config.text.target.segmentation == "separator" else "",
        seen=None if pairs is None else Seen.of([(pair.source, pair.tags) for pair in pairs], split),
        examples=examples,
    )
    report = replace(report, train=reason)
    return report if against is None else compare_models(report, against.judge(examples_of_test, decoder))
