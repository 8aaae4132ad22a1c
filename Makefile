# make book      build the pages                    make refresh   execute the notebooks and store what they print
# make test      every check                        make wheel     the package, with its small trained models
# make lab       open the notebooks in JupyterLab   make zip       pages, notebooks and wheel in one file
# make address URL=...   set the repository's address everywhere
PYTHON ?= python3
RUN = OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false .venv/bin/python

.PHONY: book test lab refresh wheel zip address env chromium clean
book: env
	@$(RUN) tools/build_book.py

test: env chromium
	@$(RUN) tools/run_tests.py $(KINDS)

lab:
	@$(PYTHON) tools/environment.py lab
	@.venv/bin/jupyter lab --notebook-dir=notebooks

refresh: env
	@$(RUN) tools/refresh.py $(if $(NOTEBOOKS),,--record) $(NOTEBOOKS)

wheel: env
	@rm -rf build
	@$(RUN) -m build --wheel --no-isolation --outdir dist . > .make/wheel.log 2>&1 || \
	  { tail -5 .make/wheel.log; echo "[wheel] Failed; all lines in .make/wheel.log."; exit 1; }
	@ls -1 dist/*.whl

zip: book wheel
	@$(RUN) tools/zip_book.py

address: env
	@$(RUN) tools/address.py "$(URL)"

env:
	@mkdir -p .make
	@$(PYTHON) tools/environment.py

chromium: env
	@$(RUN) tools/chromium.py

clean:
	@rm -rf _build build dist .make
