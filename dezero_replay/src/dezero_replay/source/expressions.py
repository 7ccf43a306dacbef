"""Expressions, rewritten so that each step of theirs goes through a recorder."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .bindings import Bindings
from .nodes import (
    BINARY,
    COMPARISON,
    RECORDER,
    UNARY,
    RewritingError,
    assign,
    constant,
    copied,
    pattern_of,
    placed,
)


class Expressions(ast.NodeTransformer):
    """Rewrites expressions, functions and comprehensions."""

    if TYPE_CHECKING:  # the statements in functions

        def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]: ...

    def __init__(self, owner: str | None, free: Iterable[str]) -> None:
        self._owner = owner
        self._free = set(free) - {"__class__"}
        self._scopes: list[Bindings] = []
        self._temporaries = 0
        self._in_iterable = 0
        self._in_raise = False

    # What it makes.

    def generic_visit(self, node: ast.AST) -> Any:
        """Return a new node: others compile the source of the definition once more."""
        fields = {name: x[:] if isinstance(x, list) else x for name, x in ast.iter_fields(node)}
        return super().generic_visit(placed(node, type(node)(**fields)))

    def _call(self, method: str, at: ast.AST, *args: Any, keywords: Any = ()) -> Any:
        """Return a call of a method of the recorder. Strings are constants."""
        # Python takes the line of a call of an attribute from the end of the attribute.
        line = {"lineno": at.lineno, "end_lineno": at.lineno}  # type: ignore[attr-defined]
        line |= {"col_offset": at.col_offset, "end_col_offset": at.col_offset}  # type: ignore[attr-defined]
        name = ast.Name(RECORDER, ast.Load(), **line)
        function = ast.Attribute(name, method, ast.Load(), **line)
        return placed(at, ast.Call(function, [constant(x) for x in args], list(keywords)))

    def _temporary(self) -> str:
        self._temporaries += 1
        return f"@{self._temporaries}"

    def _mangled(self, name: str) -> str:
        """Return an attribute's name as Python has it in the body of a class."""
        owner = (self._owner or "").lstrip("_")
        if owner and name.startswith("__") and not name.endswith("__"):
            return f"_{owner}{name}"
        return name

    # Names.

    def _kind(self, name: str) -> str:
        """Return whose a name is: ``"local"``, ``"free"`` or ``"global"``."""
        for scope in reversed(self._scopes):
            if name in scope.is_global:
                return "global"
            if name in scope.bound:
                return "local"
        return "free" if self._mangled(name) in self._free else "global"

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id in ("__class__", RECORDER) or node.id.startswith("@"):
            return node
        kind = self._kind(node.id)
        if kind == "local":
            return node
        if not isinstance(node.ctx, ast.Load):
            raise RewritingError(
                f"binds the {kind} variable {node.id} in another way than by =", node
            )
        return self._call("free" if kind == "free" else "glob", node, self._mangled(node.id))

    # Expressions.

    def visit_Attribute(self, node: ast.Attribute | ast.Subscript) -> Any:
        if not isinstance(node.ctx, ast.Load):
            what = "an attribute" if isinstance(node, ast.Attribute) else "an item"
            raise RewritingError(f"assigns to {what} within a comprehension or a with", node)
        kind, *place = self._place(node)
        return self._call(kind, node, *place)

    visit_Subscript = visit_Attribute

    def _place(self, node: Any) -> tuple[str, Any, Any]:
        """Return ``"attr"`` or ``"item"``, whose part it is, and the name or index there."""
        holder = self.visit(node.value)
        if isinstance(node, ast.Attribute):
            return "attr", holder, self._mangled(node.attr)
        return "item", holder, self._index(node.slice)

    def _index(self, node: Any) -> Any:
        if isinstance(node, ast.Slice):
            parts = [x and self.visit(x) for x in (node.lower, node.upper, node.step)]
            return self._call("slice", node, *parts)
        if isinstance(node, ast.Tuple):
            return placed(node, ast.Tuple([self._index(each) for each in node.elts], ast.Load()))
        return self.visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        is_super = isinstance(node.func, ast.Name) and node.func.id == "super"
        if is_super and not node.args and self._kind("super") == "global":
            return node  # Python itself gives it the class and the first argument
        keywords = [
            ast.keyword(each.arg, self.visit(each.value))
            if each.arg is not None
            else ast.keyword(None, self._call("mapping", each.value, self.visit(each.value)))
            for each in node.keywords
        ]
        args = [self.visit(each) for each in node.args]
        return self._call("call", node, self.visit(node.func), *args, keywords=keywords)

    def visit_Starred(self, node: ast.Starred) -> Any:
        value = self._call("iter", node, self.visit(node.value))  # targets are unpacked
        return placed(node, ast.Starred(value, node.ctx))

    def visit_Dict(self, node: ast.Dict) -> Any:
        values = [
            self.visit(value) if key else self._call("mapping", value, self.visit(value))
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return placed(node, ast.Dict([key and self._hashed(key) for key in node.keys], values))

    def visit_Set(self, node: ast.Set) -> Any:
        return placed(node, ast.Set([self._hashed(each) for each in node.elts]))

    def _hashed(self, node: Any) -> Any:
        """Return a key of a dict, or a member of a set."""
        if isinstance(node, ast.Constant):
            return self.visit(node)
        if isinstance(node, ast.Starred):
            members = self._call("iter_hashed", node, self.visit(node.value))
            return placed(node, ast.Starred(members, ast.Load()))
        return self._call("hashed", node, self.visit(node))

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        method = BINARY[type(node.op)]
        return self._call(method, node, self.visit(node.left), self.visit(node.right))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return placed(node, ast.UnaryOp(ast.Not(), self._test(node.operand)))
        return self._call(UNARY[type(node.op)], node, self.visit(node.operand))

    def _named(self, value: Any, at: ast.AST) -> tuple[Any, Any]:
        """Return an expression that keeps a value, and one that gives it again."""
        if self._in_iterable:
            raise RewritingError("has and, or or a chain of comparisons where no := may be", at)
        name = self._temporary()
        keep = ast.NamedExpr(ast.Name(name, ast.Store()), value)
        return placed(at, keep), placed(at, ast.Name(name, ast.Load()))

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        values = [self.visit(each) for each in node.values]
        return self._joined(values, isinstance(node.op, ast.And), node)

    def _joined(self, values: list[Any], by_and: bool, at: ast.AST) -> Any:
        *others, result = values
        for value in reversed(others):
            keep, again = self._named(value, at)
            pair = (result, again) if by_and else (again, result)
            result = placed(at, ast.IfExp(self._call("truth", at, keep), *pair))
        return result

    def visit_Compare(self, node: ast.Compare) -> Any:
        left, tests = self.visit(node.left), []
        for operator, each in zip(node.ops, node.comparators, strict=True):
            right, again = self.visit(each), None
            if each is not node.comparators[-1]:
                right, again = self._named(right, node)
            tests.append(self._call(COMPARISON[type(operator)], node, left, right))
            left = again
        return self._joined(tests, True, node)

    def _test(self, node: Any) -> Any:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.visit(node)
        if isinstance(node, ast.BoolOp):  # each part is asked once
            return placed(node, ast.BoolOp(node.op, [self._test(each) for each in node.values]))
        return self._call("truth", node, self.visit(node))

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        parts = self._test(node.test), self.visit(node.body), self.visit(node.orelse)
        return placed(node, ast.IfExp(*parts))

    def visit_FormattedValue(self, node: ast.FormattedValue) -> Any:
        spec = node.format_spec and self.visit(node.format_spec)
        conversion = ast.Constant(chr(node.conversion) if node.conversion > 0 else "")
        shown = "shown_in_error" if self._in_raise else "shown"
        value = self._call(shown, node, self.visit(node.value), conversion, spec)
        return placed(node, ast.FormattedValue(value, -1, None))

    def visit_Raise(self, node: ast.Raise) -> Any:
        self._in_raise = True
        parts = [x and self._call("raised", x, self.visit(x)) for x in (node.exc, node.cause)]
        self._in_raise = False
        return placed(node, ast.Raise(*parts))

    def visit_YieldFrom(self, node: ast.YieldFrom) -> Any:
        return placed(node, ast.YieldFrom(self._call("iter", node, self.visit(node.value))))

    # Functions and comprehensions.

    def _function(self, node: Any) -> Any:
        self._scopes.append(Bindings(node))
        outside, self._in_iterable = self._in_iterable, 0
        if isinstance(node, ast.Lambda):
            made: Any = ast.Lambda(copied(node.args), self.visit(node.body))
        else:
            arguments, body = copied(node.args), self._block(node.body)
            rest: Any = {"type_params": []} if "type_params" in node._fields else {}
            made = ast.FunctionDef(node.name, arguments, body, [], node.returns, **rest)
        self._in_iterable = outside
        self._scopes.pop()
        return placed(node, made)

    def _with_defaults(self, node: Any) -> Any:
        defaults = [self.visit(each) for each in node.args.defaults]
        of_keywords = [each and self.visit(each) for each in node.args.kw_defaults]
        made = self._function(node)
        made.args.defaults, made.args.kw_defaults = defaults, of_keywords
        return made

    visit_Lambda = _with_defaults

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        is_generic = bool(getattr(node, "type_params", None))
        if is_generic or self._kind(node.name) != "local":
            kind = "generic" if is_generic else "global"
            raise RewritingError(f"defines the {kind} function {node.name}", node)
        decorators = [self.visit(each) for each in node.decorator_list]
        names = [self._temporary() for _ in decorators]
        made = [assign(name, each, each) for name, each in zip(names, decorators, strict=True)]
        made.append(self._with_defaults(node))
        for name in reversed(names):
            called = ast.Name(name, ast.Load()), ast.Name(node.name, ast.Load())
            made.append(assign(node.name, self._call("call", node, *called), node))
        return made

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        raise RewritingError(f"defines the coroutine {node.name}", node)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        raise RewritingError(f"defines the class {node.name}", node)

    def _comprehension(self, node: Any) -> Any:
        """Rewrite a comprehension; its first iterable belongs to the scope around it."""
        scope, generators = Bindings(node), []
        for number, each in enumerate(node.generators):
            self._in_iterable += 1
            iterable = self._iterated(each.iter, each.target)
            self._in_iterable -= 1
            if number == 0:
                self._scopes.append(scope)
            generators.append((self.visit(each.target), iterable, each))
        made = [
            ast.comprehension(target, iterable, [self._test(x) for x in each.ifs], 0)
            for target, iterable, each in generators
        ]
        if isinstance(node, ast.DictComp):
            result: Any = ast.DictComp(self._hashed(node.key), self.visit(node.value), made)
        else:
            of = self._hashed if isinstance(node, ast.SetComp) else self.visit
            result = type(node)(of(node.elt), made)
        self._scopes.pop()
        return placed(node, result)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _iterated(self, iterable: Any, target: Any) -> Any:
        value, pattern = self.visit(iterable), pattern_of(target)
        if isinstance(pattern, ast.Constant):
            return self._call("iter", iterable, value)
        return self._call("iter_unpacked", iterable, value, pattern)
