# make book      build the pages                    make refresh   execute the notebooks and store what they print
# make test      every check                        make wheel     the package, with its small trained models
# make lab       open the notebooks in JupyterLab   make zip       pages, notebooks and wheel in one file
# make address URL=...   set the repository's address everywhere
# make portability   units and notebooks as on other processors (WHAT="avx2 units" for a part)
# Switches: PYTHON=python3.12 and TORCH=cpu for the environment, CLEAN=1 for the book, KINDS="units style" for the
# tests, NOTEBOOKS="notebooks/07_bpe.ipynb" for refresh, ARGS="--no-browser" for lab.
PYTHON ?= python3
RUN = OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false .venv/bin/python
RUN_WITH_WHAT_IS_THERE = $(if $(filter-out style,$(or $(KINDS),all)),$(RUN),$(PYTHON))

.PHONY: book test kinds portability lab refresh wheel zip address env chromium clean
book:
	@$(PYTHON) tools/environment.py book
	@$(RUN) tools/build_book.py $(if $(CLEAN),--clean)

# Style needs nothing but Python, and only the pages a browser.
test: BROWSER = $(filter pages,$(or $(KINDS),pages))
test: kinds $(if $(filter-out style,$(or $(KINDS),all)),env) $(if $(filter pages,$(or $(KINDS),pages)),chromium)
	@$(RUN_WITH_WHAT_IS_THERE) tools/run_tests.py $(KINDS)

kinds:
	@$(PYTHON) tools/run_tests.py --known $(KINDS)

portability: env
	@$(RUN) tools/portability.py $(WHAT)

lab:
	@$(PYTHON) tools/environment.py lab
	@.venv/bin/python -m jupyterlab --notebook-dir=notebooks $(if $(filter 0,$(shell id -u)),--allow-root) $(ARGS)

refresh:
	@$(PYTHON) tools/environment.py book
	@$(RUN) tools/refresh.py $(if $(NOTEBOOKS),,--record) $(NOTEBOOKS)

wheel:
	@$(PYTHON) tools/environment.py wheel
	@rm -rf build && mkdir -p .make
	@$(RUN) -m build --wheel --no-isolation --outdir dist . > .make/wheel.log 2>&1 || \
	  { tail -5 .make/wheel.log; echo "[wheel] Failed; all lines in .make/wheel.log."; exit 1; }
	@ls -1 dist/*.whl

zip:
	@$(PYTHON) tools/environment.py book wheel
	@$(MAKE) --no-print-directory book wheel
	@$(RUN) tools/zip_book.py

address:
	@$(PYTHON) tools/environment.py book
	@$(RUN) tools/address.py "$(URL)"

# Debian unpacks its Chromium while pip unpacks the rest.
env:
	@$(if $(BROWSER),$(PYTHON) tools/chromium.py --debian &) $(PYTHON) tools/environment.py test && wait

chromium: env
	@$(RUN) tools/chromium.py

clean:
	@rm -rf _build build dist .make
