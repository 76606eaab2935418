"""pandas and polars frames in, the same kind out; neither is needed to import Isotone."""

import subprocess
import sys

import pytest

from isotone.errors import ConfigError

WORDS, TAGS = ["abc", "fa", "q"], ["N;PL", "N;SG", "N;PL"]
FRAMES = ["pandas", "polars"]


@pytest.fixture(params=FRAMES)
def frames(request):
    return pytest.importorskip(request.param)


def values(frame, name):
    return frame[name].to_list()


def test_predictions_are_columns(frames, mono):
    frame = frames.DataFrame({"word": WORDS, "features": TAGS, "n": [1, 2, 3]})
    found = mono.predict_frame(frame, source="word", tags="features")
    assert type(found) is frames.DataFrame
    assert list(found.columns) == ["word", "features", "n", "prediction", "logprob", "probability"]
    assert list(frame.columns) == ["word", "features", "n"]
    expected = mono(WORDS, tags=TAGS)
    assert values(found, "prediction") == [p.target for p in expected]
    assert values(found, "logprob") == pytest.approx([p.logprob for p in expected])


def test_n_best_gives_a_row_for_each_candidate(frames, mono):
    frame = frames.DataFrame({"source": WORDS, "tags": [tags.split(";") for tags in TAGS]})
    found = mono.predict_frame(frame, tags="tags", n_best=2)
    expected = [c for p in mono(WORDS, tags=TAGS, n_best=2) for c in p.candidates]
    assert values(found, "source") == [word for word in WORDS for _ in range(2)]
    assert values(found, "rank") == [1, 2] * 3
    assert values(found, "prediction") == [c.target for c in expected]


def test_an_empty_frame_has_typed_columns(frames, mono):
    empty = frames.DataFrame({"source": ["abc"]})[:0]
    found = mono.predict_frame(empty)
    assert len(found) == 0 and list(found.columns) == ["source", "prediction", "logprob", "probability"]
    assert "float" in str(found["logprob"].dtype).lower()


def test_the_index_of_pandas_is_kept(mono):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"source": WORDS}, index=[7, 7, 3])
    assert mono.predict_frame(frame).index.to_list() == [7, 7, 3]
    assert mono.predict_frame(frame, n_best=2).index.to_list() == [7, 7, 7, 7, 3, 3]
    assert [p.source for p in mono(frame["source"])] == WORDS
    targets = pandas.Series(["a", "b", "c"], index=[2, 1, 0])
    assert mono.score(frame["source"], targets) == mono.score(WORDS, ["a", "b", "c"])


def test_mistakes_are_explained(frames, mono):
    with pytest.raises(ConfigError, match="no column 'source'; it has word"):
        mono.predict_frame(frames.DataFrame({"word": WORDS}))
    with pytest.raises(ConfigError, match="column 'source', row 1: expected text"):
        mono.predict_frame(frames.DataFrame({"source": ["abc", None]}))
    for other in ({"source": WORDS}, frames.DataFrame({"source": WORDS})["source"]):
        with pytest.raises(ConfigError, match="expected a pandas or polars DataFrame"):
            mono.predict_frame(other)


def test_lazy_frames_are_refused(mono):
    polars = pytest.importorskip("polars")
    with pytest.raises(ConfigError, match=r"found polars\.LazyFrame"):
        mono.predict_frame(polars.LazyFrame({"source": WORDS}))


def test_neither_is_imported():
    code = "import sys, isotone.api; assert not {'pandas', 'polars'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
