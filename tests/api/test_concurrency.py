"""One model and many threads of the user's: everybody gets the answers of a single caller, and no more threads compute
than torch was given."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

import isotone.decoding.batches as batches
import toy
from isotone.models.parallel import side_by_side

CALLERS = 8


@pytest.mark.parametrize("threads", [1, 2])
def test_eight_callers_get_the_answers_of_one(mono, monkeypatch, threads, two_threads):
    torch.set_num_threads(threads)
    monkeypatch.setattr(batches, "CELLS", 30)  # many batches in each call
    examples = toy.examples(32)
    pairs = [(example.source, example.target, example.tags) for example in examples]

    def ask(caller):
        """Words one by one, a list, scores and alignments, each caller beginning elsewhere."""
        mine = [*range(4 * caller, 32), *range(4 * caller)]
        sources, targets, tags = zip(*(pairs[row] for row in mine), strict=True)
        words = [mono(source, tags=own) for source, own in list(zip(sources, tags, strict=True))[:4]]
        listed = mono(sources, tags=tags)
        scores = mono.score(sources, targets, tags=tags)
        aligned = mono.align(sources[:4], targets[:4], tags=tags[:4])
        strings = [prediction.target for prediction in [*words, *listed]] + [link.path for link in aligned]
        numbers = [prediction.logprob for prediction in [*words, *listed]] + scores + [link.logprob for link in aligned]
        return strings, numbers

    alone = [ask(caller) for caller in range(CALLERS)]
    with ThreadPoolExecutor(CALLERS) as callers:
        together = list(callers.map(ask, range(CALLERS)))
    for (strings, numbers), (others, values) in zip(alone, together, strict=True):
        assert strings == others
        assert numbers == pytest.approx(values, rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [1, 12])
def test_no_more_threads_compute_than_torch_has(threads, count, two_threads):
    torch.set_num_threads(threads)
    lock, working, most = threading.Lock(), [], []

    def work(item):
        mine = torch.get_num_threads()
        with lock:
            working.append(mine)
            most.append(sum(working))
        threading.Event().wait(0.002)
        with lock:
            working.remove(mine)
        return item

    def call(_):
        return list(side_by_side(work, range(count)))

    with ThreadPoolExecutor(CALLERS) as callers:
        assert list(callers.map(call, range(40))) == [list(range(count))] * 40
    assert max(most) == threads and working == []


def test_a_caller_alone_has_all_threads_and_several_share_them(two_threads):
    begun, others = threading.Event(), []

    def first(item):
        begun.set()
        threading.Event().wait(0.05)
        return torch.get_num_threads()

    with ThreadPoolExecutor(2) as callers:
        alone = callers.submit(lambda: list(side_by_side(first, [0])))
        begun.wait()
        others = callers.submit(lambda: list(side_by_side(lambda _: torch.get_num_threads(), [0])))
        assert (alone.result(), others.result()) == ([2], [1])
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize("count", [1, 12])
def test_work_that_asks_again_does_not_wait_for_itself(count, two_threads):
    def ask_again(item):
        return list(side_by_side(lambda inner: item * inner, range(12)))

    found = list(side_by_side(ask_again, range(count)))
    assert found == [[item * inner for inner in range(12)] for item in range(count)]
