"""Run the code on standard input in this interpreter; print what came of it as JSON.

The fixture ``run_python`` passes this text to ``python -S -c``, and as its argument the
site-packages folder to use: the one of the tests, without the plugins installed there.
The code finds a dictionary ``out``, for what it wants to report, and ``failure``.
"""

import json
import site
import sys
import traceback
import warnings

site.addsitedir(sys.argv[1])


def failure(action):
    """Return what `action` raises: its types, its message and its facts."""
    try:
        action()
    except BaseException as error:
        facts = {name: repr(value) for name, value in vars(error).items()}
        return {"types": [t.__name__ for t in type(error).__mro__], "message": str(error), **facts}
    raise AssertionError("nothing was raised")


out = {}
code = sys.stdin.buffer.read().decode()
plugins, ops = [], []
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try:
        exec(compile(code, "<scenario>", "exec"), {"out": out, "failure": failure})
    except BaseException:
        traceback.print_exc()
        sys.exit(1)
    core = sys.modules.get("dezero_core")
    if core is not None:
        plugins = [record._asdict() for record in core.plugins()]
        ops = [
            {"name": op.name, "plugin": op.plugin, "dunders": op.dunders, "methods": op.methods}
            for op in core.ops()
        ]
print(
    json.dumps(
        {
            "out": out,
            "plugins": plugins,
            "ops": ops,
            "warnings": [f"{w.category.__name__}: {w.message}" for w in caught],
        }
    )
)
