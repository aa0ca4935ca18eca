# Everything a developer or a new user runs. `make demo` and `make test` are enough on a fresh machine.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
STAMP = $(VENV)/.installed
WORKERS ?= 3

.PHONY: venv demo test test-slow check bench docs data clean

venv: $(STAMP)

$(STAMP): pyproject.toml constraints.txt $(wildcard src/lycosa/*.pyx src/lycosa/pages/compiled/*.p[xy][ix])
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Lycosa needs Python 3.11 or newer; set PYTHON=..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Lycosa and its tools into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: venv
	$(BIN)/lycosa demo

test: venv
	@scripts/find-chromium
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup tests

test-slow: venv
	LYCOSA_SLOW=1 $(BIN)/python -m pytest -s -o timeout=3600 tests/interface/test_damaged_stores.py

check: venv
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: venv
	$(BIN)/python -m bench $(if $(ONLY),--only $(ONLY))

data:
	@if [ -x ../shared/data/unpack ]; then ../shared/data/unpack $(LYCOSA_DATA); else echo "no shared data here"; fi

docs: venv
	$(BIN)/python scripts/reference.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "The site is in build/site: $(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site"

clean:
	rm -rf $(VENV) build dist src/*.egg-info
