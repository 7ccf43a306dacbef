"""Settings that plugins declare: attributes of Config, as long as the plugin is loaded.

Promise: docs/how_to/publish_a_plugin.md
"""

import pytest

from dezero_core import (
    Config,
    PluginConflictError,
    PluginError,
    hookimpl,
    register,
    unregister,
    using_config,
)
from dezero_core.extend import RECORDING, mode

from ..engine.test_config import in_thread

PLUGIN = """
from dezero_core import hookimpl

@hookimpl
def dezero_register_ops(register):
    register.part("setting", "rehearse", True)
    {then}

DEZERO_PLUGIN_API = {api}
"""


class Declaring:
    """A plugin whose hook declares some settings."""

    def __init__(self, *settings):
        self.settings = settings

    @hookimpl
    def dezero_register_ops(self, register):
        for name, default in self.settings:
            register.part("setting", name, default)


@pytest.fixture
def rehearse(registered):
    plugin = Declaring(("rehearse", True), ("verbose", False))
    registered(plugin, "trainer")
    return plugin


@pytest.mark.usefixtures("rehearse")
def test_a_declared_setting_has_its_default_and_a_block_switches_it():
    assert (Config.rehearse, Config.verbose) == (True, False)
    with using_config("rehearse", False):
        assert (Config.rehearse, Config.verbose) == (False, False)
        with using_config("verbose", 1):
            assert (Config.rehearse, Config.verbose) == (False, True)
            with using_config("rehearse", True):
                assert Config.rehearse is True
                assert not in_thread(lambda: Config.verbose)
            assert Config.rehearse is False
    assert (Config.rehearse, Config.verbose) == (True, False)
    assert mode.get() is RECORDING


@pytest.mark.usefixtures("rehearse")
def test_a_setting_holds_beside_those_of_the_core_and_for_decorated_functions():
    @using_config("rehearse", False)
    def both():
        return Config.rehearse, Config.enable_backprop

    with using_config("enable_backprop", False):
        assert both() == (False, False)
        assert Config.rehearse is True
    assert both() == (False, True)


@pytest.mark.usefixtures("rehearse")
def test_a_setting_can_be_assigned_for_good_and_is_an_attribute_that_dir_lists():
    def assigned():
        Config.rehearse = False
        return Config.rehearse

    assert in_thread(assigned) is False
    assert Config.rehearse is True
    assert {"rehearse", "verbose", "enable_backprop"} <= set(dir(Config))


@pytest.mark.usefixtures("rehearse")
def test_an_unknown_setting_lists_those_of_the_core_and_of_plugins():
    with pytest.raises(AttributeError) as caught:
        using_config("rehaerse", False)
    known = (
        "Config has no setting 'rehaerse'. Known settings: enable_backprop, warn_of_independence, "
    )
    assert str(caught.value).startswith(known)
    assert str(caught.value).endswith("rehearse, verbose.")


def test_a_setting_goes_with_its_plugin_and_comes_back_as_it_was_assigned(rehearse):
    def unloaded():
        Config.rehearse = False
        unregister("trainer")
        with pytest.raises(AttributeError, match="no setting 'rehearse'"):
            _ = Config.rehearse
        with pytest.raises(AttributeError, match="no setting 'rehearse'"):
            Config.rehearse = True
        register(rehearse, "trainer")
        return Config.rehearse

    assert in_thread(unloaded) is False
    assert Config.rehearse is True  # here nobody has assigned it


@pytest.mark.usefixtures("rehearse")
def test_a_setting_of_another_plugin_or_of_the_core_is_a_conflict(registered):
    with pytest.raises(PluginConflictError, match="which plugin 'trainer' has registered") as of:
        registered(Declaring(("silent", True), ("rehearse", True)), "second")
    assert (of.value.what, of.value.other) == ("setting.rehearse", "trainer")
    with pytest.raises(AttributeError, match="no setting 'silent'"):
        _ = Config.silent
    for name in "enable_backprop", "warn_of_independence":
        with pytest.raises(PluginConflictError, match="belongs to the core") as of:
            registered(Declaring((name, True)), "third")
        assert of.value.other == "dezero_core"


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        (
            [("two words", True)],
            "'two words', True; its name must be one for an attribute of Con",
        ),
        (
            [("_private", True)],
            "the setting '_private', True; its name must be one for an attri",
        ),
        ([("mro", True)], "the setting 'mro', True; its name must be one for an attribute"),
        ([(3, True)], "the setting 3, True; its name must be a word"),
        ([("rehearse", 1)], "the setting 'rehearse', 1; its default must be True or False"),
        (
            [("rehearse", True), ("rehearse", False)],
            "the setting 'rehearse', False; that is done already",
        ),
    ],
    ids=["a space", "private", "of classes", "no name", "no bool", "twice"],
)
def test_a_setting_that_cannot_be_declared_is_refused_with_the_rule(settings, rule, registered):
    with pytest.raises(PluginError, match=rule):
        registered(Declaring(*settings), "refused")


@pytest.fixture
def trainer(fake_distribution):
    def install(then="pass", api="(2, 0)"):
        source = PLUGIN.replace("{then}", then).replace("{api}", api)
        fake_distribution("dezero-trainer", {"trainer.py": source}, {"trainer": "trainer"})

    return install


def test_an_installed_plugin_brings_a_setting(trainer, run_python):
    trainer()
    outcome = run_python("import dezero_core\nout['rehearse'] = dezero_core.Config.rehearse")
    assert outcome.out.rehearse is True
    assert outcome.states["trainer"] == "loaded"
    assert outcome.warnings == []


def test_a_plugin_whose_hook_raises_brings_no_setting(trainer, run_python):
    trainer(then="raise RuntimeError('no')")
    code = (
        "import dezero_core\nout['failure'] = failure(lambda: dezero_core.Config.rehearse)['types']"
    )
    outcome = run_python(code, warns=1)
    assert "AttributeError" in outcome.out.failure
    assert outcome.states["trainer"] == "failed"


def test_a_setting_is_there_after_an_import_that_begins_with_the_package(
    fake_distribution, run_python
):
    source = PLUGIN.replace("{then}", "pass").replace("{api}", "(2, 0)")
    fake_distribution(
        "dezero-trainer",
        {"trainer/__init__.py": "import dezero_core\n", "trainer/plugin.py": source},
        {"trainer": "trainer.plugin"},
    )
    code = "import trainer\nfrom dezero_core import using_config\n"
    code += "with using_config('rehearse', False): out['entered'] = True"
    assert run_python(code).out.entered is True
