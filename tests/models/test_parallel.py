"""Work side by side: the same results in the same order, and torch's threads as they were."""

import threading
import time

import pytest
import torch

from isotone.models.parallel import side_by_side


def test_results_come_in_order_from_workers_with_a_thread_each(two_threads):
    def work(item):
        time.sleep(0.02 if item % 2 else 0)
        return item, threading.get_ident(), torch.get_num_threads()

    items, workers, threads = zip(*side_by_side(work, range(12)), strict=True)
    assert items == tuple(range(12))
    assert threading.get_ident() not in workers and len(set(workers)) == 2
    assert set(threads) == {1} and torch.get_num_threads() == 2


def test_threads_made_meanwhile_have_all_of_torchs(two_threads):
    found = []
    for _ in side_by_side(lambda item: item, range(12)):
        other = threading.Thread(target=lambda: found.append(torch.get_num_threads()))
        other.start()
        other.join()
    assert found == [2] * 12


@pytest.mark.parametrize(("count", "device"), [(5, "cpu"), (12, "meta")])
def test_little_work_and_other_devices_stay_here(count, device, two_threads):
    here = threading.get_ident()
    assert set(side_by_side(lambda _: threading.get_ident(), range(count), device)) == {here}


def test_an_error_ends_it_and_so_does_a_reader_who_has_enough(two_threads):
    done = []

    def work(item):
        if item == 3:
            raise ValueError("three")
        done.append(item)
        return item

    with pytest.raises(ValueError, match="three"):
        list(side_by_side(work, range(100)))
    assert torch.get_num_threads() == 2

    def slow(item):
        time.sleep(0.001)
        done.append(item)

    done.clear()
    results = side_by_side(slow, range(1000))
    next(results)
    results.close()
    assert len(done) < 1000 and torch.get_num_threads() == 2
