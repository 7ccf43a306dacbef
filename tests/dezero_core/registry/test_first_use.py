"""Installed plugins are loaded at the first use, wherever that is; an import loads nothing.

Promise: docs/architecture.md
"""

import os

import pytest

#: A plugin that takes its time, and notes its imports; and one whose turn comes after it.
SLOW = """
import builtins, time
builtins.imports = getattr(builtins, "imports", 0) + 1
time.sleep(0.2)
"""

START = """
import threading
import numpy as np, dezero_core
from dezero_core import Variable

def use():
    return Variable(np.array(2.0)).tripled().item()
"""


@pytest.fixture
def slow(plugin_source, fake_distribution):
    """Install a plugin that takes a while to be imported, and counts how often it is."""
    fake_distribution("slow-ops", {"slow.py": SLOW + plugin_source("tripled")}, {"slow": "slow"})


def test_the_import_of_the_core_loads_nothing(slow, run_python):
    outcome = run_python(
        "import sys, dezero_core\nfrom dezero_core import Config, Function, Variable, extend\n"
        "Config.enable_backprop, Config.warn_of_independence\n"
        "with dezero_core.no_grad():\n    pass\n"
        "out['before'] = [name in sys.modules for name in ('slow', 'importlib_metadata')]\n"
        "Variable(None)\nout['after'] = 'slow' in sys.modules",
        fresh=True,
    )
    assert outcome.out.before == [False, False]
    assert outcome.out.after
    assert outcome.states == {"slow": "loaded"}


SETS = """
from dezero_core import hookimpl
@hookimpl
def dezero_register_ops(register):
    register.part("setting", "rehearse", True)
    register.part("observer", "seen", object)
    register("as_it_is", lambda x: x, methods="as_it_is")
"""


@pytest.mark.parametrize(
    "use",
    [
        "dezero_core.Variable(None)",
        "dezero_core.Parameter(None)",
        "dezero_core.as_variable(np.ones(2))",
        "dezero_core.plugins()",
        "dezero_core.ops()",
        "dezero_core.Config.rehearse",
        "dezero_core.using_config('rehearse', False)",
        "dezero_core.prefer(as_it_is='setting')",
        "dezero_core.use_ops(as_it_is='setting')",
        "dezero_core.unregister('setting')",
        "dezero_core.register('setting')",
        "dezero_core.load_plugins()",
        "dezero_core.extend.parts_of('observer')",
        "Twice()(np.ones(2))",
    ],
)
def test_any_first_use_loads_the_plugins(use, fake_distribution, run_python):
    fake_distribution("setting-ops", {"setting.py": SETS}, {"setting": "setting"})
    outcome = run_python(
        "import sys, numpy as np\nimport dezero_core, dezero_core.extend\n"
        "class Twice(dezero_core.Function):\n    def forward(self, x):\n        return 2.0 * x\n"
        f"out['before'] = 'setting' in sys.modules\n{use}\nout['after'] = 'setting' in sys.modules"
    )
    assert (outcome.out.before, outcome.out.after) == (False, True)


def test_the_first_variable_may_be_made_in_another_thread(slow, run_python):
    outcome = run_python(
        f"{START}thread = threading.Thread(target=lambda: out.update(there=use()))\n"
        "thread.start()\nthread.join()\nout['here'] = use()\nout['imports'] = imports"
    )
    assert vars(outcome.out) == {"there": 6.0, "here": 6.0, "imports": 1}


def test_threads_that_make_the_first_variable_at_once_load_each_plugin_once(slow, run_python):
    """Nobody goes on before all plugins are there."""
    outcome = run_python(
        f"""{START}
import sys
sys.setswitchinterval(1e-5)
ready, found = threading.Barrier(8), []
def work():
    ready.wait()
    try:
        found.append(use())
    except BaseException as error:
        found.append(repr(error))
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
out.update(found=found, imports=imports)
"""
    )
    assert outcome.out.found == [6.0] * 8
    assert outcome.out.imports == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")
