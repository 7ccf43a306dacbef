"""Random programs over batches of examples, and what a Python loop makes of them."""

from itertools import product

import numpy as np
from dezero_tools.functional import grad, vmap

from dezero_core import Variable
from dezero_core import grad as gradient_of

from .programs import rounded

#: Numbers of examples: of two maps, that of the outer one first.
LENGTHS = [(3,), (2,), (4,), (1,), (2, 3), (3, 2)]


class BatchOfProgram:
    """Arguments for a program, some of them with examples.

    There are one or two maps, one inside of the other. A leaf has examples for each of them, for
    one, or for none: then all examples share it.

    Parameters
    ----------
    program : Program
    """

    def __init__(self, program):
        self.program = program
        rng = self.rng = np.random.default_rng([program.seed, 1])
        self.lengths = LENGTHS[rng.choice(len(LENGTHS), p=[0.3, 0.2, 0.1, 0.05, 0.2, 0.15])]
        self.indices = list(product(*map(range, self.lengths)))
        self.outer = range(len(self.lengths))
        self.argnums = tuple(range(len(program.leaves)))
        #: For each leaf, the maps for which it has examples. Each map needs one.
        self.maps = [[each for each in self.outer if rng.random() < 0.6] for _ in self.argnums]
        lacking = set(self.outer).difference(*self.maps)
        chosen = int(rng.integers(len(self.maps)))
        self.maps[chosen] = sorted({*self.maps[chosen], *lacking})
        #: For each map, the axis of its examples in each argument.
        self.in_axes = [[None] * len(self.maps) for _ in self.outer]
        for n, leaf in enumerate(program.leaves):
            for place, each in enumerate(self.maps[n]):
                ndim = leaf.ndim + len(self.maps[n]) - place
                self.in_axes[each][n] = int(rng.integers(-ndim, ndim))
        #: The examples of each leaf, along the first axes.
        self.examples = [self.drawn(n) for n in self.argnums]
        self.arguments = [self.laid_out(n, x) for n, x in enumerate(self.examples)]
        self.directions = [
            self.laid_out(n, np.broadcast_to(v, x.shape))
            for n, (v, x) in enumerate(zip(program.directions, self.examples, strict=True))
        ]
        #: In a sum over all examples, each has a factor.
        self.factors = rounded(rng.uniform(0.5, 1.5, self.lengths))

    def drawn(self, n):
        leaf = self.program.leaves[n]
        shape = *(self.lengths[each] for each in self.maps[n]), *leaf.shape
        return np.asarray(leaf * rounded(self.rng.uniform(0.95, 1.05, shape)))

    def laid_out(self, n, examples):
        """Return an array for each example of a leaf in the form of an argument."""
        for place, each in reversed(list(enumerate(self.maps[n]))):
            to = place + self.in_axes[each][n] % (examples.ndim - place)
            examples = np.moveaxis(examples, place, to)
        return examples

    # -- by a loop

    def looped(self, function):
        """Return the results of a function of leaves, each for all examples in one array."""
        results = []
        for index in self.indices:
            pairs = zip(self.examples, self.maps, strict=True)
            results.append(
                function([np.asarray(x[tuple(index[n] for n in maps)]) for x, maps in pairs])
            )
        columns = [np.stack([np.asarray(y) for y in ys]) for ys in zip(*results, strict=True)]
        return [y.reshape(*self.lengths, *y.shape[1:]) for y in columns]

    def derivatives(self):
        """Return the gradients of each example, and the products of the Hessian."""

        def of_one(leaves):
            xs = [Variable(x) for x in leaves]
            first = gradient_of(self.loss(*xs), xs, create_graph=True)
            slope = self.program.along(first)
            is_constant = getattr(slope, "creator", None) is None
            second = [np.zeros_like(x) for x in leaves] if is_constant else gradient_of(slope, xs)
            return [*(gx.data for gx in first), *second]

        found = self.looped(of_one)
        return found[: len(self.argnums)], found[len(self.argnums) :]

    def summed(self, gradients):
        """Return the gradients of the sum over all examples, from those of each."""
        found = []
        for n, gx in enumerate(gradients):
            factors = self.factors.reshape(*self.lengths, *(1,) * (gx.ndim - len(self.lengths)))
            sharing = tuple(set(self.outer).difference(self.maps[n]))
            found.append(self.laid_out(n, np.sum(gx * factors, axis=sharing)))
        return found

    def slopes(self, gradients):
        """Return the slope of each example along the directions of the program."""
        program = self.program
        (losses,) = self.looped(lambda leaves: [program.loss(program.run(leaves))])
        total = np.zeros_like(losses)
        for gx, v in zip(gradients, program.directions, strict=True):
            own = tuple(range(len(self.lengths), gx.ndim))
            total += np.sum(np.real(gx * np.conj(v)), axis=own)
        return total

    # -- by vmap

    def mapped(self, function, out_axes=None):
        """Return a function of all examples."""
        for each in reversed(self.outer):
            axes = 0 if out_axes is None else out_axes[each]
            function = vmap(function, in_axes=tuple(self.in_axes[each]), out_axes=axes)
        return function

    def run(self, *xs):
        return self.program.run(xs, on_variables=True)

    def loss(self, *xs):
        return self.program.loss(self.run(*xs))

    def slope(self, *xs):
        return self.program.along(grad(self.loss, self.argnums)(*xs))

    def total(self, function):
        """Return the sum of a function over all examples, each with its factor."""
        return lambda *xs: np.sum(self.mapped(function)(*xs) * self.factors)

    def values(self):
        """Return all values of the program, which vmap has put along some axes."""
        ndims = [y.ndim + len(self.lengths) for y in self.program.values]
        out_axes = [
            [int(self.rng.integers(n - ndim, ndim - n)) for ndim in ndims] for n in self.outer
        ]
        ys = self.mapped(self.run, out_axes)(*self.arguments)
        ys = [y.data if isinstance(y, Variable) else y for y in ys]
        for n, axes in enumerate(out_axes):
            pairs = zip(ys, axes, strict=True)
            ys = [np.moveaxis(y, n + axis % (y.ndim - n), n) for y, axis in pairs]
        return ys
