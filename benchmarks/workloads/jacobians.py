"""Whole Jacobians and Hessians, and a fit by least squares that needs a Jacobian in each step.

The Jacobian of ``tanh(matrix @ x)``, 50 x 50; the Hessian of the extended Rosenbrock function of 10
parameters; the Jacobian of a bundle adjustment, 160 x 84. There four cameras see twenty points: a
camera has three numbers for its rotation (its axis times its angle) and three for its place, and
the residuals are the places of all points in all pictures, less the seen ones. *Least squares* is
this adjustment, from its start to its end, by `scipy.optimize.least_squares`: the residuals are
plain NumPy, and the Jacobian is that of the library, or that of SciPy's own differences.
"""

from __future__ import annotations

import numpy as np
from adapters import floor
from scipy import optimize

from workloads import Case
from workloads.functional import diagonals, extended_rosenbrock

LEFT_OUT = dict.fromkeys(("mygrad", "dezero_book"), "has no Jacobians")
ROUNDS: dict[str, int] = {}

SIZE = 50
CAMERAS, POINTS, DISTANCE, LENS = 4, 20, 5.0, 0.1
CAMERA = np.repeat(np.arange(CAMERAS), POINTS)
POINT = np.tile(np.arange(POINTS), CAMERAS)
"""The camera and the point of each row of residuals."""

END = 1e-10
"""The fit ends where a step changes less: then all ways end at the same sum, up to rounding."""


def pictures(xp, parameters):
    """Return the places of the points in the pictures, a row for each."""
    cameras = xp.reshape(parameters[: 6 * CAMERAS], (CAMERAS, 6))[CAMERA]
    points = xp.reshape(parameters[6 * CAMERAS :], (POINTS, 3))[POINT]
    rotation, place = cameras[:, :3], cameras[:, 3:]
    angle = xp.sqrt(xp.sum(rotation * rotation, axis=1, keepdims=True))
    axis = rotation / angle
    cosine, sine = xp.cos(angle), xp.sin(angle)
    (a, b, c), (x, y, z) = ([each[:, k] for k in range(3)] for each in (axis, points))
    cross = xp.stack([b * z - c * y, c * x - a * z, a * y - b * x], 1)
    along = axis * xp.sum(axis * points, axis=1, keepdims=True)
    turned = points * cosine + cross * sine + along * (1.0 - cosine) + place
    flat = turned[:, :2] / (turned[:, 2:] + DISTANCE)
    return flat * (1.0 + LENS * xp.sum(flat * flat, axis=1, keepdims=True))


def residuals_of(lib, seen):
    """Return the residuals as a function of the parameters of all cameras, and of all points."""
    seen = lib.constant(seen)
    return lambda parameters: lib.xp.reshape(pictures(lib.xp, parameters) - seen, (-1,))


def crossing(vectors):
    """Return the matrix of the cross product of each vector with another."""
    return np.cross(np.eye(3), vectors[:, np.newaxis])


