"""A random number that the function of a batch draws is noticed, wherever it comes from.

Promise: docs/reference/functional.rst
"""

import random

import numpy as np
import pytest
from dezero_tools.functional import vmap

from dezero_core import VariableTypeError

X = np.ones((3, 2))
#: Functions of np.random that need arguments.
ARGUMENTS = {
    "beta": (1, 2),
    "binomial": (5, 0.5),
    "bytes": (3,),
    "chisquare": (3,),
    "choice": (5,),
    "dirichlet": ([1, 2],),
    "f": (2, 3),
    "gamma": (2,),
    "geometric": (0.3,),
    "hypergeometric": (5, 5, 3),
    "logseries": (0.3,),
    "multinomial": (4, [0.5, 0.5]),
    "multivariate_normal": ([0, 0], np.eye(2)),
    "negative_binomial": (3, 0.5),
    "noncentral_chisquare": (3, 1),
    "noncentral_f": (3, 3, 1),
    "pareto": (2,),
    "permutation": (5,),
    "power": (2,),
    "randint": (5,),
    "random_integers": (5,),
    "shuffle": ([1, 2, 3],),
    "standard_gamma": (2,),
    "standard_t": (3,),
    "triangular": (0, 1, 2),
    "vonmises": (0, 1),
    "wald": (1, 1),
    "weibull": (2,),
    "zipf": (2,),
}
OF_STATES = ("get_state", "set_state", "seed")
SHARED = np.random.get_state.__self__
FUNCTIONS = {
    name: (function, ARGUMENTS.get(name, ()))
    for name, function in vars(np.random).items()
    if getattr(function, "__self__", None) is SHARED and name not in OF_STATES
}
FUNCTIONS |= {
    f"random.{name}": (getattr(random, name), arguments)
    for name, arguments in {
        "random": (),
        "gauss": (0, 1),
        "getrandbits": (3,),
        "randbytes": (2,),
        "choice": ([1, 2, 3],),
        "shuffle": ([1, 2, 3],),
        "sample": ([1, 2, 3], 2),
        "normalvariate": (0, 1),
        "expovariate": (1,),
    }.items()
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_draw_from_a_generator_that_all_share_is_refused(name):
    function, arguments = FUNCTIONS[name]

    def f(x):
        function(*arguments)
        return x

    for _ in range(5):  # also the second of two numbers that are drawn together
        with pytest.raises(VariableTypeError, match="f draws random numbers"):
            vmap(f)(X)


@pytest.mark.parametrize("count", [1, 312, 623, 624, 1248])
def test_any_number_of_draws_is_noticed(count):
    for draw in (lambda: np.random.bytes(4 * count), lambda: random.randbytes(4 * count)):

        def f(x, draw=draw):
            draw()
            return x

        with pytest.raises(VariableTypeError, match="draws random numbers"):
            vmap(f)(X)


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.Philox, np.random.SFC64])
def test_draws_from_bits_that_the_user_has_chosen_are_noticed(bits):
    before = np.random.get_bit_generator()
    np.random.set_bit_generator(bits(0))
    try:
        for _ in range(3):
            with pytest.raises(VariableTypeError, match="draws random numbers"):
                vmap(lambda x: x * np.random.normal())(X)
        np.testing.assert_array_equal(vmap(lambda x: 2.0 * x)(X), 2.0 * X)
    finally:
        np.random.set_bit_generator(before)


def test_a_function_that_puts_the_states_back_or_draws_from_a_generator_of_its_own_is_mapped():
    def f(x):
        state, of_python = np.random.get_state(), random.getstate()
        np.random.normal()
        random.gauss(0, 1)
        np.random.set_state(state)
        random.setstate(of_python)
        return x * np.random.default_rng(0).normal()

    np.random.seed(0)
    for _ in range(2):
        np.testing.assert_array_equal(vmap(f)(X), X * np.random.default_rng(0).normal())
        np.random.normal()  # one of two, so that the other one is kept
