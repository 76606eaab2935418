"""Lexicon audit: which entries are suspicious, where, and why. What needs torch is imported on first use."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isotone.auditing.run import Plan, audit, plan_audit, run_audit
    from isotone.auditing.timing import Estimate, estimate
    from isotone.auditing.workers import Progress, unfinished

__all__ = ["Estimate", "Plan", "Progress", "audit", "estimate", "plan_audit", "run_audit", "unfinished"]

_HOMES = {
    "Estimate": "isotone.auditing.timing",
    "Plan": "isotone.auditing.run",
    "Progress": "isotone.auditing.workers",
    "audit": "isotone.auditing.run",
    "estimate": "isotone.auditing.timing",
    "plan_audit": "isotone.auditing.run",
    "run_audit": "isotone.auditing.run",
    "unfinished": "isotone.auditing.workers",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'isotone.auditing' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
