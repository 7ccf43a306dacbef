"""check_plugin: what it counts, what it raises, and what an author may mark.

Promise: docs/reference/testing.rst
"""

import re

import numpy as np
import pytest
from dezero_tools.testing import (
    Call,
    CheckError,
    Draw,
    Sample,
    check_plugin,
    checks_of,
    elementwise,
)
from dezero_tools.testing.subject import Subject

from dezero_core import Function, UnknownOperationError, UnknownPluginError, hookimpl

from .planted import Sine, operation, registered_as, run, sine


class Plugin:
    """Brings a sine, wrong by a factor, registered with a sample."""

    def __init__(self, sample, factor=1.0):
        self.sample, self.factor = sample, factor

    @hookimpl
    def dezero_register_ops(self, register):
        factor = self.factor
        one = sine(forward=lambda self, x: np.sin(x) * factor)
        register("planted_sine", one, sample=registered_as(self.sample))


SAMPLE = elementwise((0.3, 1.2), reference=np.sin)


def test_the_report_of_the_kit_counts_checks_and_gives_reasons_for_skips(registered):
    registered(Plugin(SAMPLE), "mine")
    report = check_plugin("mine")
    first, *reasons = str(report).splitlines()
    assert first.startswith("mine: 1 operation, ")
    assert report.operations == 1
    total = len(list(checks_of("mine"))) * len(SAMPLE.calls)
    assert report.counts.ran + sum(report.counts.skipped.values()) == total
    assert f"{report.counts.ran:,} checks ran" in first
    assert "  7 skipped: it is no ufunc of two operands" in reasons


def test_check_plugin_raises_all_failures_together(registered):
    registered(Plugin(SAMPLE, factor=2.0), "mine")
    with pytest.raises(ExceptionGroup, match=r"checks failed\. mine: 1 operation,") as caught:
        check_plugin("mine")
    assert "\n  1 of 1 operation failed: planted_sine\n" in caught.value.message
    assert all(isinstance(error, CheckError) for error in caught.value.exceptions)
    assert {"values", "complex"} <= {error.check for error in caught.value.exceptions}


def test_check_plugin_checks_only_the_given_operations():
    report = check_plugin("basic", ["neg", "add"])
    assert report.operations == 2


@pytest.mark.parametrize("sample", [None, Sample()])
def test_an_operation_without_a_sample_fails_with_how_to_give_one(registered, sample):
    registered(Plugin(sample), "mine")
    with pytest.raises(ExceptionGroup, match=r"1 check failed\. mine: 1 operation, 0 ") as caught:
        check_plugin("mine")
    (failure,) = caught.value.exceptions
    assert str(failure).startswith(
        "planted_sine: nothing was checked: it was registered without a sample. Say how to call "
        "it: sample=lambda kit: kit.elementwise((0.5, 3.0)) "
    )
    assert (failure.operation, failure.check) == ("planted_sine", "sample")


@pytest.mark.parametrize("sample", [None, Sample()])
def test_an_operation_without_a_sample_is_skipped_where_that_is_asked_for(registered, sample):
    registered(Plugin(sample), "mine")
    report = check_plugin("mine", allow_empty=True)
    assert (report.operations, report.counts.ran) == (1, 0)
    assert report.counts.skipped == {"planted_sine was registered without a sample": 1}


def test_a_plugin_without_operations_fails_unless_that_is_asked_for():
    with pytest.raises(UnknownPluginError, match="is loaded and registers none") as caught:
        check_plugin("tools")
    assert caught.value.plugin == "tools"
    assert check_plugin("tools", allow_empty=True).operations == 0
    with pytest.raises(UnknownPluginError):
        check_plugin("nobody", allow_empty=True)


def test_a_check_of_no_operation_at_all_fails_unless_that_is_asked_for():
    with pytest.raises(ExceptionGroup) as caught:
        check_plugin("basic", [])
    (failure,) = caught.value.exceptions
    assert str(failure) == "basic: nothing was checked: no operation was named."
    assert check_plugin("basic", [], allow_empty=True).operations == 0


@pytest.mark.parametrize(
    ("plugin", "operations", "said"),
    [
        ("nobody", None, r"loaded are (?=.*\bbasic\b)(?=.*\bmath\b)"),
        ("basik", None, "Did you mean 'basic'"),
        ("basic", ["sin"], "Did you mean 'sign'"),
        ("basic", "zzz", "no operation 'zzz'. It has absolute, add"),
    ],
)
def test_check_plugin_refuses_an_unknown_plugin_or_operation_with_the_known_names(
    plugin, operations, said
):
    with pytest.raises(LookupError, match=said) as caught:
        check_plugin(plugin, operations)
    expected = UnknownPluginError if operations is None else UnknownOperationError
    assert isinstance(caught.value, expected)


def test_the_kit_counts_a_known_failure_with_its_reason():
    sample = elementwise((0.3, 1.2), known_failures={"values": "off by design"})
    counts = run("values", operation(sine(forward=lambda self, x: np.sin(x) + 1.0), sample=sample))
    assert counts.known == {"off by design": 5}  # the two empty calls are right
    assert counts.ran == 2


