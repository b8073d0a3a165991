# From a fresh clone on a machine with Python 3.11 and make: `make demo`, `make test`.
# Works in ./.venv and touches nothing else.

VENV := .venv
BIN := $(VENV)/bin
# Python compiles what it imports: most of what is installed never is.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
# And keeps it, whatever the machine says: the tests start hundreds of processes, each of which would compile all anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test browser lint format pages bench-quick constraints clean

demo: $(VENV)/.dovetail
	@$(BIN)/dovetail demo --out demo

test: lint browser
	$(BIN)/python -m pytest -n 2 --dist worksteal
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q tests/naive

# What the tests of the page drive. Without it they are skipped, and where CI is set they fail.
browser:
	@set -e; for name in chromium chromium-browser google-chrome chrome; do command -v $$name >/dev/null && exit 0; done; \
	if [ -f /etc/debian_version ] && [ "$$(id -u)" = 0 ]; then \
	  echo "installing chromium for the tests of the page…"; export DEBIAN_FRONTEND=noninteractive; \
	  get="apt-get install -y -qq --no-install-recommends chromium"; \
	  $$get >/dev/null 2>&1 || { apt-get update -qq && $$get >/dev/null; } || echo "chromium could not be installed" >&2; \
	else echo "no chromium: install one to run the tests of the page" >&2; fi

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/bin/python:
	@set -e; for p in "$$PYTHON" python3 python3.11 python3.12 python3.13; do \
	  if [ -n "$$p" ] && "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "making $(VENV) with $$p"; "$$p" -m venv $(VENV); exit 0; fi; done; \
	echo "Dovetail needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python $(MAKECMDGOALS)" >&2; exit 1

$(VENV)/.dovetail: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "installing Dovetail into $(VENV) (a minute or so, the first time)…"
	@$(PIP_INSTALL) -e .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "installing Dovetail and what its tests need into $(VENV)…"
	@$(PIP_INSTALL) -e '.[dev]'
	@touch $@ $(VENV)/.dovetail

# Tables in the docs, from the rows in benchmarks/results.
pages: $(VENV)/.dovetail
	$(BIN)/python -m dovetail.bench.pages $$(grep -l '<!-- table: ' docs/*.md)
	$(BIN)/python benchmarks/alphazzle_page.py
	$(BIN)/python benchmarks/scale.py --page
	$(BIN)/python -m dovetail.bench.results
	$(BIN)/python -m dovetail.bench.status
	$(BIN)/python -m dovetail.bench.limits

# Whether anything got clearly slower than recorded: a few minutes, alone on the machine.
bench-quick: $(VENV)/.dovetail
	$(BIN)/python benchmarks/quick.py

# What was tested: run after a deliberate upgrade, then `make test`. (Which build of torch it was is the registry's business.)
constraints: $(VENV)/.dev
	@$(BIN)/python -m pip freeze --exclude-editable | sed 's/^\(torch==[^+]*\)+.*/\1/' > constraints.new
	@mv constraints.new constraints.txt

clean:
	rm -rf $(VENV) build dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
