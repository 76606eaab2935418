# setup: everything into .venv    demo: the main job on real data    test: the tests
# lint: ruff and mypy             check: lint + test, what a contributor runs    bench: ratios against peers and our own slow twins
# audit-deps: licences of all that Isotone brings along, and known vulnerabilities (asks the package index)
# docs: the documentation as a site, in site/; a warning is an error
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
TESTS  ?= tests
EXTRAS := train,serve,demo,plot,dev
MODELS ?= en-us

.PHONY: setup demo test lint check bench models docs screenshots audit-deps clean

setup: $(VENV)/.ready

# Debian's python3 has no ensurepip unless python3-venv is installed: then the pip outside fills the environment.
$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'isotone needs Python 3.11 or newer: make PYTHON=python3.11 …' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || $(PYTHON) -m venv --clear --without-pip $(VENV)
	@if $(BIN)/python -m pip --version >/dev/null 2>&1; then pip="$(BIN)/python -m pip"; \
	elif $(PYTHON) -m pip --version >/dev/null 2>&1; then pip="$(PYTHON) -m pip --python $(BIN)/python"; \
	else echo 'pip is missing: install it first (Debian, Ubuntu: apt install python3-venv)' >&2; exit 1; fi; \
	echo "installing into $(VENV) …" >&2; \
	$$pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[$(EXTRAS)]"
	@touch $@

demo: setup
	$(BIN)/isotone demo g2p

test: setup
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal $(TESTS)

lint: setup
	$(BIN)/ruff check src tests bench zoo
	$(BIN)/ruff format --check src tests bench zoo
	$(BIN)/mypy

check: lint test

docs: setup
	@$(BIN)/python -c 'import mkdocs' 2>/dev/null || $(MAKE) --no-print-directory -B setup EXTRAS=$(EXTRAS),docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

audit-deps: setup
	$(BIN)/python -m bench.licences
	@$(BIN)/python -c 'import pip_audit' 2>/dev/null || $(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/pip-audit --local --progress-spinner off

bench: setup
	$(BIN)/python -m bench

# The model in the package and those of the documentation: trained (hours on two cores; it can be interrupted), exported, described
models: setup
	$(BIN)/python -m zoo

# The README's pictures, of the model in the package, with Debian's chromium
screenshots: setup
	$(BIN)/python docs/screenshots.py $(MODELS)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
