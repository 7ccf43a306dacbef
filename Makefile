# Needs python3 (3.11 or newer, with venv and pip) and make. PYTHON chooses the interpreter.
PYTHON ?= python3

SOURCES := $(shell find dezero_core dezero_ops_basic dezero_ops_math \
	-name '*.py' -o -name 'pyproject.toml' -o -name 'README.md')
# One stamp for each interpreter: choosing another one makes the environment anew.
DEMO := .venv/.installed-$(notdir $(PYTHON))
TEST := .test/nox/.installed-$(notdir $(PYTHON))

.PHONY: demo test clean

demo: $(DEMO)
	.venv/bin/python examples/digits.py

test: $(TEST)
	.test/nox/bin/nox --force-python $(PYTHON)

$(DEMO): $(SOURCES) examples/requirements.txt
	@echo "Installing into .venv …"
	$(PYTHON) -m venv --clear .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check \
		./dezero_core ./dezero_ops_basic ./dezero_ops_math -r examples/requirements.txt
	touch $@

$(TEST): tests/requirements-nox.txt
	rm -rf .test
	$(PYTHON) -m venv .test/nox
	.test/nox/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

clean:
	rm -rf .venv .test out .mypy_cache .ruff_cache .pytest_cache .hypothesis
