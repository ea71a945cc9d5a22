# make demo: see it walk.  make test: the tests.  make check: lint, types, layers, tests.
# Needs python3 (3.11 or newer, with venv), git and make. Everything goes into .venv.

PY := .venv/bin/python
WORKERS ?= auto

.PHONY: demo test check soak attacks bench lock clean

demo:
	@.ci/venv run
	@.venv/bin/agentcells demo

test:
	@.ci/venv dev
	@$(PY) -m pytest -n $(WORKERS) -q

check:
	@.ci/venv dev
	$(PY) -m ruff check
	$(PY) -m mypy
	$(PY) -m pytest -n $(WORKERS) -q --cov --cov-report=term

# The long tests too, with more examples for each property: hours. HISTORIES=300 for a short one.
HISTORIES ?= 10000
soak:
	@.ci/venv dev
	AGENTCELLS_HISTORIES=$(HISTORIES) HYPOTHESIS_PROFILE=soak $(PY) -m pytest -n $(WORKERS) -q -m "slow or not slow"

# Every attack of the catalogue; writes docs/attacks.md.
attacks:
	@.ci/venv dev
	$(PY) -m pytest -n $(WORKERS) -q -m "slow or not slow" -p tests.attacks.plugin --attacks=docs/attacks.md

# What ticks and runs cost on this machine; writes docs/benchmarks.md.
bench:
	@.ci/venv dev
	$(PY) -m tests.benchmarks --out docs/benchmarks.md

# After a change of the dependencies. Names, versions and hashes only, for every platform and Python from 3.11 on.
lock:
	@.ci/lock

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.* *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
