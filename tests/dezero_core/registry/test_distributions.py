"""Installed plugins are found as importlib_metadata finds them, and mostly without it."""

import os
import sys
import zipfile
from pathlib import Path

import importlib_metadata
import pytest
from dezero_core.registry.discovery import EntryPoint, entry_points, normalized

GROUP = "acme"


def facts(entry):
    """Return what is read of an entry point and of the distribution that has it."""
    dist = entry.dist
    folder = os.path.normpath(str(dist.locate_file("")))
    return entry.name, entry.value, dist.name, dist.version, list(dist.requires or ()), folder


def found():
    """Return the facts of all entry points; they are those that importlib_metadata finds."""
    ours = sorted(map(facts, entry_points(GROUP)))
    assert ours == sorted(map(facts, importlib_metadata.entry_points(group=GROUP)))
    return ours


@pytest.fixture
def path(monkeypatch, tmp_path):
    """Return a function that makes folders and puts them on the path, before all others."""

    def make(*names):
        folders = [tmp_path / name for name in names]
        for folder in folders:
            folder.mkdir()
        monkeypatch.setattr(sys, "path", [*map(str, folders), *sys.path])
        return folders

    return make


def write(folder, info, entry_point="acme.plugin", name=None, metadata=None, **files):
    """Write the metadata of a distribution."""
    name = name or info.partition("-")[0]
    metadata = metadata or f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    texts = {"METADATA": metadata, "entry_points.txt": f"[{GROUP}]\nplug = {entry_point}\n"}
    (folder / info).mkdir(parents=True)
    for file, text in (texts | files).items():
        if text is not None:
            (folder / info / file).write_bytes(text.encode() if isinstance(text, str) else text)


@pytest.fixture
def without_importlib_metadata(monkeypatch):
    """Fail where it is imported, as it need not be for folders."""
    monkeypatch.setitem(sys.modules, "importlib_metadata", None)


def test_the_distribution_in_the_first_folder_on_the_path_counts(path):
    first, second = path("first", "second")
    write(first, "acme-2.0.dist-info", "acme.new")
    write(second, "acme-1.0.dist-info", "acme.old")
    assert [value for _, value, *_ in found()] == ["acme.new"]


def test_a_distribution_without_entry_points_hides_a_later_one_of_its_name(path):
    first, second = path("first", "second")
    write(first, "acme-2.0.dist-info", **{"entry_points.txt": None})
    write(second, "acme-1.0.dist-info")
    assert found() == []


@pytest.mark.parametrize("left", ["RECORD", "entry_points.txt"])
def test_the_remains_of_a_failed_uninstallation_do_not_count_as_a_distribution(left, path):
    first, second = path("first", "second")
    gone = {"METADATA": None, "entry_points.txt": None} | {left: "[acme]\nplug = acme.gone\n"}
    write(first, "acme-2.0.dist-info", **gone)
    write(second, "acme-1.0.dist-info", "acme.here")
    assert [value for _, value, *_ in found()] == ["acme.here"]


def test_the_first_of_two_distributions_without_metadata_counts(path):
    first, second = path("first", "second")
    write(first, "acme-2.0.dist-info", "acme.new", METADATA=None)
    write(second, "acme-1.0.dist-info", "acme.old", METADATA=None)
    assert [entry.value for entry in entry_points(GROUP)] == ["acme.new"]


@pytest.mark.parametrize("other", ["Acme.Ops", "acme_ops", "ACME__OPS", "acme.ops"])
def test_names_of_distributions_are_compared_as_by_installers(other, path):
    first, second = path("first", "second")
    write(first, "acme_ops-1.0.dist-info", "acme.first")
    write(second, f"{other}-1.0.dist-info", "acme.second")
    assert [value for _, value, *_ in found()] == ["acme.first"]


def test_an_editable_installation_is_found_by_its_metadata(path, monkeypatch):
    (site,) = path("site")
    write(site, "acme-1.0.dist-info")
    monkeypatch.setattr(sys, "path", [*sys.path, str(site.parent / "checkout" / "src")])
    assert [(name, folder) for name, *_, folder in found()] == [("plug", str(site))]


def test_a_folder_that_is_twice_on_the_path_is_read_once(path):
    (site,) = path("site")
    sys.path.append(str(site))
    write(site, "acme-1.0.dist-info")
    assert len(found()) == 1


def test_an_empty_name_on_the_path_is_the_current_folder(path, monkeypatch):
    (site,) = path("site")
    write(site, "acme-1.0.dist-info")
    monkeypatch.chdir(site)
    sys.path[0] = ""
    assert [folder for *_, folder in found()] == ["."]


