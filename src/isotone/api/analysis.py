"""What `Transducer.errors` and `Transducer.calibrate` do: questions to a model about its own answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from isotone.api.training_data import training_pairs
from isotone.decoding.decoders import Decoder
from isotone.decoding.judge import References
from isotone.decoding.score import log_probs
from isotone.decoding.temperature import fit_temperature
from isotone.errors import ConfigError
from isotone.evaluation.errors import Seen, analyse, compare_models
from isotone.results import ErrorReport
from isotone.store.temperature import Temperature
from isotone.text.codec import Encoded
from isotone.text.example import Example
from isotone.text.inputs import Pairs, format_of, pairs_of
from isotone.text.readers import DataFormat
from isotone.text.segment import Segmenter
from isotone.text.split import split_off

if TYPE_CHECKING:
    from isotone.api.transducer import Transducer

__all__ = ["calibrate", "find_errors"]


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


def calibrate(model: Transducer, examples: Sequence[Example], *, share: float, bins: int) -> Transducer:
    """The model with a temperature that was fitted on a share of the sources and measured on the others."""
    if not 0 < share < 1:
        raise ConfigError(f"share: expected a number between 0 and 1, found {share}")
    measuring, fitting = split_off(examples, share)
    plain = model.with_temperature(None)
    fit = fit_temperature(plain.model, _best_references(plain, fitting))
    reports = [
        each.evaluate(measuring, bootstrap=0, calibration=bins)
        for each in (plain, plain.with_temperature(fit.temperature))
    ]
    nll = [report.metrics["nll"] for report in reports]
    ece = [report.calibration.expected_calibration_error for report in reports if report.calibration is not None]
    return plain.with_temperature(
        Temperature(
            value=fit.temperature,
            fitted_on=fit.pairs,
            fitted_nll_before=fit.nll_before,
            fitted_nll_after=fit.nll_after,
            measured_on=reports[0].n,
            measured_nll_before=_finite(nll[0]),
            measured_nll_after=_finite(nll[1]),
            measured_ece_before=ece[0],
            measured_ece_after=ece[1],
            bins=bins,
        )
    )


def _best_references(model: Transducer, examples: Sequence[Example]) -> list[Encoded]:
    """Of each source the reference that the model finds most probable, as `nll` counts it."""
    references = References.of(model.codec, examples, tell=True)
    values = log_probs(model.model, references.pairs)
    return [references.pairs[max(places, key=values.__getitem__)] for places in references.groups.values()]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
