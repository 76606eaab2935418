"""Each kind of finding that needs no model, and those that need only numbers."""

import math

import pytest

from isotone.auditing.channel import Channel
from isotone.auditing.characters import odd_characters, scripts
from isotone.auditing.confusables import look_alikes
from isotone.auditing.entries import Entry, read_lexicon
from isotone.auditing.findings import findings_of
from isotone.auditing.judgement import Judgement, read_judgements, write_judgements
from isotone.auditing.ngrams import NGrams
from isotone.auditing.readings import Readings
from isotone.auditing.repeats import repeats
from isotone.auditing.scoring import (
    IRREGULAR,
    Scorer,
    segment_of,
    source_segment_of,
    surprisal_if_right,
    usual_for_length,
)
from isotone.auditing.stretches import stretches
from isotone.text.example import Example

USUAL = [(f"gata{'gomi'[n % 4]}{'bdlr'[n // 4 % 4]}", "ɡ a t a") for n in range(250)]


def entries(*pairs):
    return [Entry(number, Example(*pair)) for number, pair in enumerate(pairs)]


def oddities(*pairs, spaced=True):
    found = odd_characters(entries(*USUAL, *pairs), source=tuple, target=str.split, spaced=spaced)
    return [reason.text for number, reason in found if number >= len(USUAL)]


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (("gata", "g a t a"), "target: g (U+0067) looks like ɡ (U+0261)"),
        (("gаta", "ɡ a t a"), "source: mixes Cyrillic and Latin letters"),
        (("ga\u200bta", "ɡ a t a"), "source: invisible character U+200B"),
        (("gata\x07", "ɡ a t a"), "source: control character U+0007"),
        ((" gata", "ɡ a t a"), "source: space at the beginning or end"),
        (("ga ta", "ɡ a t a"), "source: space inside"),
        (("gata", "ɡ  a t a"), "target: two spaces in a row"),
        (("ga\u00a0ta", "ɡ a t a"), "source: unusual space"),
        (("gata", "/ɡ a t a/"), "target: slash /"),
        (('"gata"', "ɡ a t a"), 'source: quote "'),
        (("gata", "ɡ a t a [2]"), "target: bracket ["),
        (("ga\u0301ta", "ɡ a t a"), "source: not in NFC"),
        (("gæta", "ɡ a t a"), "source: æ (U+00E6) is seen once only"),
        (("gｏta", "ɡ a t a"), "source: ｏ (U+FF4F) looks like o (U+006F)"),
    ],
)
def test_odd_characters(pair, expected):
    assert expected in oddities(pair)


def test_what_most_of_a_lexicon_does_is_not_odd():
    assert oddities(("gatab", "ɡ a t a")) == []
    many = [(f"l'a/{n} \u0627", "e\u0301") for n in range(100)]
    found = list(odd_characters(entries(*many), source=tuple, target=tuple, spaced=False))
    assert found == []


def test_ordinary_joiners_and_japanese_are_not_odd():
    assert scripts("食べる") == {"Japanese"} and scripts("abc1") == {"Latin"}
    assert not [text for text in oddities(("می\u200cخواهم", "ɡ a t a")) if "invisible" in text]
    assert "ɡ" in look_alikes("g") and "ʻ" in look_alikes("'") and look_alikes("q") == ()


def test_duplicates_and_conflicts():
    listed = entries(
        ("read", "R IY D"),
        ("read", "R IY  D"),
        ("read", "R EH D"),
        ("cat", "K AE T"),
        ("cat", "D AO G Z"),
        ("gehen", "ging", ("V", "PST")),
        ("gehen", "gingen", ("PST", "V")),
    )
    found = {(number, reason.kind) for number, reason in repeats(listed, lambda text: tuple(text.split()))}
    assert found == {(1, "duplicate"), (3, "conflict"), (4, "conflict"), (5, "conflict"), (6, "conflict")}


