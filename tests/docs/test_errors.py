"""Every error is in the tree at the top of its module, and in the reference.

Promise: docs/reference/core.rst
"""

import inspect
import re
from pathlib import Path

from dezero_core import errors

ROOT = Path(__file__).parents[2]
ERRORS = [
    name
    for name, item in vars(errors).items()
    if inspect.isclass(item) and item.__module__ == errors.__name__
]


def test_the_tree_of_errors_has_every_error_with_its_built_in_type():
    for name in ERRORS:
        bases = [base.__name__ for base in getattr(errors, name).__bases__]
        line = re.search(rf"\b{name}\b.*", errors.__doc__).group()
        for base in set(bases) - set(ERRORS) - {"Exception"}:
            assert f"{name} ({base})" in line


def test_the_reference_has_every_error():
    pages = (ROOT / "docs" / "reference").glob("*.rst")
    reference = "\n".join(page.read_text("utf-8") for page in pages)
    for name in ERRORS:
        assert re.search(rf"^\.\. autoexception:: ([\w.]*\.)?{name}$", reference, re.MULTILINE)
