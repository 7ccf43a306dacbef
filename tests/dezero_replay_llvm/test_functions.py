"""Each function of the table, on each kind of number, wherever in a vector it stands.

``DEZERO_ATTACK=long`` looks at a million numbers of each function, in place of a thousand.

Promise: docs/how_replay_works.md
"""

import itertools
import operator

import mpmath
import numpy as np
import pytest
from dezero_replay_llvm.functions import CLIP, EXACT

from ..attack.lengths import LONG, SEED
from .machine_code import FLOATS, MACHINES, differing, kernel, native, ulps, width

SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65] if LONG else [1, 3, 8, 17]
SPECIAL = [
    *(0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 2.0, 3.0, 0.1),
    *(710.0, -745.0, -800.0, 88.8, -104.0, 127.9, 128.0, 1023.9, 1024.0, -1074.0, np.pi, 7.7),
    *(1e300, -1e300, 1e-300, 1e308, 1e30, -1e30, 1e-40, -1e-40, 5e-324, -5e-324, 1e-45, 1e22),
    *(4503599627370496.5, 2.0**53, 16777217.0, 1 + 2.0**-52, 1 - 2.0**-53, 1 + 2.0**-23),
]
WHOLE = [np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)]

UFUNCS = [each for each in EXACT if isinstance(each, np.ufunc) and each is not CLIP]
OF_BITS = [each for each in UFUNCS if "?" in each.types[0] and "d" not in "".join(each.types)]
OF_FLOATS = [each for each in UFUNCS if each not in OF_BITS]

machines = pytest.mark.parametrize("machine", MACHINES, ids=width)


def named(*ufuncs):
    return pytest.mark.parametrize("ufunc", ufuncs, ids=lambda ufunc: ufunc.__name__)


def special(dtype, count=1):
    """Return arrays of all combinations of so many special numbers."""
    with np.errstate(all="ignore"):
        numbers = np.array(SPECIAL if count < 3 else SPECIAL[:12]).astype(dtype)
    return [x.ravel().copy() for x in np.meshgrid(*[numbers] * count)]


def at_each_place(function):
    """Return a function that calls another one on the first elements, and on all of them."""

    def calls(*xs):
        return [function(*(x[:size] for x in xs)) for size in SIZES] + [function(*xs)]

    return calls