SECTIONS = """\
stray = line
[console_scripts]
acme = acme:main

[acme]
# comment = not.an.entry
plug = acme.plugin
other=acme.other:Plugin [extra]
 spaced  =  acme.spaced : plugin
[ acme ]
not = this
[acme.more]
nor = that
[acme]
last = acme.last
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_entry_point_of_a_group_is_found(end, path):
    (site,) = path("site")
    write(site, "acme-1.0.dist-info", **{"entry_points.txt": SECTIONS.replace("\n", end)})
    assert [(name, value) for name, value, *_ in found()] == [
        ("last", "acme.last"),
        ("other", "acme.other:Plugin [extra]"),
        ("plug", "acme.plugin"),
        ("spaced", "acme.spaced : plugin"),
    ]


METADATA = """\
Metadata-Version: 2.1
NAME: Acme.Ops
version: 2.0rc1
Summary: Operations
        Name: folded
Requires-Dist: numpy>=2.0
Requires-Dist: dezero-core (>=0.1)
Requires-Dist: fast; extra == "fast"

Name: of the description
Requires-Dist: nothing
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("file", ["METADATA", "PKG-INFO"])
def test_name_version_and_requirements_are_read_from_the_headers_of_the_metadata(file, end, path):
    (site,) = path("site")
    files = {"METADATA": None} | {file: METADATA.replace("\n", end)}
    write(site, "Acme.Ops-2.0rc1.dist-info", **files)
    requirements = ["numpy>=2.0", "dezero-core (>=0.1)", 'fast; extra == "fast"']
    assert found() == [("plug", "acme.plugin", "Acme.Ops", "2.0rc1", requirements, str(site))]


def test_damaged_metadata_of_a_distribution_are_read_as_far_as_possible(path):
    (site,) = path("site")
    write(site, "acme-1.0.dist-info", METADATA=b"\xff\xfe\nName: acme\n")
    (entry,) = entry_points(GROUP)
    assert (entry.dist.name, entry.dist.version, entry.dist.requires) == ("acme", None, [])


def test_entry_points_that_cannot_be_decoded_harm_no_other_distribution(path):
    """Of importlib_metadata it would be the end."""
    (site,) = path("site")
    write(site, "acme-1.0.dist-info")
    write(site, "bad-1.0.dist-info", **{"entry_points.txt": b"\xff[acme]\nplug = bad\n"})
    write(site, "worse-1.0.dist-info", **{"entry_points.txt": b"[acme]\nplug\n"})
    assert {(e.dist.name, e.value) for e in entry_points(GROUP)} == {
        ("acme", "acme.plugin"),
        ("worse", ""),
    }


def test_a_distribution_as_egg_info_is_found_with_its_requirements(path):
    """As of ``setup.py develop``, and of some packages of Linux distributions."""
    (site,) = path("site")
    (site / "zulu-2.0.egg-info").write_text("Metadata-Version: 1.0\nName: zulu\nVersion: 2.0\n")
    files = {"METADATA": None, "PKG-INFO": "Metadata-Version: 1.0\nName: acme\nVersion: 1.0\n"}
    write(site, "acme.egg-info", **files, **{"requires.txt": "numpy\n\n[fast]\nfast\n"})
    requirements = ["numpy", 'fast; extra == "fast"']
    assert found() == [("plug", "acme.plugin", "acme", "1.0", requirements, str(site))]


def in_an_archive(site):
    with zipfile.ZipFile(site / "acme.zip", "w") as archive:
        archive.writestr("acme-1.0.dist-info/METADATA", "Name: acme\nVersion: 1.0\n")
        archive.writestr("acme-1.0.dist-info/entry_points.txt", "[acme]\nzipped = acme.zipped\n")
    sys.path.append(str(site / "acme.zip"))


def in_an_egg(site):
    write(site / "acme-1.0-py3.11.egg", "EGG-INFO", "acme.egg", name="acme")
    (site / "acme-1.0-py3.11.egg/EGG-INFO/METADATA").rename(
        site / "acme-1.0-py3.11.egg/EGG-INFO/PKG-INFO"
    )
    sys.path.append(str(site / "acme-1.0-py3.11.egg"))


def in_a_folder_of_another_type(site):
    write(site / "more", "acme-1.0.dist-info", "acme.more")
    sys.path.append(site / "more")


def in_capital_letters(site):
    write(site, "acme-1.0.DIST-INFO", "acme.capital", name="acme")


def beside_a_file_that_is_no_archive(site):
    write(site, "acme-1.0.dist-info", "acme.beside")
    (site / "script.py").write_text("")
    sys.path.append(str(site / "script.py"))


@pytest.mark.parametrize(
    "unusual",
    [
        in_an_archive,
        in_an_egg,
        in_a_folder_of_another_type,
        in_capital_letters,
        beside_a_file_that_is_no_archive,
    ],
)
def test_distributions_in_zip_files_and_other_unusual_places_are_found(unusual, path):
    (site,) = path("site")
    write(site, "beta-1.0.dist-info", "beta.plugin")
    unusual(site)
    assert sorted(name for _, _, name, *_ in found()) == ["acme", "beta"]


