"""Fixtures of the tests of the tools: the tools are loaded, and no operations."""

import pytest

import dezero_core

from ..environments import site_with


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Return the site-packages folder of fresh interpreters: without any plugin but the tools."""
    return site_with(tmp_path_factory.mktemp("site_of_tools"), "dezero-tools")


@pytest.fixture
def core_alone():
    """Unload every installed plugin but the tools for one test, in this process."""
    dezero_core.load_plugins(only=("tools",))
    yield
    dezero_core.load_plugins()
