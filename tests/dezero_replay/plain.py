"""A recorder that records nothing: rewritten code does with it what the code itself would do."""

import builtins
import operator
import sys
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType

from dezero_replay.recording.matching import Matching
from dezero_replay.source.nodes import RECORDER, RewritingError
from dezero_replay.source.rewriting import rewritten
from dezero_replay.source.sources import NoSourceError, compiled, definition_of

_OF_FRAMES = ("locals", "globals", "vars", "dir", "eval", "exec")
_TEXT = {"r": repr, "s": str, "a": ascii}


class Plain:
    """The methods of a `Scope`, each as Python does it; functions are rewritten in their turn."""

    def __init__(self, rewriter, namespace):
        self.rewriter, self.namespace = rewriter, namespace

    # Names.

    def glob(self, name):
        if name in self.namespace:
            return self.namespace[name]
        found = self.namespace.get("__builtins__", builtins)
        found = found if isinstance(found, dict) else vars(found)
        if name in found:
            return found[name]
        raise NameError(f"name {name!r} is not defined")

    def free(self, name):
        try:
            return self.cells[name].cell_contents
        except ValueError:
            raise NameError(f"cannot access free variable {name!r}") from None

    def set_glob(self, name, value):
        self.namespace[name] = value

    def set_free(self, name, value):
        return value

    # Attributes, items, calls.

    def attr(self, x, name):
        return getattr(x, name)

    def setattr(self, x, name, value):
        setattr(x, name, value)

    def delattr(self, x, name):
        delattr(x, name)

    def item(self, x, key):
        return x[key]

    def setitem(self, x, key, value):
        x[key] = value

    def delitem(self, x, key):
        del x[key]

    def slice(self, *parts):
        return slice(*parts)

    def call(self, function, /, *args, **kwargs):
        if type(function) is BuiltinFunctionType and function.__name__ in _OF_FRAMES:
            return _in_frame(sys._getframe(1), function, args)
        return self.rewriter(function)(*args, **kwargs)

    # Operators, of which the others come from `operator`.

    def is_(self, a, b):
        return a is b

    def is_not(self, a, b):
        return a is not b

    def contained(self, a, b):
        return a in b

    def not_contained(self, a, b):
        return a not in b

    def truth(self, x):
        return bool(x)

    # Loops and unpacking.

    def mapping(self, x):
        return x

    iter = context = errors = raised = hashed = iter_hashed = mapping

    def matched(self, x, pattern):
        matching = Matching(self)
        return matching.names if matching.matches(x, pattern) else None

    def iter_unpacked(self, x, pattern):
        return (self.unpacked(each, pattern) for each in x)

    def unpacked(self, x, pattern):
        if pattern is None or pattern == "*":
            return x
        items = _unpacked(x, pattern)
        return tuple(
            [self.unpacked(*pair) for pair in zip(items, _names(pattern, items), strict=True)]
        )

    # The rest.

    def shown(self, x, conversion, spec):
        return format(_TEXT[conversion](x) if conversion else x, spec or "")

    shown_in_error = shown

    def caught(self):
        pass

    def imported(self, module, attribute, x):
        return x


def _in_frame(frame, function, args):
    """Call a function that looks at the frame of its caller, as if that one had called it."""
    names = {name: x for name, x in frame.f_locals.items() if not name.startswith("@")}
    if function in (eval, exec):
        return function(*args, *(() if args[1:] else (frame.f_globals, names)))
    if function is globals:
        return frame.f_globals
    if args:
        return function(*args)
    return sorted(names) if function is dir else names


_BOTH = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift")
for _name in (*_BOTH, "and_", "or_", "xor"):
    setattr(Plain, _name, staticmethod(getattr(operator, _name)))
    in_place = f"i{_name.rstrip('_')}"
    setattr(Plain, in_place, staticmethod(getattr(operator, in_place)))
for _name in ("neg", "pos", "invert", "eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Plain, _name, staticmethod(getattr(operator, _name)))


def _unpacked(x, pattern):
    """Return as many items as a target has names, and those of a star as one list."""
    if "*" not in pattern:
        return eval(f"lambda x: [{_assigned(len(pattern))}]")(x)
    before = pattern.index("*")
    after = len(pattern) - before - 1
    names = [f"a{n}" for n in range(len(pattern))]
    starred = [*names[:before], f"*{names[before]}", *names[before + 1 :]]
    space = {}
    exec(f"def f(x):\n    {', '.join(starred)}, = x\n    return {', '.join(names)},", space)
    found = space["f"](x)
    return [*found[:before], *found[before], *found[len(found) - after :]]


def _assigned(count):
    names = ", ".join(f"a{n}" for n in range(count))
    return f"*next(({names},) for {names}, in [x])" if count else "*next(() for () in [x])"


def _names(pattern, items):
    """Return a pattern in which a star stands for as many names as there are."""
    if "*" not in pattern:
        return pattern
    at = pattern.index("*")
    return (*pattern[:at], *(None,) * (len(items) - len(pattern) + 1), *pattern[at + 1 :])


class Rewriter:
    """Rewrites functions to run with a `Plain` recorder, and counts those that are refused."""

    def __init__(self):
        self.copies, self.done, self.refused = {}, set(), {}

    def __call__(self, function):
        """Return the rewritten copy of a function or method of Python's, or what is given."""
        if type(function) is MethodType and type(function.__func__) is FunctionType:
            return MethodType(self(function.__func__), function.__self__)
        if type(function) is not FunctionType or function.__code__ in self.done:
            return function
        code = function.__code__
        if code not in self.copies:
            self.copies[code] = self._copy(function)
        return function if self.copies[code] is None else self._made(function, self.copies[code])

    def _copy(self, function):
        code = function.__code__
        try:
            definition = definition_of(code, function.__globals__)
            node = rewritten(definition.node, definition.owner, code.co_freevars)
            made = compiled(definition, node, code, RECORDER)
        except (NoSourceError, RewritingError) as error:
            self.refused[f"{code.co_filename}:{code.co_firstlineno} {code.co_name}"] = error
            return None
        self.done.update(_codes_in(made))
        return made

    def _made(self, function, copy):
        plain = Plain(self, function.__globals__)
        names = function.__code__.co_freevars
        plain.cells = dict(zip(names, function.__closure__ or (), strict=True))
        cells = plain.cells | {RECORDER: CellType(plain)}
        closure = tuple([cells[name] for name in copy.co_freevars])
        made = FunctionType(
            copy, function.__globals__, function.__name__, function.__defaults__, closure
        )
        made.__kwdefaults__, made.__doc__ = function.__kwdefaults__, function.__doc__
        made.__qualname__, made.__module__ = function.__qualname__, function.__module__
        made.__annotations__ = function.__annotations__
        if hasattr(function, "__type_params__"):  # from Python 3.12 on
            made.__type_params__ = function.__type_params__
        made.__dict__.update(function.__dict__)
        return made


def _codes_in(code):
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes_in(each)
