"""Whatever is imported first, every operation is registered once and can be used.

Promise: docs/how_to/publish_a_plugin.md
"""

import pytest

CLAIMS = 'methods=("tripled",), dunders=("__neg__", "__eq__"), numpy=np.negative'

USE = """
import numpy as np
from dezero_core import Variable
x = Variable(np.array(2.0))
y = x.tripled()
y.backward()
out.update(y=float(y), slope=float(x.grad), negative=float(-x))
"""


@pytest.fixture
def layouts(plugin_source):
    """Return the ways in which an author may lay out a plugin package."""
    hook = plugin_source("tripled", claims=CLAIMS)
    return {
        "a plugin module beside the operations": (
            "acme.plugin",
            {
                "acme/__init__.py": "from .plugin import tripled\n",
                "acme/plugin.py": hook,
                "acme/other.py": "from .plugin import Tripled\n",
            },
        ),
        "everything in __init__, which is late to import the core": (
            "acme",
            {
                "acme/__init__.py": "from . import other\nEARLY = 1\n" + hook,
                "acme/other.py": "import dezero_core\n",
            },
        ),
        "a leaf that the package does not import": (
            "acme.deep.leaf",
            {
                "acme/__init__.py": "",
                "acme/other.py": "import dezero_core\n",
                "acme/deep/__init__.py": "import dezero_core\nfrom .. import other\n",
                "acme/deep/leaf.py": hook,
            },
        ),
        "Variables made at import": (
            "acme",
            {
                "acme/__init__.py": "import numpy as np\nfrom dezero_core import Variable\n"
                "TWO = Variable(np.array(2.0))\nfrom . import other\n" + hook,
                "acme/other.py": "from . import TWO, np\nfrom dezero_core import Variable\n"
                "FOUR = Variable(np.array(4.0))\n",
            },
        ),
        "an object that is the plugin": (
            "acme.plugin:plugin",
            {
                "acme/__init__.py": "from .other import dezero_core\n",
                "acme/other.py": "import dezero_core\n",
                "acme/plugin.py": plugin_source("tripled", claims=CLAIMS).replace(
                    "@hookimpl\ndef dezero_register_ops(",
                    "class Plugin:\n  @hookimpl\n  def dezero_register_ops(self, ",
                )
                + "plugin = Plugin()\n",
            },
        ),
    }


@pytest.mark.parametrize(
    ("layout", "first"),
    [
        ("a plugin module beside the operations", "dezero_core"),
        ("a plugin module beside the operations", "acme"),
        ("a plugin module beside the operations", "acme.plugin"),
        ("a plugin module beside the operations", "acme.other"),
        ("everything in __init__, which is late to import the core", "dezero_core"),
        ("everything in __init__, which is late to import the core", "acme"),
        ("everything in __init__, which is late to import the core", "acme.other"),
        ("a leaf that the package does not import", "dezero_core"),
        ("a leaf that the package does not import", "acme"),
        ("a leaf that the package does not import", "acme.other"),
        ("a leaf that the package does not import", "acme.deep"),
        ("a leaf that the package does not import", "acme.deep.leaf"),
        ("Variables made at import", "dezero_core"),
        ("Variables made at import", "acme"),
        ("Variables made at import", "acme.other"),
        ("an object that is the plugin", "dezero_core"),
        ("an object that is the plugin", "acme.plugin"),
    ],
)
def test_every_import_order_registers_each_operation_of_a_plugin_once(
    layout, first, layouts, fake_distribution, run_python
):
    reference, modules = layouts[layout]
    fake_distribution("acme-ops", modules, {"acme": reference})
    outcome = run_python(f"import {first}\n{USE}")
    assert vars(outcome.out) == {"y": 6.0, "slope": 3.0, "negative": 6.0}
    assert outcome.operations == ["tripled"]
    assert outcome.plugin("acme").state == "loaded"
    assert outcome.plugin("acme").operations == ["tripled"]


