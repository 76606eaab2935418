"""isotone predict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Beam, Budget, Decode, Json, Mass, MaxLength, Models, NBest, Out, Threads, Weights
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
    budget: Budget = None,
    max_length: MaxLength = None,
    lexicon: Annotated[str | None, typer.Option(help="Pairs to look up first; those answers are marked.")] = None,
    alphabet: Annotated[str | None, typer.Option(help="Target symbols that may be used, with spaces between.")] = None,
    choices: Annotated[str | None, typer.Option(help="File of allowed outputs, one per line.")] = None,
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
    from isotone.cli.models import open_models

    decoder = decoder_named(decode, n_best=n_best, beam=beam, mass=mass, budget=budget, max_length=max_length)
    if alphabet is not None and choices is not None:
        raise ConfigError("give either --alphabet or --choices, not both")
    if ray:
        from isotone.cli.bulk import predict_files

        options = {"n_best": n_best, "beam": beam, "mass": mass, "budget": budget, "max_length": max_length}
        words = {"lexicon": lexicon, "alphabet": alphabet, "choices": choices}
        asked: dict[str, Any] = {"decode": decode, "options": options, "json": json, "weights": weights, **words}
        predict_files(model, input, out, data=data, address=address, actors=actors, threads=threads, **asked)
        return
    if address is not None or actors is not None:
        raise ConfigError("--address and --actors go with --ray")
    transducer = open_models(model, weights, inputs=input, threads=threads)

    from isotone.api import Lexicon
    from isotone.cli.output import output
    from isotone.results import json_line, tsv_line

    shape = format_for(transducer, data.named_format(), input)
    # A pipe with nothing in it is no mistake; a file with nothing in it may well be.
    examples = data.read(input, shape, targets=False, may_be_empty=input == "-")
    known = None if lexicon is None else Lexicon(data.read(lexicon, shape))
    constraint = _constraint(transducer, alphabet, choices)
    with output(out) as file:
        for prediction in transducer.predict(examples, decoder, constraint=constraint, lexicon=known):
            if json:
                file.write(json_line(prediction.to_json()))
            else:
                file.writelines(map(tsv_line, prediction.rows(several=decoder.several)))


def _constraint(model: Transducer, alphabet: str | None, choices: str | None) -> Any:
    """What --alphabet or --choices allow."""
    from isotone.api.data import read_lines

    if alphabet is not None:
        return model.allow(symbols=alphabet.split())
    if choices is not None:
        return model.allow(targets=read_lines(choices))
    return None
