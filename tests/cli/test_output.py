"""predict, score, evaluate and align: stdout exactly as others rely on it."""

import gzip
import json
import math

import pytest

import toy


def strict(line):
    """JSON without NaN or Infinity."""
    return json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@pytest.fixture
def words(data):
    """lemma and tags of the test set, without forms."""
    rows = [line.split("\t") for line in (data / "test.tsv").read_text().splitlines()]
    return "".join(f"{lemma}\t{tags}\n" for lemma, _, tags in rows)


def test_predict(isotone, model, data, words):
    done = isotone("predict", model, "-", stdin=words)
    assert (done.code, done.err) == (0, "")
    rows = [line.split("\t") for line in done.lines]
    assert ["\t".join(row[:2]) for row in rows] == words.splitlines()
    right = [toy.transduce(source, tags.split(";")) == target for source, tags, target in rows]
    assert sum(right) > 0.7 * len(right)
    assert isotone("predict", model, data / "test.tsv").out == done.out  # forms are ignored
    assert isotone("predict", model, stdin=words).out == done.out  # - is the default


def test_predict_json(isotone, model, words):
    done = isotone("predict", model, "--json", stdin=words)
    assert (done.code, done.err) == (0, "")
    for line, word in zip(done.lines, words.splitlines(), strict=True):
        value = strict(line)
        assert list(value) == ["source", "tags", "predictions", "certified"]
        assert f"{value['source']}\t{';'.join(value['tags'])}" == word
        assert [list(entry) for entry in value["predictions"]] == [["target", "logprob", "probability", "rank"]]
        assert value["predictions"][0]["rank"] == 1 and value["predictions"][0]["logprob"] <= 0
        assert value["certified"] is True
        assert value["predictions"][0]["probability"] == pytest.approx(math.exp(value["predictions"][0]["logprob"]))
    greedy = isotone("predict", model, "--json", "--decode", "greedy", stdin=words)
    assert {strict(line)["certified"] for line in greedy.lines} == {None}


@pytest.mark.parametrize("decode", ["beam", "exact", None])
def test_n_best(isotone, model, words, decode):
    named = [] if decode is None else ["--decode", decode]
    done = isotone("predict", model, "--n-best", 3, "--json", *named, stdin=words)
    for line in done.lines:
        value = strict(line)
        found = value["predictions"]
        assert [entry["rank"] for entry in found] == [1, 2, 3]
        assert len({entry["target"] for entry in found}) == 3
        assert sorted((entry["logprob"] for entry in found), reverse=True) == [entry["logprob"] for entry in found]
        assert sum(math.exp(entry["logprob"]) for entry in found) <= 1 + 1e-5
        assert value["certified"] is True or decode == "beam"
    plain = isotone("predict", model, "--n-best", 3, *named, stdin=words)
    rows = [line.split("\t") for line in plain.lines]
    assert [row[2] for row in rows] == ["1", "2", "3"] * len(done.lines)
    assert [row[4] for row in rows[:3]] == [entry["target"] for entry in strict(done.lines[0])["predictions"]]


def test_greedy_has_one_answer(isotone, model):
    assert (
        "n_best: does not apply to greedy decoding (only to beam and exact)"
        in isotone("predict", model, "--decode", "greedy", "--n-best", 2).refused()
    )


def test_probability_mass(isotone, model):
    value = strict(isotone("predict", model, "--mass", "0.9", "--json", stdin="abc\tN;PL\n").out)
    assert value["certified"] and sum(math.exp(entry["logprob"]) for entry in value["predictions"]) >= 0.9
    assert "mass must be above 0" in isotone("predict", model, "--mass", "1.5", stdin="abc\tN\n").refused()


def test_score(isotone, model, data):
    done = isotone("score", model, data / "test.tsv", "--json")
    assert (done.code, done.err) == (0, "")
    values = [strict(line) for line in done.lines]
    assert all(list(value) == ["source", "target", "tags", "logprob", "probability"] for value in values)
    lines = (data / "test.tsv").read_text().splitlines()
    assert [f"{v['source']}\t{v['target']}\t{';'.join(v['tags'])}" for v in values] == lines
    plain = isotone("score", model, "-", stdin=(data / "test.tsv").read_bytes())
    rows = [line.split("\t") for line in plain.lines]
    assert [len(row) for row in rows] == [4] * len(values)
    assert [float(row[3]) for row in rows] == pytest.approx([value["logprob"] for value in values], abs=1e-6)


