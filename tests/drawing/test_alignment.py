import dataclasses
import json
import math

import numpy as np
import pytest

from isotone.results import END, START, Alignment, Link

POSTERIOR = np.array([[0.1, 0.9, 0.0, 0.0], [0.0, 0.25, 0.75, 0.0], [0.0, 0.0, 0.0, 1.0]])


def alignment(**changes):
    values = {"source": (START, "a", "b", END), "target": ("A", "B", END), "path": (1, 2, 3), "logprob": -0.5}
    return Alignment(**{**values, "posterior": POSTERIOR, **changes})


def test_links_walk_the_path():
    assert alignment().links() == [
        Link(1, 0, "a", "A", 0.9),
        Link(2, 1, "b", "B", 0.75),
        Link(3, 2, END, END, 1.0),
    ]
    assert [link.probability for link in alignment(posterior=None).links()] == [None, None, None]


def test_json_has_the_keys_of_the_command_line():
    printed = json.loads(json.dumps(alignment().to_json(), allow_nan=False))
    assert printed == {
        "source": [START, "a", "b", END],
        "target": ["A", "B", END],
        "path": [1, 2, 3],
        "logprob": -0.5,
        "posterior": POSTERIOR.tolist(),
    }
    assert "posterior" not in alignment(posterior=None).to_json()


def test_an_impossible_pair_has_no_path_and_a_null_logprob():
    impossible = alignment(path=(), logprob=-math.inf, posterior=None)
    assert impossible.links() == []
    assert json.loads(json.dumps(impossible.to_json(), allow_nan=False))["logprob"] is None
    assert "−∞" in str(impossible)
    assert "<svg" in impossible._repr_html_()


def test_numpy_numbers_are_as_good():
    numbers = alignment(path=tuple(np.array([1, 2, 3])), logprob=np.float32(-0.5))
    assert json.loads(json.dumps(numbers.to_json())) == alignment().to_json()


def test_it_cannot_be_changed_from_outside():
    posterior = POSTERIOR.copy()
    drawn = alignment(posterior=posterior)
    posterior[:] = 0
    assert drawn.links()[0].probability == 0.9
    assert drawn.posterior is not None
    with pytest.raises(ValueError, match="read-only"):
        drawn.posterior[0, 0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        drawn.logprob = 0


@pytest.mark.parametrize(
    "changes",
    [
        {"path": (1, 2)},
        {"path": (1, 2, 4)},
        {"path": (-1, 2, 3)},
        {"posterior": POSTERIOR.T},
        {"posterior": POSTERIOR * 2},
        {"posterior": POSTERIOR * math.nan},
    ],
)
def test_what_does_not_fit_is_refused(changes):
    with pytest.raises(ValueError, match=r"path|posterior"):
        alignment(**changes)


def test_rounding_beyond_1_is_clipped():
    assert alignment(posterior=POSTERIOR * 1.0005).links()[2].probability == 1
