"""compare: two providers of one operation, against differences that are known.

Promise: docs/reference/testing.rst
"""

import math
import time

import numpy as np
import pytest
from dezero_tools.testing import Call, ComparisonError, Draw, Sample, compare, comparing

from dezero_core import (
    Function,
    UnknownOperationError,
    UnknownPluginError,
    hookimpl,
    no_grad,
)

from .planted import registered_as

TWOS = Sample(Call(Draw((3,), (2.0, 2.0))))
LAST = np.array([0.0, 0.0, 1.0])


def differentiable(forward, backward):
    """Return a function that records; `backward` takes ``gy`` and the inputs."""

    class Recorded(Function):
        def forward(self, *xs):
            return forward(*xs)

        def backward(self, gy):
            return backward(gy, *(x.data for x in self.inputs))

    return lambda *xs: Recorded()(*xs)


def plugin(function, sample=None, **options):
    class Plugin:
        @hookimpl
        def dezero_register_ops(self, register):
            register("triple", function, sample=registered_as(sample), **options)

    return Plugin()


@pytest.fixture
def two(registered):
    """Return a function that registers two plugins, ``"mine"`` and ``"theirs"``."""

    def two(mine, theirs):
        registered(mine, "mine")
        registered(theirs, "theirs")

    return two


@pytest.fixture
def compared(two):
    """Return a function that compares two functions, the first of which has the sample."""

    def compared(mine, theirs, sample=TWOS, **options):
        two(plugin(mine, sample, **options), plugin(theirs, **options))
        return compare("triple", "mine", "theirs")

    return compared


TRIPLE = differentiable(lambda x: 3.0 * x, lambda gy, x: 3.0 * gy)


def test_compare_finds_the_largest_differences_with_their_places(compared):
    theirs = differentiable(
        lambda x: 3.0 * x + [0.0, 0.5, -0.25], lambda gy, x: 3.0 * gy * (1.0 + LAST)
    )
    found = compared(TRIPLE, theirs)
    absolute, relative = found.absolute["values"], found.relative["values"]
    assert (absolute.size, relative.size) == (0.5, pytest.approx(0.5 / 6.5))
    assert (absolute.element, absolute.a, absolute.b) == ((1,), 6.0, 6.5)
    assert absolute.call == "triple(Draw((3,), (2.0, 2.0)))"
    gradient = found.relative["gradient of input 0"]
    assert (gradient.size, gradient.element, gradient.b) == (0.5, (2,), 2.0 * gradient.a)
    assert found.calls == ["triple(Draw((3,), (2.0, 2.0)))"]
    assert (found.mismatches, found.failures) == ([], [])
    assert [found.within(tolerance) for tolerance in (0.5, 0.49, np.nan)] == [True, False, False]
    assert found.verdict == "They differ by 0.5 at most, relative, in the gradient of input 0."
    lines = str(found).splitlines()
    assert lines[0] == "triple: mine and theirs, in 1 call"
    place = "element [1] of triple(Draw((3,), (2.0, 2.0))): 6.0 and 6.5"
    assert lines[1:4] == ["values:", f"  absolute 0.5 in {place}", f"  relative 0.0769 in {place}"]
    assert lines[-1] == found.verdict


def test_compare_gives_the_largest_difference_of_all_calls(compared):
    sample = Sample(*(Call(Draw((), (size, size))) for size in (1.0, 4.0, 2.0)))
    found = compared(
        TRIPLE, differentiable(lambda x: 3.0 * x + x**2, lambda gy, x: 3.0 * gy), sample
    )
    assert found.absolute["values"].size == 16.0
    assert found.relative["values"].size == pytest.approx(16.0 / 28.0)
    assert str(found.absolute["values"]) == "16 in triple(Draw((), (4.0, 4.0))): 12.0 and 28.0"


def test_compare_compares_gradients_for_each_input(compared):
    sample = Sample(Call(Draw((3,)), Draw((3,))))
    found = compared(
        differentiable(np.multiply, lambda gy, x0, x1: (gy * x1, gy * x0)),
        differentiable(np.multiply, lambda gy, x0, x1: (gy * x1, gy * x0 * 1.25)),
        sample,
    )
    sizes = {what: difference.size for what, difference in found.relative.items()}
    assert sizes == {
        "values": 0.0,
        "gradient of input 0": 0.0,
        "gradient of input 1": pytest.approx(0.2),
    }
    assert "gradient of input 0: the same" in str(found).splitlines()


