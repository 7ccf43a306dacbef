"""Public functions and classes say what they take and return, in sections of NumPy's style.

What is asked of operations, the derivative and its source among it, is in
tests/operations/documentation.py.

Promise: CONTRIBUTING.md
"""

import inspect
import re

import pytest

import dezero_core
import dezero_dask
import dezero_nn
import dezero_replay
from dezero_core import ops
from dezero_nn import (
    checkpoints,
    cuda,
    dataloaders,
    datasets,
    functions,
    layers,
    models,
    optimizers,
    transforms,
    utils,
)
from dezero_tools import functional, memory, testing

from ..operations.documentation import sections

MODULES = (dezero_core, functional, testing, memory, dezero_replay, dezero_dask, dezero_nn)
MODULES += (functions, layers, models, optimizers, datasets, dataloaders, transforms, checkpoints)
MODULES += (cuda, utils)
BOUND = {name for operation in ops() for name in (*operation.methods, *operation.dunders)}


def names_of(module):
    """Return the public names of a module, but for those that dezero_nn has from elsewhere."""
    if module is dezero_nn:
        return ["test_mode"]
    ours = "dezero_nn" if module.__name__.startswith("dezero_nn.") else ""
    items = ((name, getattr(module, name)) for name in module.__all__)
    return [name for name, item in items if getattr(item, "__module__", ours).startswith(ours)]


def public():
    """Yield every public function and class, and the methods of the classes, by name.

    A method of a base class that a class overrides is documented there.
    """
    for module in MODULES:
        for name in names_of(module):
            item = getattr(module, name)
            yield f"{module.__name__}.{name}", item
            if inspect.isclass(item):
                inherited = {method for base in item.__mro__[1:] for method in vars(base)}
                for method, function in vars(item).items():
                    ours = not method.startswith("_") and method not in BOUND | inherited
                    if ours and inspect.isfunction(function):
                        yield f"{module.__name__}.{name}.{method}", function


DOCUMENTED = {
    name: item
    for name, item in public()
    # An exception's facts are in its docstring; markers and versions are no functions.
    if inspect.isfunction(item) or (inspect.isclass(item) and not issubclass(item, Exception))
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_docstring_of_a_public_name_has_its_sections(name):
    item = DOCUMENTED[name]
    found = sections(item)
    assert re.match(r".+[.:]$", found[""].strip().splitlines()[0])
    signature = inspect.signature(item)
    documented = found.get("Parameters", "") + found.get("Attributes", "")
    parameters = signature.parameters.keys() - {"self", "misplaced", "_"}
    for parameter in parameters:
        assert re.search(rf"^([\w, *]*\W)?{parameter}\b", documented, re.MULTILINE), parameter
    if inspect.isfunction(item) and signature.return_annotation not in (None, "None", "NoReturn"):
        # The first sentence of one without parameters can say all of it.
        in_brief = not parameters and found[""].strip().startswith("Return ")
        assert in_brief or {"Returns", "Yields"} & found.keys()


def test_the_checked_docstrings_include_those_of_the_core():
    assert {"dezero_core.grad", "dezero_core.Variable.backward"} <= DOCUMENTED.keys()
