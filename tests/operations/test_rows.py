"""The table is complete: no operation without a row, no row without its operation."""

import pytest

from dezero_core import Function, ops, plugins

from .cases import CASES, ROWS
from .row import cases_of

LOADED = {record.name: record for record in plugins() if record.state == "loaded"}
CLASSES = {op.function_class for op in ops() if op.function_class is not None}
COVERED = [name for name in dict.fromkeys(row.plugin for row in ROWS) if name in LOADED]


@pytest.mark.parametrize("plugin", COVERED)
def test_every_operation_has_a_row_and_every_row_its_operation(plugin):
    rows = {row.operation for row in ROWS if row.plugin == plugin}
    assert rows == set(LOADED[plugin].operations)


def test_the_rows_are_of_plugins_that_are_loaded():
    """Otherwise everything here would pass by collecting nothing."""
    assert COVERED


def test_no_operation_has_two_rows():
    names = [(row.plugin, row.operation) for row in ROWS]
    assert len(names) == len(set(names))


def test_labels_tell_the_cases_apart():
    labels = [case.label for case in CASES]
    assert len(labels) == len(set(labels))


def test_rows_of_what_is_not_loaded_make_no_cases():
    loaded = {(operation.plugin, operation.name) for operation in ops()}
    absent = [row for row in ROWS if (row.plugin, row.operation) not in loaded]
    assert cases_of(absent) == []


def names_in(code):
    """Return the names that a code object and those within it mention."""
    inner = [names_in(const) for const in code.co_consts if isinstance(const, type(code))]
    return set(code.co_names).union(*inner)


@pytest.mark.parametrize(
    "function_class", sorted(CLASSES, key=lambda cls: cls.__name__), ids=lambda cls: cls.__name__
)
def test_the_graph_keeps_what_backward_reads_and_no_more(function_class):
    bases = function_class.__mro__[: function_class.__mro__.index(Function)]
    (backward,) = [vars(base)["backward"] for base in bases if "backward" in vars(base)][:1]
    read = {"inputs", "outputs"} & names_in(backward.__code__)
    assert set(function_class.saves) == read