def test_readings_that_speak_for_an_entry():
    listed = entries(
        ("data", "d e t"), ("base", "b s"), ("database", "d e t b s"), ("c", "s i"), ("bs", "x"), ("b.", "b i"),
        ("s", "e s"), ("cbs", "s i b i e s"), ("dat", "d e"), ("Data", "d a t"),
    )  # fmt: skip
    readings = Readings(listed, lambda text: tuple(text.split()))
    assert readings.composed(listed[2]) == "data + base" and readings.composed(listed[7]) == "c + b + s"
    assert readings.composed(listed[0]) is None and readings.composed(listed[4]) is None
    assert readings.variant(listed[0], "d a t") == "variant" and readings.variant(listed[0], "d o") is None


def judgement(number=0, surprisal=(0.1, 0.1), **more):
    plain = {"language": (2.0,) * len(surprisal), "answers": (("b", -0.1),), "certified": True}
    path = {"path": tuple(range(1, len(surprisal) + 1)), "coverage": (0.0, *(1.0,) * len(surprisal))}
    return Judgement(number=number, surprisal=tuple(surprisal), **{**plain, **path, **more})


def test_segments():
    assert segment_of((0.1, 9.0, 8.0, 0.2, 3.0, 0.1)) == (1, 3)
    assert segment_of((0.1, 0.3, 0.1)) == (1, 2)
    assert segment_of((0.1, 9.0, 1.5, 8.0)) == (1, 4)
    skipped = judgement(
        surprisal=(0, 9, 0), path=(1, 4, 5), coverage=(0, 1.0, 0.0, 0.1, 1.0, 1.0)
    )  # _ a b c d _: b and c give nothing
    assert source_segment_of(skipped, (1, 2)) == (1, 4)
    assert source_segment_of(skipped, (2, 3)) == (3, 4)  # the end: the last letter
    assert source_segment_of(judgement(path=(), coverage=()), (0, 1)) == (0, 0)


def test_what_is_usual_depends_on_length_and_bad_entries_do_not_bend_it():
    judged = {n: judgement(n, (0.1,) * (2 + n % 8) + (0.01 * (n % 5),)) for n in range(200)}
    judged |= {200: judgement(200, (0.1, 30.0)), 201: judgement(201, (0.1,) * 9)}
    z = usual_for_length(judged)
    assert z[200] > 50 and abs(z[201]) < 3 and usual_for_length({}) == {}


def test_the_channel_knows_four_kinds_of_mistakes():
    channel = Channel([tuple("abcab"), tuple("aab")])
    same, swapped, deleted = (channel.surprisal("abc", other) for other in ("abc", "bac", "ac"))
    inserted, substituted, two = (channel.surprisal("abc", other) for other in ("abca", "aac", "bc a"))
    assert same == 0 and swapped == deleted == channel.least < inserted < two
    assert inserted == pytest.approx(channel.least + channel._written("a")) == pytest.approx(substituted)
    assert channel.surprisal("", "") == 0 and channel.surprisal("a", "") == channel.least


def test_scores_are_log_odds():
    scorer = Scorer([tuple("ab"), tuple("ac"), tuple("zz")], tuple)
    right = judgement(surprisal=(0.01, 0.01, 0.01), answers=(("ab", -0.03), ("ac", -4.0)))
    typo = judgement(surprisal=(0.01, 12.0, 0.01), language=(3.0, 9.0, 1.0), answers=(("ab", -0.03),))
    regular = judgement(surprisal=(0.01, 12.0, 0.01), language=(3.0, 1.0, 1.0), answers=(("ab", -0.03),))
    other = judgement(surprisal=(9.0, 9.0, 9.0), answers=(("abcabcabc", -0.03),))
    assert scorer.score(right, "ab") < 0 < scorer.score(typo, "aq")
    assert scorer.score(typo, "aq") > scorer.score(regular, "aq")  # the language would have it
    assert scorer.score(other, "zz", same=0) > scorer.score(other, "zz") + 3  # some other word has it
    assert scorer.score(judgement(answers=()), "ab") < 0


