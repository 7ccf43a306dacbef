"""Dask's arrays of expressions, ``array.query-planning``: right and lazy, or refused, or an error.

Dask does not have all of its functions for them yet.

Promise: docs/dask_operations.md
"""

import json
import os
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"
LONG = os.environ.get("DEZERO_ATTACK") == "long"

PROGRAM = """
import json, sys
import dask
dask.config.set({"array.query-planning": True})
import dask.array as da
assert da.ARRAY_EXPR_ENABLED
from dezero_core.extend import operations_of
from make_dask_operations import tried
names, calls = json.loads(sys.argv[1])
found = {}
for plugin in ("basic", "math"):
    for operation in operations_of(plugin):
        if names and operation.name not in names:
            continue
        try:
            found[operation.name] = tried(operation, calls)
        except Exception as error:
            cause = error.__cause__ or error
            found[operation.name] = type(cause).__name__, str(cause)
print(json.dumps(found))
"""

#: Errors of Dask for that which its expressions do not have.
MISSING = "NotImplementedError", "AttributeError", "TypeError"


def tried_with_expressions(names, calls):
    environment = os.environ | {"PYTHONPATH": str(DOCS)}
    command = [sys.executable, "-c", PROGRAM, json.dumps([names, calls])]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_arithmetic_functions_and_sums_are_right_and_lazy_over_expressions():
    names = ["add", "mul", "sub", "neg", "pow", "exp", "sin", "tanh", "log", "sigmoid"]
    names += ["sum", "mean", "concatenate", "broadcast_to", "where"]
    for name, (ran, reasons) in tried_with_expressions(names, 1).items():
        assert ran == 1, (name, ran, reasons)
        assert reasons == [], name


def test_what_dask_does_not_have_for_expressions_is_refused_or_an_error_of_dasks():
    names = [] if LONG else ["reshape", "argmax", "max", "where", "getitem", "sort", "fft.fft"]
    found = tried_with_expressions(names, None if LONG else 2)
    assert len(found) == len(names) or LONG
    for name, (ran, reasons) in found.items():
        assert isinstance(ran, int) or ran in MISSING, (name, ran, reasons)
