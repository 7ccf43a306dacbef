"""Files and functions stay as short as they are: budgets of lines, and limits of functions.

The budgets of files are in ``budgets.txt``: the path of each, and its lines when it was reviewed.

Promise: CONTRIBUTING.md
"""

import ast
import io
import tokenize
from pathlib import Path

import pytest

import dezero_core

ROOT = Path(__file__).parents[2]
CORE = "dezero_core/src/dezero_core"
TESTS = ROOT / "tests"
BUDGETS = Path(__file__).with_name("budgets.txt")

#: Lines by which a file may grow without a review, as a part of its budget.
ALLOWANCE = 0.1

LINES_OF_A_FILE_OF_OPERATIONS = 300
LINES_OF_A_TEST_FILE = 500
LINES_OF_A_FUNCTION = 60
BRANCHES_OF_A_FUNCTION = 22

#: The functions of the core that may be larger: the lines of each, and its branches. The calls are
#: written out for two operands. The loop of the backward pass has the arrival of a gradient written
#: out: called for each gradient, that would take 4 % of a chain, and 8 % where paths meet.
LARGE = {
    f"{CORE}/calls.py: _with_two": (84, 48),
    f"{CORE}/calls.py: _with_two.call": (78, 48),
    f"{CORE}/engine.py: propagate": (59, 31),
}

#: The core as a whole: lines, those of them that are code, files, lines of the longest; and names.
CORE_LINES, CORE_CODE, CORE_FILES, CORE_LONGEST = 5_708, 3_420, 24, 420
CORE_NAMES = 40

#: The files that a reader of the book enters, and the lines of code in them.
OF_THE_BOOK = ("config", "variable", "function", "graph", "engine", "gradients")
OF_THE_BOOK_CODE = 1_280

#: Lines of the sources of packages, and of all packages together.
LINES_OF_PACKAGES = {"dezero_ops_math": 12_800, "dezero_nn": 9_000, "dezero_ops_scipy": 45 * 293}
LINES_OF_ALL_PACKAGES = 62_100 + LINES_OF_PACKAGES["dezero_ops_scipy"]

#: Names that needed a comment wherever they stood.
RIDDLES = {"above", "Contested", "Unbound", "LATER", "Watched", "Disabled", "StandIn"}


def sources(*packages):
    """Return the text of each source file of some packages, by its path in the repository."""
    files = (path for package in packages for path in (ROOT / package / "src").rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in sorted(files)}


CORE_SOURCES = sources("dezero_core")


def over_budget(files, budgets):
    """Return a sentence for each file that has outgrown its budget, or has none, or is gone."""
    found = []
    for path in sorted(files.keys() | budgets.keys()):
        lines = len(files.get(path, "").splitlines())
        if path not in budgets:
            found.append(f"{path} has no budget. Add the line '{path} {lines}' to {BUDGETS.name}.")
        elif path not in files:
            found.append(f"{path} does not exist. Remove its line from {BUDGETS.name}.")
        elif lines > budgets[path] * (1.0 + ALLOWANCE):
            found.append(
                f"{path} has {lines} lines, and its budget is {budgets[path]}, of which it may "
                f"exceed a tenth. Find a mechanism in it that can go, or change its line in "
                f"{BUDGETS.name} to {lines}, and give the reason in the commit."
            )
    return found


def lines_of_code(text):
    """Return the number of lines that are neither blank, nor a comment, nor a docstring."""
    documented = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str):
            documented.update(range(node.lineno, node.end_lineno + 1))
    written = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.string.strip() and token.type != tokenize.COMMENT:
            written.update(range(token.start[0], token.end[0] + 1))
    return len(written - documented)


def branches(function):
    """Return the number of places in a function that lead one way or another."""
    single = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.Assert)
    count = 0
    for node in ast.walk(function):
        if isinstance(node, (*single, ast.ExceptHandler, ast.match_case)):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            count += len(node.ifs)
    return count


