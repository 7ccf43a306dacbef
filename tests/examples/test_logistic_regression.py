"""The example that fits with SciPy, run as a user runs it: in a process of its own.

Promise: docs/how_to/use_scipy.md
"""

import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "examples" / "logistic_regression.py"


def test_every_method_of_logistic_regression_finds_one_answer():
    command = [sys.executable, "-W", "error::RuntimeWarning", str(SCRIPT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^(\S+) +(exact|differences) +(\S+) +(\S+)", done.stdout, re.M)
    methods = {(method, kind) for method, kind, *_ in rows}
    assert methods == {
        (method, kind)
        for method in ("BFGS", "Newton-CG", "trust-exact")
        for kind in ("exact", "differences")
    }
    losses = [float(loss) for _, _, loss, _ in rows]
    assert max(losses) - min(losses) < 1e-9
    assert all(float(rest) < 1e-5 for *_, rest in rows)
    (spread,) = re.findall(r"agree to (\S+)\.$", done.stdout, re.M)
    assert float(spread) < 1e-3