def test_a_process_that_forks_while_another_thread_makes_the_first_variable_has_all_plugins(
    slow, run_python
):
    """The fork waits for the lock; child and parent go on with all that was loaded."""
    outcome = run_python(
        f"""{START}
import os, sys, time, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks with threads
thread = threading.Thread(target=use)
thread.start()
while "slow" not in sys.modules:
    time.sleep(0.005)
pid = os.fork()
if pid == 0:
    status = 1
    try:
        status = 0 if use() == 6.0 and imports == 1 else 2
    finally:
        os._exit(status)
for _ in range(1000):
    ended, status = os.waitpid(pid, os.WNOHANG)
    if ended:
        break
    time.sleep(0.01)
else:
    os.kill(pid, 9)
thread.join()
out.update(child=[bool(ended), status], here=use(), imports=imports)
"""
    )
    assert outcome.out.child == [True, 0]
    assert (outcome.out.here, outcome.out.imports) == (6.0, 1)


MEANWHILE = """
import numpy as np
from dezero_core import Variable, plugins

SEEN = []
x = Variable(np.array(2.0))
SEEN.append(hasattr(x, "tripled"))
SEEN.append([(record.name, record.state) for record in plugins()])
"""


@pytest.mark.parametrize("first", ["dezero_core", "early", "zulu"])
def test_a_variable_may_be_made_during_the_import_of_a_plugin(
    first, plugin_source, fake_distribution, run_python
):
    """Others are loaded later, or before if the program begins with the plugin's import."""
    source = MEANWHILE + plugin_source("doubled", 2.0)
    fake_distribution("early-ops", {"early.py": source}, {"early": "early"})
    fake_distribution("zulu-ops", {"zulu.py": plugin_source("tripled")}, {"zulu": "zulu"})
    outcome = run_python(
        f"import {first}\n{START}out['y'] = use()\nimport early\nout['seen'] = early.SEEN\n"
        "out['x'] = early.x.tripled().item(), early.x.doubled().item()"
    )
    assert (outcome.out.y, outcome.out.x) == (6.0, [6.0, 4.0])
    assert outcome.states == {"early": "loaded", "zulu": "loaded"}
    is_there, states = outcome.out.seen
    waits = first != "early"
    assert is_there is not waits
    assert states == [
        ["early", "disabled" if waits else "pending"],
        ["zulu", "disabled" if waits else "loaded"],
    ]


def test_a_plugin_may_load_another_one_by_name_during_its_import(
    plugin_source, fake_distribution, run_python
):
    """It is loaded once, and works, though its own turn is still to come."""
    source = "import dezero_core\nSTATE = dezero_core.register('zulu').state\n"
    modules = {"early.py": source + plugin_source("doubled", 2.0)}
    fake_distribution("early-ops", modules, {"early": "early"})
    fake_distribution("zulu-ops", {"zulu.py": plugin_source("tripled")}, {"zulu": "zulu"})
    outcome = run_python(f"{START}out['y'] = use()\nimport early\nout['state'] = early.STATE")
    assert (outcome.out.y, outcome.out.state) == (6.0, "loaded")
    assert outcome.states == {"early": "loaded", "zulu": "loaded"}
    assert outcome.operations == ["doubled", "tripled"]


@pytest.mark.parametrize("only", ["[]", "['early']", "['early', 'zulu']", "None"])
def test_a_plugin_may_choose_plugins_anew_during_its_import(
    only, plugin_source, fake_distribution, run_python
):
    source = f"import dezero_core\ndezero_core.load_plugins(only={only})\n"
    modules = {"early.py": source + plugin_source("doubled", 2.0)}
    fake_distribution("early-ops", modules, {"early": "early"})
    fake_distribution("zulu-ops", {"zulu.py": plugin_source("tripled")}, {"zulu": "zulu"})
    outcome = run_python(
        "import numpy as np, dezero_core\nx = dezero_core.Variable(np.array(2.0))\n"
        "out['again'] = dezero_core.Variable(x.data).shape"
    )
    assert outcome.out.again == []
    assert outcome.states["zulu"] == ("loaded" if "zulu" in only or only == "None" else "disabled")


