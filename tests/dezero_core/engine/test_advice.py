"""A Variable that is taken for an array, or for another framework's tensor: what to write.

The core has one general sentence for other libraries; an adviser, as that of dezero-tools, knows
more of them.

Promise: docs/how_to/read_an_error.md
"""

import copy

import numpy as np
import pytest

from dezero_core import (
    Function,
    MissingAttributeError,
    Variable,
    VariableTypeError,
    hookimpl,
    register,
    unregister,
)

from .library import ASKS, IN_PLACE_OF_ARRAYS, LIBRARY, NOT_BY_ITSELF, START


@pytest.fixture
def install(fake_distribution):
    """Return a function that installs a library, where installers put libraries."""

    def install(name):
        fake_distribution(name, {f"{name}.py": LIBRARY}, site="site-packages")

    return install


def test_whoever_wants_an_array_reads_the_one_sentence_on_np_stack_and_x_data(install, run_python):
    install("library")
    said = vars(run_python(ASKS).out)
    for use in ("np.array", "np.full", "a function", "a class", "a decorated function"):
        assert said[use] == f"{IN_PLACE_OF_ARRAYS} {NOT_BY_ITSELF}", use
    copied = " Copy the value, Variable(y.data.copy()), or call y.unchain() first. It carries the "
    by_hand = f"a Variable of shape (2,) cannot be copied or pickled.{copied}"
    assert said["copied by hand"].startswith(by_hand)
    assert said["copied"] == said["copied by hand"]
    assert said["a method"] == "a Variable has no method 'view'. Write x.reshape(shape)."


def test_a_library_that_draws_gets_the_values_and_the_graph_stays(install, run_python):
    install("matplotlib")
    code = START.replace("library", "matplotlib") + (
        "out['drawn'] = matplotlib.total(x).tolist()\nout['creator'] = type(x.creator).__name__"
    )
    said = run_python(code).out
    assert (said.drawn, said.creator) == (4.0, "Double")


def test_numpy_testing_compares_the_values_of_variables_that_have_a_graph(book):
    y = book.Square()(Variable(np.array([1.0, 3.0])))
    np.testing.assert_allclose(y, [1.0, 9.0])
    with pytest.raises(AssertionError, match="Mismatched elements: 1 / 2"):
        np.testing.assert_array_equal([1.0, 8.0], y)


def test_a_function_of_numpy_computes_with_values_in_a_library_that_draws_and_nowhere_else(
    install, run_python
):
    """matplotlib's bars are made of a list of Variables, which np.broadcast_arrays refuses."""
    install("matplotlib")
    install("library")
    code = START.replace("np, library", "np, library, matplotlib") + (
        "weights = [Variable(np.array(1.0)), Variable(np.array(2.0))]\n"
        "out['drawn'] = matplotlib.counted(x, weights)\n"
        "out['elsewhere'] = failure(lambda: library.counted(x, weights))\n"
    )
    said = run_python(code).out
    assert said.drawn == 3.0
    assert "MissingOperationError" in said.elsewhere["types"]
    values = "No plugin known here has it; x.data gives the values without a gradient."
    assert said.elsewhere["message"] == (
        f"no loaded plugin provides np.histogram for a Variable. {values}"
    )
    assert said.elsewhere["distribution"] == "None"


def test_a_table_as_an_operand_is_advised_to_become_an_array(book):
    class Table:
        def to_numpy(self):
            return np.ones(2)

    with pytest.raises(
        VariableTypeError, match=r"an ndarray or a number\. Write its \.to_numpy\(\)"
    ):
        book.Square()(Table())


@pytest.mark.parametrize(
    "written", ["a[:] = x", "c[1:] = x", "a[0:2] = x", "a[[0, 1]] = x", "b[0] = x"]
)
def test_an_array_that_is_filled_with_variables_is_advised_to_be_one(written, run_python):
    start = START.replace(", library", "")
    code = f"a, b, c = np.zeros(2), np.zeros((2, 2)), np.zeros(3)\ndef write():\n    {written}\n"
    message = run_python(start + code + "out['said'] = failure(write)['message']").out.said
    assert message == f"{IN_PLACE_OF_ARRAYS} {NOT_BY_ITSELF}"


ADVICE = {
    "add": "np.add(x, y)",
    "clone": "np.copy(x)",
    "cpu": "x.data, which is in memory",
    "detach": "x.data, or Variable(x.data) for an input of its own",
    "unsqueeze": "np.expand_dims(x, axis)",
    "view": "x.reshape(shape)",
    "exp": "np.exp(x)",
    "grad_fn": "x.creator",
    "matmul": "x @ y",
    "mm": "x @ y",
    "numpy": "x.data",
    "tanh": "np.tanh(x)",
    "to": "x.astype(dtype)",
    "tolist": "x.data.tolist()",
    "where": "np.where(x)",
    "zero_grad": "x.cleargrad()",
}


