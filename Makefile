# Two commands for a fresh machine with Python 3.11+, pip and make:
#   make demo   set up, train a planner on the grid world, transfer it, draw both
#   make test   set up, then lint, type-check, test and build the docs
# make test-slow runs what 'make test' and CI leave out for time, about ten minutes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-slow lint types unit docs clean

demo: $(VENV)/.installed
	"$(BIN)/depo" demo --out demo

test: lint types unit docs

lint: $(VENV)/.installed-dev
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .

types: $(VENV)/.installed-dev
	"$(BIN)/mypy"

unit: $(VENV)/.installed-dev
	"$(BIN)/python" -m pytest -n 2 --jaxtyping-packages=depo,tests.check

test-slow: $(VENV)/.installed-dev
	"$(BIN)/python" -m pytest -n 2 -m slow --jaxtyping-packages=depo,tests.check

docs: $(VENV)/.installed-dev
	"$(BIN)/python" docs/generate_reference.py
	"$(BIN)/mkdocs" build --strict  # with --quiet, warnings would not count

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	"$(BIN)/python" -m pip install --quiet --upgrade pip

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	"$(BIN)/python" -m pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/bin/python pyproject.toml
	"$(BIN)/python" -m pip install --quiet --editable ".[dev]"
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) site demo
