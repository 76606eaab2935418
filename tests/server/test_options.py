"""Which decoder a request gets."""

from isotone.decoding import Beam, Exact, Greedy
from isotone.server.requests import forms
from isotone.server.routes import decoder_for
from isotone.server.settings import ServerSettings

SETTINGS = ServerSettings(max_candidates=7)


def chosen(**options):
    return decoder_for(forms(SETTINGS).predict(items=[{"source": "a"}], **options), SETTINGS)


def test_decoders():
    assert chosen() == Exact()
    assert chosen(decode="greedy", max_length=3) == Greedy(max_length=3)
    assert chosen(decode="beam", beam=4, n_best=2) == Beam(width=4, n_best=2)


def test_no_list_is_endless():
    """A probability mass of 1 would list every string there is."""
    assert chosen(mass=1.0) == Exact(mass=1.0, n_best=7)
    assert chosen(mass=0.5, n_best=2) == Exact(mass=0.5, n_best=2)


def test_answers_are_sent_at_once():
    """asyncio turns Nagle's algorithm off for sockets that name their protocol, and for no others."""
    import socket

    from isotone.server import Address

    address = Address.bind("127.0.0.1", 0)
    try:
        assert address.socket.proto == socket.IPPROTO_TCP
    finally:
        address.socket.close()
