"""The pages that need a distribution which the README's command does not install."""

import pytest

from .pages import PAGES, ROOT, Reader, needs_more


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if needs_more(page)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_blocks_of_a_page_that_needs_more_run_and_print_the_output_on_it(page, tmp_path):
    Reader(tmp_path, page, {"pip install ./dezero_replay_llvm": "the wheels are installed"}).read()
