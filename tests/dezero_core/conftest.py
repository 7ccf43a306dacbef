"""Seals, and the operations that the tests of the core work with.

The core knows no operation, so its tests bring their own: Functions in the book's form,
applied directly (fixture `book`), or bound to operators and NumPy functions where no
installed plugin has done that already (fixture `operators`).
"""

import gc

import pytest

from dezero_core import Config, Variable, ops, plugins, register, unregister

from .book import BOOK, BookPlugin


def state_of_the_core():
    """Return everything that one test could leave behind for the next."""
    return {
        "Config.enable_backprop": Config.enable_backprop,
        "loaded plugins": [(p.name, p.distribution) for p in plugins() if p.state == "loaded"],
        "operations": [(op.name, op.plugin, op.function) for op in ops()],
        "attributes of Variable": dict(vars(Variable)),
        "the garbage collector": gc.isenabled(),
    }


@pytest.fixture(autouse=True)
def nothing_leaks():
    """Fail a test that leaves the core in another state than it found it in."""
    before = state_of_the_core()
    yield
    after = state_of_the_core()
    leaked = [name for name in before if after[name] != before[name]]
    if not leaked:
        return
    gc.enable()
    Config.enable_backprop = before["Config.enable_backprop"]
    for name, _ in after["loaded plugins"]:
        if name not in dict(before["loaded plugins"]):
            unregister(name)
    for name, _ in before["loaded plugins"]:
        register(name)
    was = before["attributes of Variable"]
    for name, value in dict(vars(Variable)).items():
        if name not in was:
            delattr(Variable, name)
        elif value is not was[name]:
            setattr(Variable, name, was[name])
    pytest.fail(f"the test leaks: {', '.join(leaked)}")


@pytest.fixture
def book():
    """Functions in the book's form, by name: ``book.Mul()(x, y)``."""
    return BOOK


@pytest.fixture
def operators():
    """Operators and NumPy functions for Variables, whatever is installed."""
    plugin = BookPlugin()
    register(plugin, name="book")
    yield
    unregister(plugin)


@pytest.fixture
def no_collector():
    """Nothing but reference counts frees anything."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()
