"""How good are the predictions: metrics, intervals, mistakes, significance, calibration. Knows no tensor."""

from isotone.evaluation.calibration import Bin, Reliability, reliability
from isotone.evaluation.evaluate import evaluate, group_references
from isotone.evaluation.metrics import (
    METRICS,
    TASKS,
    Metric,
    Task,
    accuracy,
    edit_distance,
    error_rate,
    f_score,
    mean_edit_distance,
    mean_f_score,
    phone_error_rate,
    task_named,
    word_error_rate,
)
from isotone.evaluation.mistakes import COLUMNS, mistakes
from isotone.evaluation.significance import PairedTest, paired_permutation_test

__all__ = [
    "COLUMNS",
    "METRICS",
    "TASKS",
    "Bin",
    "Metric",
    "PairedTest",
    "Reliability",
    "Task",
    "accuracy",
    "edit_distance",
    "error_rate",
    "evaluate",
    "f_score",
    "group_references",
    "mean_edit_distance",
    "mean_f_score",
    "mistakes",
    "paired_permutation_test",
    "phone_error_rate",
    "reliability",
    "task_named",
    "word_error_rate",
]