def definitions(node, around=()):
    """Yield the classes and functions of a module, with their names from the module on."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = (*around, inner.name)
            yield ".".join(name), inner
            yield from definitions(inner, name)
        else:
            yield from definitions(inner, around)


def large_functions(files):
    """Return the functions in some files that are too long or branch too often, with both."""
    found = {}
    for path, text in files.items():
        for name, node in definitions(ast.parse(text)):
            if not isinstance(node, ast.ClassDef):
                size = node.end_lineno - node.lineno + 1, branches(node)
                if size[0] > LINES_OF_A_FUNCTION or size[1] > BRANCHES_OF_A_FUNCTION:
                    found[f"{path}: {name}"] = size
    return found


def names_defined(path, text):
    """Return the names of a module, of its classes and functions, and of what it assigns."""
    tree = ast.parse(text)
    assigned = {
        name.id
        for name in ast.walk(tree)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }
    return {Path(path).stem} | {node.name for _, node in definitions(tree)} | assigned


def test_every_file_of_the_core_and_of_the_tools_is_within_its_budget():
    pairs = [line.split() for line in BUDGETS.read_text("utf-8").splitlines()]
    budgets = {path: int(lines) for path, lines in pairs}
    assert [path for path, _ in pairs] == sorted(budgets)
    found = over_budget(sources("dezero_core", "dezero_tools"), budgets)
    assert not found, "\n".join(found)


def test_no_file_of_a_package_of_operations_has_over_300_lines():
    files = sources("dezero_ops_basic", "dezero_ops_math", "dezero_ops_scipy")
    lengths = {path: len(text.splitlines()) for path, text in files.items()}
    limit = LINES_OF_A_FILE_OF_OPERATIONS
    assert {path: lines for path, lines in lengths.items() if lines > limit} == {}


def test_no_file_of_tests_has_over_500_lines():
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in TESTS.rglob("*.py")}
    assert {path: lines for path, lines in lengths.items() if lines > LINES_OF_A_TEST_FILE} == {}


def test_no_function_of_the_core_is_long_or_has_many_branches():
    large = large_functions(CORE_SOURCES)
    assert large.keys() == LARGE.keys()
    for name, (lines, branching) in large.items():
        assert (lines <= LARGE[name][0], branching <= LARGE[name][1]) == (True, True), name


def test_the_core_as_a_whole_is_within_its_budget():
    lengths = [len(text.splitlines()) for text in CORE_SOURCES.values()]
    code = sum(map(lines_of_code, CORE_SOURCES.values()))
    of_the_book = sum(lines_of_code(CORE_SOURCES[f"{CORE}/{name}.py"]) for name in OF_THE_BOOK)
    assert sum(lengths) <= CORE_LINES
    assert code <= CORE_CODE
    assert len(lengths) <= CORE_FILES
    assert max(lengths) <= CORE_LONGEST
    assert of_the_book <= OF_THE_BOOK_CODE
    assert len(dezero_core.__all__) <= CORE_NAMES


def test_packages_and_all_of_them_together_are_within_their_budgets():
    packages = {path.parent.name for path in ROOT.glob("dezero_*/pyproject.toml")}
    lengths = {
        package: sum(len(text.splitlines()) for text in sources(package).values())
        for package in packages
    }
    over = {name: lengths[name] for name, most in LINES_OF_PACKAGES.items() if lengths[name] > most}
    assert over == {}
    assert sum(lengths.values()) <= LINES_OF_ALL_PACKAGES


def test_no_name_in_the_core_is_a_riddle():
    defined = {path: names_defined(path, text) for path, text in CORE_SOURCES.items()}
    assert {path: names & RIDDLES for path, names in defined.items() if names & RIDDLES} == {}


@pytest.mark.parametrize(
    ("files", "budgets", "found"),
    [
        ({"a.py": "x\n" * 110}, {"a.py": 100}, []),
        ({"a.py": "x\n" * 111}, {"a.py": 100}, ["a.py has 111 lines, and its budget is 100"]),
        ({"a.py": "x\n"}, {}, ["a.py has no budget. Add the line 'a.py 1' to budgets.txt"]),
        ({}, {"a.py": 100}, ["a.py does not exist. Remove its line"]),
    ],
    ids=["a tenth more", "a line more", "no budget", "no file"],
)
def test_the_check_of_budgets_names_files_that_outgrow_or_lack_a_budget(files, budgets, found):
    sentences = over_budget(files, budgets)
    assert len(sentences) == len(found)
    for sentence, start in zip(sentences, found, strict=True):
        assert sentence.startswith(start)


def test_the_check_of_functions_finds_a_function_of_61_lines_also_in_a_class():
    for lines, found in (60, {}), (61, {"a.py: A.f": (61, 0)}):
        text = "class A:\n    async def f(self):\n" + "        x = 1\n" * (lines - 1)
        assert large_functions({"a.py": text}) == found


def test_the_check_of_functions_finds_23_branches_of_every_kind():
    loop = "    for a in x:\n        if a and x or 1:\n            return [b for b in x if b]\n"
    rest = "    while x:\n        assert x\n    try:\n        x()\n    except E:\n        pass\n"
    chosen = "    match x:\n        case 1:\n            return 1 if x else 2\n"
    text = f"def f(x):\n{loop}{rest}{chosen}"
    (function,) = ast.parse(text).body
    assert branches(function) == 10
    assert large_functions({"a.py": f"def f(x):\n    return {' or '.join('x' * 23)}\n"}) == {}
    more = f"def f(x):\n    return {' or '.join('x' * 24)}\n"
    assert large_functions({"a.py": more}) == {"a.py: f": (2, 23)}


def test_the_count_of_lines_of_code_leaves_out_comments_and_docstrings():
    text = '"""Module.\n\nMore.\n"""\n\nx = 1  # said\n# alone\n\n\ndef f():\n    """F."""\n'
    assert lines_of_code(f"{text}    return (\n        x,\n\n        '''a\n    b''',\n    )\n") == 7
    assert lines_of_code("class A: ...\n") == 1


@pytest.mark.parametrize("text", ["class Unbound: ...", "def above(): ...", "LATER = {}"])
def test_the_check_of_names_finds_classes_functions_and_constants(text):
    assert names_defined("a.py", text) & RIDDLES
    assert not names_defined("a.py", "later = disabled = 1") & RIDDLES
    assert "above" in names_defined("core/above.py", "")
