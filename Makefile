# Needs python3 (3.11 or newer, with venv and pip) and make. PYTHON chooses the interpreter.
PYTHON ?= python3

SOURCES := $(shell find dezero_core dezero_tools dezero_ops_basic dezero_ops_math dezero_replay dezero_replay_llvm dezero_dask dezero_nn dezero_ops_scipy \
	-name '*.py' -o -name 'pyproject.toml' -o -name 'README.md')
# One stamp for each interpreter: choosing another one makes the environment anew.
INTERPRETER := $(subst /,-,$(PYTHON))
DEMO := .venv/.installed-$(INTERPRETER)
TEST := .test/nox/.installed-$(INTERPRETER)
PROGRAMS := .bench/.programs-$(INTERPRETER)
PEERS := .bench/.peers-$(INTERPRETER)
BENCH := .bench/.installed-$(INTERPRETER)
BENCH_DASK := .bench/.dask-$(INTERPRETER)
DOCS := .docs/.installed-$(INTERPRETER)
DOCS_PORT ?= 8000
PIP := -m pip install --quiet --disable-pip-version-check

# What writes the generated pages, and the types of operations. The last two take minutes.
WRITERS := docs/make_stubs.py docs/make_coverage.py docs/make_array_types.py \
	docs/make_edges.py docs/make_digits_row.py benchmarks/page.py docs/make_dask_operations.py benchmarks/accuracy.py \
	benchmarks/accuracy_of_scipy.py

# Around an installation, in which pip is quiet.
BEGIN = start=$$(date +%s)
DONE = echo "Installed in $$(($$(date +%s) - start)) seconds."

.PHONY: demo test test-all test-more test-long pages bench bench-against bench-dask docs html clean

demo: $(DEMO)
	.venv/bin/python examples/digits.py

# Lint, types, and all tests that are not slow, in one environment with all packages: ten minutes.
test: $(TEST)
	.test/nox/bin/nox --force-python $(PYTHON)

# That, and the slow tests, the smaller environments, and the coverage.
test-all: test
	@$(MAKE) --no-print-directory test-more

# What test-all adds to a run of test.
test-more: $(TEST)
	.test/nox/bin/nox --force-python $(PYTHON) -R --session everything -- slow
	.test/nox/bin/nox --force-python $(PYTHON) --tags more

test-long: $(TEST)
	.test/nox/bin/nox --force-python $(PYTHON) --sessions wheels attack

# With a Python that has the packages in editable form: see CONTRIBUTING.md.
pages:
	@for program in $(WRITERS); do \
		echo "$(PYTHON) $$program" && $(PYTHON) $$program || exit 1; \
	done
	PYTHONPATH=benchmarks $(PYTHON) -m scale_out.page

bench: $(BENCH)
	.bench/bin/python benchmarks/run.py $(BENCHFLAGS)

bench-against: $(PROGRAMS)
	.bench/bin/python benchmarks/against.py $(or $(BASE),$(error BASE=COMMIT is missing)) $(BENCHFLAGS)

bench-dask: $(BENCH_DASK)
	cd benchmarks && ../.bench/bin/python -m scale_out $(BENCHFLAGS)

docs: html
	@echo "The site is at http://localhost:$(DOCS_PORT)/ until you press Ctrl-C."
	@.docs/bin/python -m http.server --bind localhost --directory .docs/site $(DOCS_PORT)

html: $(DOCS)
	.docs/bin/python -m sphinx -W --keep-going -n -q docs .docs/site

$(DEMO): $(SOURCES) examples/requirements.txt
	@echo "Installing NumPy, SciPy, scikit-learn, Matplotlib and this project into .venv: one to three minutes."
	@$(BEGIN) && $(PYTHON) -m venv --clear .venv && .venv/bin/python $(PIP) \
		./dezero_core ./dezero_tools ./dezero_ops_basic ./dezero_ops_math ./dezero_replay -r examples/requirements.txt \
		&& $(DONE)
	@touch $@

$(TEST): tests/requirements-nox.txt
	@echo "Installing nox, which runs the tests, into .test/nox: half a minute."
	@rm -rf .test
	@$(BEGIN) && $(PYTHON) -m venv .test/nox && .test/nox/bin/python $(PIP) -r $< && $(DONE)
	@touch $@

$(PROGRAMS): benchmarks/requirements.txt
	@echo "Installing into .bench …"
	$(PYTHON) -m venv --clear .bench
	.bench/bin/python $(PIP) -r benchmarks/requirements.txt
	touch $@

# A peer that cannot be installed is left out.
$(PEERS): $(PROGRAMS) benchmarks/peers.txt
	grep -v '^#' benchmarks/peers.txt | while read -r peer; do \
		.bench/bin/python $(PIP) -c benchmarks/requirements.txt "$$peer" \
			|| echo "$$peer cannot be installed, and is left out."; \
	done
	touch $@

$(BENCH): $(PEERS) $(SOURCES)
	.bench/bin/python $(PIP) ./dezero_core ./dezero_tools ./dezero_ops_basic ./dezero_ops_math ./dezero_replay ./dezero_replay_llvm ./dezero_nn ./dezero_ops_scipy
	touch $@

$(BENCH_DASK): $(PROGRAMS) benchmarks/requirements-dask.txt $(SOURCES) $(shell find dezero_dask -name '*.py' -o -name 'pyproject.toml')
	.bench/bin/python $(PIP) -c benchmarks/requirements.txt -r benchmarks/requirements-dask.txt
	.bench/bin/python $(PIP) ./dezero_core ./dezero_tools ./dezero_ops_basic ./dezero_ops_math ./dezero_replay ./dezero_dask
	touch $@

$(DOCS): docs/requirements.txt $(SOURCES)
	@echo "Installing Sphinx and this project into .docs: one to two minutes."
	@$(BEGIN) && $(PYTHON) -m venv --clear .docs && .docs/bin/python $(PIP) \
		./dezero_core ./dezero_tools ./dezero_ops_basic ./dezero_ops_math ./dezero_replay ./dezero_dask ./dezero_nn ./dezero_ops_scipy -r docs/requirements.txt \
		&& $(DONE)
	@touch $@

clean:
	rm -rf .venv .test .bench .docs out .mypy_cache .ruff_cache .pytest_cache .hypothesis
