"""Each special method of a class, wherever its object is: read, counted, replaced, and added later.

Promise: docs/how_replay_works.md
"""

import pytest

from .worlds import program, side_by_side, with_source

NUMBER, FLAG, WHOLE, TEXT = "RATE[0]", "RATE[0] > 2.5", "int(RATE[0])", "str(RATE[0])"

#: Name of a method -> what it returns, and what uses it; `n` is the object.
METHODS = {
    **{f"__{name}__": (NUMBER, f"n {sign} 2.0") for name, sign in {
        "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
        "pow": "**", "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<",
        "rshift": ">>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    }.items()},
    **{f"__r{name}__": (NUMBER, f"2.0 {sign} n") for name, sign in {
        "add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "matmul": "@", "mod": "%",
    }.items()},
    "__eq__": (FLAG, "1.0 + (n == 2.0)"),
    "__ne__": (FLAG, "1.0 + (n != 2.0)"),
    "__neg__": (NUMBER, "-n"),
    "__pos__": (NUMBER, "+n"),
    "__invert__": (NUMBER, "~n"),
    "__abs__": (NUMBER, "abs(n)"),
    "__round__": (NUMBER, "round(n) + round(n, 1)"),
    "__trunc__": (WHOLE, "math.trunc(n)"),
    "__floor__": (WHOLE, "math.floor(n)"),
    "__ceil__": (WHOLE, "math.ceil(n)"),
    "__int__": (WHOLE, "int(n)"),
    "__float__": (NUMBER, "float(n)"),
    "__float__ by math": (NUMBER, "math.sqrt(n) + math.floor(n)"),
    "__complex__": ("complex(RATE[0])", "complex(n).real"),
    "__index__": (WHOLE, "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][n] + sum(range(n)) + x[:n].sum()"),
    "__divmod__": ("(RATE[0], 1.0)", "divmod(n, 2)[0]"),
    "__bool__": (FLAG, "(2.0 if n else 3.0) + bool(n) + (not n)"),
    "__len__": (WHOLE, "len(n) + (2.0 if n else 3.0)"),
    "__contains__": (FLAG, "1.0 + (5 in n) + (6 not in n)"),
    "__iter__": ("iter([RATE[0], 1.0])", "sum(n) + sum([*n]) + len(list(n)) + max(n)"),
    "__next__": (NUMBER, "next(n)"),
    "__reversed__": ("iter([RATE[0], 1.0])", "sum(reversed(n))"),
    "__getitem__": (NUMBER, "n[1] + n['a'] + n[1:2]"),
    "__setitem__": ("STORE.append(RATE[0])", "[0.5, n.__setitem__(1, 2.0)][0]"),
    "__delitem__": ("STORE.append(RATE[0])", "[0.5, n.__delitem__(1)][0]"),
    "__call__": (NUMBER, "n() + n(1) + n(x, k=2)[0] if False else n() + n(1)"),
    "__str__": (TEXT, "float(str(n)) + float(f'{n}') + len('%s' % n)"),
    "__repr__": (TEXT, "float(repr(n)) + float(f'{n!r}') + len(str([n]))"),
    "__format__": (TEXT, "float(f'{n}') + float(format(n, '5'))"),
    "__bytes__": ("bytes([int(RATE[0])])", "bytes(n)[0]"),
    "__hash__": (WHOLE, "{n: 3.0}[n] + len({n, n})"),
    "__getattr__": (NUMBER, "n.missing + getattr(n, 'gone', 5.0)"),
    "__dir__": ("['a'] * int(RATE[0])", "len(dir(n))"),
    "__copy__": ("[RATE[0]]", "copy.copy(n)[0]"),
    "__deepcopy__": ("[RATE[0]]", "copy.deepcopy(n)[0]"),
    "__array__": ("np.full(4, RATE[0])", "np.asarray(n) + np.add(x, n)"),
    "__length_hint__": (WHOLE, "operator.length_hint(n)"),
    "__fspath__": (TEXT, "float(os.fspath(n))"),
    "__sizeof__": (WHOLE, "n.__sizeof__()"),
    "method": (NUMBER, "n.method() + getattr(n, 'method')()"),
}  # fmt: skip
PLACES = {
    "captured": "N",
    "made": "C()",
    "an argument": "a",
    "in a list": "ITEMS[0]",
    "an attribute": "HOLDER.n",
    "in an argument": "b['n']",
}
SOURCE = """
import copy, math, operator, os
import numpy as np
RATE, COUNT, STORE = [2.0], [0], []
class Base: pass
class C(Base): pass
class Holder: pass
{METHOD}
N, HOLDER = C(), Holder()
ITEMS, HOLDER.n = [N], N
def step(x, a, b):
    n = {PLACE}
    try:
        s = {USE}
    except (TypeError, AttributeError, KeyError, ValueError):
        s = 0.5
    return x * s
"""
DEFINED = """
def method(self, *args, **kwargs):
    COUNT[0] += 1
    return {RESULT}
Base.{NAME} = method
"""
OTHER = """
def other(self, *args, **kwargs):
    COUNT[0] += 10
    RATE[0] += 1.0
    found = {RESULT}
    RATE[0] -= 1.0
    return found
C.{NAME} = other
"""


def changes(name, is_later):
    """Return the texts of the changes: before the calls 4, 7, 10 and 13."""
    result, method = METHODS[name][0], name.split()[0]
    define = DEFINED.format(NAME=method, RESULT=result)
    other = OTHER.format(NAME=method, RESULT=result)
    first = define if is_later else "RATE[0] = 3.0"
    return [first, "RATE[0] = 4.0", other, f"del C.{method}", f"del Base.{method}"]


def run(name, place, is_later):
    """Run a program with a method, whose object is at a place."""
    result, use = METHODS[name]
    define = "" if is_later else DEFINED.format(NAME=name.split()[0], RESULT=result)
    source = SOURCE.format(METHOD=define, PLACE=PLACES[place], USE=use)
    codes = [with_source(each) for each in changes(name, is_later)]

    def change(number, state):
        at, rest = divmod(number - 4, 3)
        if number >= 4 and not rest and at < len(codes):
            exec(codes[at], state)

    def arguments(number, state):
        return state["np"].arange(1.0, 5.0) + number, state["N"], {"n": state["C"]()}

    return side_by_side(program(source), 18, arguments=arguments, change=change, audit=None)


@pytest.mark.parametrize("is_later", [False, True], ids=["from the start", "later"])
@pytest.mark.parametrize("name", METHODS)
def test_a_special_method_is_followed_wherever_its_object_is(name, is_later):
    for place in [*PLACES][: 3 if is_later else None]:
        try:
            run(name, place, is_later)
        except AssertionError as error:
            raise AssertionError(f"{place}: {error}") from None


REPLAYED = [
    *("__add__", "__radd__", "__mul__", "__lt__", "__eq__", "__neg__", "__abs__", "__bool__"),
    *("__len__", "__contains__", "__iter__", "__getitem__", "__call__", "__getattr__", "method"),
    *("__float__", "__str__", "__repr__", "__format__", "__matmul__", "__setitem__"),
]


@pytest.mark.parametrize("place", [place for place in PLACES if place != "in an argument"])
@pytest.mark.parametrize("name", REPLAYED)
def test_a_usual_special_method_is_replayed_wherever_its_object_is(name, place):
    report = run(name, place, is_later=False)
    assert report.kinds[:4] == ["recorded", "recorded", "replayed", "replayed"], report.step.reasons