def test_compare_reports_equal_results_as_equal(compared):
    found = compared(TRIPLE, TRIPLE)
    assert found.within(0.0)
    assert found.verdict == "Values and gradients are the same."


@pytest.mark.parametrize(
    ("a", "b", "absolute", "relative"),
    [
        (np.nan, np.nan, 0.0, 0.0),
        (np.nan, 1.0, np.inf, np.inf),
        (1.0, np.nan, np.inf, np.inf),
        (np.inf, np.inf, 0.0, 0.0),
        (np.inf, -np.inf, np.inf, np.inf),
        (1.0, np.inf, np.inf, np.inf),
        (0.0, 1e-300, 1e-300, 1.0),
        (0.0, -0.0, 0.0, 0.0),
        (1e308, -1e308, np.inf, 2.0),
        (2**62, 2**62 + 1, 1.0, 2.0**-62),
        (True, False, 1.0, 1.0),
        (3.0 + 4.0j, 0.0j, 5.0, 1.0),
        (complex(np.nan, 1.0), complex(np.nan, 2.0), 0.0, 0.0),
        (complex(np.inf, 1.0), complex(np.inf, 2.0), np.inf, np.inf),
        ("one", "one", 0.0, 0.0),
        ("one", "two", np.inf, np.inf),
    ],
)
def test_the_distance_of_two_elements_in_a_comparison_is_right(compared, a, b, absolute, relative):
    same = "one" if isinstance(a, str) else type(a)(1)
    ones, twos = np.array([same, a]), np.array([same, b])
    found = compared(lambda x: ones, lambda x: twos, differentiable=False)
    assert found.absolute["values"].size == absolute
    assert found.relative["values"].size == pytest.approx(relative, rel=1e-15)
    if absolute:
        assert found.absolute["values"].element == (1,)
        places = found.absolute["values"].a, found.absolute["values"].b
        assert list(map(str, places)) == [str(ones[1]), str(twos[1])]
    if relative == np.inf:
        assert found.verdict == "They differ in the values, where one is nan or infinite."


def test_compare_takes_a_nan_on_one_side_as_the_largest_difference(compared):
    theirs = np.array([1e300, np.nan, -1e300])
    found = compared(lambda x: np.ones(3), lambda x: theirs, differentiable=False)
    assert found.relative["values"].element == (1,)


def test_compare_compares_only_values_of_an_operation_without_a_derivative(compared):
    found = compared(lambda x: np.sign(x.data), lambda x: np.sign(x.data), differentiable=False)
    assert found.relative.keys() == {"values"}
    assert found.verdict == "Values are the same."
    assert found.seconds.keys() == {"forward"}


def test_compare_leaves_out_a_derivative_that_only_one_plugin_has(two):
    two(plugin(TRIPLE, TWOS), plugin(lambda x: 3.0 * x.data, differentiable=False))
    for names in ("mine", "theirs"), ("theirs", "mine"):
        found = compare("triple", *names)
        assert (found.relative.keys(), found.failures) == ({"values"}, [])
        assert found.seconds.keys() == {"forward"}


def test_compare_reports_a_different_dtype_and_compares_the_numbers(compared):
    single = differentiable(
        lambda x: np.float32(3.0) * x.astype(np.float32) + np.float32(0.5), lambda gy, x: 3.0 * gy
    )
    found = compared(TRIPLE, single)
    (mismatch, *_) = found.mismatches
    assert str(mismatch) == (
        "values of triple(Draw((3,), (2.0, 2.0))): float64 of shape (3,) and float32 of shape (3,)"
    )
    assert found.absolute["values"].size == 0.5
    assert not found.within(1.0)
    assert str(mismatch) in str(found)
    assert "Shape or dtype are not the same in 1 of them." in found.verdict


