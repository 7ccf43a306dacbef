"""What all tests share: nothing leaks from one to the next, and plugins as they really come.

A plugin for a test is an installed distribution, met by a fresh interpreter.
"""

import gc
import json
import os
import sys
import time
import warnings
from contextlib import suppress
from copy import copy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import dezero_core
from dezero_core import (
    Config,
    PluginWarning,
    UnknownPluginError,
    Variable,
    ops,
    plugins,
    register,
    unregister,
)
from dezero_core.extend import PLUGINS, PREFERRED

from . import interpreters
from .book import BOOK, BookPlugin
from .environments import site_with
from .slow import SlowTests
from .warm_interpreter import at_the_start

ENVIRONMENT = at_the_start(os.environ)
DRIVER = Path(__file__).with_name("fresh_interpreter.py").read_text("utf-8")

PLUGIN = """
import numpy as np
from dezero_core import Function, hookimpl

class {Name}(Function):
    def forward(self, x):
        return x * {factor}

    def backward(self, gy):
        return gy * {factor}

def {name}(x, *others):
    return {Name}()(x)

@hookimpl
def dezero_register_ops(register):
    register("{name}", {name}, {Name}, {claims})
"""


ops()  # imports every family, so that it is no change when a test does


def exact(check):
    """Return a check of the kit that wants NumPy's values to the last bit of our operations.

    The kit allows others a few units of it, who compute in another way. Ours may say so, too.
    """
    from dezero_tools.testing import Sample, sample_of

    operation, sample = check.operation, sample_of(check.operation)
    if operation.plugin not in ("basic", "math") or sample.ulps != Sample().ulps:
        return check
    exact = copy(sample)
    exact.ulps = 0.0
    return replace(check, operation=operation._replace(sample=lambda kit: exact))


def make_exact(items):
    """Make the checks that ``--dezero-ops`` has collected exact."""
    for item in items:
        if hasattr(item, "check"):
            item.check = exact(item.check)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark the slow tests, unload plugins for those ``without`` them, and `make_exact`."""
    slow = SlowTests()
    for item in items:
        if slow.has(item.nodeid):
            item.add_marker("slow")
        if item.get_closest_marker("without"):
            item.fixturenames.insert(0, "unloaded")
    make_exact(items)
    if not any("::" in argument for argument in config.args):
        slow.assert_that_all_are_used()


def pytest_collection_finish():
    """Hide what the collection has made from the garbage collector.

    Beside the modules of all tests and libraries, each of its full runs takes 0.3 seconds, and
    tests of memory ask for hundreds of them.
    """
    gc.collect()
    gc.freeze()


def state_of_the_core():
    """Return everything that one test could leave behind for the next."""
    return {
        "Config.enable_backprop": Config.enable_backprop,
        "Config.warn_of_independence": Config.warn_of_independence,
        "loaded plugins": sorted(
            (p.name, p.distribution or "") for p in plugins() if p.state == "loaded"
        ),
        "operations": {
            plugin.record.name: sorted(plugin.registrar.operations)
            for plugin in PLUGINS
            if plugin.record.state == "loaded"
        },
        "preferred operations": dict(PREFERRED.maps[0]),
        "attributes of Variable": dict(vars(Variable)),
        "the garbage collector": gc.isenabled(),
    }


@pytest.fixture(autouse=True)
def nothing_leaks():
    """Fail a test that leaves the core in another state than it found it in."""
    # Dask sets some for the workers that it starts, in the process of the tests as well.
    for name in at_the_start(os.environ).keys() - ENVIRONMENT.keys():
        del os.environ[name]
    before, callbacks = state_of_the_core(), gc.callbacks[:]
    yield
    # Hypothesis leaves one that asks the clock, which a function that is compiled must not do.
    gc.callbacks[:] = callbacks
    for _ in range(500):  # of 10 ms, and no clock, which goes on while a machine is suspended
        if gc.isenabled():
            break
        time.sleep(0.01)  # a thread of a pool still records, after an error in another one
    after = state_of_the_core()
    if after == before:
        return
    ops()  # families that were registered anew are to be imported again
    after = state_of_the_core()
    leaked = [name for name in before if after[name] != before[name]]
    if not leaked:
        return
    gc.enable()
    Config.enable_backprop = before["Config.enable_backprop"]
    Config.warn_of_independence = before["Config.warn_of_independence"]
    PREFERRED.maps[0] = dict(before["preferred operations"])
    for name, _ in after["loaded plugins"]:
        if name not in dict(before["loaded plugins"]):
            unregister(name)
    for name, _ in before["loaded plugins"]:
        register(name)
    was = before["attributes of Variable"]
    for name, value in dict(vars(Variable)).items():
        if name not in was:
            delattr(Variable, name)
        elif value is not was[name]:
            setattr(Variable, name, was[name])
    pytest.fail(f"the test leaks: {', '.join(leaked)}")


@pytest.fixture
def unloaded(request, nothing_leaks):
    """Unload the plugins that a test is marked to be ``without``, in this process."""
    marker = request.node.get_closest_marker("without")
    loaded = [record.name for record in plugins() if record.state == "loaded"]
    for name in loaded:
        if name in marker.args:
            unregister(name)
    yield
    dezero_core.load_plugins(only=())  # all come in their order
    dezero_core.load_plugins()


@pytest.fixture
def book():
    """Functions in the book's form, by name: ``book.Mul()(x, y)``."""
    return BOOK


