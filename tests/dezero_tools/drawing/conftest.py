"""Graphviz as a program: none, a real one, or one that behaves as a test needs it."""

import sys

import pytest

#: Graphviz' own parser, layout and renderer, which the wheel of pygraphviz carries.
GRAPHVIZ = """
import sys
import pygraphviz
kind, file, source = sys.argv[1][2:], sys.argv[4], sys.argv[5]
pygraphviz.AGraph(filename=source).draw(file, format=kind, prog="dot")
"""


@pytest.fixture
def without_dot(tmp_path, monkeypatch):
    """Leave no program on PATH."""
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))


@pytest.fixture
def install_dot(tmp_path, monkeypatch):
    """Return a function that makes Python source the only program on PATH, as ``dot``."""

    def install(source):
        program = tmp_path / "bin" / "dot"
        program.parent.mkdir()
        program.write_text(f"#!{sys.executable}\n{source}")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent))
        return program

    return install


@pytest.fixture
def graphviz(install_dot):
    """Make Graphviz the only program on PATH."""
    return install_dot(GRAPHVIZ)
