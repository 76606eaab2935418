"""What the dynamic program must compute, by trying every alignment. Imports nothing of ours: itertools and math only.

A chain is plain lists: `emission[i][j]` = log p(y_i | a_i = j), `transition[i][k][j]` = log p(a_i = j | a_{i−1} = k),
`length` target symbols. Alignments start from position 0.
"""

import itertools
import math


def log_add(values):
    """log Σ exp of a list; −inf for none."""
    peak = max(values, default=-math.inf)
    if peak == -math.inf:
        return -math.inf
    return peak + math.log(math.fsum(math.exp(value - peak) for value in values))


def path_log_prob(emission, transition, path):
    """log p(y, a | x) of one alignment."""
    score, previous = 0.0, 0
    for i, position in enumerate(path):
        score += transition[i][previous][position] + emission[i][position]
        previous = position
    return score


def alignments(emission, transition, length):
    """Every alignment and its log p(y, a | x)."""
    states = len(emission[0])
    for path in itertools.product(range(states), repeat=length):
        yield path, path_log_prob(emission, transition, path)


def log_likelihood(emission, transition, length):
    """log Σ_a p(y, a | x)."""
    return log_add([score for _, score in alignments(emission, transition, length)])


def posteriors(emission, transition, length):
    """p(a_i = j | x, y), as target × state lists."""
    states = len(emission[0])
    total = log_likelihood(emission, transition, length)
    table = [[0.0] * states for _ in range(length)]
    if total == -math.inf:
        return table
    for path, score in alignments(emission, transition, length):
        for i, position in enumerate(path):
            table[i][position] += math.exp(score - total)
    return table


def best_path(emission, transition, length):
    """The most probable alignment and its score; (None, −inf) where there is none."""
    path, score = max(alignments(emission, transition, length), key=lambda pair: pair[1])
    return (path, score) if score > -math.inf else (None, score)
