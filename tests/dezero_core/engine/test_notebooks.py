"""Errors in a notebook: they name the cell, and IPython folds the frames of the framework.

Promise: docs/how_to/read_an_error.md
"""

import sys
from traceback import walk_tb
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, GraphError, Variable, hookimpl

FILE = "/tmp/ipykernel_12/3456.py"


class Double(Function):
    def forward(self, x):
        if x.ndim == 0:
            raise ValueError("a number")
        return 2.0 * x


@pytest.fixture
def run_cell(monkeypatch):
    """Return a function that runs code as the fourteenth cell of a notebook."""

    def format_code_name(file):
        return ("Cell", "In[14]") if file == FILE else None

    compiler = SimpleNamespace(format_code_name=format_code_name)
    shell = SimpleNamespace(compile=compiler)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))

    def run(code):
        names = {"np": np, "Variable": Variable, "Double": Double, "__name__": "__main__"}
        exec(compile(code, FILE, "exec"), names)

    return run


def hidden_and_shown(error):
    """Return the functions of a traceback: those that IPython hides, and the others."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    hidden = [frame for frame in frames if frame.f_locals.get("__tracebackhide__")]
    return (
        [frame.f_code.co_name for frame in hidden],
        [frame.f_code.co_name for frame in frames if frame not in hidden],
    )


FAILS = "x = Variable(np.array(1.0))\n\nDouble()(x)"


def test_a_note_names_the_cell_and_the_line_in_it(run_cell):
    with pytest.raises(ValueError, match="a number") as caught:
        run_cell(FAILS)
    assert caught.value.__notes__[0].endswith("given float64[], called at Cell In[14], line 3")


@pytest.mark.parametrize(
    "ipython",
    [SimpleNamespace(get_ipython=lambda: None), SimpleNamespace()],
    ids=["does not run", "is being imported"],
)
def test_a_note_names_the_file_where_ipython_is_imported_and_does_not_run(
    run_cell, monkeypatch, ipython
):
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    with pytest.raises(ValueError, match="a number") as caught:
        run_cell(FAILS)
    assert caught.value.__notes__[0].endswith(f"called at {FILE}:3")


def test_a_line_of_a_module_is_named_by_its_file_in_a_notebook_too(run_cell):
    with pytest.raises(ValueError, match="a number") as caught:
        Double()(Variable(np.array(1.0)))
    assert f"called at {__file__}:" in caught.value.__notes__[0]


def test_frames_of_the_core_are_hidden_in_a_notebook_and_those_of_the_user_are_shown(run_cell):
    with pytest.raises(ValueError, match="a number") as caught:
        run_cell(FAILS)
    hidden, shown = hidden_and_shown(caught.value)
    assert hidden
    assert set(hidden) <= {"__call__", "_apply", "Double.call"}
    assert shown[-2:] == ["<module>", "forward"]
    with pytest.raises(GraphError) as caught:
        run_cell("Variable(np.array(1.0)).backward()")
    hidden, shown = hidden_and_shown(caught.value)
    assert hidden[0] == "backward"
    assert shown[-1] == "<module>"


def test_frames_of_the_core_around_a_function_of_the_user_are_hidden_too(run_cell):
    """As where backward of a Function in the notebook calls a Function that fails."""

    class Outer(Function):
        def forward(self, x):
            return x[:]

        def backward(self, gy):
            return Double()(Variable(np.array(1.0)))

    y = Outer()(Variable(np.ones(2)))
    y.grad = np.ones(2)
    with pytest.raises(ValueError, match="a number") as caught:
        y.backward()
    hidden, shown = hidden_and_shown(caught.value)
    assert "backward" in hidden
    assert shown[-2:] == ["backward", "forward"]


def test_names_of_a_module_of_the_core_are_left_alone_in_a_notebook(run_cell):
    """Where one fails while it is imported, its names are the local variables."""
    names = {"__name__": "dezero_core.broken", "Double": Double, "x": Variable(np.array(1.0))}
    with pytest.raises(ValueError, match="a number"):
        exec(compile("Double()(x)", "<broken>", "exec"), names)
    assert "__tracebackhide__" not in names


INSIDE = """
class Inside(Function):
    def forward(self, x):
        return failing(x)

def failing(x):
    return len(1)
"""


def test_frames_inside_of_an_operation_are_hidden_but_the_last_is_left_to_ipython(run_cell):
    names = {"__name__": "dezero_core.inside", "Function": Function}
    exec(compile(INSIDE, "<inside>", "exec"), names)
    with pytest.raises(TypeError, match="no len") as caught:
        names["Inside"]()(Variable(np.array(1.0)))
    hidden, shown = hidden_and_shown(caught.value)
    assert hidden[-2:] == ["forward", "failing"]  # of which IPython shows the last all the same
    assert shown == [
        "test_frames_inside_of_an_operation_are_hidden_but_the_last_is_left_to_ipython"
    ]


class PluginOfRoll:
    @hookimpl
    def dezero_register_ops(self, register):
        register("as_it_is", lambda a, shift: len(shift), numpy=np.roll)


def test_frames_around_a_function_of_a_plugin_that_applies_no_operation_are_hidden(
    run_cell, core_alone, registered
):
    registered(PluginOfRoll(), "roll")
    with pytest.raises(TypeError, match="no len") as caught:
        run_cell("np.roll(Variable(np.ones(2)), 1)")
    assert "__array_function__" in hidden_and_shown(caught.value)[0]


def test_no_frame_is_hidden_without_ipython(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    with pytest.raises(ValueError, match="a number") as caught:
        Double()(Variable(np.array(1.0)))
    assert hidden_and_shown(caught.value)[0] == []