def test_a_plugin_does_not_see_the_settings_that_hold_at_the_first_use(
    plugin_source, fake_distribution, run_python
):
    settings = (
        "import dezero_core, numpy as np\nfrom dezero_core.extend import IN_USE\n"
        "def settings():\n"
        "    config = dezero_core.Config\n"
        "    return [np.geterr()['divide'], config.enable_backprop, config.warn_of_independence,\n"
        "            dict(IN_USE.get())]\n"
        "SEEN = [settings()]\n"
    )
    source = settings + plugin_source("tripled") + "    SEEN.append(settings())\n"
    fake_distribution("acme-ops", {"acme.py": source}, {"acme": "acme"})
    outcome = run_python(
        f"{START}from dezero_core import no_grad, using_config\n"
        "with np.errstate(all='raise'), no_grad(), using_config('warn_of_independence', False):\n"
        "    x = Variable(np.array(2.0))\n"
        "    out['holds'] = np.geterr()['divide'], dezero_core.Config.enable_backprop\n"
        "import acme\nout['seen'] = acme.SEEN"
    )
    assert outcome.out.holds == ["raise", False]
    assert outcome.out.seen == [["warn", True, True, {}]] * 2


WARNED = """
import warnings
warnings.simplefilter("always")
import numpy as np, dezero_core

def load():
    return {use}

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    load()
out["places"] = [[warning.filename, warning.lineno] for warning in caught]
"""


@pytest.mark.parametrize(
    "use",
    [
        "dezero_core.Variable(np.ones(2))",
        "dezero_core.as_variable(np.ones(2))",
        "dezero_core.plugins()",
        "dezero_core.ops()",
        "dezero_core.load_plugins()",
        "dezero_core.Config.enable_backprop, dezero_core.Variable(None)",
    ],
)
def test_warnings_of_plugins_point_to_the_line_of_the_user_that_was_the_first_use(
    use, fake_distribution, run_python
):
    fake_distribution("bad-ops", {"bad.py": "raise OSError('no luck')"}, {"bad": "bad"})
    outcome = run_python(WARNED.format(use=use), DEZERO_DISABLE_PLUGINS="typo", DEZERO_OPS="a=b")
    assert outcome.out.places == [["<scenario>", 7]] * 3


def test_the_warning_of_a_first_use_within_another_plugin_points_to_the_line_of_the_user(
    plugin_source, fake_distribution, run_python
):
    """Not into the plugin that made the first Variable for them."""
    helper = "import numpy as np\nfrom dezero_core import Variable\ndef made():\n"
    helper += "    return Variable(np.ones(2))\n"
    modules = {"acme.py": helper + plugin_source("tripled")}
    fake_distribution("acme-ops", modules, {"acme": "acme"})
    fake_distribution("bad-ops", {"bad.py": "raise OSError('no luck')"}, {"bad": "bad"})
    code = WARNED.format(use="acme.made()").replace("import numpy as np,", "import acme,")
    outcome = run_python(code)
    assert outcome.out.places == [["<scenario>", 7]]


def test_no_plugin_at_all_is_a_first_use_like_another(run_python):
    outcome = run_python(
        "import numpy as np, dezero_core\nfrom dezero_core.providers import FIRST_USE\n"
        "x = dezero_core.Variable(np.ones(2))\nout['waiting'] = len(FIRST_USE)\n"
        "out['error'] = failure(lambda: x + x)['types'][0]"
    )
    assert (outcome.out.waiting, outcome.out.error) == (0, "MissingOperationError")
    assert outcome.plugins == []