def test_score_agrees_with_predict(isotone, model):
    best = strict(isotone("predict", model, "--decode", "exact", "--json", stdin="abc\tN;PL\n").out)["predictions"][0]
    scored = strict(isotone("score", model, "-", "--json", stdin=f"abc\t{best['target']}\tN;PL\n").out)
    assert scored["logprob"] == pytest.approx(best["logprob"], abs=1e-5)


def test_what_cannot_be_written_has_probability_zero_and_a_reason(isotone, model):
    done = isotone("score", model, "-", "--json", stdin="abc\tabΩ\tN;PL\n")
    assert strict(done.out) == {
        "source": "abc",
        "target": "abΩ",
        "tags": ["N", "PL"],
        "logprob": None,
        "probability": 0.0,
        "reason": "never seen in training: 'Ω'",
    }
    plain = isotone("score", model, "-", stdin="abc\tabΩ\tN;PL\n")
    assert (plain.code, plain.out) == (0, "abc\tN;PL\tabΩ\t-inf\n")
    assert plain.err == "isotone: abc: never seen in training: 'Ω'\n"
    evaluated = strict(isotone("evaluate", model, "-", "--json", stdin="abc\tabΩ\tN;PL\n").out)
    assert evaluated["metrics"]["nll"] is None and evaluated["metrics"]["acc"] == 0 and evaluated["impossible"] == 1
    aligned = strict(isotone("align", model, "-", "--json", stdin="abc\tabΩ\tN;PL\n").out)
    assert (aligned["path"], aligned["logprob"]) == ([], None)


def test_evaluate(isotone, model, data):
    done = isotone("evaluate", model, data / "test.tsv", "--json")
    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    report = strict(done.out)
    assert list(report) == ["task", "n", "metrics", "intervals"]
    assert (report["task"], report["n"], list(report["metrics"])) == ("inflection", 30, ["acc", "mld", "nll"])
    assert report["metrics"]["acc"] > 70
    for name, (low, high) in report["intervals"].items():
        assert low <= report["metrics"][name] <= high
    plain = isotone("evaluate", model, data / "test.tsv", "--bootstrap", 0, "--decode", "beam")
    assert [line.split("\t")[0] for line in plain.lines] == ["metric", "acc", "mld", "nll"]
    assert {len(line.split("\t")) for line in plain.lines} == {2}


def test_several_references_count_once(isotone, model):
    answer = isotone("predict", model, stdin="abc\tN;PL\n").out.strip().split("\t")[2]
    report = strict(isotone("evaluate", model, "-", "--json", stdin=f"abc\tb\tN;PL\nabc\t{answer}\tN;PL\n").out)
    assert (report["n"], report["metrics"]["acc"]) == (1, 100)


def test_errors_are_listed_worst_first(isotone, model, tmp_path):
    answer = isotone("predict", model, stdin="abc\tN;PL\n").out.strip().split("\t")[2]
    pairs = f"abc\t{answer}\tN;PL\nbcd\tbcdd\tN;SG\nbc\tgggggggg\tN;SG\n"
    done = isotone("evaluate", model, "-", "--json", "--errors", tmp_path / "e.tsv", stdin=pairs)
    rows = [line.split("\t") for line in (tmp_path / "e.tsv").read_text().splitlines()]
    assert done.code == 0
    assert rows[0] == ["source", "tags", "prediction", "references", "edit_distance"]
    assert rows[1][0] == "bc" and "abc" not in {row[0] for row in rows}


