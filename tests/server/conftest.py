"""A server that the tests of this folder share; they are skipped where the extra `serve` is not installed."""

import pytest

for package in ("httpx", "fastapi", "uvicorn", "prometheus_client"):
    pytest.importorskip(package)


@pytest.fixture(scope="session")
def server():
    """Shared by all tests that leave it as it is."""
    from server.running import serving

    with serving("--max-items", 300, "--max-queue", 300, "--body-timeout", 2, "--timeout", 20) as running:
        yield running


@pytest.fixture
def client(server):
    with server.client() as one:
        yield one
