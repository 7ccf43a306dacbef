"""The pages that need dezero-replay-llvm, which the README's command does not install."""

import pytest

from .pages import PAGES, ROOT, Reader, is_native


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if is_native(page)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_blocks_of_a_native_page_run_and_print_the_output_on_the_page(page, tmp_path):
    Reader(tmp_path, page, {"pip install ./dezero_replay_llvm": "the wheels are installed"}).read()
