"""The operations over strict arrays, and the page that says which take such arrays."""

import re
from pathlib import Path

from dezero_tools.testing import checks_of

PAGE = (Path(__file__).parents[1] / "docs" / "array_types.md").read_text(encoding="utf-8")


def on_the_page():
    """Return operation -> the reasons why it takes ndarrays alone, "" if it takes any array."""
    any_type, alone = PAGE.split("## ndarrays alone")
    found = dict.fromkeys(re.findall(r"\[`([\w.]+)`\]", any_type), "")
    return found | dict(
        re.findall(r"^\| \w+ \| \[`([\w.]+)`\]\S* \| (.*) \|$", alone, re.MULTILINE)
    )


def over_strict_arrays(plugin, name):
    """Run the check of an operation; return the reasons of its refusals as the page has them."""
    checks = checks_of(plugin, [name], array="strict")
    counts = next(check for check in checks if check.name == "strict arrays").run()
    return "; ".join(sorted(reason.removeprefix("numpy: ") for reason in counts.skipped))