def test_compare_reports_a_different_shape_and_compares_the_other_outputs(compared):
    found = compared(
        lambda x: (np.ones(3), np.ones(2)),
        lambda x: (np.ones((3, 1)), np.zeros(2)),
        differentiable=False,
    )
    assert [mismatch.what for mismatch in found.mismatches] == ["values of output 0"]
    assert {what: each.size for what, each in found.relative.items()} == {"values of output 1": 1.0}
    assert "forward" not in found.seconds


def test_compare_reports_a_different_number_of_outputs(compared):
    found = compared(lambda x: np.ones(3), lambda x: [np.ones(3)] * 2, differentiable=False)
    (mismatch,) = found.mismatches
    assert (mismatch.a, mismatch.b) == ("1 outputs", "2 outputs")
    assert (found.relative, found.seconds) == ({}, {})


class Sometimes:
    """Right, but where it raises: for arrays of these shapes, or from a call on."""

    def __init__(self, error, shapes=(), after=np.inf):
        self.error, self.shapes, self.after, self.calls = error, shapes, after, 0

    def __call__(self, x):
        self.calls += 1
        if x.shape in self.shapes or self.calls > self.after:
            raise self.error
        return TRIPLE(x)


SHAPES = Sample(Call(Draw((2,))), Call(Draw(())), Call(Draw((3,))))


@pytest.mark.parametrize("error", [ValueError("no luck"), SystemExit("no luck")])
def test_compare_reports_a_call_that_raises_and_compares_the_other_calls(compared, error):
    found = compared(TRIPLE, Sometimes(error, [(2,), (3,)]), SHAPES)
    first, second = found.failures
    assert (first.plugin, first.what, first.call) == ("theirs", "values", "triple(Draw((2,)))")
    assert first.message.startswith(f"{type(error).__name__}: no luck, at ")
    assert "test_comparison.py:" in first.message
    assert second.call == "triple(Draw((3,)))"
    assert found.relative["values"].call == "triple(Draw(()))"
    assert not found.within(1.0)
    assert found.verdict.startswith("theirs fails in 2 of 3 calls. Values and gradients are")
    line = f"theirs fails: values of triple(Draw((2,))): {first.message} (and 1 call more)"
    assert line in str(found).splitlines()


def test_compare_compares_the_values_though_a_gradient_raises(compared):
    def fails(gy, x):
        raise ValueError("no luck")

    found = compared(TRIPLE, differentiable(lambda x: 3.0 * x + 1.0, fails))
    assert [(each.plugin, each.what) for each in found.failures] == [("theirs", "gradients")]
    assert found.absolute["values"].size == 1.0
    assert found.seconds.keys() == {"forward"}


def test_a_comparison_whose_calls_all_fail_says_that_no_call_was_compared(compared):
    found = compared(Sometimes(ValueError("no"), [(3,)]), Sometimes(ValueError("no"), [(3,)]))
    assert [each.plugin for each in found.failures] == ["mine", "theirs"]
    assert found.verdict == "mine fails in 1 of 1 call. theirs fails in 1 of 1 call."
    assert "time" not in str(found)
    assert found.seconds == {}


def test_compare_gives_no_time_of_an_operation_that_raises_at_its_second_call(compared):
    found = compared(TRIPLE, Sometimes(ValueError("tired"), after=5))
    assert [(each.plugin, each.what) for each in found.failures] == [("theirs", "time")]
    assert found.seconds == {}
    assert found.relative["values"].size == 0.0


def test_compare_reports_a_sample_that_cannot_be_drawn_as_a_failure_of_its_plugin(compared):
    sample = Sample(Call(Draw((2,), (0.0, 0.05))), apart=np.abs)
    found = compared(TRIPLE, TRIPLE, sample)
    assert [(each.plugin, each.what) for each in found.failures] == [("mine", "arrays")]
    assert found.verdict == "mine fails in 1 of 1 call."


def test_compare_of_empty_arrays_says_that_no_element_was_compared(compared):
    found = compared(TRIPLE, TRIPLE, Sample(Call(Draw((0,)))))
    assert (found.relative, found.verdict) == ({}, "Nothing was compared.")


