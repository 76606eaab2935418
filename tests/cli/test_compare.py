"""isotone compare: files in, a table out."""

import pytest

TABLE = "data,model,seed,acc\na,soft,0,10\na,soft,1,20\na,1-mono,0,30\nb,soft,0,50\n"


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text(TABLE)
    return path


def test_csv_in_a_pipe(isotone, results):
    done = isotone("compare", results)
    assert done.code == 0
    assert done.lines[:3] == ["row,data,model,other,metric,value,n,p", "score,a,soft,,acc,15.0,2,", *done.lines[2:3]]
    assert "average,,1-mono,,acc,30.0,1," in done.lines
    assert "1 of 2 data sets" in done.err and "no p-value can be below" in done.err


def test_evaluations_join_in(isotone, results, tmp_path):
    (tmp_path / "e.json").write_text('{"task": "inflection", "n": 3, "metrics": {"acc": 70.0}}')
    done = isotone("compare", results, f"1-mono/b={tmp_path}/e.json", "--style", "markdown")
    assert "| b | 50.0 | **70.0** |" in done.lines and "| average | 32.5 | **50.0** |" in done.lines


def test_table_and_plot(isotone, results, tmp_path):
    pytest.importorskip("matplotlib")
    done = isotone("compare", results, "--style", "table", "--plot", tmp_path / "p.svg")
    assert done.code == 0 and "average" in done.out and "p-values" in done.out
    assert "<svg" in (tmp_path / "p.svg").read_text()
    assert "ends in .svg" in isotone("compare", results, "--plot", tmp_path / "p.xyz").refused()


def test_mistakes(isotone, results, tmp_path):
    assert isotone("compare", tmp_path / "no.csv").refused() == f"{tmp_path}/no.csv: no such file"
    assert "expected one of table" in isotone("compare", results, "--style", "html").refused()
    assert "--metric wer" in isotone("compare", results, "--metric", "wer").refused()
    assert "expected MODEL/DATA=FILE" in isotone("compare", "soft=x.json").refused()
