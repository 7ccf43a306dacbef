"""A stranger's plugin beside those of this repository: it contests its own operations alone."""

import pytest

from ..environments import OPERATIONS, site_with

STRANGER = """
import numpy as np
from dezero_core import Function, hookimpl

class Exp(Function):
    def forward(self, x):
        return 1000.0 + x

    def backward(self, gy):
        return gy

def exp(x, *others):
    return Exp()(x)

@hookimpl
def dezero_register_ops(register):
    register("{name}", exp, Exp, {claims})
    register("only_here", exp, Exp, methods="only_here")
"""

START = """
import numpy as np, dezero_core
from dezero_core import Variable
x, array = Variable(np.ones(2)), np.ones(2)
"""

#: Operations of the plugins of this repository that no stranger contests.
WORKS = """
y = np.sum(np.sin(x) * x + np.log(x) + np.linalg.norm(x) - x.mean())
y.backward(create_graph=True)
x.grad.backward()
out["sum"], out["number"] = float(np.sum(x)), len(dezero_core.ops())
out["only here"] = float(x.only_here().data[0])
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the site-packages folder of fresh interpreters: with the operations, and no tools."""
    folder = tmp_path_factory.mktemp("site_with_operations")
    return site_with(folder, *OPERATIONS)


@pytest.fixture
def stranger(fake_distribution):
    """Return a function that installs a stranger's plugin with one operation, and one of its own.

    It is named as the plugins of this repository are not, before or after them by the alphabet.
    """

    def install(plugin="fast-math", name="exp", claims="numpy=np.exp"):
        module = plugin.replace("-", "_")
        source = STRANGER.format(name=name, claims=claims)
        fake_distribution(f"{plugin}-ops", {f"{module}.py": source}, {plugin: module})

    return install


@pytest.mark.parametrize("plugin", ["fast-math", "zzz"])
@pytest.mark.parametrize("name", ["exp", "fast_exp"])
def test_a_strangers_exp_leaves_all_other_operations_of_math(plugin, name, stranger, run_python):
    number = run_python("import dezero_core\nout['n'] = len(dezero_core.ops())").out.n
    stranger(plugin, name)
    outcome = run_python(f"{START}{WORKS}out['error'] = failure(lambda: np.exp(x))")
    assert set(outcome.states.values()) == {"loaded"}
    assert outcome.out.sum == 2.0
    assert vars(outcome.out)["only here"] == 1001.0
    assert outcome.out.number == number + (1 if name == "exp" else 2)
    error = outcome.out.error
    first, last = sorted(["math", plugin])
    assert (
        f"plugins {first!r} and {last!r} both provide np.exp, and none is cho" in error["message"]
    )
    assert ("TypeError" in error["types"], "AttributeError" in error["types"]) == (True, True)
    assert error["operation"] == ("'exp'" if name == "exp" else "'np.exp'")


def test_a_backward_of_math_means_the_exp_of_math_where_a_stranger_has_another(
    stranger, run_python
):
    stranger()
    outcome = run_python(
        f"{START}gx = dezero_core.grad(np.sum(np.expm1(x)), x, create_graph=True)\n"
        "out['second'] = float(dezero_core.grad(np.sum(gx), x)[0])\n"
        "out['error'] = failure(lambda: np.exp(x))"
    )
    assert outcome.out.second == pytest.approx(2.718281828, rel=1e-9)
    assert "ContestedOperationError" in outcome.out.error["types"]


@pytest.mark.parametrize("name", ["exp", "fast_exp"])
@pytest.mark.parametrize(
    ("choice", "value"),
    [("np.exp=math", 2.718), ("np.exp=fast-math", 1001.0), ("{}=fast-math", 1001.0)],
)
def test_a_strangers_exp_is_chosen_by_its_own_name_or_by_that_of_numpy(
    choice, value, name, stranger, run_python
):
    stranger("fast-math", name)
    outcome = run_python(
        f"{START}out['y'] = float(np.exp(x).data[0])", DEZERO_OPS=choice.format(name)
    )
    assert outcome.out.y == pytest.approx(value, rel=1e-3)


def test_the_exp_of_math_is_chosen_for_a_block(stranger, run_python):
    stranger()
    outcome = run_python(
        f"{START}with dezero_core.use_ops(exp='math'):\n    out['y'] = float(np.exp(x).data[0])\n"
        "dezero_core.prefer(**{'np.exp': 'fast-math'})\nout['then'] = float(np.exp(x).data[0])"
    )
    assert outcome.out.y == pytest.approx(2.718, rel=1e-3)
    assert outcome.out.then == 1001.0


@pytest.mark.parametrize("plugin", ["fast-math", "zzz"])
def test_a_strangers_alternative_takes_nothing_away(plugin, stranger, run_python):
    stranger(plugin, claims="numpy=np.exp, alternative=True")
    outcome = run_python(
        f"{START}{WORKS}out['y'] = float(np.exp(x).data[0])\n"
        f"with dezero_core.use_ops(exp={plugin!r}):\n    out['chosen'] = float(np.exp(x).data[0])"
    )
    assert outcome.out.y == pytest.approx(2.718, rel=1e-3)
    assert outcome.out.chosen == 1001.0


@pytest.mark.parametrize("plugin", ["fast-math", "zzz"])
def test_the_operators_of_basic_stay_in_use_beside_a_strangers(plugin, stranger, run_python):
    stranger(plugin, "add", "dunders=('__add__', '__radd__'), numpy=np.add")
    code = f"{START}{WORKS}out['y'] = [float(y.data[0]) for y in (x + x, 1.0 + x, array + x)]"
    assert run_python(code).out.y == [2.0] * 3
    assert run_python(code, DEZERO_OPS=f"add={plugin}").out.y == [1001.0, 1001.0, 1001.0]
