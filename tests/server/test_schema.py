"""Requests made from the OpenAPI schema, right ones and wrong ones: never a 5xx, never an answer it does not allow."""

import subprocess
import sys
from pathlib import Path

import pytest

from server.running import PATIENCE, TOKEN

TOOL = Path(sys.executable).with_name("schemathesis")
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance,negative_data_rejection,unsupported_method,allow_header_conformance,ignored_auth"
)
"""All but `positive_data_acceptance`: the schema cannot say which options belong to which decoder."""


def schemathesis(server, folder, examples, **more):
    """Send at most `examples` generated requests per operation, plus those that cover the schema; the ended process."""
    command = [TOOL, "run", f"{server.url}/openapi.json", "--header", f"Authorization: Bearer {TOKEN}"]
    command += ["--checks", CHECKS, "--max-examples", str(examples), "--seed", "1", "--request-timeout", str(PATIENCE)]
    command += ["--continue-on-failure", "--phases", "coverage,fuzzing", "--no-color"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, **more)


@pytest.mark.skipif(not TOOL.exists(), reason="schemathesis is not installed")
def test_schemathesis(server, tmp_path):
    done = schemathesis(server, tmp_path, 10, timeout=2 * PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not [line for line in server.requests() if line["status"] == 500]
