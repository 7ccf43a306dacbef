"""Every code block of every page runs, and prints what the page says."""

import re

import pytest

from .pages import PAGES, ROOT, Reader, blocks_of

TESTED = "the wheels are installed"

#: Commands of the pages that are not run here -> why. What they name must exist.
LEFT_OUT = {
    "make demo": "trains for half a minute; tests/examples runs the program",
    "make test": "runs these tests",
    "make docs": "serves the site until it is stopped; test_site.py builds it",
    "pip install ./dezero_core ./dezero_tools ./dezero_ops_basic ./dezero_ops_math": TESTED,
    "pip install ./dezero_core": TESTED,
    'pip install ./dezero_core "./dezero_tools[cli]"': TESTED,
    'pip install ./dezero_core "./dezero_tools[cli,testing]" ./dezero_ops_basic '
    "./dezero_ops_math": TESTED,
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run_and_print_the_output_on_the_page(page, tmp_path):
    Reader(tmp_path, page, LEFT_OUT).read()


def commands():
    """Return all commands of all pages."""
    blocks = (block for page in PAGES for block in blocks_of(page.read_text("utf-8")))
    return {line for block in blocks if block.language == "sh" for line in block.text.splitlines()}


def test_every_command_that_is_not_run_is_on_a_page():
    assert set(LEFT_OUT) <= commands()


def test_every_make_command_that_is_not_run_is_a_target_of_the_makefile():
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for command in LEFT_OUT:
        program, *arguments = command.split()
        if program == "make":
            assert set(arguments) <= set(targets)
        else:
            folders = re.findall(r"\./(\w+)", command)
            assert folders
            assert all((ROOT / folder / "pyproject.toml").exists() for folder in folders)
