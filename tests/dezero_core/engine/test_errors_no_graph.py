"""backward() where there is no graph: an error that says which of the reasons it is.

Promise: docs/how_to/read_an_error.md
"""

import inspect

import numpy as np
import pytest

from dezero_core import DezeroError, Function, GraphError, Variable, no_grad, using_config


def line_of(marker):
    """Return the file and the line in it that ends with a comment of `marker`."""
    lines = inspect.getsource(inspect.getmodule(line_of)).splitlines()
    (number,) = [n for n, line in enumerate(lines, 1) if line.endswith(f"# {marker}")]
    return f"{__file__}:{number}"


def test_backward_on_an_input_says_there_is_no_graph():
    x = Variable(np.array(1.0), "weights")
    with pytest.raises(GraphError, match=r"'weights'.*has no creator: it is an input") as caught:
        x.backward()
    assert caught.value.variable is x
    assert "no creator" in caught.value.reason
    assert isinstance(caught.value, (DezeroError, RuntimeError))
    assert x.grad is None


def test_backward_on_a_variable_without_a_name_describes_the_variable_by_shape():
    with pytest.raises(GraphError, match=r"from a Variable of shape \(2, 3\): it has no creator"):
        Variable(np.ones((2, 3))).backward()


def test_backward_on_a_variable_without_data_names_the_missing_data():
    with pytest.raises(GraphError, match="holds no data"):
        Variable(None).backward()


def test_backward_on_a_result_of_no_grad_names_the_line(book):
    x = Variable(np.array(2.0))
    with no_grad():  # switched off here
        y = book.Square()(book.Square()(x))
    with pytest.raises(GraphError, match=r"under no_grad\(\)") as caught:
        y.backward()
    assert line_of("switched off here") in str(caught.value)


def test_backward_names_the_line_of_a_decorator_or_using_config_that_stopped_recording(book):
    @no_grad()  # the decorator
    def predict(x):
        return book.Square()(x)

    with pytest.raises(GraphError) as caught:
        predict(Variable(np.array(2.0))).backward()
    assert line_of("the decorator") in str(caught.value)
    with using_config("enable_backprop", False):  # by name
        y = book.Square()(Variable(np.array(2.0)))
    with pytest.raises(GraphError) as caught:
        y.backward()
    assert line_of("by name") in str(caught.value)


def test_backward_names_the_line_of_no_grad_after_the_result_was_an_input(book):
    with no_grad():  # still known
        y = book.Square()(Variable(np.array(2.0)))
    book.Square()(y).backward()
    assert y.grad == 8.0
    with pytest.raises(GraphError) as caught:
        y.backward()
    assert line_of("still known") in str(caught.value)


def test_backward_on_an_integer_result_says_to_convert(book):
    k = Variable(np.array([1, 2]))
    with pytest.raises(GraphError, match=r"int64 data.*constant.*Convert.*astype\(float\)"):
        book.Mul()(k, k).backward()
    assert k.grad is None


def test_backward_on_an_integer_result_of_real_inputs_says_to_convert(book):
    y = book.Astype(np.int32)(Variable(np.array(2.5)))
    with pytest.raises(GraphError, match=r"int32 data.*Convert"):
        y.backward()


def test_backward_on_a_result_of_constants_says_that_all_inputs_are_constants(book):
    y = book.Div()(Variable(np.array(1)), Variable(np.array(2)))
    assert y.data == 0.5
    with pytest.raises(GraphError, match="computed from constants only"):
        y.backward()


def test_using_config_with_an_unknown_setting_lists_the_known_settings():
    with pytest.raises(AttributeError, match=r"'typo'.*enable_backprop"):
        using_config("typo", True)


def test_backward_names_a_creator_that_was_never_applied():
    y = Variable(np.array(1.0))
    y.set_creator(Function())
    with pytest.raises(GraphError, match="its creator, a Function, was never applied"):
        y.backward()


def test_backward_names_the_users_line_that_called_a_plugin_with_no_grad(
    fake_distribution, run_python
):
    source = (
        "from dezero_core import Function, hookimpl, no_grad\n"
        "class Same(Function):\n    def forward(self, x):\n        return x * 1.0\n"
        "def kept(x):\n    with no_grad():\n        return Same()(x)\n"
        "@hookimpl\ndef dezero_register_ops(register):\n"
        "    register('kept', kept, methods='kept')\n"
    )
    fake_distribution("kept-ops", {"kept_ops.py": source}, {"kept": "kept_ops"})
    outcome = run_python(
        "import numpy as np\nfrom dezero_core import Variable\n"
        "y = Variable(np.ones(2)).kept()\nout['error'] = failure(y.backward)"
    )
    assert "under no_grad(), switched on at <scenario>:3" in outcome.out.error["message"]
