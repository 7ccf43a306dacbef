"""Plugins that are unregistered: what is left of them, and who is told.

Promise: docs/how_to/look_at_plugins.md
"""

import threading

import numpy as np
import pytest

from dezero_core import (
    Function,
    PluginError,
    Variable,
    hookimpl,
    prefer,
    register,
    unregister,
    use_ops,
)
from dezero_core.extend import PREFERRED, find


def scaling(factor):
    class Scaled(Function):
        def forward(self, x):
            return factor * x

    class Plugin:
        """Of which weak references can be made."""

        @hookimpl
        def dezero_register_ops(self, register):
            scaled = lambda x: Scaled()(x)  # noqa: E731
            register("scaled", scaled, Scaled, methods="scaled", numpy=np.i0)

    return Plugin


def test_an_unregistered_plugin_is_registered_again_by_name():
    register(scaling(2.0)(), "acme_held")
    unregister("acme_held")
    assert register("acme_held").state == "loaded"
    assert unregister("acme_held").state == "disabled"


def test_unregistering_the_provider_of_a_running_use_ops_block_leaves_it_to_the_preferred_one(
    registered,
):
    one, other = scaling(1.0)(), scaling(2.0)()
    registered(one, "acme_one")
    prefer(scaled="acme_one")
    x = Variable(np.array(1.0))
    entered, leave = threading.Event(), threading.Event()

    def elsewhere():
        with use_ops(scaled="acme_other"):
            entered.set()
            leave.wait()

    try:
        register(other, "acme_other")
        with use_ops(scaled="acme_other"):
            assert np.i0(x).data == 2.0
            unregister("acme_other")
            assert np.i0(x).data == 1.0
            register("acme_other")
            assert np.i0(x).data == 2.0
        unregister("acme_other")
        register("acme_other")
        thread = threading.Thread(target=elsewhere)
        thread.start()
        entered.wait()
        unregister("acme_other")
        leave.set()
        thread.join()
    finally:
        del PREFERRED.maps[0]["scaled"]
    assert unregister("acme_other").state == "disabled"


def test_a_failing_announced_module_that_unregisters_its_plugin_is_not_reported(
    tmp_path, monkeypatch
):
    """It is not listed among the broken ones, since its plugin is gone."""
    monkeypatch.syspath_prepend(tmp_path)
    code = "import dezero_core\ndezero_core.unregister('leaves')\nraise ValueError('no luck')\n"
    (tmp_path / "leaving.py").write_text(code, encoding="utf-8")

    class leaves:
        @staticmethod
        @hookimpl
        def dezero_register_ops(register):
            register.later("leaving", operations="left_behind", methods="left_behind")

    register(leaves)
    with pytest.raises(PluginError, match="no luck"):
        Variable(np.array(3.0)).left_behind()
    assert not find("leaves").broken
    assert not hasattr(Variable, "left_behind")


def test_the_error_of_a_module_is_forgotten_with_its_plugin():
    class announces:
        @staticmethod
        @hookimpl
        def dezero_register_ops(register):
            register.later("not_to_be_found", operations="left_out", methods="left_out")

    register(announces)
    with pytest.raises(PluginError, match="not_to_be_found"):
        Variable(np.array(3.0)).left_out()
    assert find("announces").broken
    unregister(announces)
    assert not find("announces").broken
