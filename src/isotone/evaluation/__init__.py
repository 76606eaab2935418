"""How good predictions are: metrics, tasks, intervals, mistakes, significance, calibration. No tensors.

Names are imported on first use, so that the command line can name the tasks without loading what computes; but for two
that are called like their files.
"""

from typing import TYPE_CHECKING

from isotone.evaluation.evaluate import evaluate
from isotone.evaluation.mistakes import mistakes
from isotone.lazy import lazy_names

if TYPE_CHECKING:
    from isotone.evaluation.calibration import Bin, Reliability, calibration_of, reliability
    from isotone.evaluation.correspondences import count_correspondences
    from isotone.evaluation.edits import differences, edits_between, nearest
    from isotone.evaluation.errors import Seen, analyse, compare_models, wilson
    from isotone.evaluation.metrics import (
        METRICS,
        NLL,
        Measure,
        Metric,
        accuracy,
        edit_distance,
        error_rate,
        f_score,
        mean_edit_distance,
        mean_f_score,
        measure_named,
        measures,
        phone_error_rate,
        word_error_rate,
    )
    from isotone.evaluation.mistakes import COLUMNS
    from isotone.evaluation.significance import PairedTest, fisher, mcnemar, paired_permutation_test
    from isotone.evaluation.tasks import TASKS, Task, task_named

__all__ = [
    "COLUMNS",
    "METRICS",
    "NLL",
    "TASKS",
    "Bin",
    "Measure",
    "Metric",
    "PairedTest",
    "Reliability",
    "Seen",
    "Task",
    "accuracy",
    "analyse",
    "calibration_of",
    "compare_models",
    "count_correspondences",
    "differences",
    "edit_distance",
    "edits_between",
    "error_rate",
    "evaluate",
    "f_score",
    "fisher",
    "mcnemar",
    "mean_edit_distance",
    "mean_f_score",
    "measure_named",
    "measures",
    "mistakes",
    "nearest",
    "paired_permutation_test",
    "phone_error_rate",
    "reliability",
    "task_named",
    "wilson",
    "word_error_rate",
]

__getattr__ = lazy_names(
    __name__,
    {
        ".calibration": (
            "Bin",
            "Reliability",
            "calibration_of",
            "reliability",
        ),
        ".correspondences": ("count_correspondences",),
        ".edits": (
            "differences",
            "edits_between",
            "nearest",
        ),
        ".errors": (
            "Seen",
            "analyse",
            "compare_models",
            "wilson",
        ),
        ".metrics": (
            "METRICS",
            "NLL",
            "Measure",
            "Metric",
            "accuracy",
            "edit_distance",
            "error_rate",
            "f_score",
            "mean_edit_distance",
            "mean_f_score",
            "measure_named",
            "measures",
            "phone_error_rate",
            "word_error_rate",
        ),
        ".mistakes": ("COLUMNS",),
        ".significance": (
            "PairedTest",
            "fisher",
            "mcnemar",
            "paired_permutation_test",
        ),
        ".tasks": (
            "TASKS",
            "Task",
            "task_named",
        ),
    },
)
