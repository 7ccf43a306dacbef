"""What ``dezero stubs`` writes and refuses to write, and when it calls what is there stale.

Promise: docs/how_to/type_checking.md
"""

import json
import shutil

import pytest

import dezero_tools

PLUGIN = """
from dezero_core import hookimpl

def {method}(x, {parameters}):
    return x

@hookimpl
def dezero_register_ops(register):
    register("{method}", {method}, methods="{method}")
"""

PLUGINS = [
    "plugin 'plugin_one' (plugin-one 1.0)",
    "plugin 'plugin_two' (plugin-two 1.0)",
    f"plugin 'tools' (dezero-tools {dezero_tools.__version__})",
]


def plugin(method, parameters="times=1"):
    return PLUGIN.format(method=method, parameters=parameters)


@pytest.fixture(scope="module")
def environment(new_environment):
    """Return an environment with the core alone; each test installs plugins of its own."""
    return new_environment()


@pytest.fixture
def installed(environment):
    """Return the same with two plugins, and without what the test before has left."""
    environment.uninstall("plugin")  # all of that beginning
    shutil.rmtree(environment.stubs, ignore_errors=True)
    environment.install("plugin-one", plugin("one"))
    environment.install("plugin-two", plugin("two"))
    return environment


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_stubs_are_written_into_the_environment_of_the_command(installed):
    printed = installed.dezero()
    assert printed.splitlines() == [
        f"Wrote {installed.stubs}",
        *(f"  with {plugin}" for plugin in PLUGINS),
    ]
    written = contents(installed.stubs)
    assert written.keys() == {"py.typed", "bound.pyi"}
    assert written["py.typed"] == b"partial\n"


def test_stubs_written_twice_are_equal(installed):
    installed.dezero(PYTHONHASHSEED="1")
    before = contents(installed.stubs)
    printed = json.loads(installed.dezero("--json", PYTHONHASHSEED="2"))
    assert printed == {
        "folder": str(installed.stubs),
        "plugins": PLUGINS,
        "left_out": [],
    }
    assert contents(installed.stubs) == before
    assert installed.dezero("--check") == f"{installed.stubs} is up to date.\n"
    assert json.loads(installed.dezero("--check", "--json")) == {
        "folder": str(installed.stubs),
        "stale": [],
    }


def test_stubs_that_an_installer_has_linked_to_its_cache_are_not_written_there(installed, tmp_path):
    installed.dezero()
    stub, cached = installed.stubs / "bound.pyi", tmp_path / "cached"
    cached.hardlink_to(stub)
    before = cached.read_bytes()
    installed.uninstall("plugin-two")
    installed.dezero()
    assert b"def two(" not in stub.read_bytes()
    assert cached.read_bytes() == before


def test_stubs_check_without_stubs_says_how_to_write_stubs(installed, tmp_path):
    folder = tmp_path / "my typings"
    printed = installed.dezero("--check", "-o", folder, status=1)
    assert printed.splitlines() == [
        f"{folder / 'dezero_core-stubs'} is stale:",
        f"  {folder} has no dezero_core-stubs",
        f"Write it again: dezero stubs --output '{folder}'",
    ]
    assert not folder.exists()
    installed.dezero("-o", folder)
    installed.dezero("--check", "-o", folder)


def stale(environment):
    """Return what --check finds, having seen that it changes nothing and fails."""
    before = contents(environment.stubs)
    printed = environment.dezero("--check", status=1).splitlines()
    assert printed[0] == f"{environment.stubs} is stale:"
    assert printed[-1] == "Write it again: dezero stubs"
    assert contents(environment.stubs) == before
    return [line.strip() for line in printed[1:-1]]


def test_stubs_are_stale_when_plugins_come_and_go(installed):
    installed.dezero()
    installed.uninstall("plugin-two")
    installed.install("plugin-three", plugin("three"))
    assert stale(installed) == [
        "made with plugin 'plugin_two' (plugin-two 1.0)",
        "there is now plugin 'plugin_three' (plugin-three 1.0)",
        "Variable lacks three",
        "Variable has, though nothing binds it any more, two",
    ]


def test_stubs_are_stale_when_a_plugin_changes(installed):
    installed.dezero()
    installed.install("plugin-two", plugin("two", "times=2"))
    assert stale(installed) == ["Variable has in another form two"]
    installed.install("plugin-two", plugin("two"), version="1.1")
    assert stale(installed) == [
        "made with plugin 'plugin_two' (plugin-two 1.0)",
        "there is now plugin 'plugin_two' (plugin-two 1.1)",
    ]


def test_stubs_that_somebody_changed_are_stale(installed):
    installed.dezero()
    (installed.stubs / "py.typed").write_text("")
    assert stale(installed) == ["the files are not as they were written"]
    stub = installed.stubs / "bound.pyi"
    stub.write_text(stub.read_text().replace("def one(", "def one((("))
    (found,) = stale(installed)
    assert found == "Variable lacks one, two, __hash__"
    installed.dezero()
    installed.dezero("--check")


