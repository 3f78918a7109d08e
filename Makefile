# Every target makes what it needs in .venv; nothing but Python >= 3.11, pip and make is asked for.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check bench edge docs clean

demo: .venv/demo-ready  ## solve the Van der Pol problem and draw it
	MPLBACKEND=agg $(BIN)/piscm solve van-der-pol --out out
	@echo "The picture is out/van-der-pol-auto-seed0.png"

test: .venv/dev-ready  ## run the tests
	$(BIN)/python -m pytest -n auto --dist worksteal

check: .venv/dev-ready  ## lint, format, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/demo-ready  ## speed, growth and accuracy against fixed yardsticks, some 15 minutes
	$(BIN)/piscm bench --out out

edge: .venv/dev-ready  ## problems at the edge on three seeds: no answer may be ok and wrong
	cd tests && ../$(BIN)/python -m edge

docs: .venv/docs-ready  ## the site in docs/_build/html: runs every example, cell and notebook; no warning is allowed
	PYTHONHASHSEED=0 $(BIN)/python -m sphinx -W --keep-going -b html -q docs docs/_build/html
	@echo "The site is docs/_build/html/index.html"

clean:
	rm -rf .venv out docs/_build docs/gallery docs/api

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "piscm needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv

.venv/demo-ready: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[plot]'
	@touch $@

.venv/docs-ready: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

.venv/dev-ready: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ .venv/demo-ready