@pytest.fixture
def operators():
    """Operators and NumPy functions for Variables, whatever is installed."""
    plugin = BookPlugin()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PluginWarning)  # where all of them are installed
        register(plugin, name="book")
    yield
    unregister(plugin)


@pytest.fixture
def no_collector():
    """Nothing but reference counts frees anything."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def many_switches():
    """Threads take turns after a microsecond, and not after five thousand."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.fixture(scope="session")
def plugin_source():
    """Return the source of a plugin with one operation, which multiplies by a factor."""

    def source(name, factor=3.0, claims=None):
        claims = f"methods=({name!r},)" if claims is None else claims
        return PLUGIN.format(name=name, Name=name.title(), factor=factor, claims=claims)

    return source


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Return the site-packages folder of fresh interpreters: without any plugin."""
    return site_with(tmp_path_factory.mktemp("site_without_plugins"))


class Installer:
    """Writes distributions as an installer would: modules, dist-info, entry points."""

    def __init__(self, folder):
        self.folder = folder
        self.sites = []

    def __call__(
        self,
        name,
        modules,
        entry_points=None,
        *,
        version="1.0",
        requires=(),
        direct_url=None,
        site="site",
        group="dezero",
        omit=(),
    ):
        """Install a distribution into a folder that ``run_python`` puts on PYTHONPATH.

        Parameters
        ----------
        name, version : str
        modules : mapping from path to source
        entry_points : mapping from name to object reference
        requires : iterable of requirements
        direct_url : str, the text of direct_url.json
        site : str, the folder: earlier ones stand first on the path
        omit : names of metadata files that are not written
        """
        root = self.folder / site
        if root not in self.sites:
            self.sites.append(root)
        info = f"{name.replace('-', '_')}-{version}.dist-info"
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
        lines += [f"Requires-Dist: {requirement}" for requirement in requires]
        metadata = {"METADATA": lines, "INSTALLER": ["tests"]}
        if entry_points:
            references = [f"{key} = {value}" for key, value in entry_points.items()]
            metadata["entry_points.txt"] = [f"[{group}]", *references]
        if direct_url:
            metadata["direct_url.json"] = [direct_url]
        files = dict(modules)
        files |= {f"{info}/{key}": "\n".join(text) + "\n" for key, text in metadata.items()}
        files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
        for path, text in files.items():
            if path.rpartition("/")[2] not in omit:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
        return root


@pytest.fixture
def fake_distribution(tmp_path):
    """Return a function that installs a distribution for this test; see `Installer`."""
    return Installer(tmp_path / "installed")


class Outcome:
    """What a fresh interpreter reported: its `out`, warnings, plugins and operations."""

    def __init__(self, report):
        self.out = SimpleNamespace(**report["out"])
        self.warnings = report["warnings"]
        self.plugins = [SimpleNamespace(**record) for record in report["plugins"]]
        self.ops = [SimpleNamespace(**operation) for operation in report["ops"]]

    @property
    def states(self):
        return {plugin.name: plugin.state for plugin in self.plugins}

    @property
    def operations(self):
        return [operation.name for operation in self.ops]

    def plugin(self, name):
        """Return the one record of a plugin, by its own name or that of its distribution."""
        (found,) = [p for p in self.plugins if name in (p.name, p.distribution)]
        return found


@pytest.fixture
def run_python(tmp_path, fake_distribution, site):
    """Return a function that runs code in an interpreter of its own, with what is installed.

    It fails if the code raises, or if the number of warnings is not `warns` (None: any).
    Keyword arguments are environment variables; no others of DEZERO_* and PYTHON* are set, but for
    the PYTHONPATH of these tests, by which they run over the packages of another folder.
    By `fresh`, the interpreter has imported nothing before: see `interpreters`.
    """

    def run(code, warns=0, *, fresh=False, **environment):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("DEZERO_", "PYTHON"))}
        paths = [*map(str, fake_distribution.sites), os.environ.get("PYTHONPATH", "")]
        kept["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        done = interpreters.run(
            *("-c", DRIVER, site),
            site=site,
            stdin=code,
            env=kept | environment,
            cwd=tmp_path,
            fresh=fresh,
        )
        assert done.returncode == 0, done.stderr
        outcome = Outcome(json.loads(done.stdout))
        assert warns in (None, len(outcome.warnings)), outcome.warnings
        return outcome

    return run


@pytest.fixture
def registered():
    """Return a function that registers a plugin in this process, for one test."""
    done, preferred = [], dict(PREFERRED.maps[0])

    def register(plugin, name=None):
        record = dezero_core.register(plugin, name)
        done.append(plugin)
        return record

    yield register
    PREFERRED.maps[0] = preferred
    for plugin in done:
        with suppress(UnknownPluginError):  # the test has unregistered it
            dezero_core.unregister(plugin)


@pytest.fixture
def strict_arrays():
    """Let Variables hold the strict arrays of the conformance kit, for one test."""
    from dezero_tools.testing import array_types  # which is not there beside the core alone

    with array_types.registered("strict"):
        yield


@pytest.fixture
def core_alone():
    """Unload every installed plugin for one test, in this process."""
    dezero_core.load_plugins(only=())
    yield
    dezero_core.load_plugins()
