"""A speech engineer: a pronunciation dictionary with variants, in the formats that aligners and synthesisers read."""

import pytest

from isotone.text.readers import read
from journeys import language

LIMITS = ["--n-best", 5, "--mass", "0.95", "--min-probability", "0.02"]


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    listed = [word for word, _ in language.words(40, seed=77)]
    (folder / "words.txt").write_text("\n".join([*listed, *listed[:5], "  karo ", "mar5", "új szó"]), encoding="utf-8")
    (folder / "known.tsv").write_text("karo\tk ɒ r o\nkaro\tk aː r o\n", encoding="utf-8")
    return folder


def dictionary(isotone, g2p, words, style, *more):
    out = words / f"{style}.dict"
    files = [g2p / "model", words / "words.txt", "-o", out, "--style", style, "--lexicon", words / "known.tsv"]
    done = isotone("dictionary", *files, *LIMITS, *more)
    assert (done.code, done.out) == (0, ""), done.err
    return out, done


def test_cmudict_with_variants(isotone, g2p, words):
    out, done = dictionary(isotone, g2p, words, "cmudict", "--report", words / "report.tsv")
    lines = out.read_text(encoding="utf-8").splitlines()
    heads = [line.split("  ")[0] for line in lines]
    assert "karo" in heads and "karo(2)" in heads
    plain = [head for head in heads if not head.endswith(")")]
    assert plain == sorted(set(plain))
    assert len(lines) <= 5 * len(plain)
    assert {example.source for example in read(out, "cmudict")} == set(plain)
    assert "white space in the word" in done.err and "'új szó'" in done.err
    report = [line.split("\t") for line in (words / "report.tsv").read_text(encoding="utf-8").splitlines()]
    assert report[0] == ["word", "doubt", "pronunciation", "probability"]
    doubted = {row[0]: row[1] for row in report[1:]}
    assert "never seen in training: 5" in doubted["mar5"] and "karo" not in doubted


def test_mfa_probabilities(isotone, g2p, words):
    out, _ = dictionary(isotone, g2p, words, "mfa")
    best = {}
    for line in out.read_text(encoding="utf-8").splitlines():
        word, probability, phones = line.split("\t")
        assert phones and 0.01 <= float(probability) <= 1
        best[word] = max(best.get(word, 0.0), float(probability))
    assert set(best.values()) == {1.0}
    again = list(read(out, "mfa"))
    assert {example.source for example in again} == best.keys() and all("." not in (e.target or "") for e in again)


def test_tables_and_lexicons(isotone, g2p, words):
    table, _ = dictionary(isotone, g2p, words, "tsv")
    rows = [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()]
    assert rows[0] == ["word", "pronunciation", "probability", "rank", "origin"]
    assert {row[4] for row in rows if row[0] == "karo"} == {"lexicon"}
    lexicon, _ = dictionary(isotone, g2p, words, "lexicon")
    done = isotone("predict", g2p / "model", "--lexicon", lexicon, stdin="karo\n")
    assert done.lines[0].endswith("\tlexicon")


def test_the_first_limit_counts(isotone, g2p):
    odd = "zzzkaaáá\n"
    everything = isotone("predict", g2p / "model", "--mass", "0.95", "--n-best", 5, stdin=odd)
    assert 1 <= len(everything.lines) <= 5
    likely = isotone("predict", g2p / "model", "--min-probability", "0.3", stdin=odd)
    assert 1 <= len(likely.lines) <= 3
    assert all(len(line.split("\t")) == 5 for line in likely.lines)  # source, rank, log p, target, p


def test_refusals(isotone, g2p, words):
    message = isotone("dictionary", g2p / "model", words / "words.txt", "--style", "x").refused()
    assert "expected one of cmudict, mfa, tsv, lexicon" in message
    assert "min_probability must be" in isotone("predict", g2p / "model", "--min-probability", 0, stdin="a\n").refused()
