# The book: everything is made from here. `make help` lists what there is.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
BENCH  := _build/bench
PEERS  := $(BENCH)/.ready
SITE   := _build/html
SOURCES := $(shell find chapters book ragcore data -type f -not -path '*/__pycache__/*' -not -name '.ipynb*') \
           index.ipynb _config.yml _toc.yml references.bib

export PYTHONHASHSEED := 0
export PYTHONDONTWRITEBYTECODE := 1

.DEFAULT_GOAL := help
.PHONY: help book html test notebooks data lab bench zip pdf clean

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

book: html  ## build the book and serve it; the address is printed
	@$(BIN)/python book/serve.py $(SITE)

html: $(SITE)/.built  ## build the book, warnings are errors

test: $(READY)  ## everything: style, types, package, notebooks, a clean build, the site in a real browser
	$(BIN)/python book/browser.py
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 --dist loadfile --durations=12 --doctest-modules ragcore tests/package
	RAGCORE_FIGURES=page $(BIN)/python -m pytest -p no:warnings --nbval --nbval-current-env -n 2 --dist loadscope index.ipynb chapters
	rm -rf $(SITE) && $(MAKE) --no-print-directory html
	$(BIN)/python -m pytest -n 2 --dist loadgroup --durations=12 tests/site

notebooks: $(READY)  ## run every notebook and keep its outputs
	RAGCORE_FIGURES=page $(BIN)/python book/notebooks.py

data: $(READY)  ## make the vectors and the tables of measurements anew (Linux, x86-64; ten minutes)
	$(BIN)/python data/vectors/make.py
	$(BIN)/python data/measured/make.py
	$(BIN)/python data/measured/make_tokens.py
	$(BIN)/python data/measured/make_prompts.py
	$(BIN)/python data/measured/make_stores.py

lab: $(READY)  ## open the chapters in JupyterLab
	$(BIN)/jupyter lab index.ipynb

bench: $(READY) $(PEERS)  ## measure against other libraries in the same run, and what the pages weigh (twenty minutes)
	$(BENCH)/bin/python -W ignore benchmarks/bm25.py
	$(BENCH)/bin/python -W ignore benchmarks/other_steps.py
	@$(MAKE) --no-print-directory html
	$(BIN)/python book/browser.py
	$(BIN)/python benchmarks/pages.py

zip: html  ## the book as one file, for any static server
	$(BIN)/python book/zip.py

pdf: html  ## the book on paper, through Chromium (some minutes)
	$(BIN)/python book/browser.py
	$(BIN)/python book/pdf.py

clean:  ## remove what was built (the environment stays)
	rm -rf _build dist

# the environment: made once, made anew when the requirements change
$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || { echo "Python 3.11 or newer is needed: install it, or name it: make PYTHON=/path/to/python3.11 …"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null \
	  || { echo "Python's venv module is missing: on Debian and Ubuntu, apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt -e .
	@touch $@

# the libraries that are measured against: an environment of their own
$(PEERS): pyproject.toml
	$(PYTHON) -m venv --clear $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[bench,fast,stores,languages,progress]'
	@touch $@

$(SITE)/.built: $(READY) $(SOURCES)
	@$(BIN)/python book/pyodide.py
	$(BIN)/jupyter-book build . --all -W -n --keep-going --quiet
	@touch $@