@pytest.mark.parametrize("name", ADVICE)
def test_a_method_of_another_framework_is_an_attribute_error_that_says_what_to_write(
    name, core_alone
):
    x = Variable(np.ones(2))
    with pytest.raises(MissingAttributeError) as caught:
        getattr(x, name)
    assert str(caught.value) == f"a Variable has no method {name!r}. Write {ADVICE[name]}."
    assert (caught.value.operation, caught.value.distribution) == (name, None)
    assert not hasattr(x, name)
    assert name not in dir(x)


def test_round_of_a_variable_advises_numpys_round_and_to_round_the_number_for_a_print(core_alone):
    with pytest.raises(TypeError) as caught:
        round(Variable(np.array(2.5)), 1)
    advice = "Write np.round(x, 2); of a number to be printed, round(x.item(), 2)."
    assert str(caught.value) == f"a Variable has no method 'round()'. {advice}"


@pytest.mark.parametrize("function", [np.int64, np.random.normal])
def test_a_function_of_numpy_for_values_alone_is_advised_to_take_x_data(function):
    x = Double()(Variable(np.array(2.0)))
    with pytest.raises(VariableTypeError, match=r"for values alone, as in np\.int64\(x\), x\.data"):
        function(x)


class Double(Function):
    def forward(self, x):
        return 2.0 * x


class PluginOfMethods:
    @hookimpl
    def dezero_register_ops(self, register):
        register("as_it_is", lambda x: x, methods=("exp", "numpy"))


def test_a_plugin_may_bind_a_method_for_which_there_is_advice(core_alone):
    x, plugin = Variable(np.ones(2)), PluginOfMethods()
    register(plugin, "methods")
    assert x.exp() is x.numpy() is x
    assert "exp" in dir(x)
    unregister(plugin)
    with pytest.raises(MissingAttributeError, match=r"Write np\.exp\(x\)"):
        x.exp  # noqa: B018


class Advises:
    """A plugin with one adviser, which notes what it is asked."""

    def __init__(self, sentence):
        self.sentence, self.asked = sentence, []

    @hookimpl
    def dezero_register_ops(self, register):
        register.part("adviser", self.sentence or "silent", self.advise)

    def advise(self, name, frame):
        self.asked.append((name, frame.f_code.co_name))
        return self.sentence


ASKED = {
    "__array__": (lambda x: np.mean([x, x]), "A Variable does not turn into an ndarray"),
    "__getstate__": (lambda x: copy.copy(x), "It carries the graph that computed it"),
    "view": (lambda x: x.view(), "A Variable has no method 'view'."),
    "np.negated (vectorized)": (lambda x: own(x), "no loaded plugin provides np.negated (v"),
}


@pytest.mark.parametrize("name", ASKED)
def test_an_adviser_is_asked_for_a_sentence_with_the_name_and_the_frame_that_asks(
    name, core_alone, registered
):
    use, rule = ASKED[name]
    adviser, x = Advises("Try tea."), Double()(Variable(np.ones(2)))
    registered(adviser, "advising")
    with pytest.raises(TypeError) as caught:
        use(x)
    assert "Try tea." in str(caught.value)
    assert rule in str(caught.value)
    assert {asked for asked, _ in adviser.asked} == {name}
    if name == "view":
        assert adviser.asked[0][1] == "<lambda>"
    unregister("advising")
    with pytest.raises(TypeError) as caught:
        use(x)
    assert "Try tea." not in str(caught.value)


def test_the_first_adviser_that_knows_something_is_heard(core_alone, registered):
    silent, first, second = Advises(""), Advises("Try tea."), Advises("Try milk.")
    for number, adviser in enumerate((silent, first, second)):
        registered(adviser, f"advising-{number}")
    with pytest.raises(TypeError, match=r"^Try tea\. A Variable does not turn into an ndarray"):
        np.mean([Variable(np.ones(2))])
    assert len(silent.asked) == 1
    unregister("advising-1")
    unregister("advising-2")
    with pytest.raises(TypeError, match=r"^use np\.stack"):
        np.mean([Variable(np.ones(2))])


@pytest.mark.parametrize("error", [ValueError, SystemExit], ids=lambda error: error.__name__)
def test_an_adviser_that_raises_changes_no_error_of_the_user(error, core_alone, registered):
    class Broken(Advises):
        def advise(self, name, frame):
            raise error("no luck")

    x = Double()(Variable(np.ones(2)))
    said = [refused(use, x) for use, _ in ASKED.values()]
    registered(Broken("broken"), "broken")
    assert [refused(use, x) for use, _ in ASKED.values()] == said
    registered(Advises("Try tea."), "advising")
    assert all("Try tea." in refused(use, x) for use, _ in ASKED.values())


def refused(use, x):
    """Return the message of the error that a use raises."""
    with pytest.raises(TypeError) as caught:
        use(x)
    return str(caught.value)


def negated(x):
    return -x


own = np.frompyfunc(negated, 1, 1)
