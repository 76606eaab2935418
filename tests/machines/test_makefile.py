"""`make setup` where Python comes without ensurepip, without pip, or is too old: a stand-in for python3 forces each."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FAKE = """#!/bin/sh
echo "$@" >> "$LOG"
case "$*" in
  *version_info*) {version} ;;
  "-m venv --clear --without-pip "*)
    mkdir -p .venv/bin; printf '#!/bin/sh\\nexit 1\\n' > .venv/bin/python; chmod +x .venv/bin/python ;;
  "-m venv "*) echo "ensurepip is not available" >&2; exit 1 ;;
  "-m pip "*) {pip} ;;
esac
"""


@pytest.fixture
def setup(tmp_path):
    if not shutil.which("make"):
        pytest.skip("make is not installed; the README names it as needed, and CI has it")
    place = tmp_path / "a path with späces"
    place.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, place)

    def run(*, version="exit 0", pip="exit 0"):
        fake, log = place / "python", place / "log"
        fake.write_text(FAKE.format(version=version, pip=pip))
        fake.chmod(0o755)
        outer = {"EXTRAS", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "TESTS"}  # of the `make test` that runs this
        environment = {**{name: value for name, value in os.environ.items() if name not in outer}, "LOG": str(log)}
        done = subprocess.run(
            ["make", "setup", "PYTHON=./python"], cwd=place, env=environment, capture_output=True, text=True
        )
        return done, log.read_text().splitlines()

    return run


def test_without_ensurepip_the_outer_pip_installs(setup):
    done, calls = setup()
    assert done.returncode == 0, done.stderr
    assert calls[-1].startswith("-m pip --python .venv/bin/python install") and calls[-1].endswith(
        "-e .[train,serve,demo,plot,dev]"
    )


def test_without_any_pip_it_says_what_to_install(setup):
    done, _ = setup(pip="exit 1")
    assert done.returncode != 0 and "apt install python3-venv" in done.stderr


def test_an_old_python_is_named(setup):
    done, _ = setup(version="exit 1")
    assert done.returncode != 0 and "Python 3.11 or newer" in done.stderr


def test_this_python_is_new_enough():
    assert sys.version_info >= (3, 11)