def check_bits(function, arrays, machine):
    """Compare the bits of machine code with NumPy's, while the numbers go round."""
    calls = at_each_place(function)
    made = kernel(calls, *arrays, machine=machine)
    step = max(1, arrays[0].size // 9)
    with np.errstate(all="ignore"):
        for shift in range(0, arrays[0].size, step):
            given = [np.roll(x, -shift) for x in arrays]
            for found, expected in zip(made(*given), calls(*given), strict=True):
                assert not (text := differing(found, expected)), (found.size, shift, text)


@machines
@named(*OF_FLOATS)
def test_an_exact_function_has_numpys_bits(ufunc, machine):
    for dtype in FLOATS:
        check_bits(ufunc, special(dtype, ufunc.nin), machine)


@machines
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_the_choice_by_a_mask_has_numpys_bits(dtype, machine):
    x, y = special(dtype, 2)
    check_bits(lambda x, y: np.where(x > y, x, y), (x, y), machine)
    check_bits(lambda x, y: np.where(x, 1.5, y), (x, y), machine)
    check_bits(lambda x, y: np.where((x < 1) & ~(y >= x), y, -0.0), (x, y), machine)


@machines
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_clip_has_numpys_bits(dtype, machine):
    arrays = special(dtype, 3)
    check_bits(CLIP, arrays, machine)
    for low, high in itertools.product([0.0, -0.0, -1.5, np.nan, np.inf], repeat=2):
        x = np.array([0.0, -0.0, 1.5, -2.0, 0.25, -0.0, 0.0], dtype)

        def function(x, low=low, high=high):
            return [np.clip(x, low, high) * 1, -x]

        made = kernel(function, x, machine=machine)
        for found, expected in zip(made(x), function(x), strict=True):
            assert not differing(found, expected)


def test_limits_of_clip_that_are_broadcast_are_numpys():
    x, low, high = np.zeros((3, 4)), np.full((3, 1), -0.0), np.ones((3, 1))
    program = native(lambda *xs: np.clip(*xs) + 0.5, x, low, high, machine=MACHINES[0])
    assert any("broadcast" in why for _, why in program.partition.reasons)


def test_a_power_of_one_half_is_numpys():
    x = np.array([4.0, -0.0, 2.0])
    program = native(lambda x: (np.power(x, 0.5) + 1.0) * x, x, machine=MACHINES[0])
    assert not differing(program.run(x)[0], (np.power(x, 0.5) + 1.0) * x)
    assert any("root" in why for _, why in program.partition.reasons)


def whole_numbers(dtype, rng):
    """Return arrays of a dtype of whole numbers, or booleans, that overflow one another."""
    if dtype == np.dtype(bool):
        return [rng.random(40) < 0.5 for _ in range(2)]
    limits = np.iinfo(dtype)
    edges = [limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1]
    drawn = [rng.integers(limits.min, limits.max, 40, dtype, endpoint=True) for _ in range(2)]
    for x, shift in zip(drawn, (0, 2), strict=True):
        x[:6] = np.roll(np.array(edges, dtype), shift)
    return drawn


def is_defined(ufunc, arrays):
    """Return whether a ufunc takes such arrays."""
    try:
        with np.errstate(all="ignore"):
            ufunc(*arrays[: ufunc.nin])
    except TypeError:
        return False
    return True


@machines
def test_whole_numbers_and_booleans_have_numpys_bits(machine):
    rng, seen = np.random.default_rng(0), 0
    for dtype in [*WHOLE, np.dtype(bool)]:
        arrays = whole_numbers(dtype, rng)
        defined = [ufunc for ufunc in UFUNCS if is_defined(ufunc, arrays)]

        def calls(*xs, defined=defined):
            parts = [[x[:size] for x in xs] for size in (3, 16, 40)]
            return [ufunc(*part[: ufunc.nin]) for ufunc in defined for part in parts]

        program = native(calls, *arrays, machine=machine)
        seen += sum(len(code.region.instructions) for code in program.codes)
        with np.errstate(all="ignore"):
            for number, expected in enumerate(calls(*arrays)):
                found = program.run(*arrays)[number]
                text = differing(found, expected)
                assert not text, (defined[number // 3], dtype, text)
    assert seen > 400


@machines
def test_conversions_have_numpys_bits(machine):
    rng, seen = np.random.default_rng(1), 0
    for source in [*FLOATS, *WHOLE, np.dtype(bool)]:
        (x, *_) = whole_numbers(source, rng) if source.kind in "iub" else special(source)
        targets = [*FLOATS, *WHOLE, np.dtype(bool)]

        def calls(x, targets=targets):
            return [part.astype(to) for part in (x[:3], x[:16], x) for to in targets]

        program = native(calls, x, machine=machine)
        seen += bool(program.codes)
        with np.errstate(all="ignore"):
            for found, expected in zip(program.run(x), calls(x), strict=True):
                assert not (text := differing(found, expected)), (source, expected.dtype, text)
    assert seen >= 9


@machines
def test_numbers_of_several_dtypes_meet_as_in_numpy(machine):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 37)) * 100
    arrays = [x, y.astype(np.float32), x.astype(np.int32), y.astype(np.int8), x > y]

    def calls(x, y, i, j, b):
        return [x + y, y * b, i * y, j - x, i + j, np.where(b, y, i), b & (x > y), b + i, y / 3]

    program = native(calls, *arrays, machine=machine)
    assert program.codes
    for found, expected in zip(program.run(*arrays), calls(*arrays), strict=True):
        assert not differing(found, expected)


# Functions of the vector library.

TRUTH = {
    np.exp: mpmath.exp,
    np.exp2: lambda x: mpmath.power(2, x),
    np.expm1: mpmath.expm1,
    np.log: mpmath.log,
    np.log2: lambda x: mpmath.log(x, 2),
    np.log10: mpmath.log10,
    np.log1p: mpmath.log1p,
    np.sin: mpmath.sin,
    np.cos: mpmath.cos,
    np.arcsin: mpmath.asin,
    np.arccos: mpmath.acos,
    np.arctan: mpmath.atan,
    np.sinh: mpmath.sinh,
    np.cosh: mpmath.cosh,
    np.tanh: mpmath.tanh,
    np.arcsinh: mpmath.asinh,
    np.arccosh: mpmath.acosh,
    np.arctanh: mpmath.atanh,
    np.cbrt: lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    np.power: mpmath.power,
    np.arctan2: mpmath.atan2,
    np.logaddexp: lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
}
MOST = 4.0
"""Units in the last place by which the vector library may be off."""

#: Where some are worst, of 70 million numbers of float32 and ten million of float64.
WORST = [0.8827930688858032, 3.925330877304077, 0.749942421913147, 0.5006601214408875]
WORST += [0.6745304240117074, -0.02394537412592128, -182006.5916620039, 125112.60790272916]


def domain(ufunc, rng, size):
    """Return arrays of numbers on which a function is defined, of many magnitudes."""
    wide = rng.choice([-1.0, 1.0], size) * 10.0 ** rng.uniform(-8, 3, size)
    near = rng.normal(size=size) * rng.choice([0.1, 1.0, 10.0], size)
    x = np.where(rng.random(size) < 0.5, wide, near)
    x[: len(WORST)] = WORST
    if ufunc in (np.log, np.log2, np.log10, np.power):
        x = np.abs(x)
    elif ufunc is np.log1p:
        x = np.where(x > -1, x, -x)
    elif ufunc in (np.arcsin, np.arccos, np.arctanh):
        x = np.where(np.abs(x) < 1, x, 1 / np.where(x == 0, 1, x) * 0.99)
    elif ufunc is np.arccosh:
        x = 1 + np.abs(x)
    elif ufunc in (np.exp, np.expm1, np.sinh, np.cosh, np.exp2):
        x = np.fmod(x, 85)
    y = rng.normal(size=size) * rng.choice([0.1, 1.0, 10.0], size)
    return [x, y][: ufunc.nin]


def terms_of(ufunc, arrays):
    """Return the terms of a sum: beside log(2), the sum of exponentials has no more."""
    return (*arrays, np.full_like(arrays[0], 0.5)) if ufunc is np.logaddexp else ()


def exact(ufunc, arrays):
    """Return the values of a function with 20 digits more than float64 has."""
    with mpmath.workdps(40):
        truth = TRUTH[ufunc]
        numbers = [truth(*map(mpmath.mpf, map(float, each))) for each in zip(*arrays, strict=True)]
        high = np.array([float(each) for each in numbers])
        low = np.array([float(n - mpmath.mpf(h)) for n, h in zip(numbers, high, strict=True)])
    return high, low


@machines
@named(*TRUTH)
def test_a_function_of_the_vector_library_is_within_four_units_of_the_exact_value(ufunc, machine):
    rng = np.random.default_rng(SEED)
    arrays = domain(ufunc, rng, 20_000 if LONG else 120)
    high, low = exact(ufunc, arrays)
    made = kernel(lambda *xs: [ufunc(*xs), -xs[0]], *arrays, machine=machine)
    (found, _) = made(*arrays)
    size = np.abs(high)
    for term in terms_of(ufunc, arrays):
        size = np.maximum(size, np.abs(term))
    error = np.abs((found - high) - low) / np.spacing(size)
    worst = int(np.argmax(error))
    assert error[worst] <= MOST, [float(x[worst]) for x in arrays]


@machines
@named(*TRUTH)
def test_its_float32_is_within_four_units_of_the_exact_value(ufunc, machine):
    rng = np.random.default_rng(SEED)
    arrays = [x.astype(np.float32) for x in domain(ufunc, rng, 10**6 if LONG else 5_000)]
    with np.errstate(all="ignore"):
        right = ufunc(*(x.astype(float) for x in arrays))
    made = kernel(lambda *xs: [ufunc(*xs), -xs[0]], *arrays, machine=machine)
    error = ulps(made(*arrays)[0], right, terms_of(ufunc, arrays))
    worst = int(np.argmax(error))
    assert error[worst] <= MOST, [float(x[worst]) for x in arrays]


@machines
@named(*TRUTH)
def test_it_is_defined_where_numpys_is_and_the_same_at_each_place(ufunc, machine):
    for dtype in FLOATS:
        arrays = special(dtype, ufunc.nin)
        calls = at_each_place(ufunc)
        made = kernel(calls, *arrays, machine=machine)
        with np.errstate(all="ignore"):
            for found, right in zip(made(*arrays), calls(*arrays), strict=True):
                given = [x[: found.size] for x in arrays]
                error = ulps(found, right.astype(np.longdouble), terms_of(ufunc, given))
                worst = int(error.argmax())
                assert error[worst] <= 2 * MOST, [float(x[worst]) for x in given]
                plain = (found == 0) | np.isinf(found)
                assert np.array_equal(np.signbit(found[plain]), np.signbit(right[plain]))
            for number in range(-4, 0):  # of the last vector, too
                turned = made(*(np.roll(x, number) for x in arrays))[-1]
                assert not differing(np.roll(turned, -number), found)


# Where NumPy warns.


@machines
@named(*OF_FLOATS, *TRUTH)
def test_machine_code_notices_all_of_which_numpy_warns(ufunc, machine):
    for dtype in FLOATS:
        columns = special(dtype, ufunc.nin)
        step = max(1, columns[0].size // 200)
        for size in (8, 3):  # vectors alone, and a part of one
            ones = [np.ones(size, dtype) for _ in columns]
            made = kernel(lambda *xs: [ufunc(*xs), +xs[0]], *ones, machine=machine)
            for numbers in itertools.islice(zip(*columns, strict=True), 0, None, step):
                xs = [np.full(size, number) for number in numbers]
                try:
                    with np.errstate(all="raise", under="ignore"):
                        ufunc(*xs)
                except FloatingPointError:
                    made(*xs)
                    assert made.status, (numbers, size)


@machines
def test_lanes_that_are_not_there_raise_no_flag(machine):
    """Each function on numbers that are well inside of its domain, in a part of a vector."""
    ufuncs = [*OF_FLOATS, *TRUTH]
    ufuncs.remove(np.arccosh)
    for dtype, size in itertools.product(FLOATS, (2, 3, 13)):
        x, y, z = np.full((3, size), 0.625, dtype)

        def calls(x, y, z):
            return [np.arccosh(z), *(ufunc(*(x, y)[: ufunc.nin]) for ufunc in ufuncs)]

        made = kernel(calls, x, y, z, machine=machine)
        made(x, y, z + 1)
        assert made.status == 0, (dtype, size)
        made(x, y, z)
        assert made.status == 1, "arccosh is not defined there"


@machines
def test_a_pole_that_no_number_is_at_makes_numpy_run_nothing(machine):
    x = np.full(11, 0.25)
    made = kernel(lambda x: [1 / (x - 1), np.log(1 - x)], x, machine=machine)
    made(x)
    assert made.status == 0


@machines
@pytest.mark.parametrize("call", [operator.pow, np.power], ids=["of an operator", "of a function"])
def test_powers_by_numbers_are_numpys(call, machine):
    x = np.array([0.5, 1.5, 3.0, 1e-3, 40.0, 2.25, 7.0])
    powers = [2, 3, -1, 0, 1, 2.0, 3.0, -2.0, 0.0, 1.0, 1.5, -0.5]

    def calls(x):
        return [call(x, power) for power in powers] + [call(2.0, x)]

    program = native(calls, x, machine=machine)
    for found, expected in zip(program.run(x), calls(x), strict=True):
        assert np.max(np.abs(found - expected) / np.spacing(expected)) <= MOST
