"""Ctrl-C waits for a step to end; the second one does not; outside the block all is as it was."""

import os
import signal
import threading

import pytest

from isotone.training.interrupt import Interrupts


def ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)
    signal.getsignal(signal.SIGINT)  # Python runs handlers between two instructions


@pytest.fixture(autouse=True)
def pythons_own_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_it_waits_for_the_check():
    with Interrupts() as interrupts:
        interrupts.check()
        ctrl_c()
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()


def test_the_second_one_does_not_wait():
    with Interrupts():
        ctrl_c()
        with pytest.raises(KeyboardInterrupt):
            ctrl_c()


def test_at_once():
    with Interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt), interrupts.at_once():
            ctrl_c()
            pytest.fail("it waited")
        ctrl_c()
        with pytest.raises(KeyboardInterrupt), interrupts.at_once():
            pytest.fail("one was waiting")


def test_other_handlers_and_other_threads_are_left_alone():
    def mine(*_):
        pass

    signal.signal(signal.SIGINT, mine)
    with Interrupts():
        assert signal.getsignal(signal.SIGINT) is mine
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def elsewhere():
        with Interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    seen = []
    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
