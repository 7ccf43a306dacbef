"""The programs of steps 24 to 41, against derivatives by other means.

Promise: docs/coming_from/book.md
"""

import math
from xml.etree import ElementTree

import mpmath
import numpy as np

from .printed import numbers


def texts_in(path):
    return {text.strip() for text in ElementTree.parse(path).getroot().itertext() if text.strip()}


def test_step_24_prints_the_gradients_that_complex_steps_give(run):
    ran = run("step24_optimization_functions")
    for line in ran.printed.splitlines():
        name, rest = line.split(": ")
        function = ran.names[name]
        h = 1e-30
        truth = [function(1.0, 1.0), *(
            function(1.0 + 1j * h * dx, 1.0 + 1j * h * dy).imag / h for dx, dy in ((1, 0), (0, 1))
        )]  # fmt: skip
        np.testing.assert_allclose(numbers(rest), truth, rtol=1e-5)
    assert ran.printed.count("\n") == 3
    assert ran.names["sphere"](0.0, 0.0) == ran.names["matyas"](0.0, 0.0) == 0.0  # their minima
    assert abs(ran.names["matyas"](10.0, -10.0) - 100.0) < 1e-12  # 0.26 * 200 + 0.48 * 100
    assert ran.names["goldstein_price"](0.0, -1.0) == 3.0  # its minimum


def test_step_27_prints_the_sine_and_the_cosine_up_to_the_threshold(run):
    ran = run("step27_taylor_sine")
    *lines, by_numpy = map(numbers, ran.printed.splitlines())
    truth = [math.sin(math.pi / 4), math.cos(math.pi / 4)]
    np.testing.assert_allclose(by_numpy, truth, rtol=1e-15)
    thresholds = [threshold for threshold, *_ in lines]
    assert thresholds == [1e-4, 1e-150]
    for threshold, *found in lines:
        np.testing.assert_allclose(found, truth, rtol=0.0, atol=max(threshold, 2e-16))
    assert {"x", "y"} <= texts_in(ran.folder / "step27_taylor_sine.svg")


def test_step_28_goes_the_way_of_the_gradient_by_hand(run):
    ran = run("step28_rosenbrock", "--iters", 1000)
    a, b = 0.0, 2.0
    way = [(a, b)]
    for _ in range(1000):
        slope = -400.0 * a * (b - a**2) + 2.0 * (a - 1.0), 200.0 * (b - a**2)
        a, b = a - 0.001 * slope[0], b - 0.001 * slope[1]
        way.append((a, b))
    (axes,) = ran.figures["step28_rosenbrock.png"].axes
    np.testing.assert_allclose(axes.lines[0].get_xydata(), way, rtol=1e-9)
    assert numbers(ran.printed.splitlines()[-1])[1:] == [round(a, 4), round(b, 4)]


def test_step_33_finds_the_minimum_as_newtons_formula_does(run):
    x = 2.0
    for i, line in enumerate(run("step33_newtons_method").printed.splitlines()):
        np.testing.assert_allclose(numbers(line), [i, x, x], atol=1e-11)
        x -= (4 * x**3 - 4 * x) / (12 * x**2 - 4)
    assert i == 7
    assert abs(x - 1.0) < 1e-15


def test_step_34_draws_the_sine_and_its_derivatives(run):
    ran = run("step34_sine_derivatives")
    (axes,) = ran.figures["step34_sine_derivatives.png"].axes
    assert len(axes.lines) == 4
    for order, line in enumerate(axes.lines):
        x, y = line.get_data()
        np.testing.assert_allclose(y, np.sin(x + order * np.pi / 2.0), atol=1e-14)
    assert numbers(ran.printed)[-1] < 1e-15


def test_step_35_prints_the_derivatives_of_tanh_that_mpmath_gives(run):
    ran = run("step35_tanh_derivatives", "--order", 5)
    found = [numbers(line)[1] for line in ran.printed.splitlines()]
    with mpmath.workdps(40):
        truth = [float(mpmath.diff(mpmath.tanh, 1, order)) for order in range(1, 6)]
    np.testing.assert_allclose(found, truth, atol=1e-10)
    graphs = [(ran.folder / f"step35_tanh_{i}.svg").read_text("utf-8") for i in (1, 2)]
    assert "gx1" in graphs[0]
    assert "gx2" in graphs[1]
    assert len(graphs[0]) < len(graphs[1])


def test_step_36_prints_the_derivative_of_the_formula(run):
    h = 1e-30
    x = 2.0 + 1j * h
    assert numbers(run("step36_double_backprop").printed) == [(8 * x**3 + x**2).imag / h]


def test_step_41_prints_gradients_that_are_differences(run):
    """All its functions are linear, and so a difference is their derivative."""
    ran = run("step41_tensors")
    lines = dict(line.split(": ") for line in ran.printed.splitlines())
    x = ran.names["X"]
    assert list(lines) == list(ran.names["FUNCTIONS"])
    for name, function in ran.names["FUNCTIONS"].items():
        at = function(x).sum()
        truth = [
            function(x + step.reshape(x.shape)).sum() - at for step in np.eye(x.size, dtype=float)
        ]
        *shape, gradient = lines[name].split(", gradient ")
        assert shape == [f"shape {function(x).shape}"]
        np.testing.assert_allclose(numbers(gradient), truth, rtol=1e-12)
    assert numbers(gradient) == [6.0] * 3 + [15.0] * 3  # of the matrix product, sums of W's rows


def test_step_26_draws_the_graph_of_a_formula(run):
    ran = run("step26_graph_pictures")
    assert ran.printed.startswith("digraph")
    assert all(f'"{name}\\nfloat64 ()"' in ran.printed for name in ("x0", "x1", "y"))
    assert ran.printed.count("->") == 3
    texts = texts_in(ran.folder / "step26_goldstein_price.svg")
    assert {"x", "y", "z", "Add", "Sub", "Mul", "Pow"} <= texts
    assert ran.names["goldstein_price"](0.0, -1.0) == 3.0
