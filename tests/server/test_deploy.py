"""The files of deploy/: linted where the tools are installed, and never out of step with the command line."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import in_process

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
HADOLINT = shutil.which("hadolint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def options(text):
    return set(re.findall(r"--[a-z][a-z-]+", text))


@pytest.fixture(scope="module")
def known():
    return options(in_process("serve", "--help").out)


def test_the_image_starts_with_options_that_exist(known):
    (entry,) = re.findall(r"^ENTRYPOINT .*$", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert entry.startswith('ENTRYPOINT ["isotone", "serve"') and options(entry) <= known


def test_the_unit_starts_with_options_that_exist(known):
    (start,) = re.findall(
        r"^ExecStart=.*$", (DEPLOY / "isotone.service").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert "isotone serve" in start and options(start) <= known


def test_the_documentation_names_options_that_exist(known):
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    table = page[page.index("| limit |") : page.index("Other codes")]
    assert options(table) and options(table) <= known


def test_the_image_gets_what_it_copies():
    """.dockerignore leaves everything out that the Dockerfile does not copy."""
    copied = re.findall(r"^COPY ((?!--from).*) \S+$", (DEPLOY / "Dockerfile").read_text(), flags=re.MULTILINE)
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    names = {name for line in copied for name in line.split()}
    assert names == allowed and all((ROOT / name).exists() for name in names)


@pytest.mark.skipif(HADOLINT is None, reason="hadolint is not installed (the extra dev has it where it is built)")
def test_hadolint():
    subprocess.run([HADOLINT, DEPLOY / "Dockerfile"], check=True)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_understands_the_unit(tmp_path):
    """With a program that exists: that is looked for, too."""
    text = (DEPLOY / "isotone.service").read_text(encoding="utf-8").replace("/opt/isotone/bin/isotone", "/bin/true")
    (tmp_path / "isotone.service").write_text(text, encoding="utf-8")
    command = ["systemd-analyze", "verify", tmp_path / "isotone.service"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
