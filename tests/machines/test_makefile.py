"""`make setup` where Python comes without ensurepip, without pip, or is too old: a stand-in for python3 forces each."""

import os
import re
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


def test_the_second_run_of_ci_trains_in_every_way():
    """With the other answer about bf16: commands, the demo, Python, --resume, mixtures, the tour, the notebook."""
    assert 'ISOTONE_BF16=1 make test EXTRAS="$EXTRAS" TESTS="-m trains ' in (ROOT / ".ci" / "run").read_text()
    marked = re.compile(r"^@pytest\.mark\.trains\n(?:@.*\n)*def (\w+)", flags=re.MULTILINE)
    for file, name in (
        ("api/test_train.py", "test_files_examples_and_tuples_train_the_same_model"),
        ("cli/test_process.py", "test_ctrl_c_leaves_a_model_and_resume_goes_on_bit_for_bit"),
        ("cli/test_train.py", "test_demo"),
        ("docs/test_notebook.py", "test_it_shows_what_its_text_says"),
        ("docs/test_readme.py", "test_the_tour_does_what_it_says"),
        ("docs/test_tutorials.py", "test_the_page_runs"),
        ("training/test_mixture.py", "test_a_mixture_of_members"),
        ("training/test_training.py", "test_every_model_learns_the_toy_language"),
    ):
        assert name in marked.findall((ROOT / "tests" / file).read_text(encoding="utf-8")), name
