"""The pages that need a distribution which the README's command does not install.

Promise: CONTRIBUTING.md
"""

import pytest

from .pages import PAGES, ROOT, Reader, needs_more

TESTED = "the wheels are installed"

#: Commands of these pages that are not run here -> why.
LEFT_OUT = {
    "pip install ./dezero_ops_scipy": TESTED,
    "pip install ./dezero_replay_llvm": TESTED,
    "pip install ./dezero_core ./dezero_ops_basic ./dezero_ops_math ./dezero_nn": TESTED,
}


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if needs_more(page)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_blocks_of_a_page_that_needs_more_run_and_print_the_output_on_it(page, tmp_path):
    Reader(tmp_path, page, LEFT_OUT).read()


@pytest.mark.parametrize("page", ["dezero_nn/README.md", "docs/coming_from/book.md"])
def test_the_pages_of_the_networks_begin_with_the_command_that_installs_them(page):
    text = (ROOT / page).read_text("utf-8")
    assert "./dezero_ops_math ./dezero_nn\n```" in text[:800]
