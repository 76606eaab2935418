"""One page about trained models or a sweep: results, learning curves, calibration, errors."""

from isotone.experiments.report.assess import Assessment, Mistake, assess
from isotone.experiments.report.page import build_page
from isotone.experiments.report.runs import Run, find_runs

__all__ = ["Assessment", "Mistake", "Run", "assess", "build_page", "find_runs"]