def test_compare_calls_the_samples_of_both_plugins(two):
    mine, theirs = (Sample(Call(Draw((n,)))) for n in (2, 3))
    two(plugin(TRIPLE, mine), plugin(TRIPLE, theirs))
    assert compare("triple", "mine", "theirs").calls == ["triple(Draw((2,)))", "triple(Draw((3,)))"]


@pytest.mark.parametrize(("mine", "theirs"), [(None, None), (Sample(), None)])
def test_an_operation_without_a_sample_cannot_be_compared(two, mine, theirs):
    two(plugin(TRIPLE, mine), plugin(TRIPLE, theirs))
    with pytest.raises(ComparisonError, match="neither 'mine' nor 'theirs' registers 'triple'"):
        compare("triple", "mine", "theirs")


def test_compare_compares_complex_data_where_both_plugins_take_complex_data(two):
    theirs = differentiable(
        lambda x: 3.0 * x.real + 3.5j * x.imag if x.dtype.kind == "c" else 3.0 * x,
        lambda gy, x: 3.0 * gy,
    )
    declared = Sample(TWOS, complex=True)
    two(plugin(TRIPLE, declared), plugin(theirs, declared))
    found = compare("triple", "mine", "theirs")
    of_complex = "triple(Draw((3,), (2.0, 2.0))) of complex data"
    assert found.calls[:2] == ["triple(Draw((3,), (2.0, 2.0)))", of_complex]
    assert found.absolute["values"].call == of_complex
    assert found.absolute["values"].a == 6.0 + 6.0j
    assert found.absolute["values"].size == 1.0


def test_compare_leaves_out_complex_data_that_one_plugin_does_not_declare(two):
    two(plugin(TRIPLE, Sample(TWOS, complex=True)), plugin(TRIPLE, TWOS))
    assert len(compare("triple", "mine", "theirs").calls) == 2


def test_a_plugin_that_writes_to_its_input_does_not_disturb_the_compared_plugin(compared):
    def writing(x):
        x *= 3.0
        return x.copy()

    found = compared(differentiable(writing, lambda gy, x: 3.0 * gy), TRIPLE)
    assert found.within(0.0)


def test_a_compared_operation_that_calls_itself_by_name_finds_its_own_plugin(two):
    """As by an operator: what it finds is what its plugin has bound."""

    def named(factor):
        scaled = differentiable(lambda x: factor * x, lambda gy, x: factor * gy)
        method = {"triple": lambda x: scaled(x)}
        return plugin(lambda x: x.triple(), TWOS, methods=method)

    two(named(3.0), named(4.0))
    assert compare("triple", "mine", "theirs").absolute["values"].b == 8.0
    assert compare("triple", "theirs", "mine").absolute["values"].b == 6.0


def test_compare_compares_gradients_under_no_grad(two):
    theirs = differentiable(lambda x: 3.0 * x + np.log(x - x), lambda gy, x: 2.0 * gy)
    two(plugin(TRIPLE, TWOS), plugin(theirs, approximate="nearly"))
    with no_grad(), np.errstate(all="raise"):
        found = compare("triple", "mine", "theirs")
    assert found.failures == []
    assert found.relative["gradient of input 0"].size == pytest.approx(1.0 / 3.0)
    assert "theirs is approximate: nearly" in str(found).splitlines()


def test_compare_times_forward_and_backward_and_sums_over_calls(compared, monkeypatch):
    monkeypatch.setattr(comparing, "_ENOUGH", math.inf)  # however busy the machine is

    def slow(value, seconds):
        time.sleep(seconds)
        return value

    theirs = differentiable(lambda x: slow(3.0 * x, 0.002), lambda gy, x: slow(3.0 * gy, 0.004))
    found = compared(TRIPLE, theirs, SHAPES)
    assert found.rounds == 20
    assert found.seconds["forward"]["theirs"] >= 0.006
    assert found.seconds["backward"]["theirs"] >= 0.012
    assert "time, summed over the calls, the best of 20:" in str(found)
    assert " times as long" in str(found)


def test_compare_counts_the_least_of_many_times(compared):
    """What disturbs a measurement only ever adds to it."""
    calls = []

    def disturbed(x):
        calls.append(x)
        time.sleep(0.02 * (len(calls) % 2))
        return np.ones(3)

    found = compared(disturbed, lambda x: np.ones(3), differentiable=False)
    assert found.seconds["forward"]["mine"] < 0.02


