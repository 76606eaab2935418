"""Experiments: sweeps of many runs on Ray, and the tables, tests and plots made of their results.

Nothing is imported here, so that comparing results need not wait for torch.
"""
