"""The site is built without a warning, is complete, and loads nothing from elsewhere.

Promise: CONTRIBUTING.md
"""

import re
import shutil
import subprocess
import zlib
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from dezero_core import ops

from .conftest import build
from .pages import ROOT
from .test_docstrings import DOCUMENTED, MODULES, names_of

LOADS = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src",),
    "audio": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "link": ("href",),
    "use": ("href",),
    "image": ("href",),
}
#: Methods of Variable that only the engine calls.
INTERNAL = {"dezero_core.Variable.edge_of_input", "dezero_core.Variable.check_data"}
#: A ``link`` that is followed by readers and not loaded by the browser.
FOLLOWED = {"next", "prev", "index", "search", "canonical", "author"}


class Addresses(HTMLParser):
    """Collects what a page loads, what it links to, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.loaded, self.links, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag != "link" or given.get("rel") not in FOLLOWED:
            self.loaded += [given[name] for name in LOADS.get(tag, ()) if given.get(name)]


@pytest.fixture(scope="module")
def pages(site):
    found = {path: Addresses(path.read_text("utf-8")) for path in site.rglob("*.html")}
    assert len(found) > 40
    return found


def test_the_site_is_built_without_a_warning(built):
    assert built[1] == "exit status 0\n"


def test_every_page_of_the_site_has_one_viewport_and_one_description(site):
    said = {}
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        assert text.count('name="viewport"') == 1, path
        (said[path.relative_to(site).as_posix()],) = re.findall(
            '<meta name="description" content="([^"]+)">', text
        )
    tagline = (ROOT / "README.md").read_text("utf-8").split("\n\n")[1]
    assert said["index.html"] == f"DeZero in plugins. {tagline}"
    assert said["how_to/find_a_nan.html"].startswith(
        "Debugging: find a nan, or a wrong gradient. Suppose that a loss is nan."
    )


def test_make_html_builds_the_site_as_make_docs_does_and_does_not_serve_it():
    def recipe(target):
        make = ["make", "--dry-run", "--no-print-directory", "--directory", ROOT, target]
        return subprocess.run(make, capture_output=True, text=True, check=True).stdout

    assert "-m sphinx -W --keep-going -n" in recipe("html")
    assert "http.server" not in recipe("html")
    assert recipe("docs").startswith(recipe("html"))
    assert "http.server" in recipe("docs")


def test_no_page_of_the_site_loads_anything_from_another_host(pages):
    loaded = {address for page in pages.values() for address in page.loaded}
    assert "_static/site.css" in {address.partition("?")[0] for address in loaded}
    assert list(filter(is_elsewhere, loaded)) == []


def test_no_style_sheet_or_drawing_of_the_site_loads_anything_from_another_host(site):
    found = {}
    for path in (*site.rglob("*.css"), *site.rglob("*.svg")):
        text = path.read_text("utf-8")
        pattern = r"""(?:url\(|@import|<image[^>]*href=)\s*["']?([^"')\s]+)"""
        found[path.name] = re.findall(pattern, text)
    assert found["architecture.svg"] == ["#head"]
    assert [name for name in found if any(map(is_elsewhere, found[name]))] == []


def is_elsewhere(address):
    return bool(urlsplit(address).netloc)


def test_every_link_within_the_site_leads_to_an_existing_place(pages, site):
    missing = []
    for path, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            if not target.exists():
                missing.append((path.name, link))
            fragment = unquote(address.fragment)
            if fragment and target in pages and fragment not in pages[target].anchors:
                missing.append((path.name, link))
    assert missing == []


def test_only_printed_tables_keep_their_columns_on_a_narrow_screen(site):
    def tables(page):
        text = (site / "how_to" / page).read_text("utf-8")
        blocks = re.findall(r'<div class="([^"]*highlight-text[^"]*)">', text)
        return ["table-of-text" in block for block in blocks]

    assert tables("see_time_and_memory.html")[:3] == [True, False, True]
    assert True not in tables("read_an_error.html")
    style = (site / "_static" / "site.css").read_text("utf-8")
    assert re.search(r"\.table-of-text\.highlight-text pre \{\s*white-space: pre;", style)


def test_programs_of_the_site_can_be_copied_and_printed_output_cannot(pages, site):
    for path, page in pages.items():
        loaded = {address.partition("?")[0].rpartition("/")[2] for address in page.loaded}
        assert "copybutton.js" in loaded, path
    script = (site / "_static" / "copybutton.js").read_text("utf-8")
    assert "div:not(.highlight-text) > div.highlight > pre" in script


def documented_names(site):
    """Return the names in the inventory of the site."""
    raw = (site / "objects.inv").read_bytes()
    header_end = re.match(rb"(?:#[^\n]*\n){4}", raw).end()
    lines = zlib.decompress(raw[header_end:]).decode().splitlines()
    return {line.split()[0] for line in lines if line.split()[1].startswith("py:")}


def test_every_public_name_is_in_the_reference(site):
    names = {f"{module.__name__}.{name}" for module in MODULES for name in names_of(module)}
    names |= DOCUMENTED.keys() - INTERNAL
    assert names - documented_names(site) == set()


def test_every_operation_is_in_the_reference_by_its_public_name(site):
    ours = [operation for operation in ops() if operation.plugin in ("basic", "math")]
    assert len(ours) > 260
    assert {public_name(operation) for operation in ours} - documented_names(site) == set()


def public_name(operation):
    package = operation.function.__module__.partition(".")[0]
    namespace = operation.name.rpartition(".")[0]
    return ".".join(filter(None, (package, namespace, operation.function.__name__)))


def linked_operations(page):
    """Return the names on a page that link to an entry of the reference, in order."""
    pattern = r'<a class="reference internal" href="[\w/.]*#(dezero_ops_[\w.]+)"[^>]*>(.*?)</a>'
    found = re.findall(pattern, page.read_text("utf-8"))
    return [(re.sub("<[^>]*>", "", text), entry) for entry, text in found]


def test_every_operation_is_listed_by_each_of_its_names_from_a_to_z(site):
    listed = linked_operations(site / "reference" / "all_operations.html")
    names = [name.rpartition(".")[2] for name, _ in listed]
    assert names == sorted(names)
    for operation in ops():
        if operation.plugin in ("basic", "math"):
            entry = public_name(operation)
            names = {name.rpartition(".")[2] for name, linked in listed if linked == entry}
            assert {f.__name__ for f in operation.numpy} or {operation.name} <= names
    shown = dict(listed)
    assert shown["np.abs"] == shown["np.absolute"] == "dezero_ops_basic.absolute"
    assert shown["np.linalg.inv"] == "dezero_ops_math.linalg.inv"
    assert shown["relu"] == "dezero_ops_math.relu"


def test_the_names_on_the_page_of_coverage_link_to_the_reference(site):
    linked = {entry for _, entry in linked_operations(site / "coverage.html")}
    ours = {op for op in ops() if op.plugin in ("basic", "math")}
    with_a_function = {public_name(op) for op in ours if op.numpy or op.differentiable}
    assert with_a_function - linked == set()
    assert (site / "coverage.html").read_text("utf-8").count("reference/all_operations.html") > 1


LEADS_NOWHERE = {
    "[a page](no_such_page.md)": "cross-reference target not found: 'no_such_page.md'",
    "[a section](index.md#no-such-section)": "local id not found in doc 'index'",
    "![a picture](no_such_picture.png)": "image file not readable: no_such_picture.png",
    "{py:func}`dezero_core.no_such_function`": "reference target not found: dezero_core.no_such",
    "```{operations} math no_such_folder\n```": "has no operations in 'no_such_folder'",
}


def test_a_link_to_nowhere_fails_the_build_of_the_site(tmp_path):
    source = tmp_path / "docs"
    (source / "_static").mkdir(parents=True)
    for path in (*(ROOT / "docs").glob("*.py"), ROOT / "docs" / "_static" / "site.css"):
        shutil.copy(path, source / path.relative_to(ROOT / "docs"))
    text = "\n\n".join(["# A page", *LEADS_NOWHERE])
    (source / "index.md").write_text(text)
    done = build(source, tmp_path / "site")
    assert done.returncode == 1
    assert [warning for warning in LEADS_NOWHERE.values() if warning not in done.stderr] == []