def test_a_finder_of_distributions_on_the_meta_path_is_asked(path, monkeypatch):
    class Distribution(importlib_metadata.Distribution):
        def read_text(self, filename):
            return {
                "METADATA": "Name: acme\nVersion: 3.0\n",
                "entry_points.txt": "[acme]\nplug = acme.from_a_database\n",
            }.get(filename)

        def locate_file(self, path):
            return Path("database", path)

    class Finder(importlib_metadata.DistributionFinder):
        def find_distributions(self, context=None):
            return [Distribution()]

        def find_spec(self, *args):
            return None

    path("site")
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert [value for _, value, *_ in found()] == ["acme.from_a_database"]


def test_entry_points_of_this_environment_agree_with_importlib_metadata():
    for group in ("console_scripts", "dezero", "pytest11"):
        expected = importlib_metadata.entry_points(group=group)
        assert sorted(map(facts, entry_points(group))) == sorted(map(facts, expected))


def test_common_folders_are_searched_without_importing_importlib_metadata(
    path, without_importlib_metadata
):
    """Folders that are not there do not matter, and what is unrelated may look as it likes."""
    first, second = path("first", "second")
    sys.path += ["/no/such/folder", "/no/such/python311.zip"]
    write(first, "acme-1.0.dist-info")
    write(second, "other-1.0.egg-info", **{"entry_points.txt": "[other]\nx = y\n"})
    (second / "debian-1.0.egg-info").write_text("Name: debian\n")
    (second / "dist-info").mkdir()
    assert [entry.value for entry in entry_points(GROUP)] == ["acme.plugin"]
    (second / "archive.zip").write_text("")
    sys.path.append(str(second / "archive.zip"))
    with pytest.raises(ImportError):
        entry_points(GROUP)


def test_discovery_opens_one_file_for_each_of_300_unrelated_distributions(
    plugin_source, fake_distribution, run_python
):
    for number in range(300):
        name = f"unrelated_{number}"
        fake_distribution(name, {}, {"run": f"{name}:main"} if number % 2 else None, group="x")
    fake_distribution("acme-ops", {"acme.py": plugin_source("tripled")}, {"acme": "acme"})
    outcome = run_python(
        "import sys\nopened = []\n"
        "sys.addaudithook(lambda event, args: event == 'open' and opened.append(args[0]))\n"
        "import dezero_core\n"
        "out['files'] = [f for f in map(str, opened) if '/unrelated_' in f]\n"
        "out['imported'] = 'importlib_metadata' in sys.modules"
    )
    assert len(outcome.out.files) == len(set(outcome.out.files)) == 300
    assert all(file.endswith("entry_points.txt") for file in outcome.out.files)
    assert not outcome.out.imported
    assert outcome.states == {"acme": "loaded"}


def test_the_origin_of_a_plugin_is_read_only_on_demand(
    plugin_source, fake_distribution, run_python
):
    url = '{"url": "https://example.org/acme.whl", "archive_info": {}}'
    modules = {"acme.py": plugin_source("tripled")}
    fake_distribution("acme-ops", modules, {"acme": "acme"}, direct_url=url)
    outcome = run_python(
        "import sys\nopened = []\n"
        "sys.addaudithook(lambda event, args: event == 'open' and opened.append(str(args[0])))\n"
        "import dezero_core\n"
        "def times(): return sum('direct_url' in name for name in opened)\n"
        "out['times'] = [times()]\n"
        "first, again = dezero_core.plugins(), dezero_core.plugins()\n"
        "out['same'] = first == again\n"
        "out['times'].append(times())\n"
        "out['origins'] = [dezero_core.unregister('acme').origin,"
        " dezero_core.register('acme').origin]"
    )
    assert outcome.out.times == [0, 1]
    assert outcome.out.same
    assert outcome.out.origins == ["https://example.org/acme.whl"] * 2


class WithoutFolder:
    """A distribution of a finder that has no files."""

    name = version = requires = None

    def locate_file(self, path):
        raise NotImplementedError


def test_a_distribution_without_any_files_is_listed_as_unknown(monkeypatch):
    from dezero_core.registry import discovery

    entry = EntryPoint("plug", "acme", WithoutFolder())
    monkeypatch.setattr(discovery, "entry_points", lambda group, warn: [entry])
    (plugin,) = discovery.discover()
    record = plugin.described()
    assert (record.distribution, record.version, record.origin) == ("unknown",) * 3


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("os", os),
        ("os.path", os.path),
        ("os : path", os.path),
        ("os:path.join [extra, more]", os.path.join),
    ],
)
def test_an_object_reference_leads_to_a_module_or_an_object_in_a_module(value, expected):
    assert EntryPoint("x", value, None).load() is expected


@pytest.mark.parametrize("value", ["", "os:", ":path", "os path", "os-path", "os..path", "os:a-b"])
def test_an_entry_point_value_that_is_no_reference_is_refused(value):
    with pytest.raises(ValueError, match="no reference"):
        EntryPoint("x", value, None).load()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("acme", "acme"), ("Acme_.-Ops.x", "acme-ops-x"), ("a---b", "a-b"), ("a.b_c", "a-b-c")],
)
def test_names_of_distributions_are_normalized_by_pep_503(name, expected):
    assert normalized(name) == expected
