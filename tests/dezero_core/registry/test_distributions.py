"""Installed plugins are found by the package importlib-metadata; here, what must be right of it.

Promise: docs/how_to/look_at_plugins.md
"""

import zipfile

import importlib_metadata
import pytest

from dezero_core.extend import Plugin, normalized

USE = """
import numpy as np, dezero_core
out["y"] = dezero_core.Variable(np.array(1.0)).tripled().item()
"""


def test_metadata_that_cannot_be_read_harm_no_other_distribution(
    plugin_source, fake_distribution, run_python
):
    """Be it of a plugin or of a package that has nothing to do with this one."""
    site = fake_distribution("acme-ops", {"acme.py": plugin_source("tripled")}, {"acme": "acme"})
    fake_distribution("bad", {}, {"run": "bad:main"}, group="console_scripts")
    (site / "bad-1.0.dist-info/entry_points.txt").write_bytes(b"\xff[console_scripts]\nrun = bad\n")
    outcome = run_python(USE, warns=None)
    assert outcome.out.y == 3.0
    assert outcome.states == {"acme": "loaded"}


def test_a_plugin_in_an_archive_on_the_path_is_found(plugin_source, tmp_path, run_python):
    with zipfile.ZipFile(tmp_path / "acme.zip", "w") as archive:
        archive.writestr("acme.py", plugin_source("tripled"))
        archive.writestr("acme_ops-2.0.dist-info/METADATA", "Name: acme-ops\nVersion: 2.0\n")
        archive.writestr("acme_ops-2.0.dist-info/entry_points.txt", "[dezero]\nacme = acme\n")
    outcome = run_python(f"import sys\nsys.path.append({str(tmp_path / 'acme.zip')!r})\n{USE}")
    assert (outcome.out.y, outcome.plugin("acme").version) == (3.0, "2.0")


def test_the_package_that_finds_plugins_is_imported_at_the_first_use(
    plugin_source, fake_distribution, run_python
):
    fake_distribution("acme-ops", {"acme.py": plugin_source("tripled")}, {"acme": "acme"})
    outcome = run_python(
        "import sys, dezero_core\nnames = 'acme', 'importlib_metadata'\n"
        "out['before'] = [name in sys.modules for name in names]\ndezero_core.Variable(None)\n"
        "out['after'] = [name in sys.modules for name in names]",
        fresh=True,
    )
    assert (outcome.out.before, outcome.out.after) == ([False, False], [True, True])


def test_a_distribution_as_egg_info_is_found_with_its_name_and_version(
    plugin_source, fake_distribution, run_python
):
    """As of ``setup.py develop``, and of some packages of Linux distributions."""
    site = fake_distribution("other", {"acme.py": plugin_source("tripled")})
    info = {"PKG-INFO": "Metadata-Version: 1.0\nName: acme-ops\nVersion: 2.0\n"}
    info["entry_points.txt"] = "[dezero]\nacme = acme\n"
    (site / "acme_ops.egg-info").mkdir()
    for name, text in info.items():
        (site / "acme_ops.egg-info" / name).write_text(text)
    outcome = run_python(USE)
    record = outcome.plugin("acme")
    assert (record.distribution, record.version, record.state) == ("acme-ops", "2.0", "loaded")


class WithoutFolder(importlib_metadata.Distribution):
    """A distribution of a finder that has no files."""

    def read_text(self, filename):
        return None

    def locate_file(self, path):
        raise NotImplementedError


def test_a_distribution_without_any_files_is_listed_as_unknown():
    entry = importlib_metadata.EntryPoint("plug", "acme", "dezero")
    vars(entry).update(dist=WithoutFolder())
    record = Plugin.of(entry).described()
    assert (record.distribution, record.version) == ("unknown",) * 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [("acme", "acme"), ("Acme_.-Ops.x", "acme-ops-x"), ("a---b", "a-b"), ("a.b_c", "a-b-c")],
)
def test_names_of_distributions_are_normalized_by_pep_503(name, expected):
    assert normalized(name) == expected
