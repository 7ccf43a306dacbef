"""``dezero compare``: two installed plugins that provide one operation.

Promise: docs/how_to/choose_a_provider.md
"""

import json

import pytest

SERIES = """
import numpy as np
from dezero_core import Function, hookimpl

print("imported")


class Exp(Function):
    approximate = "series of 3 terms"

    def forward(self, x):
        if {fails} and x.shape == (3,):
            raise ValueError("no luck")
        return 1.0 + x + x * x / 2.0

    def backward(self, gy):
        return gy * (1.0 + self.inputs[0].data)


@hookimpl
def dezero_register_ops(register):
    sample = lambda kit: kit.elementwise((0.0, {end}))
    register("exp", lambda x: Exp()(x), Exp, numpy=np.exp, sample=sample)
    register("log", lambda x: Exp()(x), Exp, numpy=np.log)
    register("odd", lambda x: np.asarray([1.0, np.nan]), differentiable=False)
"""

ODD = """
import numpy as np
from dezero_core import hookimpl


@hookimpl
def dezero_register_ops(register):
    sample = lambda kit: kit.Sample(kit.Call(kit.Draw()))
    register("odd", lambda x: np.ones(2), differentiable=False, sample=sample)
"""


@pytest.fixture
def series(fake_distribution):
    """Return a function that installs a plugin whose exp is a short series."""

    def install(end=0.001, fails=False):
        source = SERIES.format(end=end, fails=fails)
        fake_distribution("series-ops", {"series.py": source}, {"series": "series"})

    return install


def test_compare_compares_plugins_that_contest_other_operations_too(series, dezero):
    series()
    done = dezero("compare", "exp", "--a", "series", "--b", "math")
    assert done.returncode == 0
    title, approximate, values, absolute, relative, *_, verdict = done.stdout.splitlines()
    assert title == "exp: series and math, in 14 calls"
    assert approximate == "series is approximate: series of 3 terms"
    assert values == "values:"
    assert (absolute.split()[0], relative.split()[0]) == ("absolute", "relative")
    assert verdict.startswith("They differ by ")
    assert verdict.endswith(" at most, relative, in the gradient of input 0.")
    assert "imported" in done.stderr
    assert "imported" not in done.stdout


def test_compare_fails_if_a_difference_is_above_the_tolerance(series, dezero):
    """Below -1 its gradient, 1 + x, has not even the sign: it is off by more than 1, never 2."""
    series()
    options = ("compare", "exp", "--a", "series", "--b", "math", "--tolerance")
    within, beyond = dezero(*options, "2", "--json"), dezero(*options, "1")
    assert (within.returncode, beyond.returncode) == (0, 1)
    assert beyond.stdout.splitlines()[-1] == "Not within the tolerance of 1."
    data = json.loads(within.stdout)
    assert (data["ok"], data["operation"], data["a"], data["b"]) == (True, "exp", "series", "math")
    assert data["approximate"] == {"series": "series of 3 terms", "math": ""}
    whats = [difference["what"] for difference in data["differences"]]
    assert whats == ["values", "gradient of input 0"]
    found = data["differences"][0]["absolute"]
    assert found["size"] == pytest.approx(abs(float(found["a"]) - float(found["b"])), rel=1e-3)
    assert data["seconds"].keys() == {"forward", "backward"}
    assert data["seconds"]["forward"]["math"] > 0.0
    assert (data["rounds"] > 0, data["mismatches"], data["failures"]) == (True, [], [])
    negative = dezero(*options, "-1")
    assert (negative.returncode, negative.stdout) == (2, "")
    assert "See dezero compare --help." in negative.stderr


def test_compare_fails_for_a_plugin_that_raises_and_compares_the_other_calls(series, dezero):
    series(fails=True)
    done = dezero("compare", "exp", "--a", "math", "--b", "series", "--json")
    assert done.returncode == 1
    data = json.loads(done.stdout)
    assert [failure["call"] for failure in data["failures"]] == [
        "exp(Draw((3,)))",
        "exp(Draw((3,), (0.0, 0.001)))",
    ]
    assert data["failures"][0]["message"].startswith("ValueError: no luck, at ")
    assert data["differences"][0]["what"] == "values"
    assert data["verdict"].startswith("series fails in 2 of 14 calls.")


def test_the_json_of_compare_has_infinities_and_complex_numbers_as_text(
    series, fake_distribution, dezero
):
    series()
    fake_distribution("odd-ops", {"odd.py": ODD}, {"odd": "odd"})
    choice = {"DEZERO_PLUGINS": "odd,series", "DEZERO_OPS": "odd=odd"}
    done = dezero("compare", "odd", "--a", "odd", "--b", "series", "--json", **choice)
    assert done.returncode == 0
    found = json.loads(done.stdout, parse_constant=pytest.fail)["differences"][0]["relative"]
    assert found == {"size": "inf", "call": "odd(Draw(()))", "element": [1], "a": "1.0", "b": "nan"}


def test_compare_says_why_two_plugins_cannot_be_compared(series, dezero):
    series()
    for operation, a, b, parts in (
        ("exq", "math", "series", ["no operation 'exq' is known", "Did you mean 'exp'?"]),
        ("nonsense", "math", "series", ["no operation 'nonsense' is known. There are"]),
        ("exp", "math", "dezero-ops-math", ["'dezero-ops-math' are the same plugin"]),
    ):
        done = dezero("compare", operation, "--a", a, "--b", b)
        assert (done.returncode, done.stdout) == (1, "")
        for part in ["dezero: ", *parts]:
            assert part in done.stderr


def test_compare_takes_the_two_plugins_that_provide_an_operation_if_none_is_named(series, dezero):
    series()
    choice = {"DEZERO_OPS": "exp=math,log=math"}
    for named, pair in (
        ((), ("math", "series")),
        (("--a", "series"), ("series", "math")),
        (("--b", "dezero-ops-math"), ("series", "math")),
    ):
        done = dezero("compare", "exp", *named, "--json", **choice)
        assert done.returncode == 0, done.stderr
        data = json.loads(done.stdout)
        assert (data["a"], data["b"]) == pair


def test_compare_asks_for_names_where_not_exactly_two_plugins_provide_an_operation(
    series, fake_distribution, dezero
):
    series()
    fake_distribution("odd-ops", {"odd.py": ODD}, {"odd": "odd"})
    fake_distribution("other-ops", {"other.py": ODD}, {"other": "other"})
    choice = {"DEZERO_PLUGINS": "odd,other,series", "DEZERO_OPS": "odd=odd"}
    for operation, named, listed in (
        ("odd", (), "odd, other, series"),
        ("odd", ("--b", "odd"), "odd, other, series"),
        ("exp", (), "series"),
        ("exp", ("--a", "series"), "series"),
    ):
        done = dezero("compare", operation, *named, **choice)
        assert (done.returncode, done.stdout) == (2, "")
        few, many = "A comparison needs two plugins, and", "Name two plugins by --a and --b:"
        rule = many if "," in listed else few
        message = f"{rule} {operation!r} is provided by {listed}. "
        assert message in done.stderr
