# setup: everything into .venv    demo: the main job on real data    test: the tests
# check: what CI runs before a change lands    bench: ratios against peers and our own slow twins
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
TESTS  ?= tests
EXTRAS := demo,plot,dev

.PHONY: setup demo test check bench clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[$(EXTRAS)]"
	@touch $@

demo: setup
	$(BIN)/isotone demo g2p

test: setup
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 $(TESTS)

check: setup
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench
	$(BIN)/mypy
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 $(TESTS)

bench: setup
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
