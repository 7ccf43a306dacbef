"""Ctrl-C while the core is imported: after the next import every operation is there."""

CLAIMS = 'methods=("tripled",), dunders=("__neg__", "__eq__"), numpy=np.negative'

#: Each import but the first runs ``__init__`` alone anew: an interrupt leaves the modules below it,
#: which were imported to their end.
PROGRAM = """
import sys
import numpy as np

class Interrupt:
    "Raises KeyboardInterrupt at one call in the registry, of those since the first load."

    def __init__(self, at):
        self.left, self.place, self.loading = at, None, False

    def __call__(self, frame, event, argument):
        code = frame.f_code
        if event == "call" and "registry" in code.co_filename and code.co_name[0] != "<":
            self.loading |= code.co_name == "load"
            self.left -= self.loading
            if self.left == -1 and self.place is None:
                self.place = code.co_name
                raise KeyboardInterrupt

def place_of_interrupt(at):
    interrupt = Interrupt(at)
    sys.setprofile(interrupt)
    try:
        import dezero_core
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

places, wrong = [], {}
while None not in places and not wrong:
    if places:
        dezero_core.unregister("acme")
        del sys.modules["dezero_core"]
    places.append(place_of_interrupt(len(places)))
    import dezero_core
    try:
        values = use()
    except (AttributeError, dezero_core.DezeroError) as error:
        values = repr(error)
    (record,) = dezero_core.plugins()
    if (values, record.state) != ((18.0, 9.0, 6.0), "loaded"):
        wrong = {"place": places[-1], "values": values, "state": record.state}
out.update(wrong=wrong, places=places)
"""


def test_an_import_that_was_interrupted_at_any_call_can_be_repeated(
    fake_distribution, plugin_source, run_python
):
    modules = {"acme.py": plugin_source("tripled", claims=CLAIMS)}
    fake_distribution("acme-ops", modules, {"acme": "acme"})
    out = run_python(PROGRAM).out
    assert out.wrong == {}
    assert {"load", "add", "hold", "is_empty", "after_loading"} <= set(out.places)