@pytest.mark.parametrize("file", ["bound.pyi", "function.pyi"])
def test_stubs_leave_files_of_other_packages_alone(installed, file):
    installed.stubs.mkdir()
    (installed.stubs / file).write_text("class Bound: ...\n")
    for arguments in ((), ("--check",)):
        printed = installed.dezero(*arguments, status=1)
        assert printed == (
            f"dezero: {installed.stubs / file} was not written by dezero stubs, and is left as it "
            f"is. Remove {installed.stubs}, or choose another folder: dezero stubs --output "
            "FOLDER\n"
        )
    assert contents(installed.stubs) == {file: b"class Bound: ...\n"}


def test_stubs_for_a_folder_that_cannot_be_written_are_an_error(installed, tmp_path):
    file = tmp_path / "file"
    file.touch()
    printed = json.loads(installed.dezero("-o", file, "--json", status=1))
    assert printed["error"] == "StubPackageError"
    assert printed["path"] == str(file / "dezero_core-stubs")
    assert printed["message"] == (
        f"{file / 'dezero_core-stubs'} cannot be written: Not a directory. Choose another folder: "
        "dezero stubs --output FOLDER"
    )


@pytest.mark.parametrize(
    ("source", "state", "cause"),
    [
        ("1 / 0\n", "failed", "ZeroDivisionError: division by zero"),
        (
            "DEZERO_PLUGIN_API = (1, 0)\n",
            "incompatible",
            "it needs plugin API 1.0; this dezero-core offers 2.0. Upgrade the plugin",
        ),
    ],
    ids=["broken", "api"],
)
def test_stubs_are_refused_if_a_plugin_is_not_loaded(installed, source, state, cause):
    installed.dezero()
    before = contents(installed.stubs)
    installed.install("plugin-two", source)
    for arguments in ((), ("--check",)):
        printed = installed.dezero(*arguments, status=1)
        assert printed.startswith(
            "dezero: the stubs would lack the members of plugins that are not loaded. "
            f"plugin 'plugin_two' (plugin-two 1.0) is {state}: "
        )
        assert cause in printed
        assert printed.endswith(
            ". To write the stubs without them: DEZERO_DISABLE_PLUGINS=plugin_two dezero stubs\n"
        )
    assert contents(installed.stubs) == before


def test_stubs_name_a_disabled_plugin_as_left_out(installed):
    installed.install("plugin-two", "1 / 0\n")
    disabled = {"DEZERO_DISABLE_PLUGINS": "plugin_two"}
    why = "plugin 'plugin_two' (plugin-two 1.0){} disabled by DEZERO_DISABLE_PLUGINS"
    printed = installed.dezero(**disabled)
    assert printed.splitlines()[-1] == "  without " + why.format(":")
    assert f"# {why.format(', left out:')}\n" in (installed.stubs / "bound.pyi").read_text()
    installed.dezero("--check", **disabled)
    installed.install("plugin-two", plugin("two"))
    assert stale(installed)[-1] == "Variable lacks two"


def test_stubs_have_the_signature_of_the_provider_in_use(installed):
    source = """
from dezero_core import hookimpl

def one(x, {name}=1):
    return x

@hookimpl
def dezero_register_ops(register):
    half = property(lambda x: x, doc="Half, by {name}.")
    register("one", one, methods={{"one": one, "half": half, "{name}": one}})
"""
    for number in ("one", "two"):
        installed.install(f"plugin-{number}", source.format(name=f"by_{number}"))
    installed.dezero(DEZERO_OPS="one=plugin-two")
    text = (installed.stubs / "bound.pyi").read_text()
    assert "    def one(self, by_two: Any=1) -> Variable:\n" in text
    assert "Half, by by_two.\n\n        Provided by plugin 'plugin_two'" in text
    assert "    def by_one(self, by_one: Any=1) -> Variable:\n" in text  # which is bound as well
    assert "    def by_two(self, by_two: Any=1) -> Variable:\n" in text
    assert text.count("Provided by plugin 'plugin_one'") == 1


def test_stubs_have_no_member_that_two_plugins_contest_until_one_is_chosen(installed):
    """It cannot be used; all else of both is there."""
    installed.install("plugin-two", plugin("one"))
    installed.install("plugin-three", plugin("three"))
    installed.dezero()
    text = (installed.stubs / "bound.pyi").read_text()
    assert "def one(" not in text
    assert "def three(" in text
    installed.dezero(DEZERO_OPS="Variable.one=plugin-two")
    text = (installed.stubs / "bound.pyi").read_text()
    assert text.count("def one(") == 1
    assert "Provided by plugin 'plugin_two'" in text


def test_stubs_name_a_module_that_cannot_be_imported_as_left_out(installed):
    source = """
from dezero_core import hookimpl

@hookimpl
def dezero_register_ops(register):
    register.later("plugin_two.missing", operations="two", methods="two")
    register("three", lambda x: x, methods="three")
"""
    installed.install("plugin-two", source)
    printed = installed.dezero(status=1)
    cause = "its module 'plugin_two.missing' cannot be loaded: ModuleNotFoundError"
    assert f"  without plugin 'plugin_two' (plugin-two 1.0): {cause}" in printed
    text = (installed.stubs / "bound.pyi").read_text()
    assert f"# plugin 'plugin_two' (plugin-two 1.0), left out: {cause}" in text
    assert "def three(" in text
    assert "def two(" not in text
    assert "def one(" in text
