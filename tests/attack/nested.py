"""Random functions in whose middle functions are differentiated, for several libraries.

An expression is a function of a `Library` and of the variables in its scope. What it differentiates
is an expression itself, which reads the variables of all scopes around it: so one derivative that
takes the variable of another for its own gives another number.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from dezero_tools.functional import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

import dezero_core
from dezero_core import Variable

from . import duals

jax.config.update("jax_enable_x64", True)

SIZE = 3


class Library(NamedTuple):
    """NumPy, and what differentiates; `slope` is by a number that the function makes itself."""

    np: Any
    grad: Any
    value_and_grad: Any
    vjp: Any
    jvp: Any
    hvp: Any
    jacobian: Any
    hessian: Any
    slope: Any


def slope(create_graph):
    def slope(f, at):
        x = Variable(np.array(at))
        return dezero_core.grad(f(x), x, create_graph=create_graph)

    return slope


def slope_by_backward(f, at):
    x = Variable(np.array(at))
    y = f(x)
    x.cleargrad()  # which a derivative inside of f by another Variable has reached as well
    y.backward()
    return x.grad


HERE = Library(np, grad, value_and_grad, vjp, jvp, hvp, jacobian, hessian, slope(create_graph=True))
#: How a function may differentiate by a Variable of its own.
SLOPES = {
    "grad with create_graph": HERE,
    "grad": HERE._replace(slope=slope(create_graph=False)),
    "backward": HERE._replace(slope=slope_by_backward),
}
DUALS = Library(
    duals.Numpy,
    duals.grad,
    lambda f: lambda x: (f(x), duals.grad(f)(x)),
    duals.vjp,
    duals.jvp,
    lambda f: lambda x, v: duals.along(duals.grad(f), x, v),
    lambda f: lambda x: duals.Matrix(f, x),
    lambda f: lambda x: duals.Matrix(duals.grad(f), x),
    lambda f, at: duals.grad(f)(at),
)
JAX = Library(
    jnp,
    jax.grad,
    jax.value_and_grad,
    jax.vjp,
    lambda f, x: (f(x), lambda v: jax.jvp(f, (x,), (v,))[1]),
    lambda f: lambda x, v: jax.jvp(jax.grad(f), (x,), (v,))[1],
    jax.jacobian,
    jax.hessian,
    lambda f, at: jax.grad(f)(at),
)


class Maker:
    """Makes expressions of numbers and of vectors.

    Parameters
    ----------
    rng : numpy.random.Generator
    slopes : bool
        Whether derivatives by Variables of the function's own are among them.
    """

    def __init__(self, rng, slopes=False):
        self.rng, self.slopes = rng, slopes

    def constant(self, kind):
        numbers = self.rng.uniform(0.3, 1.2, SIZE if kind == "vector" else None)
        return lambda lib, scope: numbers

    def variable(self, kind, kinds):
        known = [n for n, each in enumerate(kinds) if each == kind]
        if not known:
            return self.constant(kind)
        weights = np.arange(1.0, len(known) + 1.0)  # rather an inner one
        n = int(self.rng.choice(known, p=weights / weights.sum()))
        return lambda lib, scope: scope[n]

    def make(self, kind, kinds, depth, nesting):
        """Return an expression of a kind, in a scope with variables of `kinds`."""
        rng = self.rng
        if depth == 0:
            return self.constant(kind) if rng.random() < 0.15 else self.variable(kind, kinds)
        if nesting and rng.random() < 0.4:
            return self.derivative(kind, kinds, depth - 1, nesting - 1)
        a = self.make(kind, kinds, depth - 1, nesting)
        b = self.make(kind, kinds, depth - 1, nesting)
        s = self.make("number", kinds, depth - 1, nesting)
        c = float(rng.uniform(0.3, 1.2))
        ways = [
            lambda lib, scope: lib.np.sin(a(lib, scope)),
            lambda lib, scope: lib.np.tanh(a(lib, scope)) * c,
            lambda lib, scope: lib.np.exp(-(a(lib, scope) ** 2)),
            lambda lib, scope: a(lib, scope) * b(lib, scope),
            lambda lib, scope: a(lib, scope) - c * b(lib, scope),
            lambda lib, scope: a(lib, scope) / (2.0 + b(lib, scope) ** 2),
            lambda lib, scope: a(lib, scope) * s(lib, scope),
        ]
        if kind == "number":
            v = self.make("vector", kinds, depth - 1, nesting)
            w = self.make("vector", kinds, depth - 1, nesting)
            ways += [lambda lib, scope: lib.np.sum(v(lib, scope) * w(lib, scope)) / SIZE] * 2
        else:
            ways.append(lambda lib, scope: lib.np.cumsum(a(lib, scope)) / SIZE)
        return ways[rng.integers(len(ways))]

    def derivative(self, kind, kinds, depth, nesting):
        """Return an expression that differentiates another one of its scope."""
        point = self.make("vector", kinds, depth, 0)
        vector = self.make("vector", kinds, depth, 0)
        number = self.make("number", kinds, depth, 0)

        def of(result, by):
            """Return a function by one more variable, in which that has a part."""
            body = self.make(result, [*kinds, by], depth, nesting)

            def function(lib, scope):
                def f(x):
                    own = lib.np.sum(x * x) if result == "number" else x * x
                    return body(lib, (*scope, x)) + 0.3 * own

                return f

            return function

        if kind == "number":
            one, many = of("number", "number"), of("number", "vector")
            at = float(self.rng.uniform(0.3, 1.2))
            ways = [
                lambda lib, scope: lib.grad(one(lib, scope))(number(lib, scope)),
                lambda lib, scope: lib.value_and_grad(one(lib, scope))(number(lib, scope))[0],
                lambda lib, scope: lib.vjp(one(lib, scope), number(lib, scope))[1](
                    number(lib, scope)
                )[0],
                lambda lib, scope: lib.jvp(many(lib, scope), point(lib, scope))[1](
                    vector(lib, scope)
                ),
                lambda lib, scope: lib.hvp(one(lib, scope))(number(lib, scope), number(lib, scope)),
            ]
            if self.slopes:
                ways = [lambda lib, scope: lib.slope(one(lib, scope), at)]
        else:
            many, vectors = of("number", "vector"), of("vector", "vector")
            ways = [
                lambda lib, scope: lib.grad(many(lib, scope))(point(lib, scope)),
                lambda lib, scope: lib.value_and_grad(many(lib, scope))(point(lib, scope))[1],
                lambda lib, scope: lib.vjp(vectors(lib, scope), point(lib, scope))[1](
                    vector(lib, scope)
                )[0],
                lambda lib, scope: lib.jvp(vectors(lib, scope), point(lib, scope))[1](
                    vector(lib, scope)
                ),
                lambda lib, scope: lib.hvp(many(lib, scope))(point(lib, scope), vector(lib, scope)),
                lambda lib, scope: (
                    lib.jacobian(vectors(lib, scope))(point(lib, scope)) @ vector(lib, scope)
                ),
                lambda lib, scope: (
                    lib.hessian(many(lib, scope))(point(lib, scope)) @ vector(lib, scope)
                ),
            ]
        return ways[self.rng.integers(len(ways))]


class Nested:
    """A random function of a number and two vectors, for each library.

    Parameters
    ----------
    seed : int
    result : str
        "number" or "vector".
    slopes : bool
        See `Maker`.
    """

    def __init__(self, seed, result="number", slopes=False):
        rng = np.random.default_rng(seed)
        self.seed = seed
        maker, kinds = Maker(rng, slopes), ["number", "vector", "vector"]
        parts = [maker.derivative(kind, kinds, 2, 2) for kind in ("number", "vector")]
        rest = maker.make("vector", kinds, 2, 1)
        self.point = (
            float(rng.uniform(0.3, 1.2)),
            rng.uniform(0.3, 1.2, SIZE),
            rng.uniform(0.3, 1.2, SIZE),
        )

        def expression(lib, scope):
            number, vector = (part(lib, scope) for part in parts)
            y = number * lib.np.tanh(vector + rest(lib, scope) * scope[2] * scope[0] + scope[1])
            return lib.np.sum(y) if result == "number" else y

        self.expression = expression

    def of(self, lib, argument=None):
        """Return the function for a library: of all arguments, or of one and fixed others."""

        def function(*given):
            scope = list(self.point)
            scope[slice(None) if argument is None else slice(argument, argument + 1)] = given
            return self.expression(lib, tuple(scope))

        return function

    def gradients(self):
        """Return the gradients by all arguments, by dual numbers."""
        return [duals.grad(self.of(DUALS, n))(x) for n, x in enumerate(self.point)]
