"""``match``, rewritten as ifs: a recorder looks at the patterns."""

from __future__ import annotations

import ast
from typing import Any

from .nodes import RewritingError, assign, constant, deleted, placed
from .statements import Statements


class Patterns(Statements):
    """Rewrites ``match``, and the other statements."""

    def visit_Match(self, node: ast.Match) -> Any:
        subject, found = self._temporary(), self._temporary()

        def ended(at: ast.AST) -> list[Any]:
            return [deleted(subject, at), deleted(found, at)]

        made = ended(node.cases[-1].pattern)
        for case in reversed(node.cases):
            pattern = case.pattern
            given = ast.Name(subject, ast.Load()), self._matched(pattern)
            call = ast.NamedExpr(
                ast.Name(found, ast.Store()), self._call("matched", pattern, *given)
            )
            tests: list[Any] = [ast.Compare(call, [ast.IsNot()], [ast.Constant(None)])]
            inside = [x for each in ast.walk(pattern) for x in vars(each).items()]
            names = sorted({name for at, name in inside if at in ("name", "rest") and name})
            bound = [self._bound(name, found, pattern) for name in names]
            tests += [ast.Tuple(bound, ast.Load())] if bound else []
            tests += [self._test(case.guard)] if case.guard else []
            test = ast.BoolOp(ast.And(), tests) if tests[1:] else tests[0]
            body = [*ended(case.body[0]), *self._block(case.body)]
            made = [placed(pattern, ast.If(placed(pattern, test), body, made))]
        return [assign(subject, self.visit(node.subject), node), *made]

    def _bound(self, name: str, found: str, node: Any) -> Any:
        """Return an expression that binds a name of a pattern, after that has matched."""
        if self._kind(name) != "local":
            raise RewritingError(f"binds the name {name}, of others, in a pattern", node)
        value = ast.Subscript(ast.Name(found, ast.Load()), ast.Constant(name), ast.Load())
        return ast.NamedExpr(ast.Name(name, ast.Store()), value)

    def _matched(self, node: Any) -> Any:
        """Return a pattern as `dezero_replay.matching.Matching` takes it: nested tuples."""

        def parts(*of: Any) -> Any:
            return placed(node, ast.Tuple([constant(x) for x in of], ast.Load()))

        def later(value: Any) -> Any:
            nothing = ast.arguments([], [], None, [], [], None, [])
            return placed(value, ast.Lambda(nothing, self.visit(value)))

        def all_of(patterns: Any) -> Any:
            return parts(*map(self._matched, patterns))

        if isinstance(node, ast.MatchValue):
            return parts("value", later(node.value))
        if isinstance(node, ast.MatchSingleton):
            return parts("singleton", node.value)
        if isinstance(node, ast.MatchStar):
            return parts("star", node.name)
        if isinstance(node, ast.MatchAs):
            return parts("as", node.pattern and self._matched(node.pattern), node.name)
        if isinstance(node, ast.MatchMapping):
            keys = parts(*map(later, node.keys))
            return parts("mapping", keys, all_of(node.patterns), node.rest)
        if isinstance(node, ast.MatchClass):
            names, of_names = parts(*node.kwd_attrs), all_of(node.kwd_patterns)
            return parts("class", later(node.cls), all_of(node.patterns), names, of_names)
        kind = "or" if isinstance(node, ast.MatchOr) else "sequence"
        return parts(kind, *map(self._matched, node.patterns))
