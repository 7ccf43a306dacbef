"""Ctrl-C while plugins are loaded at the first use: at the next use every operation is there.

Promise: docs/architecture.md
"""

import pytest

CLAIMS = 'methods=("tripled",), dunders=("__neg__", "__eq__"), numpy=np.negative'

#: Each first use is in a child of its own, since there is only one in a process.
PROGRAM = """
import json, os, sys
import numpy as np
import dezero_core, importlib_metadata

FOLDER = os.path.dirname(dezero_core.__file__)

class Interrupt:
    "Raises KeyboardInterrupt at one call of the core's code, of those since the first use."

    def __init__(self, at):
        self.left, self.place = at, None

    def __call__(self, frame, event, argument):
        code = frame.f_code
        if event == "call" and FOLDER in code.co_filename and code.co_name[0] != "<":
            self.left -= 1
            if self.left == -1:
                self.place = code.co_name
                raise KeyboardInterrupt

def place_of_interrupt(at):
    interrupt = Interrupt(at)
    sys.setprofile(interrupt)
    try:
        dezero_core.Variable(np.array(2.0))
    except KeyboardInterrupt:
        pass
    finally:
        sys.setprofile(None)
    return interrupt.place

def use():
    x = dezero_core.Variable(np.array(2.0))
    y = -x.tripled()
    y.backward()
    return float(y), float(x.grad), float(np.negative(x))

def child(at):
    place = place_of_interrupt(at)
    try:
        values = use()
    except (AttributeError, dezero_core.DezeroError) as error:
        values = repr(error)
    states = [record.state for record in dezero_core.plugins()]
    return place, (values, states) == ((18.0, 9.0, 6.0), ["loaded"]), repr((values, states))

def forked(at):
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writing, json.dumps(child(at)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as file:
        found = json.load(file)
    os.waitpid(pid, 0)
    return found

places, wrong = [], {}
while None not in places:
    at = len(places) * EACH
    place, is_right, got = forked(at)
    if not is_right:
        wrong[at] = place, got
    places.append(place)
out.update(wrong=wrong, places=places)
"""


@pytest.mark.parametrize("each", [1, 7])
def test_a_first_use_that_was_interrupted_at_any_call_can_be_repeated(
    each, fake_distribution, plugin_source, run_python
):
    modules = {"acme.py": plugin_source("tripled", claims=CLAIMS)}
    fake_distribution("acme-ops", modules, {"acme": "acme"})
    out = run_python(f"EACH = {each}\n{PROGRAM}").out
    assert out.wrong == {}
    assert {"load", "of", "bind", "read_environment"} <= set(out.places) or each > 1
    assert len(out.places) > 20
