"""Each guard is left out once, and a function goes wrong: so each is needed, and is tested.

Promise: docs/how_replay_works.md
"""

import ast
import inspect
import re
import textwrap
import warnings
from pathlib import Path

import pytest
from dezero_replay.entry import Entry
from dezero_replay.executors import numpy_executor
from dezero_replay.guards import guards
from dezero_replay.guards.guards import Guards
from dezero_replay.guards.places import Look
from dezero_replay.program import Program

import dezero_replay
from dezero_replay import compiled, program

from .guards import OF_ENTRY, OF_THE_STATE
from .guards_of_looks import MORE, OF_GUARDS
from .guards_of_programs import HARMLESS, OF_DRAWS, OF_PROGRAM, OF_TWO_RECORDINGS


def eager(function):
    return function


def replayed(function):
    return compiled(function, audit=None)


def statements(function, wanted):
    """Return the syntax of a function, and the statements of it that are `wanted`."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return tree, [each for each in ast.walk(tree) if isinstance(each, ast.stmt) and wanted(each)]


def without(function, wanted, number):
    """Return a function without the n-th of the statements that are `wanted`."""
    tree, found = statements(function, wanted)
    left_out = sorted(found, key=lambda each: each.lineno)[number - 1]

    class LeftOut(ast.NodeTransformer):
        def generic_visit(self, node):
            node = super().generic_visit(node)
            return ast.copy_location(ast.Pass(), node) if node is left_out else node

    tree = ast.fix_missing_locations(LeftOut().visit(tree))
    names = {}
    exec(compile(tree, inspect.getfile(function), "exec"), function.__globals__, names)
    return names[function.__name__]


def is_miss(statement):
    """Return whether a statement writes a guard into the function that enters a program."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "miss"


def numbered(cls, wanted):
    """Yield a name for each of the statements of a class that are `wanted`."""
    for name, method in vars(cls).items():
        if inspect.isfunction(method):
            count = len(statements(method, wanted)[1])
            yield from (f"{name} {number}" for number in range(1, count + 1))


def test_each_guard_of_an_entry_has_a_planted_error():
    assert sorted(numbered(Entry, is_miss)) == sorted(OF_ENTRY)
    of_one_line = {f"_{kind.replace(' ', '_')} 1" for kind in guards.CONDITIONS}
    assert {*numbered(Guards, is_miss)} - {"_look 1"} | of_one_line == {*OF_GUARDS}


def test_each_kind_of_look_has_a_planted_error():
    kinds = re.findall(r"``\"([a-z ]+)\"``", Look.__doc__)
    assert {f"_{kind.replace(' ', '_')} 1" for kind in kinds} <= {*OF_GUARDS}


def goes_wrong(scenario, monkeypatch, target, name, value):
    """Return whether a scenario that is right gives other results with a planted error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = list(scenario(eager))
        assert list(scenario(replayed)) == expected
        monkeypatch.setattr(target, name, value)
        return list(scenario(replayed)) != expected


def without_look(name):
    """Return where a kind of looks is written, and something in its place that misses nothing."""
    if hasattr(Guards, name):
        return Guards, name, lambda guards, place, expected: None
    kind = name[1:].replace("_", " ")
    return guards, "CONDITIONS", guards.CONDITIONS | {kind: "False"}


@pytest.mark.parametrize("guard", OF_ENTRY)
def test_a_function_goes_wrong_without_a_guard_of_its_entry(guard, monkeypatch):
    name, number = guard.split()
    planted = without(getattr(Entry, name), is_miss, int(number))
    assert goes_wrong(OF_ENTRY[guard], monkeypatch, Entry, name, planted)


@pytest.mark.parametrize("guard", OF_GUARDS)
def test_a_function_goes_wrong_without_a_guard_of_a_look(guard, monkeypatch):
    name, number = guard.split()
    if not hasattr(Guards, name):
        assert goes_wrong(OF_GUARDS[guard], monkeypatch, *without_look(name))
        return
    planted = without(getattr(Guards, name), is_miss, int(number))
    assert goes_wrong(OF_GUARDS[guard], monkeypatch, Guards, name, planted)


@pytest.mark.parametrize("scenario", MORE, ids=lambda scenario: scenario.__name__)
def test_more_functions_go_wrong_without_a_look(scenario, monkeypatch):
    assert goes_wrong(scenario, monkeypatch, *without_look(MORE[scenario]))


@pytest.mark.parametrize("part", OF_THE_STATE)
def test_a_function_goes_wrong_without_a_part_of_the_guard_of_the_state(part, monkeypatch):
    source = textwrap.dedent(inspect.getsource(Entry._source_of))
    assert source.count(part) == 1
    names = {}
    exec(source.replace(part, "False"), Entry._source_of.__globals__, names)
    planted = names["_source_of"]
    assert goes_wrong(OF_THE_STATE[part], monkeypatch, Entry, "_source_of", planted)


def converters():
    """Return by which functions guards of programs look at values, as the sources write them."""
    for path in Path(dezero_replay.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name in ("guard", "_decides", "Guard"):
                    yield ast.unparse(node.args[0]).rpartition(".")[2]


def test_each_guard_of_a_program_has_a_planted_error():
    handed_on = {"convert", "call"}
    assert set(converters()) - handed_on == set(OF_PROGRAM)


@pytest.mark.parametrize("kind", OF_PROGRAM)
def test_a_function_goes_wrong_without_a_guard_in_its_program(kind, monkeypatch):
    usual = numpy_executor._Writer._guard

    def planted(writer, guard):
        return "pass" if guard.call.__name__ == kind else usual(writer, guard)

    assert goes_wrong(OF_PROGRAM[kind], monkeypatch, numpy_executor._Writer, "_guard", planted)


def is_difference(statement):
    """Return whether a statement says in which way two recordings differ."""
    if not isinstance(statement, ast.Return):
        return False
    value = statement.value
    is_text = isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value
    is_call = isinstance(value, ast.Call) and getattr(value.func, "id", "") == "_differing"
    is_of_body = isinstance(value, ast.Name) and value.id == "problem"
    return bool(is_text or is_call or is_of_body or isinstance(value, ast.JoinedStr))


#: The functions that compare two recordings: where each is found by those who call it.
COMPARING = {"differs": Program, "difference": program}


def test_each_comparison_of_two_recordings_has_a_planted_error():
    found = set()
    for name, home in COMPARING.items():
        count = len(statements(getattr(home, name), is_difference)[1])
        found |= {f"{name} {number}" for number in range(1, count + 1)}
    assert {*OF_TWO_RECORDINGS, *HARMLESS} == found


@pytest.mark.parametrize("comparison", OF_TWO_RECORDINGS)
def test_a_function_goes_wrong_if_its_two_recordings_are_not_compared(comparison, monkeypatch):
    name, number = comparison.split()
    home = COMPARING[name]
    planted = without(getattr(home, name), is_difference, int(number))
    assert goes_wrong(OF_TWO_RECORDINGS[comparison], monkeypatch, home, name, planted)


def is_restored(statement):
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "restore"


def test_each_place_that_puts_random_numbers_back_has_a_planted_error():
    assert sorted(numbered(Program, is_restored)) == sorted(OF_DRAWS)


@pytest.mark.parametrize("place", OF_DRAWS)
def test_random_numbers_go_wrong_if_they_are_not_put_back(place, monkeypatch):
    name, number = place.split()
    planted = without(getattr(Program, name), is_restored, int(number))
    assert goes_wrong(OF_DRAWS[place], monkeypatch, Program, name, planted)
