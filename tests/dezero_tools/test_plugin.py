"""The tools are a plugin: they come and go, and change nothing else.

Promise: docs/architecture.md
"""

import numpy as np
import pytest

import dezero_core
from dezero_core import Variable, ops, plugins
from dezero_tools import UnknownObserverError, draw, observe

from ..elsewhere import run


@pytest.fixture
def without_tools():
    dezero_core.unregister("tools")
    yield
    dezero_core.register("tools")


def test_the_tools_are_listed_and_have_no_operation():
    (record,) = [record for record in plugins() if record.name == "tools"]
    assert (record.distribution, record.state) == ("dezero-tools", "loaded")
    assert record.operations == ()


def test_unloading_the_tools_removes_only_the_notebook_view_and_the_observers():
    before, operations = dict(vars(Variable)), ops()
    dezero_core.unregister("tools")
    try:
        del before["_repr_html_"]
        assert dict(vars(Variable)) == before
        assert ops() == operations
    finally:
        dezero_core.register("tools")
    assert "_repr_html_" in vars(Variable)


def test_functions_of_unloaded_tools_can_be_called(without_tools, book):
    y = book.Square()(Variable(np.array(3.0)))
    assert "</svg>" in draw(y, dot=False).svg
    assert not hasattr(y, "_repr_html_")
    with pytest.raises(UnknownObserverError, match="none, since the plugin 'tools' is not loaded"):
        observe("time")


@pytest.mark.parametrize("name", ["memory", "nan", "time", "trace"])
def test_every_observer_of_the_tools_is_made_by_its_name(name):
    with observe(name) as observer:
        pass
    assert type(observer).__module__.startswith("dezero_tools.observers.")


LAZILY = """
import sys
import dezero_tools
before = [name for name in ("functional", "testing") if f"dezero_tools.{name}" in sys.modules]
listed = {"functional", "testing"} <= set(dir(dezero_tools))
print(before, listed, dezero_tools.functional.jacobian.__name__, dezero_tools.testing.__name__)
"""


def test_modules_of_the_tools_are_attributes_of_the_package_and_imported_when_asked_for():
    assert run(LAZILY) == "[] True jacobian dezero_tools.testing\n"