def test_the_kit_takes_a_known_failure_that_passes_as_a_failure():
    sample = elementwise((0.3, 1.2), known_failures={"values": "off by design"})
    with pytest.raises(CheckError, match="Remove the mark"):
        run("values", operation(sample=sample))


class Cut(Function):
    saves = ()

    def forward(self, x):
        return np.sign(x)

    def backward(self, gy):
        return np.zeros(gy.shape, gy.dtype)


def test_the_kit_draws_samples_away_from_jumps():
    """Of numbers between -0.2 and 0.2, half would be nearer to 0 than 0.1."""
    sample = Sample(Call(Draw((2,), (-0.2, 0.2))), apart=np.abs)
    assert run("gradient", operation(lambda x: Cut()(x), sample=sample, numpy=(np.sign,))).ran == 1


def test_the_kit_draws_from_an_open_interval_whose_ends_may_be_poles():
    class Logit(Function):
        def forward(self, x):
            assert np.all((x > 0.0) & (x < 1.0))
            return np.log(x / (1.0 - x))

        def backward(self, gy):
            x = self.inputs[0].data
            return gy / (x * (1.0 - x))

    sample = elementwise((0.0, 1.0), reference=lambda x: np.log(x) - np.log(1.0 - x))
    planted = operation(lambda x: Logit()(x), sample=sample, numpy=())
    assert run("values", planted).ran == run("gradient", planted).ran == 7


def test_the_kit_takes_a_sample_that_cannot_avoid_jumps_as_a_failure():
    sample = Sample(Call(Draw((2,), (-0.05, 0.05))), apart=np.abs)
    with pytest.raises(CheckError, match="no array drawn for"):
        run("gradient", operation(lambda x: Cut()(x), sample=sample, numpy=(np.sign,)))


def test_the_kit_draws_equal_arrays_of_a_sample_each_time():
    first, second = [], []
    for found in first, second:
        run("values", operation(lambda x, found=found: found.append(x.data) or Sine()(x)))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_kit_draws_arrays_in_the_range_of_a_projection():
    seen = []

    def trace(x):
        seen.append(getattr(x, "data", x))
        return Sine()(x)

    def symmetric(a):
        return (a + a.T) / 2

    sample = Sample(Call(Draw((3, 3), project=symmetric, plus=4.0 * np.eye(3))))
    run("values", operation(trace, sample=sample))
    np.testing.assert_array_equal(seen[0], seen[0].T)
    assert np.all(np.diag(seen[0]) > 1.0)


def test_the_kit_refuses_a_known_failure_of_an_unknown_check(registered):
    registered(Plugin(elementwise((0.3, 1.2), known_failures={"value": "a slip"})), "mine")
    with pytest.raises(ValueError, match=r"\['value'\]; the checks are \['values', "):
        list(checks_of("mine"))


def test_the_kit_names_parameters_that_no_call_passes(registered):
    class WithOptions:
        @hookimpl
        def dezero_register_ops(self, register):
            def scaled(x, factor=1.0, *, power=1.0, out=None):
                return Sine()(x)

            sample = Sample(Call(Draw(), 2.0), reference=lambda x, factor: np.sin(x))
            register("scaled", scaled, Sine, sample=registered_as(sample))

    registered(WithOptions(), "mine")
    report = check_plugin("mine")
    assert str(report).splitlines()[-1] == "  parameters that no call passes: scaled(power=)"


def test_the_kit_draws_equal_arrays_for_calls_with_functions_in_every_process():
    """Their text has an address in it, which is another one each time."""
    first, second = (Sample(Call(Draw((2,)), lambda x: x)) for _ in range(2))
    drawn = [Subject(operation(sample=sample), sample.calls[0]).xs for sample in (first, second)]
    np.testing.assert_array_equal(*drawn)


def test_the_kit_shows_the_line_of_the_author_for_an_error_of_the_author():
    class Broken(Sine):
        def backward(self, gy):
            return gy * self.no_such_thing

    with pytest.raises(CheckError, match=r"(?s)no_such_thing.*test_runner\.py.*no_such_thing"):
        run("gradient", operation(lambda x: Broken()(x)))


@pytest.mark.parametrize("name", ["basic", "dezero-ops-basic", "dezero_ops_basic"])
def test_check_plugin_takes_the_name_of_a_distribution(name):
    assert check_plugin(name, ["neg"]).operations == 1


def test_check_plugin_says_why_a_plugin_failed_to_load(fake_distribution, run_python):
    fake_distribution(
        "broken-ops", {"broken_ops.py": "raise ImportError('no luck')"}, {"broken": "broken_ops"}
    )
    outcome = run_python(
        "from dezero_tools.testing import check_plugin\n"
        "out['error'] = failure(lambda: check_plugin('broken'))",
        warns=1,
    )
    assert "no luck" in outcome.out.error["message"]


