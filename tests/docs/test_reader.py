"""What runs the blocks of pages notices what is wrong with a page.

Promise: CONTRIBUTING.md
"""

import textwrap

import pytest

from .pages import Reader


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a page of this text."""

    def read(text, left_out=()):
        page = tmp_path / "page.md"
        page.write_text(textwrap.dedent(text))
        Reader(tmp_path, page, dict.fromkeys(left_out, "")).read()

    return read


def test_blocks_of_a_page_share_a_namespace_and_print_the_output_on_the_page(read):
    read(
        """
        ```python
        x = 3
        ```
        Text in between.
        ```python
        print(x + 1)
        ```
        ```text
        4
        ```
        """
    )


def test_a_block_with_another_output_than_the_page_fails_with_its_line(read):
    with pytest.raises(AssertionError, match=r"page.md:2\n--- printed\n4\n--- .*\n5"):
        read("\n```python\nprint(4)\n```\n```text\n5\n```\n")


MEASURED = "```python\nprint('a  0.25 ms')\nprint('b  12 ms')\n```\n```text measured\n{}\n```\n"


@pytest.mark.parametrize("said", ["a  1 ms\nb  7 ms", "b   1,200 ms\na  3 ms", "...ms\nb 1 ms"])
def test_a_measured_output_may_have_other_numbers_in_another_order(read, said):
    read(MEASURED.format(said))


@pytest.mark.parametrize("said", ["a  0.25 ms", "a  0.25 ms\nc  12 ms", "a  0.25 s\nb  12 ms"])
def test_a_measured_output_may_not_have_other_words(read, said):
    with pytest.raises(AssertionError, match=r"page.md:1\n--- printed\na  0.25 ms\n"):
        read(MEASURED.format(said))


def test_an_exception_in_a_block_fails_the_page(read):
    with pytest.raises(AssertionError, match=r'page.md", line 2, in <module>(?s:.)*KeyError: 7'):
        read("```python\n{}[7]\n```\n")


def test_an_exception_that_the_page_shows_does_not_fail_the_page(read):
    shown = "```text\nTraceback (most recent call last):\n  ...\nKeyError: 7\n```\n"
    read(f"```python\n{{}}[7]\n```\n{shown}")


def test_an_exception_other_than_the_page_shows_fails_the_page(read):
    shown = "```text\nTraceback (most recent call last):\n  ...\nKeyError: 8\n```\n"
    with pytest.raises(AssertionError, match="KeyError: 7"):
        read(f"```python\n{{}}[7]\n```\n{shown}")


def test_a_warning_in_a_block_fails_the_page(read):
    with pytest.raises(AssertionError, match="UserWarning: look"):
        read("```python\nimport warnings\nwarnings.warn('look')\n```\n")


def test_files_of_a_page_are_written_and_found_by_later_blocks(read):
    read(
        """
        ```python
        # folder/of_mine.py
        ANSWER = 42
        ```
        ```sh
        ls folder
        ```
        ```text
        of_mine.py
        ```
        ```python
        from folder.of_mine import ANSWER
        print(ANSWER)
        ```
        ```text
        42
        ```
        """
    )


def test_python_starts_anew_after_a_block_of_sh_on_a_page(read):
    with pytest.raises(AssertionError, match="NameError: name 'x' is not defined"):
        read("```python\nx = 1\n```\n```sh\ntrue\n```\n```python\nx\n```\n")


def test_a_command_that_fails_fails_the_page_with_its_output(read):
    with pytest.raises(AssertionError, match=r"exit status 3\nlook\n"):
        read("```sh\necho look\nexit 3\ntrue\n```\n")


def test_a_command_of_a_page_that_is_left_out_is_not_run(read):
    read("```sh\nexit 3\ntrue\n```\n", left_out=["exit 3"])


def test_packages_that_a_page_installs_stay_in_its_own_environment(read):
    read(
        """
        ```sh
        python -c "import sys, numpy, dezero_core; print(sys.prefix)"
        pip --version
        ```
        ```text
        ...environment
        pip ...
        ```
        """
    )


def test_a_block_in_an_unknown_language_fails_the_page(read):
    with pytest.raises(AssertionError, match="a block of 'ruby' is not tested"):
        read("```ruby\nputs 1\n```\n")


def test_a_block_of_a_file_without_a_name_fails_the_page(read):
    with pytest.raises(AssertionError, match="toml that is no file"):
        read("```toml\na = 1\n```\n")


DRAWING = """
```python
open("two.svg", "w").write("<svg>2</svg>")
```
"""
SHOWN = f"{DRAWING}\n![2](two.svg)\n"


def test_a_picture_that_a_page_draws_is_equal_to_the_file_beside_the_page(read, tmp_path):
    (tmp_path / "two.svg").write_text("<svg>2</svg>")
    read(SHOWN)


@pytest.mark.parametrize("there", [None, "<svg>3</svg>"], ids=["none", "another"])
def test_a_picture_that_differs_from_the_file_beside_the_page_fails_the_page(read, tmp_path, there):
    if there:
        (tmp_path / "two.svg").write_text(there)
    with pytest.raises(AssertionError, match=r"two\.svg is not what page\.md draws: copy "):
        read(SHOWN)


def test_a_picture_that_the_page_does_not_show_needs_no_file(read):
    read(DRAWING)


def test_the_blocks_of_a_page_find_the_examples_of_the_repository(read):
    read("```sh\nls examples/seattle_rainfall.csv\n```\n")
