"""What the tests of the five seed documents share."""

import contextlib
import gc
import io

import pytest

from dezero_core import Config, Variable, plugins


def _state():
    loaded = [(record.name, record.state) for record in plugins()]
    return Config.enable_backprop, loaded, dict(vars(Variable))


@pytest.fixture(autouse=True)
def nothing_leaks():
    """Fail a test that leaves a switch, a plugin or an attribute of Variable changed."""
    before = _state()
    collecting = gc.isenabled()
    yield
    assert _state() == before
    assert gc.isenabled() == collecting


@pytest.fixture
def no_collector():
    """Run the test with the garbage collector off: only reference counts free anything."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def printed():
    """Return a function that runs a script as a module of its own and returns its lines.

    The counts that sys.getrefcount shows are those of the documents only for names of a
    module; the local names of a function may be borrowed rather than counted.
    """

    def run(script):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(script, "<a snippet of the document>", "exec"), {"__name__": "snippet"})
        return out.getvalue().splitlines()

    return run