def pictures_by_hand(parameters):
    """Return the Jacobian. That of a rotation by its three numbers: Gallego and Yezzi 2015."""
    cameras = parameters[: 6 * CAMERAS].reshape(CAMERAS, 6)[CAMERA]
    points = parameters[6 * CAMERAS :].reshape(POINTS, 3)[POINT]
    rotation, turn = cameras[:, :3], crossing(cameras[:, :3])
    squared = np.sum(rotation * rotation, axis=1)[:, np.newaxis, np.newaxis]
    angle, outer = np.sqrt(squared), rotation[:, :, np.newaxis] * rotation[:, np.newaxis]
    matrix = np.eye(3) + np.sin(angle) / angle * turn + (1 - np.cos(angle)) / squared * turn @ turn
    of_rotation = outer + (matrix.swapaxes(1, 2) - np.eye(3)) @ turn
    of_rotation = -matrix @ crossing(points) @ of_rotation / squared

    turned = (matrix @ points[:, :, np.newaxis])[:, :, 0] + cameras[:, 3:]
    depth = turned[:, 2:] + DISTANCE
    flat = turned[:, :2] / depth
    of_flat = 2.0 * LENS * flat[:, :, np.newaxis] * flat[:, np.newaxis]
    of_flat += (1.0 + LENS * np.sum(flat * flat, axis=1))[:, np.newaxis, np.newaxis] * np.eye(2)
    of_turned = np.zeros((len(POINT), 2, 3))
    of_turned[:, 0, 0] = of_turned[:, 1, 1] = 1.0
    of_turned[:, :, 2] = -flat
    of_turned = of_flat @ of_turned / depth[:, :, np.newaxis]

    jacobian = np.zeros((len(POINT), len(parameters), 2))
    rows = np.arange(len(POINT))[:, np.newaxis]
    of_camera = np.concatenate([of_turned @ of_rotation, of_turned], axis=2)
    jacobian[rows, 6 * CAMERA[:, np.newaxis] + np.arange(6)] = of_camera.swapaxes(1, 2)
    of_point = (of_turned @ matrix).swapaxes(1, 2)
    jacobian[rows, 6 * CAMERAS + 3 * POINT[:, np.newaxis] + np.arange(3)] = of_point
    return [jacobian.swapaxes(1, 2).reshape(-1, len(parameters))]


def adjustment():
    """Return the pictures, with noise, and the parameters at the start."""
    random = np.random.default_rng(0)
    true = random.normal(0.0, 0.3, 6 * CAMERAS + 3 * POINTS)
    seen = pictures(np, true) + random.normal(0.0, 0.01, (len(POINT), 2))
    return seen, true + random.normal(0.0, 0.1, true.shape)


def hessian_by_hand(x):
    diagonal, beside = diagonals(x)
    return [np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)]


def least_squares(residuals, start, jacobian):
    """Return half the sum of the squares at the end of the fit."""
    found = optimize.least_squares(residuals, start, jacobian, ftol=END, xtol=END, gtol=END)
    return found.cost


def matrices(lib, seen, start):
    """Yield the name and the kind of each matrix, the function, what is by hand, and the input."""
    random = np.random.default_rng(1)
    matrix, x = random.normal(0.0, SIZE**-0.5, (SIZE, SIZE)), random.normal(size=SIZE)
    constant = lib.constant(matrix)

    def tanh(x):
        return lib.xp.tanh(constant @ x)

    def tanh_by_hand(x):
        return [(1.0 - np.tanh(matrix @ x) ** 2)[:, np.newaxis] * matrix]

    yield f"tanh, {SIZE} x {SIZE}", "Jacobian", tanh, tanh_by_hand, x
    yield "bundle adjustment", "Jacobian", residuals_of(lib, seen), pictures_by_hand, start
    x = np.linspace(0.1, 1.0, 10)
    yield "10 parameters", "Hessian", extended_rosenbrock(lib), hessian_by_hand, x


def cases(lib):
    seen, start = adjustment()
    for name, kind, f, by_hand, array in matrices(lib, seen, start):
        x, expected = lib.constant(array), by_hand(array)
        step = lib.differentiated(kind, f, x, by_hand=by_hand)
        yield Case(f"{kind}, {name}", lambda s=step, x=x: s(x), expected)
        if name == "bundle adjustment":
            bundle = step
    residuals = residuals_of(floor, seen)
    expected = [np.array(least_squares(residuals, start, lambda x: pictures_by_hand(x)[0]))]
    ways = {"": lambda x: bundle(lib.constant(x))[0]}
    if lib is floor:
        ways[", by differences"] = "2-point"
    for way, jacobian in ways.items():

        def fit(jacobian=jacobian):
            return [lib.constant(least_squares(residuals, start, jacobian))]

        yield Case(f"least squares, bundle adjustment{way}", fit, expected)