def test_an_unpickled_variable_finds_the_methods_of_plugins(slow, tmp_path, run_python):
    """Though nothing has made a Variable before."""
    file = tmp_path / "x.pickle"
    run_python(
        f"{START}import pickle\nwith open({str(file)!r}, 'wb') as file:\n"
        "    pickle.dump(Variable(np.array(2.0)), file)"
    )
    outcome = run_python(
        f"import pickle\nwith open({str(file)!r}, 'rb') as file:\n    x = pickle.load(file)\n"
        "out['y'] = x.tripled().item()"
    )
    assert outcome.out.y == 6.0


def test_variable_has_getattr_only_until_the_plugins_are_loaded(slow, run_python):
    """With it, CPython reads every attribute of a Variable slowly."""
    outcome = run_python(
        "import dezero_core\nfrom dezero_core import Variable\n"
        "x = object.__new__(Variable)\nout['before'] = '__getattr__' in vars(Variable)\n"
        "out['unknown'] = failure(lambda: x.nonsense)\n"
        "out['after'] = '__getattr__' in vars(Variable)\nout['found'] = hasattr(x, 'tripled')"
    )
    assert (outcome.out.before, outcome.out.after, outcome.out.found) == (True, False, True)
    assert outcome.out.unknown["types"][0] == "AttributeError"
    assert outcome.out.unknown["message"] == "'Variable' object has no attribute 'nonsense'"


def test_variable_has_getattr_as_long_as_a_plugin_is_being_imported(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("acme-ops", {"acme.py": plugin_source("tripled")}, {"acme": "acme"})
    outcome = run_python(
        "import sys, types\nsys.modules['acme'] = waits = types.ModuleType('acme')\n"
        "waits.__spec__ = types.SimpleNamespace(_initializing=True)\n"
        "import dezero_core\nfrom dezero_core import Variable\nx = Variable(None)\n"
        "out['state'] = dezero_core.plugins()[0].state\n"
        "out['waiting'] = '__getattr__' in vars(Variable)\n"
        "out['unknown'] = hasattr(x, 'tripled')\n"
        "del sys.modules['acme']\n"
        "out['found'] = hasattr(x, 'tripled')\n"
        "out['after'] = '__getattr__' in vars(Variable)"
    )
    assert (outcome.out.state, outcome.out.waiting) == ("pending", True)
    assert not outcome.out.unknown
    assert (outcome.out.found, outcome.out.after) == (True, False)


def test_variable_has_no_getattr_after_the_awaited_plugin_is_unregistered(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("acme-ops", {"acme.py": plugin_source("tripled")}, {"acme": "acme"})
    outcome = run_python(
        "import sys, types\nsys.modules['acme'] = waits = types.ModuleType('acme')\n"
        "waits.__spec__ = types.SimpleNamespace(_initializing=True)\n"
        "import dezero_core\nfrom dezero_core import Variable\nVariable(None)\n"
        "dezero_core.unregister('acme')\nVariable(None)\n"
        "out['after'] = '__getattr__' in vars(Variable)\ndel sys.modules['acme']\n"
        "Variable(None)\nout['later'] = '__getattr__' in vars(Variable)"
    )
    assert (outcome.out.after, outcome.out.later) == (False, False)
    assert outcome.plugin("acme").state == "disabled"


def test_ctrl_c_in_the_import_of_importlib_metadata_loses_no_plugin(slow, run_python):
    code = """
import sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "importlib_metadata._functools":  # parts of the package are imported by then
            sys.meta_path.remove(self)
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupts())
from dezero_core import plugins
try:
    plugins()
except KeyboardInterrupt:
    out["left"] = [name for name in sys.modules if name.startswith("importlib_metadata")]
"""
    outcome = run_python(code, fresh=True)
    assert outcome.out.left == []
    assert outcome.states == {"slow": "loaded"}
