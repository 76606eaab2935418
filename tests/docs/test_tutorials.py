"""Every command and code block of the tutorials runs, in order, one shell per page, with small models on real data."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
SMALL = """
isotone() {
    if [ "$1" = train ]; then command isotone "$@" --size tiny --epochs 2 --threads 1; else command isotone "$@"; fi
}
"""


def zulu(shared, folder):
    """Files as the shared task has them."""
    for part in ("trn", "dev", "tst"):
        lines = (shared / f"data/inflection/sigmorphon2020/zul.{part}").read_text(encoding="utf-8").splitlines(True)
        (folder / f"zul.{part}").write_text("".join(lines[:60]), encoding="utf-8")


def hungarian(shared, folder):
    """A list as Wiktionary's."""
    lines = (shared / "data/g2p/sigmorphon2021/hun_train.tsv").read_text(encoding="utf-8").splitlines(True)
    (folder / "hun.tsv").write_text("".join(lines[:300]), encoding="utf-8")
    (folder / "hun-test.tsv").write_text("".join(lines[300:320]), encoding="utf-8")


@pytest.mark.parametrize(("page", "prepare"), [("sigmorphon", zulu), ("g2p", hungarian)])
def test_the_page_runs(page, prepare, shared, tmp_path):
    prepare(shared, tmp_path)
    run_page(DOCS / "tutorials" / f"{page}.md", tmp_path, before=SMALL)


@pytest.mark.parametrize("page", ["models.md", "tutorials/mfa.md", "tutorials/serve.md"])
def test_the_page_runs_with_the_model_in_the_package(page, tmp_path):
    if "serve" in page:
        for package in ("fastapi", "uvicorn", "prometheus_client"):
            pytest.importorskip(package, reason="needs pip install isotone[serve]")
        if shutil.which("curl") is None:
            pytest.skip("curl is not installed")
    run_page(DOCS / page, tmp_path)


def run_page(page, folder, *, before=""):
    text = page.read_text(encoding="utf-8")
    script = ["set -euo pipefail", before]
    for language, block in BLOCK.findall(text):
        script.append(block if language == "bash" else f"python - <<'PYTHON_BLOCK'\n{block}PYTHON_BLOCK\n")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
    command = ["bash", "-c", "\n".join(script)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and done.stdout
