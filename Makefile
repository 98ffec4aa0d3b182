# Everything that a person runs. Each target sets up what it needs in .venv.
.DEFAULT_GOAL := help
.PHONY: help install check test test-vllm bench bench-vllm run fix
PYTHON ?= python3
BIN := .venv/bin
UV = $(shell command -v uv || echo $(BIN)/uv)
SYNC = UV_PROJECT_ENVIRONMENT=.venv $(UV) sync --frozen --inexact --quiet

help: ## Say what each target does
	@grep -E '^[a-z-]+:.*## ' Makefile | awk -F ':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

install: .venv/.dev scripts/install-chromium ## Make .venv with everything for development, and find a Chromium
	@scripts/install-chromium

check: .venv/.dev ## Format, lint, types, import contracts, budgets, fresh schemas
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest tests/building

test: install ## Run every test but those against a real vLLM
	$(BIN)/pytest -n 2 --dist loadfile

test-vllm: install ## Install real vLLM for CPUs (once, 2.5 GB) and run the tests against it
	$(BIN)/pytest -m vllm tests/vllm

bench: .venv/.dev ## Measure, side by side with plain re-implementations
	$(BIN)/python -m bench

bench-vllm: .venv/.dev ## Measure Viva in front of a real vLLM, beside the plain client
	$(BIN)/python -m bench.vllm

run: .venv/.run ## Serve Viva on http://127.0.0.1:8000
	@$(BIN)/viva serve

fix: .venv/.dev ## Format and mend what ruff can mend
	$(BIN)/ruff format --quiet .
	$(BIN)/ruff check --fix --quiet .

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Viva needs Python 3.11 or newer; name one with: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -m venv .venv

# Where none is on the path, also for an environment that something else made, which may lack pip.
.venv/bin/uv: | .venv/bin/python
	@$(BIN)/python -m ensurepip >/dev/null
	@$(BIN)/python -m pip install --quiet uv

.venv/.run: .venv/bin/python pyproject.toml uv.lock | $(UV)
	@$(SYNC) --no-default-groups
	@touch $@

.venv/.dev: .venv/bin/python pyproject.toml uv.lock | $(UV)
	@$(SYNC)
	@touch $@ .venv/.run
