"""Dask's arrays of expressions, ``array.query-planning``: right and lazy, or an error."""

import json
import subprocess
import sys

PROGRAM = """
import json, warnings
import dask
dask.config.set({"array.query-planning": True, "scheduler": "synchronous"})
import dask.array as da
assert da.ARRAY_EXPR_ENABLED
from dezero_core.registry.manager import operations_of
from dezero_tools.testing import checks_of
warnings.simplefilter("error", FutureWarning)
names = {names}
found = {{}}
for plugin in ("basic", "math"):
    for check in checks_of(plugin, array="dask"):
        operation = check.operation
        if check.name != "dask arrays" or names and operation.name not in names:
            continue
        object.__setattr__(check, "operation", operation._replace(
            sample=operation.sample.__class__(**vars(operation.sample) | {{"calls": operation.sample.calls[:{calls}]}})
        ))
        try:
            counts = check.run()
            refused = [why for why in counts.skipped if why.startswith("dask: ")]
            found[operation.name] = [counts.ran, refused]
        except Exception as error:
            found[operation.name] = repr(error.__cause__)
print(json.dumps(found))
"""
