# Needs make and Python 3.11 or later; everything else comes from PyPI into .venv. Name an interpreter with
# PYTHON=...; after changing it, `make distclean` first. Paths here are relative, so the folder's name may hold spaces.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: help demo test lint examples docs notebooks check check-slow check-docs check-notebooks check-wheel check-minimum
.PHONY: check-other-python pins clean distclean FORCE

export PYTHON
JOBS ?= 2
RUN := .venv/bin/python -m

# Tests compile their own kernels: a fresh cache, so that no stale machine code can answer.
FRESH_CACHE = NUMBA_CACHE_DIR=$$(mktemp -d) && export NUMBA_CACHE_DIR && trap 'rm -rf "$$NUMBA_CACHE_DIR"' EXIT

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1 |\2/p' Makefile | awk -F'|' '{printf "%-26s %s\n", $$1, $$2}'

demo: .venv/.demo ## set up and compute the example site: load table, 12-month windows, ruling
	@.venv/bin/sedcalc demo

test: lint ## set up; lint, types, import contract, tests, example sites (10 minutes at most)
	@echo "== tests"
	@$(FRESH_CACHE) && $(RUN) pytest -n $(JOBS) -m "not slow"
	@$(MAKE) --no-print-directory examples
	@echo "== make test: all passed"

lint: .venv/.test ## ruff, mypy --strict, import contract
	@echo "== ruff"
	@$(RUN) ruff check .
	@echo "== mypy"
	@$(RUN) mypy
	@echo "== import contract"
	@.venv/bin/lint-imports --no-logo

examples: .venv/.test ## run every example site
	@echo "== example sites"
	@$(FRESH_CACHE) && .venv/bin/python tools/run_examples.py examples

docs: check-docs ## build the documentation into .make/docs (open index.html there)

notebooks: check-notebooks ## run every notebook

check: check-slow check-docs check-notebooks check-wheel check-other-python check-minimum ## what takes longer (60 minutes at most)
	@echo "== make check: all passed"

check-slow: .venv/.test ## the slow tests
	@echo "== slow tests"
	@$(FRESH_CACHE) && $(RUN) pytest -n $(JOBS) -m slow --timeout 1800

# A proxy that is not there: whatever tries the network fails. The links to other sites are not followed.
check-docs: .venv/.test ## the documentation without warnings and without network; every link inside it
	@echo "== documentation"
	@$(FRESH_CACHE) && HTTP_PROXY=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9 \
	  $(RUN) sphinx -W --keep-going -q -b html -d .make/doctrees docs .make/docs
	@.venv/bin/python tools/check_links.py .make/docs

check-notebooks: .venv/.test ## every notebook, from a clean kernel (5 minutes at most)
	@echo "== notebooks"
	@$(FRESH_CACHE) && $(RUN) pytest --nbmake --nbmake-timeout 300 --timeout 300 -n $(JOBS) notebooks

check-wheel: .venv/.test ## sdist -> wheel -> fresh environment outside the checkout -> sedcalc demo
	@echo "== sdist and wheel"
	@rm -rf .make/dist && mkdir -p .make/dist
	@$(RUN) build --no-isolation --outdir .make/dist . >.make/build.log 2>&1 || { cat .make/build.log; exit 1; }
	@ls -l .make/dist
	@home=$$(pwd -P) && away=$$(mktemp -d) && trap 'rm -rf "$$away"' EXIT && \
	  PYTHON=.venv/bin/python sh tools/venv.sh "$$away/env" base .make/dist/*.whl && \
	  cd "$$away" && env/bin/python -I "$$home/tools/check_installed.py" "$$home"

check-minimum: .venv/.test ## the tests on the oldest versions pyproject.toml allows
	@echo "== minimum versions"
	@if minimum=$$(sh tools/find_python.sh 3.11 || sh tools/find_python.sh 3.12); then \
	  PYTHON=$$minimum sh tools/venv.sh .make/minimum minimum && \
	  $(FRESH_CACHE) && .make/minimum/bin/python -m pytest -n $(JOBS) -m "not slow"; \
	else echo "skipped: the oldest versions need Python 3.11 or 3.12"; fi

check-other-python: .venv/.test ## the tests on the other pinned Python (3.12 or 3.11), where it is present
	@other=$$(.venv/bin/python -c 'import sys; print("3.11" if sys.version_info[:2] == (3, 12) else "3.12")') && \
	echo "== Python $$other" && \
	if other=$$(sh tools/find_python.sh $$other); then \
	  PYTHON=$$other sh tools/venv.sh .make/other-python test && \
	  $(FRESH_CACHE) && .make/other-python/bin/python -m pytest -n $(JOBS) -m "not slow"; \
	else echo "skipped"; fi

pins: ## compile requirements/ anew (for developers; needs uv)
	@sh tools/pins.sh

clean: ## remove what builds, checks and tests left; keeps .venv
	rm -rf .make dist build out docs/generated docs/gallery docs/notebooks docs/sg_execution_times.rst .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
	find src tests benchmarks tools examples docs -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## clean, and remove .venv too
	rm -rf .venv

# Stamps stand inside the environment: without it they are gone too. A copied or moved checkout starts anew.
ifneq "$(shell cat .venv/.home 2>/dev/null)" "$(shell pwd -P)"
.venv/.demo: FORCE
endif

.venv/.demo: pyproject.toml $(wildcard requirements/py3*.txt)
	@sh tools/venv.sh .venv demo
	@touch .venv/.demo

.venv/.test: .venv/.demo
	@sh tools/venv.sh .venv test
	@touch .venv/.test
