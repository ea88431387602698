# Everything a checkout needs besides make is a Python (3.11 or later) with venv and pip.
# Another Python: make test PYTHON=python3.13. More arguments: make test ARGS="-k lineage".

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# -qq: only errors; the lock file already says what is installed.
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq

# Without a network this gives up soon; another apt-get at work is waited for.
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=20 \
	-o Acquire::https::Timeout=20 -o DPkg::Lock::Timeout=120
INSTALL_CHROMIUM := $(APT) install -y --no-install-recommends chromium

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test chromium lint format bench data notebooks screenshots lock clean

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

demo: $(READY) ## show lineage_kit on real data
	@$(BIN)/lineage-kit demo $(ARGS)

test: lint chromium ## run every check and test
	@$(BIN)/python -m pytest -n auto $(ARGS)

# Tests drive a browser. One that is there is used; a missing one is installed where that asks nobody for a
# password. It is no error to have none: the tests that need it say why they skip, and in CI they fail.
chromium: ## find a Chromium for the tests, or install one
	@if [ -n "$$LINEAGE_KIT_CHROMIUM" ]; then \
		command -v "$$LINEAGE_KIT_CHROMIUM" >/dev/null \
			|| echo "LINEAGE_KIT_CHROMIUM names $$LINEAGE_KIT_CHROMIUM, which is not there: browser tests cannot run"; \
		exit 0; \
	fi; \
	for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "installing Chromium for the browser tests with apt-get: this may take a minute"; \
		{ $(INSTALL_CHROMIUM) || { $(APT) update && $(INSTALL_CHROMIUM); }; } >/dev/null 2>&1 && exit 0; \
		echo "apt-get could not install it"; \
	fi; \
	echo "no Chromium on the PATH: browser tests cannot run; install one (on Debian: apt-get install chromium)" \
		"or set LINEAGE_KIT_CHROMIUM to one"

lint: $(READY) ## check style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(READY) ## put the sources into shape
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(READY) ## measure how long things take
	@$(BIN)/python -m benchmarks $(ARGS)

data: $(READY) ## make the data sets anew from their facts
	@for script in data/build_*.py; do $(BIN)/python "$$script" || exit 1; done

notebooks: $(READY) ## run the notebooks anew and keep their outputs
	@$(BIN)/python notebooks/execute.py $(ARGS)

screenshots: $(READY) ## take the pictures of README and docs anew (needs Chromium)
	@$(BIN)/python notebooks/screenshots.py

lock: $(BIN)/python ## pin the dependencies anew (to newer ones: ARGS=--upgrade)
	@$(BIN)/python -m uv --version >/dev/null 2>&1 || $(PIP) install 'uv>=0.11'
	@$(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
		--generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
		--group dev --output-file requirements.lock $(ARGS) pyproject.toml >/dev/null
	@echo "requirements.lock: $$(grep -c '==' requirements.lock) packages"

clean: ## remove the environment and all that was made
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment, made once, and brought up to date when what it is made from changes.
$(READY): requirements.lock pyproject.toml | $(BIN)/python
	@echo "setting up $(VENV): a minute or two the first time"
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "error: '$(PYTHON)' is missing or older than Python 3.11; name another: make PYTHON=python3.13 ..." >&2; \
		exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "error: '$(PYTHON)' has no venv; install it first (on Debian and Ubuntu: apt-get install python3-venv)" >&2; \
		exit 1; }
	@$(PYTHON) -m venv $(VENV)
