# Every target works on a fresh machine with Python 3.11+ and a package index: each sets up what it needs.
SHELL := /bin/bash
PYTHON ?= $(or $(firstword $(foreach v,3.11 3.12 3.13 3.14,$(shell command -v python$(v)))),python3)
VENV ?= .venv
BIN := $(VENV)/bin
LOCK := requirements.lock
DOCS_LOCK := requirements-docs.lock
# into .venv, by uv where present
INSTALL = $(if $(shell command -v uv),uv pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet --disable-pip-version-check)

# What `make eval` and its kin take; everything else goes through ARGS.
ENDPOINT ?=
TASK ?= aime25
PROFILE ?= kimi-k2.6-open
MODEL ?=
LABEL ?=
EPOCHS ?=
PRESET ?=
LIMIT ?=
MAX_TOKENS ?=
MAX_CONNECTIONS ?=
BASELINE ?= runs/int4
CANDIDATE ?= runs/nvfp4
POLICY ?= release.toml
DIR ?= compare
ARGS ?=
# Sizes of the runs whose cost `make bench` compares; 100,000 responses take more than an hour.
GROWTH ?= 1000 4000
RUN_FLAGS = $(if $(MODEL),--model "$(MODEL)") $(if $(LABEL),--label "$(LABEL)") $(if $(EPOCHS),--epochs $(EPOCHS)) \
	$(if $(PRESET),--preset $(PRESET)) $(if $(LIMIT),--limit $(LIMIT)) $(if $(MAX_TOKENS),--max-tokens $(MAX_TOKENS)) \
	$(if $(MAX_CONNECTIONS),--max-connections $(MAX_CONNECTIONS)) $(ARGS)

.DEFAULT_GOAL := help
.PHONY: help setup docs reference demo demo-real eval check verify plan compare gate report test lint bench coverage

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.ready ## Install into .venv exactly what requirements.lock pins (uv where present, else pip)

$(VENV)/.ready: $(LOCK) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON): Python 3.11 or newer is needed; name one with make PYTHON=..." >&2; exit 1; }
	@if command -v uv >/dev/null; then \
	  uv venv --quiet --allow-existing --python "$(PYTHON)" $(VENV) && \
	  uv pip install --quiet --python $(BIN)/python --compile-bytecode -r $(LOCK) && \
	  uv pip install --quiet --python $(BIN)/python --no-deps -e . ; \
	else \
	  $(PYTHON) -m venv $(VENV) && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(LOCK) && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e . ; \
	fi
	@touch $@

demo: setup ## Evaluate two simulated checkpoints on AIME 2025 and compare them
	$(BIN)/quantcheck demo $(ARGS)

demo-real: setup ## Quantize a small real model here, run it without a GPU, compare [ARGS=]
	$(BIN)/quantcheck demo-real $(ARGS)

eval: setup ## Run TASK against ENDPOINT [MODEL= LABEL= EPOCHS= PRESET= LIMIT= MAX_TOKENS= MAX_CONNECTIONS= ARGS=]
	$(BIN)/quantcheck run $(TASK) $(if $(ENDPOINT),--base-url "$(ENDPOINT)") $(RUN_FLAGS)

check: setup ## Probe ENDPOINT before a run [TASK= MODEL= ARGS=]
	$(BIN)/quantcheck check $(if $(ENDPOINT),--base-url "$(ENDPOINT)") $(if $(MODEL),--model "$(MODEL)") --task $(TASK) $(ARGS)

verify: setup ## Qualify ENDPOINT by the vendor contract of PROFILE [MODEL= ARGS=]
	$(BIN)/quantcheck verify $(if $(ENDPOINT),--base-url "$(ENDPOINT)") $(if $(MODEL),--model "$(MODEL)") --profile $(PROFILE) $(ARGS)

plan: setup ## Show what TASK will cost [EPOCHS= ARGS=]
	$(BIN)/quantcheck plan $(TASK) $(if $(EPOCHS),--epochs $(EPOCHS)) $(ARGS)

compare: setup ## Compare CANDIDATE with BASELINE [ARGS=]
	$(BIN)/quantcheck compare $(BASELINE) $(CANDIDATE) $(ARGS)

gate: setup ## Judge CANDIDATE against BASELINE by POLICY [ARGS=]
	$(BIN)/quantcheck gate --policy $(POLICY) --baseline $(BASELINE) --candidate $(CANDIDATE) $(ARGS)

report: setup ## Render a finished comparison again as HTML [DIR= ARGS=]
	$(BIN)/quantcheck report $(DIR) $(ARGS)

reference: setup ## Write README's table of commands and docs/commands.md from the commands' help
	$(BIN)/python -m evals.reference

docs: $(VENV)/.ready-docs reference ## Build the documentation into site/, strictly and offline
	$(BIN)/mkdocs build --strict --quiet

$(VENV)/.ready-docs: $(VENV)/.ready $(DOCS_LOCK)
	@$(INSTALL) -r $(DOCS_LOCK)
	@touch $@

bench: setup ## Measure side by side, in one run each: transport, bookkeeping, growth, workers, tool calls, images, comparison, report page, start-up
	$(BIN)/python -m benchmarks.transport --streams 64
	$(BIN)/python -m benchmarks.bookkeeping
	$(BIN)/python -m benchmarks.growth --sizes $(GROWTH)
	$(BIN)/python -m benchmarks.workers --workers 1 2 --responses 200
	$(BIN)/python -m benchmarks.tool_calls
	$(BIN)/python -m benchmarks.mmmu_memory --images 200
	$(BIN)/python -m benchmarks.comparison
	$(BIN)/python -m benchmarks.comparison --responses 1000000
	$(BIN)/python -m benchmarks.html_pages
	$(BIN)/python -m benchmarks.start_up

coverage: setup ## Simulate how often intervals and verdicts hold; writes docs/coverage.md
	$(BIN)/python -m benchmarks.coverage

test: setup ## Run the tests
	$(BIN)/python -m pytest -n auto $(ARGS)

lint: setup ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
