"""isotone predict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Beam, Decode, Json, Models, NBest, Out, Threads, Weights, set_threads
from isotone.errors import ConfigError

if TYPE_CHECKING:
    from isotone.api import Transducer
    from isotone.decoding.constraint import Constraint
    from isotone.results.prediction import Prediction

__all__ = ["command"]


@reads_data()
def command(
    *,
    model: Models,
    input: Annotated[str, typer.Argument(help="Sources, one a line; - is standard input.")] = "-",
    out: Out = None,
    decode: Decode = None,
    n_best: NBest = 1,
    json: Json = False,
    beam: Beam = 5,
    mass: Annotated[float | None, typer.Option(help="exact: go on until this much probability is covered.")] = None,
    budget: Annotated[int, typer.Option(min=1, help="exact: expansions for one source at most.")] = 10_000,
    max_length: Annotated[int | None, typer.Option(min=0, help="Symbols of a target at most.")] = None,
    lexicon: Annotated[str | None, typer.Option(help="Pairs to look up first; those answers are marked.")] = None,
    alphabet: Annotated[str | None, typer.Option(help="Target symbols that may be used, with spaces between.")] = None,
    choices: Annotated[str | None, typer.Option(help="File of allowed outputs, one a line.")] = None,
    weights: Weights = None,
    data: DataOptions,
    threads: Threads = None,
) -> None:
    """Predict the target of every source."""
    from isotone.cli.models import format_for, open_models
    from isotone.cli.output import json_line, output
    from isotone.decoding.lexicon import Lexicon
    from isotone.decoding.options import DecodeOptions

    set_threads(threads)
    options = DecodeOptions.choose(
        decode=decode, n_best=n_best, beam=beam, mass=mass, budget=budget, max_length=max_length
    )
    transducer = open_models(model, weights)
    shape = format_for(transducer, data, input)
    # A pipe with nothing in it is no mistake; a file with nothing in it may well be.
    examples = data.read(input, shape, targets=False, may_be_empty=input == "-")
    known = None if lexicon is None else Lexicon(data.read(lexicon, shape))
    constraint = _constraint(transducer, alphabet, choices)
    with output(out) as file:
        for prediction in transducer.predict(examples, options, constraint=constraint, lexicon=known):
            if json:
                file.write(json_line(prediction.to_json()))
            else:
                file.writelines("\t".join(row) + "\n" for row in _rows(prediction, several=n_best > 1 or bool(mass)))


def _constraint(model: Transducer, alphabet: str | None, choices: str | None) -> Constraint | None:
    """What --alphabet or --choices allow."""
    from isotone.text.readers import read

    if alphabet is not None and choices is not None:
        raise ConfigError("give either --alphabet or --choices, not both")
    if alphabet is not None:
        return model.allow(symbols=alphabet.split())
    if choices is not None:
        return model.allow(targets=[example.source for example in read(choices, "pairs", targets=False)])
    return None


def _rows(prediction: Prediction, *, several: bool) -> Iterator[list[str]]:
    """source, tags (if any), target; for n-best source, tags, rank, log-probability, target."""
    from isotone.cli.output import cell

    start = [cell(prediction.source), *([cell(";".join(prediction.tags))] if prediction.tags else [])]
    for candidate in prediction.candidates or (prediction.best,):
        middle = [str(candidate.rank), f"{candidate.logprob:.4f}"] if several else []
        yield [*start, *middle, cell(candidate.target), *(["lexicon"] if prediction.from_lexicon else [])]
