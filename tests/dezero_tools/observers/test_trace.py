"""observe("trace") prints a line for each call.

Promise: docs/how_to/see_time_and_memory.md
"""

import io
import re

import numpy as np
from dezero_tools.observers import Trace

from dezero_core import (
    Variable,
    grad,
)
from dezero_tools import observe

from .functions import Product, Square, line_here


def test_the_observer_trace_prints_a_line_for_each_call_and_indents_inner_calls(x, capsys):
    with observe("trace"):
        y, where = Square()(x), line_here()
        gx = grad(y, x, create_graph=True)
    assert gx.shape == (3,)
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(
        rf"Square.forward of {Square.__module__}: float64\[3\] -> float64\[3\]"
        rf"  \d+ µs  {re.escape(where)}",
        lines[0],
    )
    assert lines[1].startswith("  Product.forward")
    assert "float64[3], float64[3] -> float64[3]" in lines[1]
    assert lines[2].startswith("Square.backward")


def test_the_observer_trace_prints_numbers_to_the_given_file(capsys):
    file = io.StringIO()
    with observe(Trace(file)):
        Product()(Variable(np.array(2.0)), 3.0)
    assert "Product.forward" in file.getvalue()
    assert "float64[], 3.0 -> float64[]" in file.getvalue()
    assert capsys.readouterr().out == ""


def test_the_observer_trace_prints_no_line_for_an_operation_applied_before_the_block(x, capsys):
    y = Square()(x)
    with observe("trace"):
        y.backward()
    assert capsys.readouterr().out.rstrip().endswith("µs")


def test_observers_name_the_line_of_the_user_and_not_of_a_plugin(
    plugin_source, fake_distribution, run_python
):
    inner = plugin_source("tripled")
    outer = inner.replace("Tripled", "Ninefold").replace("tripled", "ninefold")
    outer = outer.replace("Ninefold()(x)", "inner_ops.tripled(Ninefold()(x))")
    fake_distribution("inner-ops", {"inner_ops.py": inner}, {"inner": "inner_ops"})
    fake_distribution(
        "outer-ops", {"outer_ops.py": "import inner_ops\n" + outer}, {"outer": "outer_ops"}
    )
    outcome = run_python(
        "import numpy as np\nfrom dezero_core import Variable\n"
        "from dezero_tools import Observer, observe\n"
        "class Lines(Observer):\n    def after(self, call):\n"
        "        out.setdefault('lines', []).append([call.plugin, call.where])\n"
        "with observe(Lines()):\n    y = Variable(np.ones(2)).ninefold()\n"
    )
    assert outcome.out.lines == [["outer", "<scenario>:8"], ["inner", "<scenario>:8"]]
