"""Environments with different plugins, in which the command writes and type checkers read."""

import importlib.util
import os
import shutil
import subprocess
import venv
from pathlib import Path

import importlib_metadata
import pytest

import dezero_core
import dezero_ops_basic
import dezero_ops_math

PLUGINS = {"dezero-ops-basic": dezero_ops_basic, "dezero-ops-math": dezero_ops_math}


class Environment:
    """A virtual environment with the core, and with the plugins that are installed into it.

    An editable one has the core and the distributions under test in folders of their own, which are
    named in files ``.pth``.
    """

    def __init__(self, folder, others, editable):
        venv.create(folder, symlinks=True)
        self.folder, self.editable = folder, editable
        self.python = folder / "bin" / "python"
        (self.site,) = folder.glob("lib/python*/site-packages")
        (self.site / "others.pth").write_text(f"import site; site.addsitedir({str(others)!r})\n")
        self._copy(Path(dezero_core.__file__).parent)

    @property
    def stubs(self):
        return self.site / "dezero_core-stubs"

    def _copy(self, *packages):
        """Copy folders of one distribution."""
        target = self.site
        if self.editable:
            target = self.folder / packages[0].name / "site-packages"  # as coverage knows them
            (self.site / f"{packages[0].name}.pth").write_text(f"{target}\n")
        for package in packages:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(package, target / package.name, ignore=ignored)

    def install_ours(self, name):
        """Install one of the distributions under test."""
        package = Path(PLUGINS[name].__file__).parent
        stubs = package.with_name("dezero_core-stubs")
        self._copy(package, *([stubs] if name == "dezero-ops-basic" else []))
        distribution = importlib_metadata.distribution(name)
        texts = {file: distribution.read_text(file) for file in ("METADATA", "entry_points.txt")}
        self._describe(name, distribution.version, texts)

    def install(self, name, source, version="1.0"):
        """Install a distribution of one typed package, which is a plugin; or another version."""
        self.uninstall(name)
        module = name.replace("-", "_")
        (self.site / module).mkdir()
        (self.site / module / "__init__.py").write_text(source)
        (self.site / module / "py.typed").touch()
        texts = {
            "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            "entry_points.txt": f"[dezero]\n{module} = {module}\n",
        }
        self._describe(name, version, texts)

    def uninstall(self, name):
        """Remove a distribution that `install` has installed."""
        for folder in self.site.glob(f"{name.replace('-', '_')}*"):
            shutil.rmtree(folder)

    def _describe(self, name, version, texts):
        info = self.site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        for file, text in texts.items():
            (info / file).write_text(text)

    def dezero(self, *arguments, status=0, **variables):
        """Run the command; return what it prints, on either stream."""
        done = self.run("-m", "dezero_tools", "stubs", *map(str, arguments), **variables)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stderr or done.stdout

    def run(self, *arguments, cwd=None, **variables):
        """Run the interpreter of the environment, with no DEZERO_* and PYTHON* but those given."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("DEZERO_", "PYTHON"))}
        return subprocess.run(
            [self.python, "-W", "ignore", *arguments],
            env=kept | variables,
            cwd=cwd or self.folder,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="session")
def new_environment(tmp_path_factory, site):
    """Return a function that makes an environment with some of the distributions under test."""

    def make(*names, editable=False):
        made = Environment(tmp_path_factory.mktemp("environment") / "venv", site, editable)
        for name in names:
            made.install_ours(name)
        return made

    return make


@pytest.fixture(scope="session")
def program():
    """Return the program that writes the stubs in wheels, as a module."""
    path = Path(__file__).parents[3] / "docs" / "make_stubs.py"
    spec = importlib.util.spec_from_file_location("make_stubs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
