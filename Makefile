# Two commands for a fresh machine with Python 3.11+, pip and make:
#   make demo   set up, train a planner on the grid world, transfer it, draw both
#   make test   set up, then lint, type-check, test and build the docs
# make release-check builds wheel and sdist and tries them in clean environments.
# make test-slow runs what 'make test' and CI leave out for time, about ten minutes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST := "$(BIN)/python" -m pytest -n 2 --jaxtyping-packages=depo,tests.check
# compared bit for bit with what was recorded
RECORDED := $(wildcard tests/golden tests/fixtures)

.PHONY: demo test test-slow lint types unit docs clean faults fuzz release-check

demo: $(VENV)/.installed
	"$(BIN)/depo" demo --out demo

test: lint types unit docs

lint: $(VENV)/.installed-dev
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .

types: $(VENV)/.installed-dev
	"$(BIN)/mypy"

# Most of the tests' time is compilation, of programs that run for milliseconds: where no bits are
# compared with recorded ones XLA need not optimise (a third less time where it was measured).
# Programs are kept in .pytest_cache/depo (tests/conftest.py): workers and the processes that tests
# start share them within a run, and on a developer's machine the next run finds them, too.
# Files are kept together, so that what their tests share is prepared once.
# XLA ends the process at a flag that its version does not know (0.12 dropped one): they are tried
# first, each alone where not all are known.
FLAGS := --xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false \
	--xla_cpu_parallel_codegen_split_count=1
known = $(shell XLA_FLAGS="$(1)" "$(BIN)/python" -c "import jax; jax.devices()" 2>/dev/null && echo $(1))
QUICKLY = $(or $(call known,$(FLAGS)),$(foreach flag,$(FLAGS),$(call known,$(flag))))
unit: $(VENV)/.installed-dev
	XLA_FLAGS="$(QUICKLY) $$XLA_FLAGS" \
		$(PYTEST) --dist loadfile $(RECORDED:%=--ignore=%)
	$(if $(RECORDED),$(PYTEST) $(RECORDED))

test-slow: $(VENV)/.installed-dev
	$(PYTEST) -m slow

# 20,000 damaged files of every kind; what is neither refused with a sentence nor valid is kept.
fuzz: $(VENV)/.installed-dev
	"$(BIN)/python" -m tests.hostile.fuzz

# 100 kills at random instants, a full disk, a moved folder, …: identical, or refused in a sentence.
faults: $(VENV)/.installed-dev
	XLA_FLAGS="$(QUICKLY) $$XLA_FLAGS" "$(BIN)/python" -m tests.faults

docs: $(VENV)/.installed-dev
	"$(BIN)/python" docs/generate_reference.py
	"$(BIN)/mkdocs" build --strict  # with --quiet, warnings would not count

# Wheel and sdist into dist/, installed where nothing else is, each extra too, and used there.
release-check: $(VENV)/.installed-dev
	"$(BIN)/python" -m pip install --quiet --editable ".[release]"
	PATH="$(CURDIR)/$(BIN):$$PATH" "$(BIN)/python" -m tests.release

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
	rm -rf $(VENV) site demo .pytest_cache
