"""The page that `python -m bench report` writes can be written."""

from bench import BENCHES, RELIABILITY
from bench.write_docs import SECTIONS, page


def test_every_bench_has_its_section():
    assert SECTIONS.keys() == BENCHES.keys() - RELIABILITY
    assert all(f"## {heading}\n" in page(quick=False) for heading, _ in SECTIONS.values())
