"""Isotone's side of `peers_yoyodyne`: the same commands, in a process of its own, like the peer's."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import torch

from bench.workload import Trainer, bucketed, prepare
from isotone.data import by_length
from isotone.decoding import SearchSpace, greedy_search
from isotone.models.inference import TorchModel
from isotone.store.folder import Member
from isotone.text.codec import Encoded
from isotone.text.example import Example
from isotone.text.vocabulary import EOS


class NeverEnds(TorchModel):
    """The model with EOS made impossible, so that every word gets the same number of symbols."""

    def step(self, state: Any, memory: Any) -> Any:
        """The network's step without the end."""
        step = super().step(state, memory)
        step.log_symbols[:, EOS] = -torch.inf
        return step


def _read(path: str, *, tags: bool) -> list[Example]:
    rows = [line.split("\t") for line in Path(path).read_text(encoding="utf-8").splitlines()]
    return [Example(source, target, tuple(t.split(";")) if tags else ()) for source, target, t in rows]


def _decode(bundle: Member, batches: list[list[Encoded]], steps: int) -> tuple[int, int]:
    """Words and symbols; the last step is the one that ends the word."""
    bundle.network.eval()
    model = NeverEnds(bundle.network, len(bundle.vocabulary.tags))
    for batch in batches:
        greedy_search(SearchSpace(model, batch, model.encode(batch), max_length=steps - 1))
    count = sum(map(len, batches))
    return count, count * steps


def main() -> None:
    """Build, say so, then do as told."""
    settings = json.loads(sys.argv[1])
    torch.set_num_threads(settings["threads"])
    bundle, loader = prepare(_read(settings["train"], tags=settings["tags"]), aligner=settings["aligner"])
    batches = bucketed(loader, settings["batch"], settings["ours"])
    words = [bundle.codec.encode(e) for e in _read(settings["words"], tags=settings["tags"])]
    rows = list(by_length(words, settings["batch"]))
    decoding = [[words[row] for row in chosen] for chosen in rows]
    trainer = Trainer(bundle.network)
    _answer(parameters=bundle.network.parameter_count())
    for line in sys.stdin:
        command, *arguments = line.split()
        count, symbols = 0, 0
        started = time.perf_counter()
        if command == "train":
            bundle.network.train()
            for batch in batches[: int(arguments[0])]:
                trainer.step(batch)
                count += len(batch)
        else:
            count, symbols = _decode(bundle, decoding, settings["steps"])
        _answer(seconds=time.perf_counter() - started, count=count, symbols=symbols)


def _answer(**values: Any) -> None:
    print(json.dumps(values), flush=True)


if __name__ == "__main__":
    main()