def test_n_grams_are_a_distribution():
    model = NGrams([tuple("abab"), tuple("abc")], order=3)
    for prefix in ("", "a", "ab", "zz"):
        following = [model.surprisals((*prefix, symbol))[len(prefix)] for symbol in "abc"]
        end, never = model.surprisals(tuple(prefix))[-1], model.surprisals((*prefix, "?"))[len(prefix)]
        assert math.fsum(math.exp(-value) for value in (*following, end, never)) == pytest.approx(1)
    assert model.surprisals("ab")[1] < model.surprisals("ac")[1]


@pytest.mark.parametrize("source", ["", "ab", "cab", "abcabb"])
def test_n_grams_that_copy_are_a_distribution(source):
    model = NGrams([tuple("abab"), tuple("abc")], order=3)
    for prefix in ("", "a", "ab", "zz", "cab"):
        following = [model.surprisals((*prefix, symbol), source)[len(prefix)] for symbol in "abc"]
        end, never = model.surprisals(tuple(prefix), source)[-1], model.surprisals((*prefix, "?"), source)[len(prefix)]
        assert math.fsum(math.exp(-value) for value in (*following, end, never)) == pytest.approx(1)


def test_copied_stretches_are_probable_in_any_order():
    model = NGrams([tuple("xyz")])
    moved, swapped = (sum(model.surprisals(target, "abcdefgh")) for target in ("efghabcd", "acbdegfh"))
    assert moved < swapped < sum(model.surprisals("efghabcd"))


def test_a_right_entry_may_be_irregular_altogether():
    irregular = judgement(surprisal=(20.0,) * 8, language=(1.0,) * 8, answers=(("ab", -0.03),))
    assert surprisal_if_right(irregular) == pytest.approx(8 - math.log(IRREGULAR), abs=1e-6)


def test_bad_alignments():
    judged = {n: judgement(n, (0.1,) * 6, coverage=(0, 1, 1, 1, 1, 1, 0)) for n in range(300)}
    judged[7] = judgement(7, (0.1,) * 6, coverage=(0, 1, 0, 0, 0, 0, 0))
    judged[8] = judgement(8, (0.1,) * 6, coverage=(0, 0.5, 5.2, 1, 1, 1, 0))
    listed = {n: Entry(n, Example("abcde", "x")) for n in range(300)}
    found = {n: reason.text for n, reason, _ in stretches(listed, judged, {n: tuple("abcde") for n in range(300)})}
    assert found == {
        7: "4 source symbols in a row have no target: bcde",
        8: "about 5 target symbols belong to b",
    }
    assert list(stretches({}, {}, {})) == []


def test_tags_that_contradict_the_form():
    lexicon = read_lexicon([("gehen", "ging", "V;PST"), ("gehen", "geht", "V;PST")])
    judged = {
        0: judgement(0, (0.01,) * 5, answers=(("ging", -0.05),)),
        1: judgement(1, (0.1, 0.1, 6.0, 3.0, 0.1), other_tags=("V", "PRS"), other_logprob=-0.2),
    }
    second = next(finding for finding in findings_of(lexicon, judged) if finding.target == "geht")
    assert second.kinds == ("tags", "conflict") and "as V;PRS" in second.reasons[0].text


def test_judgements_are_kept_and_damage_is_noticed(tmp_path):
    judged = [judgement(3, links=((0, 1, 0.5),), unseen=("x",)), judgement(5, other_tags=("N",), other_logprob=-1.0)]
    write_judgements(tmp_path / "f", judged)
    assert read_judgements(tmp_path / "f", [3, 5]) == judged
    assert read_judgements(tmp_path / "f", [3, 6]) is None and read_judgements(tmp_path / "no", [3]) is None
    text = (tmp_path / "f").read_text()
    for damaged in (text[:-3], text.replace("0.1", "[]"), "", "\x00", text.splitlines()[0] + "\n2\n"):
        (tmp_path / "f").write_text(damaged)
        assert read_judgements(tmp_path / "f", [3, 5]) is None