def test_align(isotone, model, data, tmp_path):
    page = tmp_path / "page.html"
    done = isotone("align", model, data / "test.tsv", "--json", "--posterior", "--html", page)
    assert (done.code, done.err, len(done.lines)) == (0, "", 30)
    for line in done.lines:
        value = strict(line)
        assert list(value) == ["source", "target", "path", "logprob", "posterior"]
        assert (value["source"][0], value["source"][-1], value["target"][-1]) == ("⟨s⟩", "⟨/s⟩", "⟨/s⟩")
        assert value["path"] == sorted(value["path"]) and len(value["path"]) == len(value["target"])
        assert [sum(row) for row in value["posterior"]] == pytest.approx([1] * len(value["target"]), abs=1e-4)
        assert {len(row) for row in value["posterior"]} == {len(value["source"])}
    without = isotone("align", model, data / "test.tsv", "--json")
    assert list(strict(without.lines[0])) == ["source", "target", "path", "logprob"]
    html = page.read_text(encoding="utf-8")
    assert (
        html.count("<svg") >= 30
        and "http://" not in html.replace("http://www.w3.org", "")
        and "<script src" not in html
    )
    plain = isotone("align", model, data / "test.tsv")
    assert plain.lines[0].split("\t")[0] == f"{strict(done.lines[0])['logprob']:.4f}" and "→" in plain.lines[0]
    assert "log p = " in isotone("align", model, data / "test.tsv", "--posterior").lines[0]


def test_mixtures(isotone, model, other, data):
    pair = "abc\tabcs\tN;PL\n"
    scores = [strict(isotone("score", m, "-", "--json", stdin=pair).out)["logprob"] for m in (model, other)]
    for weights, shares in (([], (0.5, 0.5)), (["--weights", "3,1"], (0.75, 0.25))):
        both = strict(isotone("score", f"{model},{other}", "-", "--json", *weights, stdin=pair).out)["logprob"]
        expected = math.log(sum(share * math.exp(score) for share, score in zip(shares, scores, strict=True)))
        assert both == pytest.approx(expected, abs=1e-5)
    named = ["predict", f"{model},{other}", "--weights", "9,1", "--json", "--n-best", 2]
    assert strict(isotone(*named, stdin="abc\tN;PL\n").out)["certified"]
    assert isotone("align", f"{model},{other}", data / "test.tsv", "--json").code == 0
    assert isotone("evaluate", f"{model},{other}", data / "test.tsv", "--json").code == 0


def test_a_comma_may_be_part_of_a_name(isotone, model, tmp_path):
    (tmp_path / "a,b").symlink_to(model)
    assert isotone("predict", tmp_path / "a,b", stdin="abc\tN;PL\n").code == 0


def test_lexicon_answers_are_marked(isotone, model, tmp_path):
    (tmp_path / "lexicon.tsv").write_text("abc\tgg\tN;PL\n")
    arguments = ["predict", model, "--lexicon", tmp_path / "lexicon.tsv"]
    done = isotone(*arguments, stdin="abc\tN;PL\nabc\tN;SG\n")
    assert done.lines[0] == "abc\tN;PL\tgg\tlexicon" and done.lines[1].count("\t") == 2
    looked_up, predicted = map(strict, isotone(*arguments, "--json", stdin="abc\tN;PL\nabc\tN;SG\n").lines)
    assert looked_up["lexicon"] is True and "lexicon" not in predicted


def test_alphabet_and_choices(isotone, model, tmp_path):
    done = isotone("predict", model, "--alphabet", "b c", stdin="abc\tN;PL\n")
    assert set(done.out.strip().split("\t")[2]) <= set("bc")
    (tmp_path / "choices").write_text("ggg\naabc\n")
    done = isotone("predict", model, "--choices", tmp_path / "choices", "--n-best", 5, stdin="abc\tN;PL\n")
    assert {line.split("\t")[4] for line in done.lines} == {"ggg", "aabc"}
    (tmp_path / "choices").write_text("ΩΩΩ\n")  # nothing that the model can write
    assert isotone("predict", model, "--choices", tmp_path / "choices", stdin="abc\tN;PL\n").refused()
    message = isotone("predict", model, "--alphabet", "b Ω", stdin="abc\tN;PL\n").refused()
    assert message == "--alphabet: never seen in training: 'Ω'"
    skipping = isotone("predict", model, "--unknown", "skip", stdin="aΩ\tN;PL\nb\tN;SG\n")
    assert skipping.code == 0 and skipping.lines[0] == "aΩ\tN;PL\t"  # a line for each source all the same
    both = isotone("predict", model, "--choices", tmp_path / "choices", "--alphabet", "a")
    assert both.refused() == "give either --alphabet or --choices, not both"


