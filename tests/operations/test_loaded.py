"""Which operations there are: those of the distributions installed here, and no others.

Promise: docs/how_to/write_an_operation.md
"""

import os
from importlib.metadata import entry_points

import dezero_core


def switched_on(name):
    only = os.environ.get("DEZERO_PLUGINS")
    disabled = os.environ.get("DEZERO_DISABLE_PLUGINS", "").split(",")
    return (only is None or name in only.split(",")) and name not in disabled


def test_only_plugins_of_the_installed_distributions_are_loaded():
    installed = {entry.name for entry in entry_points(group="dezero")}
    loaded = {plugin.name for plugin in dezero_core.plugins() if plugin.state == "loaded"}
    assert loaded == {name for name in installed if switched_on(name)}


def test_every_operation_is_listed_by_the_loaded_plugin_of_the_operation():
    listed = {(plugin.name, name) for plugin in dezero_core.plugins() for name in plugin.operations}
    assert {(operation.plugin, operation.name) for operation in dezero_core.ops()} == listed
