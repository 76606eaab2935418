"""Shapes are checked under pytest: every annotated function of dp and models verifies its axes on each call."""

import os
from pathlib import Path

import pytest
import torch
from hypothesis import settings
from jaxtyping import install_import_hook

with install_import_hook(["isotone.dp", "isotone.models", "isotone.data"], "beartype.beartype"):
    import isotone.data
    import isotone.dp
    import isotone.models.network  # noqa: F401  (isotone.models itself imports its parts on first use)

SHARED = Path(__file__).parents[2] / "shared"

settings.register_profile("ci", deadline=None, max_examples=40, derandomize=True)
settings.load_profile("ci")
torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The corpora beside the project; not part of the repository."""
    if not (SHARED / "data").is_dir():
        pytest.skip("../shared/data is not on this machine")
    return SHARED


@pytest.fixture
def two_threads():
    """Torch has two threads, as on a machine with two cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Every test starts from the same random state."""
    torch.manual_seed(0)
