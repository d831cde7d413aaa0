# Everything from a bare clone: Python 3.11 or newer, make and a package index are enough.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: test demo check bench crash e2e format clean
.DEFAULT_GOAL := test

# pip is renewed first: the one in a fresh environment may not know dependency groups.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Segue needs Python 3.11 or newer: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@

test: $(READY)
	@$(BIN)/python -m pytest -n 2 --dist worksteal

demo: $(READY)
	@$(BIN)/python examples/demo.py

check: $(READY)
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/python -m pytest -n 2 --dist worksteal

bench: $(READY)
	@$(BIN)/python bench/run.py

crash: $(READY)
	@SEGUE_FRESH_EXAMPLES=1 $(BIN)/python -m pytest -m crash

# Programs that are not ours (Pi, Neovim, tmux) on a machine that may be busy: a lane that fails is
# tried again, and the summary counts it.
e2e: $(READY)
	@$(BIN)/python -m pytest -m e2e --reruns 2 -rR tests/e2e

format: $(READY)
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
