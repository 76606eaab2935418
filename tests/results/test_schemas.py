"""Real outputs fit the schemas, and the schemas allow nothing else."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError, with_config

from isotone.cli.main import app
from isotone.evaluation import Seen, analyse, compare_models, count_correspondences, evaluate
from isotone.results import (
    END,
    START,
    Alignment,
    Candidate,
    Finding,
    Judged,
    Prediction,
    Reason,
    Scored,
    Verdict,
    json_line,
)
from isotone.results.schemas import SCHEMAS, json_schemas
from isotone.store.temperature import Temperature

CANDIDATES = (Candidate("x y", ("x", "y"), -0.5, 1), Candidate("", (), -math.inf, 2))
ITEMS = [Judged("a", (), ("x",), (("x",),), -1.0, -0.2), Judged("b", ("N",), ("x",), (("y",),), -math.inf, -0.2)]
POSTERIOR = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
OUTPUTS = {
    "predict": [
        Prediction("a", ("N",), CANDIDATES),
        Prediction("a", (), (), certified=False, log_bound=-math.inf, unseen=("Ω",)),
        Prediction("a", (), CANDIDATES[:1], certified=True, log_bound=-2.0),
        Prediction("a", (), CANDIDATES, from_lexicon=True),
    ],
    "score": [
        Scored("a", "b", (), -1.5),
        Scored("a", "Ω", ("N",), -math.inf, "never seen in training: 'Ω'"),
        Scored("a", "b", (), -1.5, surprisal=(1.0, 0.5)),
        Scored("a", "Ω", (), -math.inf, surprisal=(math.inf, math.inf)),
    ],
    "align": [
        Alignment((START, "a", END), ("x", END), (1, 2), -0.5, POSTERIOR),
        Alignment((START, "a", END), ("x", END), (), -math.inf),
    ],
    "evaluate": [
        evaluate(ITEMS, "g2p"),
        evaluate(ITEMS[:1], "g2p", bootstrap=0),
        evaluate(ITEMS, "g2p", calibration=4),
    ],
    "calibrate": [Temperature(value=1.5), Temperature(value=2, fitted_on=3, measured_on=4, measured_ece_before=0.5)],
    "correspondences": [
        count_correspondences([]),
        count_correspondences([Alignment((START, "a", END), ("x", END), (1, 2), -0.5, POSTERIOR)], context=1),
    ],
    "errors": [analyse(ITEMS, "g2p"), compare_models(analyse(ITEMS, "g2p", seen=Seen.of([], list)), ITEMS)],
}
VERDICT = Verdict(
    surprisal=(0.5, 3.0), z=2.0, segment=(1, 2), source_segment=(0, 1), best="x", best_logprob=-0.5, certified=True
)
FINDING = Finding(
    rank=1, line=3, score=4.5, source="a", target="y", tags=(), source_symbols=("a",), target_symbols=("y",),
    reasons=(Reason("improbable", "unlikely"),), verdict=VERDICT,
)  # fmt: skip
OUTPUTS["audit"] = [
    FINDING,
    replace(FINDING, line=None, verdict=None, reasons=(), tags=("N",)),
    replace(FINDING, verdict=replace(VERDICT, rescued="variant")),
]
CASES = [(command, result) for command, results in OUTPUTS.items() for result in results]


def strict(shape):
    """The type, with no key beyond those it names."""
    return TypeAdapter(with_config({"extra": "forbid"})(shape))


@pytest.mark.parametrize(("command", "result"), CASES, ids=[f"{command}-{i}" for i, (command, _) in enumerate(CASES)])
def test_outputs_fit_their_schemas(command, result):
    line = json_line(result.to_json())
    assert line.endswith("\n") and line.count("\n") == 1
    strict(SCHEMAS[command]).validate_json(line)
    properties, required = (json_schemas()[command][key] for key in ("properties", "required"))
    value = json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert set(required) <= value.keys() <= properties.keys()


@pytest.mark.parametrize("command", SCHEMAS)
def test_other_objects_do_not(command):
    value = OUTPUTS[command][0].to_json()
    for wrong in ({**value, "colour": 1}, {key: value[key] for key in list(value)[1:]}):
        with pytest.raises(ValidationError):
            strict(SCHEMAS[command]).validate_json(json_line(wrong))


def test_the_keys_are_those_that_others_rely_on():
    required = {command: schema["required"] for command, schema in json_schemas().items()}
    assert required == {
        "predict": ["source", "tags", "predictions", "certified"],
        "score": ["source", "target", "tags", "logprob", "probability"],
        "align": ["source", "target", "path", "logprob"],
        "evaluate": ["task", "n", "metrics", "intervals"],
        "calibrate": ["value"],
        "correspondences": ["pairs", "impossible", "sources"],
        "errors": ["task", "n", "right", "edits", "groups"],
        "audit": ["rank", "line", "score", "source", "target", "tags", "reasons", "verdict"],
    }
    candidate = json_schemas()["predict"]["$defs"]["CandidateJson"]
    assert candidate["required"] == ["target", "logprob", "probability", "rank"]


def test_the_command_line_prints_them(capsys):
    app(["--schemas"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out) == json_schemas()
