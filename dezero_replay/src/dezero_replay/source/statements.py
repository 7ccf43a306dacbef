"""Statements, rewritten so that each step of theirs goes through a recorder."""

from __future__ import annotations

import ast
from typing import Any

from .expressions import Expressions
from .nodes import (
    BINARY,
    RewritingError,
    assign,
    constant,
    deleted,
    expression,
    leaves_of,
    pattern_of,
    placed,
)


class Statements(Expressions):
    """Rewrites statements, and the expressions in them."""

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for each in statements:
            found = self.visit(each)
            made += found if isinstance(found, list) else [found]
        return made

    def visit_Assign(self, node: ast.Assign) -> Any:
        value, (first, *others) = self.visit(node.value), node.targets
        if not others and self._is_local(first):
            return placed(node, ast.Assign([first], value))
        name = self._temporary()
        made = [assign(name, value, node)]
        for target in node.targets:
            made += self._stored(target, ast.Name(name, ast.Load()), node)
        return [*made, deleted(name, node)]

    def _is_local(self, target: Any) -> bool:
        return isinstance(target, ast.Name) and self._kind(target.id) == "local"

    def _stored(self, target: Any, value: Any, at: ast.AST) -> list[Any]:
        """Return the statements that assign a value to a target."""
        if self._is_local(target):
            return [placed(at, ast.Assign([target], value))]
        if isinstance(target, ast.Name):
            if self._kind(target.id) == "free":
                value = self._call("set_free", at, self._mangled(target.id), value)
                return [placed(at, ast.Assign([target], value))]
            return [expression(self._call("set_glob", at, self._mangled(target.id), value))]
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            kind, *place = self._place(target)
            return [expression(self._call(f"set{kind}", at, *place, value))]
        value = self._call("unpacked", at, value, pattern_of(target))
        names: list[str] = []
        made = [placed(at, ast.Assign([self._with_temporaries(target, names)], value))]
        for name, inner in zip(names, leaves_of(target), strict=True):
            made += self._stored(inner, ast.Name(name, ast.Load()), at)
        return [*made, *(deleted(name, at) for name in names)]

    def _with_temporaries(self, target: Any, names: list[str]) -> Any:
        """Return nested targets with a temporary name in place of each; note the names."""
        if isinstance(target, (ast.Tuple, ast.List)):
            inside = [self._with_temporaries(each, names) for each in target.elts]
            return placed(target, ast.Tuple(inside, ast.Store()))
        if isinstance(target, ast.Starred):
            inner = self._with_temporaries(target.value, names)
            return placed(target, ast.Starred(inner, ast.Store()))
        names.append(self._temporary())
        return placed(target, ast.Name(names[-1], ast.Store()))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return placed(node, ast.Pass())
        return self.visit_Assign(placed(node, ast.Assign([node.target], node.value)))

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        method, target = "i" + BINARY[type(node.op)].rstrip("_"), node.target
        if isinstance(target, ast.Name):
            before = self.visit(ast.copy_location(ast.Name(target.id, ast.Load()), target))
            value = self._call(method, node, before, self.visit(node.value))
            return self._stored(target, value, node)
        holder, key = self._temporary(), self._temporary()
        kind, of, index = self._place(target)
        made = [assign(holder, of, node), assign(key, constant(index), node)]
        place = ast.Name(holder, ast.Load()), ast.Name(key, ast.Load())
        value = self._call(method, node, self._call(kind, node, *place), self.visit(node.value))
        made.append(expression(self._call(f"set{kind}", node, *place, value)))
        return [*made, deleted(holder, node), deleted(key, node)]

    def visit_Delete(self, node: ast.Delete) -> Any:
        made: list[Any] = []
        for target in node.targets:
            if isinstance(target, (ast.Attribute, ast.Subscript)):
                kind, *place = self._place(target)
                made.append(expression(self._call(f"del{kind}", node, *place)))
            elif self._is_local(target):
                made.append(placed(node, ast.Delete([target])))
            else:
                raise RewritingError("deletes something else than a local name or an item", node)
        return made

    def visit_For(self, node: ast.For) -> Any:
        rest = self._block(node.orelse)
        if all(map(self._is_local, leaves_of(node.target))):
            iterable = self._iterated(node.iter, node.target)
            return placed(node, ast.For(node.target, iterable, self._block(node.body), rest))
        iterable, name = self._call("iter", node.iter, self.visit(node.iter)), self._temporary()
        stores = self._stored(node.target, ast.Name(name, ast.Load()), node)
        body = [*stores, *self._block(node.body)]
        return placed(node, ast.For(ast.Name(name, ast.Store()), iterable, body, rest))

    def visit_While(self, node: ast.While | ast.If) -> Any:
        body, rest = self._block(node.body), self._block(node.orelse)
        return placed(node, type(node)(self._test(node.test), body, rest))

    visit_If = visit_While

    def visit_Assert(self, node: ast.Assert) -> Any:
        message = node.msg and self.visit(node.msg)
        return placed(node, ast.Assert(self._test(node.test), message))

    def visit_With(self, node: ast.With) -> Any:
        body = self._block(node.body)
        for item in reversed(node.items):
            context = self._call("context", item.context_expr, self.visit(item.context_expr))
            target = item.optional_vars
            if target is not None and not self._is_local(target):
                name = self._temporary()
                body = [*self._stored(target, ast.Name(name, ast.Load()), node), *body]
                target = ast.Name(name, ast.Store())
            body = [placed(node, ast.With([ast.withitem(context, target)], body))]
        return body

    def visit_Import(self, node: ast.Import) -> Any:
        made: list[Any] = [node]
        for each in node.names:
            first = each.name.partition(".")[0]
            module = each.name if each.asname else first
            made.append(self._imported(node, each.asname or first, module, None))
        return made

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        module = "." * node.level + (node.module or "")
        found = [self._imported(node, x.asname or x.name, module, x.name) for x in node.names]
        return [node, *found]

    def _imported(self, node: Any, name: str, module: str, attribute: str | None) -> Any:
        if self._kind(name) != "local":
            raise RewritingError(f"imports into the global name {name}", node)
        value = self._call("imported", node, module, attribute, ast.Name(name, ast.Load()))
        return assign(name, value, node)

    def visit_Try(self, node: ast.Try) -> Any:
        for each in (inner for statement in node.finalbody for inner in ast.walk(statement)):
            if isinstance(each, (ast.Return, ast.Break, ast.Continue)):
                raise RewritingError("leaves a finally by return, break or continue", node)
        handlers = []
        for each in node.handlers:
            kind = each.type and self._call("errors", each.type, self.visit(each.type))
            body = [expression(self._call("caught", each)), *self._block(each.body)]
            handlers.append(placed(each, ast.ExceptHandler(kind, each.name, body)))
        body, rest, at_last = map(self._block, (node.body, node.orelse, node.finalbody))
        return placed(node, type(node)(body, handlers, rest, at_last))

    visit_TryStar = visit_Try  # type: ignore[assignment]