def test_the_kit_says_how_to_allow_values_that_are_off_by_rounding():
    """By the number of units that it takes."""
    off = sine(forward=lambda self, x: np.sin(x) * (1.0 + 8e-15))
    with pytest.raises(CheckError, match=r"allow it by Sample\(ulps=\d+\)") as caught:
        run("values", operation(off))
    ulps = float(re.search(r"ulps=(\d+)", str(caught.value))[1])
    call = Call(Draw((2, 3), (0.3, 1.2)))
    assert run("values", operation(off, sample=Sample(call, ulps=ulps))).ran == 1
    with pytest.raises(CheckError):
        run("values", operation(off, sample=Sample(call, ulps=ulps - 1.0)))


def test_the_kit_allows_values_four_units_of_the_last_digit():
    for factor, passes in (1.0 + 4e-16, True), (1.0 + 4e-15, False):
        planted = operation(sine(forward=lambda self, x, by=factor: np.sin(x) * by))
        if passes:
            assert run("values", planted).ran == 7
        else:
            with pytest.raises(CheckError, match="wrong values"):
                run("values", planted)


def test_the_kit_wants_right_results_for_undeclared_complex_data():
    planted = operation(
        sine(backward=lambda self, gy: gy * np.cos(self.inputs[0].data).conjugate()),
        sample=elementwise((0.3, 1.2)),
    )
    with pytest.raises(CheckError, match=r"refuse complex data in forward by a TypeError"):
        run("complex", planted)


def test_a_failure_of_the_kit_shows_the_arrays_that_were_used():
    class OnlyFloat64(Sine):
        def forward(self, x):
            return np.sin(x) if x.dtype == np.float64 else 2.0 * np.sin(x)

    with pytest.raises(CheckError, match=r"(?s)drawn: .*dtype=float16"):
        run("dtypes", operation(lambda x: OnlyFloat64()(x)))


PROVIDER = """
from dezero_core import Function, hookimpl
import numpy as np

class Tripled(Function):
    def forward(self, x):
        return {factor} * x

    def backward(self, gy):
        return {factor} * gy

@hookimpl
def dezero_register_ops(register):
    sample = lambda kit: kit.elementwise((1.0, 2.0), reference=lambda x: {factor} * x)
    methods = {{"tripled": property(lambda x: Tripled()(x)), "times": lambda x: Tripled()(x)}}
    bound = dict(dunders="__neg__", methods=methods)
    register("tripled", lambda x: Tripled()(x), Tripled, sample=sample, **bound)
{more}
"""

SQUARED = """
    class Squared(Function):
        def forward(self, x):
            return x * x

        def backward(self, gy):
            return 2.0 * gy * self.inputs[0].data

    sample = lambda kit: kit.elementwise((1.0, 2.0))
    register("squared", lambda x: Squared()(x), Squared, sample=sample)
"""

BROKEN = "    register.later('{name}_late', operations='{name}_lately')\n"


@pytest.fixture
def install(fake_distribution):
    """Return a function that installs a plugin, of which a module may be broken."""

    def install(name, factor=3.0, more=""):
        modules = {
            f"{name}.py": PROVIDER.format(factor=factor, more=more.format(name=name)),
            f"{name}_late.py": "raise ImportError('too late')",
        }
        fake_distribution(f"{name}-ops", modules, {name: name})

    return install


def test_the_kit_checks_a_plugin_beside_a_plugin_with_a_broken_module(install, run_python):
    """Also where a derivative needs the operators, which are not there: who has them is asked."""
    install("one", more=SQUARED)
    install("two", more=BROKEN)
    outcome = run_python(
        "import dezero_core\n"
        "from dezero_tools.testing import check_plugin\n"
        "report = check_plugin('one')\n"
        "out['ran'], out['skipped'] = report.counts.ran, list(report.counts.skipped)\n"
        "out['two'] = failure(lambda: check_plugin('two'))\n"
        "dezero_core.unregister('two')",
        DEZERO_OPS="tripled=two",
    )
    assert outcome.out.ran > 50
    assert "the operators that a second derivative needs are not loaded" in outcome.out.skipped
    assert "PluginLoadError" in outcome.out.two["types"]
    assert "too late" in outcome.out.two["message"]


def test_the_kit_checks_operations_that_another_plugin_also_provides(install, run_python):
    """By what they bind as well: a property, a method, an operator."""
    install("one")
    install("two", factor=4.0)
    outcome = run_python(
        "import dezero_core.extend\n"
        "from dezero_tools.testing import check_plugin, checks_of\n"
        "state = lambda: (dezero_core.ops(), dict(dezero_core.extend.PREFERRED))\n"
        "before = state()\n"
        "out['checked'] = [check_plugin(name).operations for name in ('one', 'two')]\n"
        "out['listed'] = {check.operation.plugin for check in checks_of('two')} == {'two'}\n"
        "out['as_before'] = state() == before",
        DEZERO_OPS="tripled=one",
    )
    assert outcome.out.checked == [1, 1]
    assert outcome.out.listed
    assert outcome.out.as_before