def test_out_files_appear_whole(isotone, model, data, tmp_path):
    out = tmp_path / "out.tsv"
    done = isotone("predict", model, data / "test.tsv", "-o", out)
    assert (done.code, done.out) == (0, "")
    assert out.read_text() == isotone("predict", model, data / "test.tsv").out
    out.write_text("old")
    (tmp_path / "bad.tsv").write_text("abc\tN;PL\nabc\n")
    assert "bad.tsv:2: " in isotone("predict", model, tmp_path / "bad.tsv", "-o", out).refused()
    assert out.read_text() == "old" and {path.name for path in tmp_path.iterdir()} == {"out.tsv", "bad.tsv"}
    assert "there is no folder" in isotone("predict", model, "-o", tmp_path / "no" / "out").refused()
    assert "is a folder" in isotone("score", model, data / "test.tsv", "-o", tmp_path).refused()
    assert "there is no folder" in isotone("align", model, data / "test.tsv", "--html", tmp_path / "no" / "x").refused()
    assert "is a folder" in isotone("evaluate", model, data / "test.tsv", "--errors", tmp_path).refused()


def test_links_and_devices_are_written_to_not_replaced(isotone, model, tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    isotone("predict", model, "-o", tmp_path / "link", stdin="abc\tN;PL\n")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text().startswith("abc\t")
    (tmp_path / "null").symlink_to("/dev/null")
    assert isotone("predict", model, "-o", tmp_path / "null", stdin="abc\tN;PL\n").code == 0
    assert (tmp_path / "null").is_char_device()


def test_gzip_crlf_and_bom(isotone, model, data, tmp_path):
    expected = isotone("score", model, data / "test.tsv").out
    raw = (data / "test.tsv").read_bytes()
    (tmp_path / "t.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n")))
    assert isotone("score", model, tmp_path / "t.gz").out == expected
    assert isotone("score", model, "-", stdin=gzip.compress(raw)).out == expected


def test_nothing_in_nothing_out(isotone, model, tmp_path):
    for nothing in ("", "\n\n"):
        done = isotone("predict", model, stdin=nothing)
        assert (done.code, done.out, done.err) == (0, "", "")
    assert isotone("predict", model, "-o", tmp_path / "out").code == 0
    assert (tmp_path / "out").read_text() == ""


def test_targets_longer_than_any_seen(isotone, model):
    long = f"abc\t{'ab' * 300}\tN;PL\n"
    assert strict(isotone("score", model, "-", "--json", stdin=long).out)["logprob"] < -100
    assert strict(isotone("evaluate", model, "-", "--json", stdin=long).out)["n"] == 1
    assert len(strict(isotone("align", model, "-", "--json", stdin=long).out)["path"]) == 601


def test_sources_longer_than_any_seen(isotone, model):
    done = isotone("score", model, "-", "--json", stdin=f"{'ab' * 5000}\tab\tN;PL\n")
    assert done.code == 0 and strict(done.out)["logprob"] < 0


def test_separators_inside_symbols_stay_inside_their_cell(isotone, model):
    done = isotone(
        "predict", model, "--source-column", 1, "--tags-column", 2, "--column-separator", ",", stdin="a\tb,N\n"
    )
    assert done.out.startswith("a\\tb\tN\t")


def test_unknown_tags_warn_once(shell, model):
    done = shell("predict", model, stdin=b"abc\tN;DUAL\nbcd\tN;DUAL\n")
    assert done.code == 0 and len(done.lines) == 2
    assert done.err == "isotone: WARNING: tag 'DUAL' was never seen in training and is ignored\n"


def test_score_with_surprisal(isotone, model, data):
    plain = isotone("score", model, data / "test.tsv", "--json")
    done = isotone("score", model, data / "test.tsv", "--json", "--surprisal")
    assert (done.code, done.err) == (0, "")
    for line, without in zip(done.lines, plain.lines, strict=True):
        value = strict(line)
        surprisal = value.pop("surprisal")
        assert value == strict(without) and len(surprisal) == len(value["target"]) + 1
        assert sum(surprisal) == pytest.approx(-value["logprob"], abs=1e-4)
    rows = [line.split("\t") for line in isotone("score", model, data / "test.tsv", "--surprisal").lines]
    assert all(sum(map(float, row[4].split())) == pytest.approx(-float(row[3]), abs=1e-2) for row in rows)
    (unseen,) = isotone("score", model, "-", "--json", "--surprisal", stdin="ab\taΩb\tN;SG\n").lines
    assert strict(unseen)["surprisal"][0] is not None and strict(unseen)["surprisal"][1:] == [None] * 3
