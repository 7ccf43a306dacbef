"""Environments with different plugins, in which the command writes and type checkers read."""

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
    """A virtual environment with the core, and with the plugins that are installed into it."""

    def __init__(self, folder, others):
        venv.create(folder, symlinks=True)
        self.folder = folder
        self.python = folder / "bin" / "python"
        (self.site,) = folder.glob("lib/python*/site-packages")
        (self.site / "others.pth").write_text(f"import site; site.addsitedir({str(others)!r})\n")
        self._copy(dezero_core)

    @property
    def stubs(self):
        return self.site / "dezero_core-stubs"

    def _copy(self, package):
        source = Path(package.__file__).parent
        for path in source.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                target = self.site / source.name / path.relative_to(source)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())

    def install_ours(self, name):
        """Install one of the distributions under test."""
        self._copy(PLUGINS[name])
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

    def make(*names):
        made = Environment(tmp_path_factory.mktemp("environment") / "venv", site)
        for name in names:
            made.install_ours(name)
        return made

    return make
