"""The operations that the tests of the core work with.

The core knows no operation, so its tests bring their own: Functions in the book's form,
applied directly (fixture `book`), or bound to operators and NumPy functions where no
installed plugin has done that already (fixture `operators`).
"""

import pytest

from dezero_core import register, unregister

from .book import BOOK, BookPlugin


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
