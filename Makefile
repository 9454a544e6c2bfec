# Two commands matter: `make up` and `make test`. Both set up what they need, show what takes long, and do nothing twice.

STACK ?= local
# The stand-ins, the engine, the control plane, the program on mocks, checkpoints whose writers are killed, trainers that are stopped, runs on
# a double of Vertex AI, and whether the generators reach everything: what takes longer than a check may.
TRAINING := tests/hybrid_pools/training
SLOW_TESTS := tests/lab tests/engine tests/cluster tests/components tests/test_strategies.py \
  $(TRAINING)/checkpoints $(TRAINING)/conformance $(TRAINING)/vertex/test_submitting.py $(TRAINING)/vertex/test_resuming.py
VENV := .venv
BIN := $(VENV)/bin
PURE_TESTS = $(BIN)/python -m pytest -n 2 --dist worksteal -m "not engine and not sweep" $(addprefix --ignore=,$(SLOW_TESTS))
READY := $(VENV)/ready

.DEFAULT_GOAL := help
.PHONY: help setup build up down preview status recover test check static sweep bench docs lock clean

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "  STACK=NAME picks stacks/Pulumi.NAME.yaml; without it: $(STACK)"

setup: $(READY) ## Make the virtual environment

# The stamp is written last, so an interrupted setup goes on where it stopped.
$(READY): requirements/dev.txt pyproject.toml
	@test -x $(BIN)/python || { \
	  for python in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	    if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	      echo "Making $(VENV) with $$($$python --version)."; exec $$python -m venv $(VENV); \
	    fi; \
	  done; \
	  echo "error: no Python 3.11 or newer with venv and ensurepip is on PATH. Install one (package python3 and, on Debian, python3-venv)," >&2; \
	  echo "then run the same command again." >&2; exit 1; \
	}
	$(BIN)/python -m pip install --disable-pip-version-check --require-hashes --requirement requirements/dev.txt
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@touch $@

build: $(READY) ## Build the Pulumi engine, if none is installed that will do, and the control plane
	@$(BIN)/python -m lab build

up: $(READY) ## Bring a stack up in the lab and show its pools
	@$(BIN)/python -m lab up $(STACK)

down: $(READY) ## Remove what a stack has made
	@$(BIN)/python -m lab down $(STACK)

preview: $(READY) ## Show what `up` would change
	@$(BIN)/python -m lab preview $(STACK)

status: $(READY) ## Show the parts of the lab's control plane
	@$(BIN)/python -m lab status

recover: $(READY) ## Put a stack in order after its engine was killed
	@$(BIN)/python -m lab recover $(STACK)

test: build static ## Run every check and every test, the real engine included
	$(PURE_TESTS)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not sweep" $(SLOW_TESTS)

check: static ## Run what is quick: style, types, import directions, tests of pure code on fewer generated cases
	HYPOTHESIS_PROFILE=quick $(PURE_TESTS)

static: $(READY) ## Run what runs no code of ours: style, types, import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

sweep: $(READY) ## Run the property tests on many more cases, others each time
	HYPOTHESIS_PROFILE=sweep $(BIN)/python -m pytest -m "not engine and not cluster" -k "not snapshot"
	HYPOTHESIS_PROFILE=sweep $(BIN)/python -m pytest -s tests/cluster/test_scheduler_as_judge.py tests/cluster/queues/test_flood.py
	$(BIN)/python -m pytest -m "cluster and sweep" tests/cluster

bench: build ## Measure against the limits, into build/bench.json
	$(BIN)/python -m bench

docs: $(READY) ## Generate the documents and schemas anew
	@$(BIN)/python docs/generate.py

# The files hold names, versions and hashes and no download address, so that every machine uses the index it is set up for.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
  --custom-compile-command "make lock"

lock: $(READY) ## Resolve the requirement files anew
	$(COMPILE) pyproject.toml --output-file requirements/runtime.txt
	$(COMPILE) pyproject.toml --extra infra --output-file requirements/infra.txt
	$(COMPILE) pyproject.toml --extra infra --extra policies --output-file requirements/policies.txt
	$(COMPILE) pyproject.toml --all-extras --output-file requirements/dev.txt
	$(COMPILE) requirements/bench-checkov.in --output-file requirements/bench-checkov.txt

clean: ## Remove the lab and what was built in the checkout; the user's cache stays
	rm -rf .lab build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
