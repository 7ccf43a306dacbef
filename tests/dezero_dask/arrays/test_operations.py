"""Every operation over Dask's arrays: right and lazy, or refused as the page says.

Promise: docs/dask_operations.md
"""

import importlib
import os
import re
import sys
from pathlib import Path

import dask
import pytest

from dezero_core.extend import operations_of
from tests.array_types import Rows

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "dask_operations.md").read_text(encoding="utf-8")
OPERATIONS = {
    f"{plugin}.{operation.name}": operation
    for plugin in ("basic", "math")
    for operation in operations_of(plugin)
}
LONG = os.environ.get("DEZERO_ATTACK") == "long"
SECTIONS = {"Chunk by chunk": "chunk by chunk", "Lazy": "lazy", "Lazy in some calls": "in part"}


def on_the_page():
    """Return operation -> its section, and the reasons why it is refused there."""
    found = {}
    for part in PAGE.split("\n## ")[1:]:
        title = part.split(":")[0]
        section = SECTIONS.get(title, "refused")
        for line in part.splitlines():
            cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
            for name in re.findall(r"\[`([\w.]+)`\]", line):
                reasons = cells[-1].split("; ") if section in ("in part", "refused") else []
                found[f"{cells[0]}.{name}"] = section, reasons
    return Rows(found, "docs/make_dask_operations.py")


ON_THE_PAGE = on_the_page()


@pytest.fixture(scope="module")
def maker():
    sys.path.insert(0, str(DOCS))
    yield importlib.import_module("make_dask_operations")
    sys.path.remove(str(DOCS))


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_is_right_and_lazy_or_refused_for_the_reasons_on_the_page(name, maker):
    section, reasons = ON_THE_PAGE[name]
    operation = OPERATIONS[name]
    ran, found = maker.tried(operation, None if LONG else 2)
    if LONG:
        assert (maker.way(operation, ran, found), found) == (section, reasons)
    else:
        assert set(found) <= set(reasons)
        assert ran == 0 or section != "refused"
    is_elementwise = operation.function_class and operation.function_class.elementwise
    assert (section == "chunk by chunk") <= bool(is_elementwise)


#: In one chunk, transforms along its axis are there.
WITH_AN_AXIS = [f"math.fft.{name}" for name in ("fft", "ifft", "rfft", "irfft", "hfft", "fftn")]
WITH_AN_AXIS += ["math.sum", "math.cumsum", "math.softmax", "basic.matmul", "math.concatenate"]


@pytest.mark.parametrize("name", OPERATIONS if LONG else WITH_AN_AXIS)
def test_it_is_right_and_lazy_in_one_chunk_too(name, maker):
    with dask.config.set({"dezero.chunks": 1}):
        ran, found = maker.tried(OPERATIONS[name], None if LONG else 3)
    assert set(found) <= set(ON_THE_PAGE[name][1])
    if name in WITH_AN_AXIS:
        assert ran
        assert not found
