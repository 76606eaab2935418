"""Alignments fixed before training, for the pipeline baseline: one monotone path for each training pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import torch

from isotone.data.batch import collate
from isotone.data.loader import by_length
from isotone.dp import best_path
from isotone.text.codec import Encoded
from isotone.text.vocabulary import BOS, EOS, FIRST, Vocabulary
from isotone.training.jump_hmm import Counts, learn

__all__ = ["prior_counts", "with_alignments"]

CELLS = 300_000
"""Numbers in a chain's transition, about: little enough to stay in the cache."""
REACH = 10
"""The longest jump, where no pair needs a longer one."""
ENOUGH = 20_000
"""EM learns from at most this many pairs, and from at least half as many; its few parameters need no more."""
EARLY = 1e-6
"""Nats for each position further on: of paths that are equally probable, the one that arrives first is taken."""
SMOOTHING = 1.0
"""Occurrences that each source symbol is imagined to have, spread over the target alphabet."""
SAME = 1.0
"""And those in which it is copied, where the target alphabet has it."""
STEP = 0.5
"""The imagined share of jumps to the next source symbol; jumps further than that halve with each symbol."""


def with_alignments(
    examples: Sequence[Encoded], vocabulary: Vocabulary, each_round: Callable[[int], None] = lambda _: None
) -> list[Encoded]:
    """The pairs, each with its most probable path under an hmm learnt from them all, or from ENOUGH of all lengths.

    A path never steps back, starts from the BOS, and ends in the source's EOS, which alone writes the target's.
    Among equals it copies early and inserts late (*Garnison* + *en*, not *Garniso* + *ne* + *n*). `each_round` is
    called as each round of EM begins.
    """
    reach = max(REACH, max(-(-(len(pair.source) - 1) // len(pair.target or (EOS,))) for pair in examples))
    blocks = list(_blocks(examples, reach + 1))
    batches = [collate([examples[row] for row in block], len(vocabulary.tags)) for block in blocks]
    hmm, _ = learn(batches[:: -(-len(examples) // ENOUGH)], prior_counts(vocabulary, reach), each_round)
    aligned = list(examples)
    for block, batch in zip(blocks, batches, strict=True):
        chain = hmm.chain(batch)
        early = EARLY * torch.arange(batch.source.shape[1]).expand_as(chain.log_emission)
        _, paths = best_path(replace(chain, log_emission=chain.log_emission + early))
        for row, path, length in zip(block, paths.tolist(), batch.target_lengths.tolist(), strict=True):
            aligned[row] = replace(examples[row], alignment=tuple(path[:length]))
    return aligned


def prior_counts(vocabulary: Vocabulary, reach: int) -> Counts:
    """What EM starts from and never quite forgets: symbols are often copied, and jumps are short, `reach` at most."""
    source, target = vocabulary.source, vocabulary.target
    insertions = torch.zeros(len(target), dtype=torch.float64)
    insertions[FIRST:] = SMOOTHING / max(1, len(target.symbols))
    symbols = torch.zeros(len(source), len(target), dtype=torch.float64)
    symbols[[BOS, EOS, *range(FIRST, len(source))]] = insertions
    symbols[EOS, EOS] = SAME
    for source_id, target_id in vocabulary.shared().items():
        symbols[source_id, target_id] += SAME
    jumps = torch.zeros(FIRST + 1, reach + 1, dtype=torch.float64)
    jumps[[BOS, EOS, FIRST]] = STEP ** torch.arange(reach + 1, dtype=torch.float64)
    jumps[:, 0] *= 1 - STEP
    return Counts(symbols, insertions, jumps)


def _blocks(examples: Sequence[Encoded], jumps: int) -> Iterator[list[int]]:
    """Indices of pairs of similar length, as many as make a chain of about CELLS numbers."""
    block: list[int] = []
    for (row,) in by_length(examples, 1):  # longest sources first
        first = examples[block[0]] if block else examples[row]
        block.append(row)
        if len(block) * len(first.source) * len(first.target or ()) * jumps >= CELLS:
            yield block
            block = []
    if block:
        yield block
