"""Connecting to a Ray cluster: what it refuses is one line of ours. Ray itself is not needed here."""

from types import SimpleNamespace

import pytest

from isotone.errors import ConfigError
from isotone.experiments.cluster import connect


class AuthenticationError(Exception):
    """As Ray's, which is no RuntimeError."""


def refusing(error):
    """A stand-in for the module."""

    def init(**options):
        raise error

    return SimpleNamespace(init=init, exceptions=SimpleNamespace(AuthenticationError=AuthenticationError))


def test_a_wrong_token_and_no_cluster_are_told_apart():
    with pytest.raises(ConfigError, match=r"--address host:1: the cluster refuses this token \(set RAY_AUTH_TOKEN\)$"):
        connect(refusing(AuthenticationError("set\n RAY_AUTH_TOKEN")), "host:1", cores=1)
    with pytest.raises(ConfigError, match=r"--address host:1: no Ray cluster there \(nobody\)$"):
        connect(refusing(ConnectionError("nobody")), "host:1", cores=1)


def test_a_ray_without_tokens_works_too():
    """Before 2.52 there was no such error."""
    old = refusing(ConnectionError("nobody"))
    old.exceptions = SimpleNamespace()
    with pytest.raises(ConfigError, match="no Ray cluster there"):
        connect(old, "host:1", cores=1)
