"""isotone predict."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import (
    Beam,
    Budget,
    Decode,
    FoldCase,
    Json,
    Known,
    Mass,
    MaxLength,
    MinProbability,
    Models,
    NBest,
    Out,
    Threads,
    Unknown,
    Weights,
)
from isotone.errors import ConfigError

if TYPE_CHECKING:
    from isotone.api import Transducer

__all__ = ["command"]


@reads_data()
def command(
    *,
    model: Models,
    input: Annotated[str, typer.Argument(help="Sources, one per line; - is standard input.")] = "-",
    out: Out = None,
    decode: Decode = None,
    n_best: NBest = None,
    json: Json = False,
    beam: Beam = None,
    mass: Mass = None,
    min_probability: MinProbability = None,
    budget: Budget = None,
    max_length: MaxLength = None,
    lexicon: Annotated[str | None, typer.Option(help="Pairs to look up first; those answers are marked.")] = None,
    known: Known = None,
    alphabet: Annotated[str | None, typer.Option(help="Target symbols that may be used, with spaces between.")] = None,
    choices: Annotated[str | None, typer.Option(help="File of allowed outputs, one per line.")] = None,
    unknown: Unknown = None,
    fold_case: FoldCase = False,
    line_buffered: Annotated[
        bool, typer.Option("--line-buffered", help="Answer each line before the next is read, for programs that talk.")
    ] = False,
    weights: Weights = None,
    data: DataOptions,
    threads: Threads = None,
    ray: Annotated[
        bool, typer.Option("--ray", help="Many files (INPUT is a pattern, -o a folder) on Ray Data; see docs/scale.md.")
    ] = False,
    address: Annotated[str | None, typer.Option(help="--ray: a cluster; by default this machine alone.")] = None,
    actors: Annotated[int | None, typer.Option(min=1, help="--ray: copies of the model; one per core.")] = None,
) -> None:
    """Predict the target of every source."""
    from isotone.api import decoder_named
    from isotone.api.data import format_for
    from isotone.cli.opening import open_models

    limits = {"n_best": n_best, "mass": mass, "min_probability": min_probability}
    decoder = decoder_named(decode, **limits, beam=beam, budget=budget, max_length=max_length)
    if alphabet is not None and choices is not None:
        raise ConfigError("give either --alphabet or --choices, not both")
    if ray:
        from isotone.cli.bulk import predict_files

        if line_buffered or known is not None:
            raise ConfigError(f"{'--line-buffered' if line_buffered else '--known'} does not go with --ray")
        options = {**limits, "beam": beam, "budget": budget, "max_length": max_length}
        words: dict[str, Any] = {"lexicon": lexicon, "alphabet": alphabet, "choices": choices}
        words |= {"unknown": unknown, "fold_case": fold_case}
        asked: dict[str, Any] = {"decode": decode, "options": options, "json": json, "weights": weights, **words}
        predict_files(model, input, out, data=data, address=address, actors=actors, threads=threads, **asked)
        return
    if address is not None or actors is not None:
        raise ConfigError("--address and --actors go with --ray")
    transducer = open_models(model, weights, inputs=input, threads=threads)

    from isotone.api import Lexicon
    from isotone.cli.conversation import is_conversation, prompted
    from isotone.cli.counting import counted
    from isotone.cli.output import output
    from isotone.results import json_line, tsv_line

    shape = format_for(transducer, data.named_format(), input)
    if known is not None:
        transducer = transducer.with_known(data.read(known, shape))
    talking = is_conversation(input)
    # A pipe with nothing in it is no mistake; a file with nothing in it may well be.
    read = data.read(input, shape, targets=False, may_be_empty=input == "-")
    examples = prompted(shape, at_end=data.list_skipped) if talking else read
    listed = None if lexicon is None else Lexicon(data.read(lexicon, shape))
    constraint = _constraint(transducer, alphabet, choices)
    person = out is None and sys.stdout.isatty()  # who reads a terminal wants to know how sure the model is
    with output(out) as file:
        found = transducer.predict(
            examples,
            decoder,
            constraint=constraint,
            lexicon=listed,
            unknown=unknown,
            fold_case=fold_case,
            at_once=talking or line_buffered,
        )
        for prediction in counted(found) if out not in {None, "-"} else found:
            if json:
                file.write(json_line(prediction.to_json()))
            else:
                rows = prediction.rows(several=decoder.several, probability=person or None)
                file.writelines(map(tsv_line, rows))
            if talking or line_buffered:
                file.flush()


def _constraint(model: Transducer, alphabet: str | None, choices: str | None) -> Any:
    """What --alphabet or --choices allow."""
    from isotone.api.data import read_lines

    if alphabet is not None:
        symbols = alphabet.split()
        if unknown := [symbol for symbol in symbols if symbol not in model.vocabulary.target]:
            raise ConfigError(f"--alphabet: never seen in training: {', '.join(map(repr, unknown))}")
        return model.allow(symbols=symbols)
    if choices is not None:
        return model.allow(targets=read_lines(choices))
    return None
