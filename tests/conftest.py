"""What all tests share: nothing leaks from one to the next, and plugins as they really come.

A plugin for a test is an installed distribution, met by a fresh interpreter.
"""

import gc
import json
import os
import subprocess
import sys
import sysconfig
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import importlib_metadata
import pytest
from dezero_core.contests import PREFERRED
from dezero_core.registry.loading import REGISTRY

import dezero_core
from dezero_core import (
    Config,
    PluginWarning,
    Sample,
    Variable,
    ops,
    plugins,
    register,
    unregister,
)

from .book import BOOK, BookPlugin

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
    operation, sample = check.operation, check.operation.sample
    if operation.plugin not in ("basic", "math") or sample.ulps != Sample(()).ulps:
        return check
    return replace(check, operation=operation._replace(sample=sample._replace(ulps=0.0)))


def pytest_collection_modifyitems(items):
    """Make the checks that ``--dezero-ops`` has collected exact."""
    for item in items:
        if hasattr(item, "check"):
            item.check = exact(item.check)


def state_of_the_core():
    """Return everything that one test could leave behind for the next."""
    return {
        "Config.enable_backprop": Config.enable_backprop,
        "Config.warn_of_independence": Config.warn_of_independence,
        "loaded plugins": [(p.name, p.distribution) for p in plugins() if p.state == "loaded"],
        "providers": {name: tuple(of) for name, of in REGISTRY.providers.items()},
        "preferred operations": dict(PREFERRED.maps[0]),
        "attributes of Variable": dict(vars(Variable)),
        "the garbage collector": gc.isenabled(),
    }


@pytest.fixture(autouse=True)
def nothing_leaks():
    """Fail a test that leaves the core in another state than it found it in."""
    before = state_of_the_core()
    yield
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


@pytest.fixture(scope="session")
def plugin_source():
    """Return the source of a plugin with one operation, which multiplies by a factor."""

    def source(name, factor=3.0, claims=None):
        claims = f"methods=({name!r},)" if claims is None else claims
        return PLUGIN.format(name=name, Name=name.title(), factor=factor, claims=claims)

    return source


def site_without_plugins(folder, but=()):
    """Fill a site-packages folder like that of the tests, but without any plugin.

    So the same scenario runs whatever is installed beside the core. What it links to is
    found as everything else is, the core's own wheel or editable path included.
    """
    plugins = {entry.dist.name for entry in importlib_metadata.entry_points(group="dezero")}
    hidden = {"__pycache__"}
    for name in plugins.difference(but):
        hidden |= {file.parts[0] for file in importlib_metadata.distribution(name).files}
    for source in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for item in Path(source).iterdir():
            if item.name not in hidden:
                (folder / item.name).symlink_to(item)
    return folder


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Return the site-packages folder of fresh interpreters: without any plugin."""
    return site_without_plugins(tmp_path_factory.mktemp("site_without_plugins"))


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
    """Return a function that runs code in a fresh interpreter, with what is installed.

    It fails if the code raises, or if the number of warnings is not `warns` (None: any).
    Keyword arguments are environment variables; no others of DEZERO_* and PYTHON* are set.
    """

    def run(code, warns=0, **environment):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("DEZERO_", "PYTHON"))}
        kept["PYTHONPATH"] = os.pathsep.join(str(site) for site in fake_distribution.sites)
        done = subprocess.run(
            [sys.executable, "-S", "-c", DRIVER, str(site)],
            input=code,
            env=kept | environment,
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
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
    PREFERRED.maps[0] = preferred  # or it is warned of each preference, as its plugin goes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PluginWarning)  # of operators of two others
        for plugin in done:
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
