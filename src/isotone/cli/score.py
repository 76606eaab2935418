"""isotone score."""

from __future__ import annotations

import math
import sys
from itertools import islice
from typing import Annotated

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Json, Models, Out, Threads, Weights, set_threads

__all__ = ["command"]


@reads_data()
def command(
    *,
    model: Models,
    pairs: Annotated[str, typer.Argument(help="Pairs to score; - is standard input.")],
    json: Json = False,
    out: Out = None,
    weights: Weights = None,
    data: DataOptions,
    threads: Threads = None,
) -> None:
    """Exact log p(target | source) of every pair, in nats, over all alignments."""
    from isotone.api.predicting import BLOCK
    from isotone.cli.models import format_for, open_models
    from isotone.cli.output import cell, json_line, output

    set_threads(threads)
    transducer = open_models(model, weights)
    examples = data.read(pairs, format_for(transducer, data, pairs))
    with output(out) as file:
        while block := list(islice(examples, BLOCK)):
            for example, value in zip(block, transducer.log_probs(block), strict=True):
                unseen = transducer.unseen(example)
                reason = f"never seen in training: {', '.join(map(repr, unseen))}" if unseen else None
                if value == -math.inf and not unseen:
                    reason = "no alignment copies all the symbols that were never seen in training"
                if json:
                    row = {"source": example.source, "target": example.target, "tags": list(example.tags)}
                    extra = {"reason": reason} if reason else {}
                    file.write(json_line({**row, "logprob": value, **extra}))
                    continue
                tags = [cell(";".join(example.tags))] if example.tags else []
                file.write("\t".join([cell(example.source), *tags, cell(example.target or ""), f"{value:.6f}"]) + "\n")
                if reason:
                    sys.stderr.write(f"isotone: {cell(example.source)}: {reason}\n")