def test_compare_times_a_slow_operation_in_fewer_rounds(compared, monkeypatch):
    monkeypatch.setattr(comparing, "_ENOUGH", -1.0)
    assert compared(TRIPLE, TRIPLE).rounds == 1


def test_compare_refuses_unknown_names_with_the_known_names(two):
    two(plugin(TRIPLE, TWOS), plugin(TRIPLE))
    with pytest.raises(UnknownOperationError, match=r"No loaded plugin does\. See ops"):
        compare("tripel", "mine", "theirs")
    with pytest.raises(UnknownOperationError, match="'mine' and 'theirs' do"):
        compare("triple", "mine", "basic")
    with pytest.raises(UnknownPluginError, match=r"'their'\. Installed: .*mine, .*theirs"):
        compare("triple", "mine", "their")


def test_compare_refuses_a_plugin_compared_with_itself():
    with pytest.raises(ComparisonError, match="are the same plugin") as caught:
        compare("add", "basic", "dezero-ops-basic")
    assert isinstance(caught.value, ValueError)
    assert (caught.value.operation, caught.value.plugins) == ("add", ("basic",))


PROVIDER = """
import numpy as np
from dezero_core import Function, hookimpl

class Scale(Function):
    def forward(self, x):
        return x * {factor}

    def backward(self, gy):
        return gy * {factor}

def scale(x):
    return Scale()(x)

@hookimpl
def dezero_register_ops(register):
    for name in ("scale", "more", "other"):
        claims = dict(methods=name, numpy=np.cbrt) if name == "scale" else {{}}
        register(name, scale, Scale, sample=lambda kit: kit.elementwise((1.0, 2.0)), **claims)
"""

STATE = """
import numpy as np
import dezero_core
from dezero_core import Variable
from dezero_core.extend import PREFERRED, SLOTS
from dezero_tools.testing import compare

def state():
    return (
        dezero_core.plugins(), dezero_core.ops(), dict(vars(Variable)), dict(PREFERRED),
        {key: dict(slot.bindings) for key, slot in SLOTS.items()},
    )

before = state()
"""


def test_compare_changes_nothing_for_two_plugins_that_contest_an_operation(
    fake_distribution, run_python
):
    for name, factor in ("one", 2.0), ("two", 3.0):
        module = {f"{name}.py": PROVIDER.format(factor=factor)}
        fake_distribution(f"{name}-ops", module, {name: name})
    outcome = run_python(
        STATE + "found = compare('scale', 'one', 'two')\n"
        "out['size'] = found.relative['values'].size\n"
        "out['failures'] = list(map(str, found.failures))\n"
        "out['same'] = [state() == before]\n"
        "out['unknown'] = failure(lambda: compare('scal', 'one', 'two'))\n"
        "out['same'].append(state() == before)\n"
        "out['one'] = failure(lambda: compare('scale', 'two', 'two-ops'))\n"
        "out['same'].append(state() == before)\n"
        "out['then'] = failure(lambda: np.cbrt(Variable(np.array(1.0))))"
    )
    assert outcome.out.size == pytest.approx(1.0 / 3.0)
    assert outcome.out.failures == []
    assert outcome.out.same == [True] * 3
    assert "UnknownOperationError" in outcome.out.unknown["types"]
    assert "ComparisonError" in outcome.out.one["types"]
    assert "ContestedOperationError" in outcome.out.then["types"]


def test_compare_says_why_a_plugin_is_not_loaded(fake_distribution, run_python):
    for name in ("one", "two"):
        module = {f"{name}.py": PROVIDER.format(factor=2.0)}
        fake_distribution(f"{name}-ops", module, {name: name})
    outcome = run_python(
        STATE + "out['error'] = failure(lambda: compare('scale', 'one', 'two'))",
        DEZERO_DISABLE_PLUGINS="two",
    )
    assert "disabled by DEZERO_DISABLE_PLUGINS" in outcome.out.error["message"]
    assert "PluginError" in outcome.out.error["types"]