@pytest.mark.parametrize(
    ("use", "value"),
    [
        ("float(acme.TWO.tripled())", 6.0),
        ("float(-acme.TWO)", 6.0),
        ("float(np.negative(acme.TWO))", 6.0),
        ("float(acme.TWO == acme.TWO)", 6.0),  # this plugin's == triples
        ("[op.name for op in acme.dezero_core.ops()]", ["tripled"]),
        ("[record.state for record in acme.dezero_core.plugins()]", ["loaded"]),
        ("acme.dezero_core.register('acme').state", "loaded"),
        ("hasattr(acme.TWO, 'tripled')", True),
        ("failure(lambda: acme.TWO + 1.0)['types'][0]", "MissingOperationError"),
        ("[float(type(x).tripled(x)) for x in [acme.Variable(np.array(3.0))]]", [9.0]),
        ("type(acme.tripled(np.array([3.0]))).__name__", "ndarray"),
    ],
)
def test_any_first_use_finds_a_plugin_that_was_imported_before_the_core(
    use, value, layouts, fake_distribution, run_python
):
    reference, modules = layouts["Variables made at import"]
    fake_distribution("acme-ops", modules, {"acme": reference})
    outcome = run_python(
        f"import acme, numpy as np\nimport dezero_core\nacme.dezero_core = dezero_core\n"
        f"out['value'] = {use}"
    )
    assert outcome.out.value == value


def test_a_plugin_package_that_fails_after_importing_the_core_harms_no_other_plugin(
    plugin_source, fake_distribution, run_python
):
    fake_distribution(
        "acme-ops", {"acme.py": "import dezero_core\nraise OSError('no luck')"}, {"acme": "acme"}
    )
    good = plugin_source("tripled", claims=CLAIMS)
    fake_distribution("good-ops", {"good.py": good}, {"good": "good"})
    outcome = run_python(
        "try: import acme\nexcept OSError as error: out['first'] = str(error)\n" + USE,
        warns=1,
    )
    assert outcome.out.first == "no luck"
    assert outcome.states == {"acme": "failed", "good": "loaded"}
    assert outcome.out.y == 6.0
    assert "no luck" in outcome.warnings[0]


def test_a_plugin_package_that_imports_another_plugin_package_loads(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("a-ops", {"a_ops.py": plugin_source("tripled")}, {"a": "a_ops"})
    fake_distribution(
        "b-ops", {"b_ops.py": "import a_ops\n" + plugin_source("doubled", 2.0)}, {"b": "b_ops"}
    )
    for first in ("dezero_core", "a_ops", "b_ops"):
        outcome = run_python(
            f"import {first}, numpy as np\nfrom dezero_core import Variable\n"
            "x = Variable(np.array(1.0))\nout['value'] = float(x.doubled().tripled())"
        )
        assert outcome.out.value == 6.0
        assert outcome.operations == ["doubled", "tripled"]
        assert outcome.states == {"a": "loaded", "b": "loaded"}


def test_a_plugin_may_list_plugins_and_operations_during_its_loading(
    plugin_source, fake_distribution, run_python
):
    source = plugin_source("tripled", claims=CLAIMS)
    source += (
        "    states = [record.state for record in dezero_core.plugins()]\n"
        "    SEEN.append((states, dezero_core.ops()))\n"
    )
    modules = {"acme.py": "import dezero_core\nSEEN = []\n" + source}
    fake_distribution("acme-ops", modules, {"acme": "acme"})
    outcome = run_python(f"import acme\n{USE}out['seen'] = acme.SEEN")
    assert outcome.out.y == 6.0
    assert outcome.out.seen == [[["disabled"], []]]


def test_an_awaited_plugin_that_fails_leaves_other_plugins_to_the_next_use(
    plugin_source, fake_distribution, run_python
):
    """So it is where it raises, as strict plugins do."""
    bad = "import beta\n" + plugin_source("doubled") + "    raise OSError('no luck')\n"
    good = "import dezero_core\n" + plugin_source("tripled", claims=CLAIMS)
    fake_distribution("alpha-ops", {"alpha.py": bad}, {"alpha": "alpha"})
    fake_distribution("beta-ops", {"beta.py": good}, {"beta": "beta"})
    outcome = run_python(
        f"import alpha, dezero_core\nout['error'] = failure(dezero_core.plugins)['message']\n{USE}",
        DEZERO_STRICT_PLUGINS="1",
    )
    assert "OSError: no luck" in outcome.out.error
    assert outcome.states == {"alpha": "failed", "beta": "loaded"}
    assert outcome.out.y == 6.0
