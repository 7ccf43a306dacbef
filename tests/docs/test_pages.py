"""Every code block of every page runs, and prints what the page says.

Promise: CONTRIBUTING.md
"""

import re

import pytest

from .pages import PAGES, ROOT, Reader, blocks_of, needs_more

TESTED = "the wheels are installed"

#: Commands of the pages that are not run here -> why. What they name must exist.
LEFT_OUT = {
    "pip install ./dezero_core": TESTED,
    'pip install ./dezero_core "./dezero_tools[cli]"': TESTED,
    'pip install ./dezero_core "./dezero_tools[cli,testing]" ./dezero_ops_basic '
    "./dezero_ops_math ./dezero_replay": TESTED,
    "pip install ./dezero_nn                         # optional: layers, models and optimizers, "
    "the second half of the book": TESTED,
    "pip install ./dezero_dask ./dezero_replay_llvm  # optional: data that exceeds the memory, and "
    "machine code": TESTED,
    "pip install ./dezero_ops_scipy                  # optional: SciPy's special functions, "
    "distributions and linear algebra": TESTED,
}


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if not needs_more(page)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_blocks_of_a_page_run_and_print_the_output_on_the_page(page, tmp_path):
    Reader(tmp_path, page, LEFT_OUT).read()


def commands():
    """Return all commands of all pages."""
    blocks = (block for page in PAGES for block in blocks_of(page.read_text("utf-8")))
    return {line for block in blocks if block.language == "sh" for line in block.text.splitlines()}


def test_no_table_of_a_page_has_more_than_eight_columns():
    wide = {
        str(page.relative_to(ROOT)): head
        for page in PAGES
        for head in re.findall(r"^(\|.*\|)\n\|[ :|-]+\|$", page.read_text("utf-8"), re.MULTILINE)
        if head.count("|") - 1 > 8
    }
    assert wide == {}


def test_every_command_that_is_not_run_is_on_a_page():
    assert set(LEFT_OUT) <= commands()


def test_every_page_installs_all_distributions_by_the_command_of_the_readme():
    template = ROOT / "dezero_tools/src/dezero_tools/cli/template/README.md.template"
    command = re.compile(
        "^pip install .*/dezero_core .*/dezero_ops_math ./dezero_replay$", re.MULTILINE
    )
    pages = {path: path.read_text("utf-8") for path in (*PAGES, template)}
    found = {path: command.findall(text) for path, text in pages.items()}
    (of_the_readme,) = found[ROOT / "README.md"]
    assert {ROOT / "docs" / "index.md", template} <= {path for path in found if found[path]}
    assert {line for lines in found.values() for line in lines} == {of_the_readme}


def test_every_command_that_is_not_run_installs_folders_of_the_repository():
    for command in LEFT_OUT:
        folders = re.findall(r"\./([\w/-]+)", command)
        assert folders
        assert all((ROOT / folder / "pyproject.toml").exists() for folder in folders)


def test_every_make_command_of_the_pages_is_a_target_of_the_makefile():
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    named = set(re.findall(r"`(?:\w+=\S+\s)?make\s([\w-]+)", text))
    assert {"bench-against", "demo", "docs", "html", "test", "test-long"} <= named
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert named <= set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
