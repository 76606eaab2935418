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
