# Written by `python dezero_core/make_bound.py`; a test says when it is stale.
"""What Variable and `grad` are to type checkers.

The members of Variable are those that dezero-ops-basic and dezero-ops-math bind.
"""
from collections.abc import Sequence
from typing import Any, Literal, overload
from .variable import Variable
import builtins as _builtins
import collections.abc as _collections_abc
import numpy as _numpy

class Bound:
    """The base class of Variable to type checkers; there is no such class when a program runs."""

    def __abs__(self) -> Variable:
        """Absolute value, elementwise: ``abs(x)``, ``np.absolute``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x : Variable, ndarray or number

        Returns
        -------
        Variable
            Shape of `x`, real. Derivative: ``sign(x)``, conjugated, and 0 at 0. The second is 0;
            of complex `x` it is that of `sign`.

        Raises
        ------
        VariableTypeError (TypeError)
            If `x` is no number.

        Notes
        -----
        Source: ``numpy.absolute``.

        Examples
        --------
        >>> absolute(Variable(np.array(-2.0)))
        variable(2.0)
        """

    def __add__(self, x1: Any) -> Variable:
        """Sum, elementwise: ``x0 + x1``, ``np.add``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them. Derivative: 1 for each operand.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: *Deep Learning from Scratch 3*, steps 11 to 14 and 20.

        Examples
        --------
        >>> x = Variable(np.array(3.0))
        >>> y = add(x, x)
        >>> y.backward()
        >>> x.grad
        array(2.)
        """

    def __radd__(self, x1: Any) -> Variable:
        """Sum, elementwise: ``x0 + x1``, ``np.add``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them. Derivative: 1 for each operand.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: *Deep Learning from Scratch 3*, steps 11 to 14 and 20.

        Examples
        --------
        >>> x = Variable(np.array(3.0))
        >>> y = add(x, x)
        >>> y.backward()
        >>> x.grad
        array(2.)
        """
    __array_priority__: int
    'Provided by dezero-ops-basic.'

    def astype(self, dtype: Any, *, copy: bool=True) -> Variable:
        """Convert the data type: ``x.astype(dtype)``, ``np.astype``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x : Variable or ndarray
        dtype : data-type
            An integer or boolean one gives a constant: no gradient flows back.
        copy : bool
            Whether the data are copied where they are of that dtype already.

        Returns
        -------
        Variable
            Of that dtype and the shape of `x`. Derivative: 1.

        Raises
        ------
        TypeError
            If `dtype` is no dtype of numbers.

        Notes
        -----
        Source: ``numpy.ndarray.astype``.

        Examples
        --------
        >>> astype(Variable(np.array(1.5)), np.float32).dtype
        dtype('float32')
        """

    def broadcast_to(self, shape: Any) -> Variable:
        """Repeat `array` to `shape`: ``np.broadcast_to``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        array : Variable, ndarray or number
        shape : int or tuple of int
            A shape that ``array.shape`` broadcasts to.

        Returns
        -------
        Variable
            A read-only view of the data of `array`. Derivative: the gradient is summed back.

        Raises
        ------
        ValueError
            If ``array.shape`` does not broadcast to `shape`.

        Notes
        -----
        Source: ``numpy.broadcast_to``; DeZero's function of that name.

        Examples
        --------
        >>> broadcast_to(Variable(np.array([1.0, 2.0])), (2, 2))
        variable([[1. 2.]
                  [1. 2.]])
        """

    def conj(self) -> Variable:
        """Complex conjugate, elementwise: ``np.conj``, ``np.conjugate``, ``z.conj()``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        z : Variable, ndarray or number

        Returns
        -------
        Variable
            Shape and dtype of `z`. Derivative by the real part: 1; by the imaginary part: -1j.

        Raises
        ------
        TypeError
            If `z` is boolean, as in NumPy.

        Notes
        -----
        Source: ``numpy.conjugate``.

        Examples
        --------
        >>> conjugate(Variable(np.array(3.0 + 4.0j)))
        variable((3-4j))
        """

    def conjugate(self) -> Variable:
        """Complex conjugate, elementwise: ``np.conj``, ``np.conjugate``, ``z.conj()``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        z : Variable, ndarray or number

        Returns
        -------
        Variable
            Shape and dtype of `z`. Derivative by the real part: 1; by the imaginary part: -1j.

        Raises
        ------
        TypeError
            If `z` is boolean, as in NumPy.

        Notes
        -----
        Source: ``numpy.conjugate``.

        Examples
        --------
        >>> conjugate(Variable(np.array(3.0 + 4.0j)))
        variable((3-4j))
        """

    def __truediv__(self, x1: Any) -> Variable:
        """Quotient, elementwise: ``x0 / x1``, ``np.divide``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast. Division by zero gives inf or nan, as in NumPy, with
            NumPy's RuntimeWarning, in the gradient too.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them. Derivative: ``1 / x1`` and ``-x0 / x1**2``.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: *Deep Learning from Scratch 3*, step 22.

        Examples
        --------
        >>> div(1.0, Variable(np.array(4.0)))
        variable(0.25)
        """

    def __rtruediv__(self, x1: Any) -> Variable:
        """``x1 / x0``: what ``2.0 / x`` becomes, with `x0` on the right; see `div`.

        Provided by dezero-ops-basic.
        """

    def __divmod__(self, x1: Any) -> tuple[Variable, Variable]:
        """Quotient rounded down, and remainder: ``divmod(x0, x1)``, ``np.divmod``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        tuple of Variable
            ``x0 // x1`` and ``x0 % x1``. Derivative: see `floordiv` and `mod`.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: ``numpy.divmod``.

        Examples
        --------
        >>> divmod(Variable(np.array(7.0)), 2.0)
        (variable(3.0), variable(1.0))
        """

    def __rdivmod__(self, x1: Any) -> tuple[Variable, Variable]:
        """``divmod(x1, x0)``, with `x0` on the right; see `divmod`.

        Provided by dezero-ops-basic.
        """

    def __eq__(self, x1: Any) -> _numpy.ndarray[Any, Any]:  # type: ignore[override]
        """Compare elementwise: ``x0 == x1``, ``np.equal``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        ndarray of bool
            Without a derivative: nothing is recorded.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: ``numpy.equal``.

        Examples
        --------
        >>> equal(Variable(np.array([1.0, 2.0])), 2.0)
        array([False,  True])
        """

    def __floordiv__(self, x1: Any) -> Variable:
        """Quotient rounded down, elementwise: ``x0 // x1``, ``np.floor_divide``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them. Derivative: 0, also at the jumps.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: ``numpy.floor_divide``.

        Examples
        --------
        >>> floordiv(Variable(np.array(7.0)), 2.0)
        variable(3.0)
        """

    def __rfloordiv__(self, x1: Any) -> Variable:
        """``x1 // x0``, with `x0` on the right; see `floordiv`.

        Provided by dezero-ops-basic.
        """

    def __getitem__(self, index: Any) -> Variable:
        """Index as NumPy does: ``x[index]``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x : Variable or ndarray
        index : int, slice, array_like, Variable, tuple of these, ``...`` or None
            Integers, slices, ``...``, None, boolean and integer arrays or lists, Variables of
            integers or booleans, and tuples of all these. Arrays are copied.

        Returns
        -------
        Variable
            Derivative: 1 for each element picked; one that is picked twice adds up. Such sums
            have the accuracy of their dtype, however many gradients are added.

        Raises
        ------
        IndexError
            If the index is out of range, as in NumPy.

        Notes
        -----
        Source: ``numpy.ndarray.__getitem__``; DeZero's GetItem.

        Examples
        --------
        >>> x = Variable(np.array([1.0, 2.0, 3.0]))
        >>> y = x[[0, 0, 2]]
        >>> y.backward()
        >>> y, x.grad
        (variable([1. 1. 3.]), array([2., 0., 1.]))
        """

    def __iter__(self) -> _collections_abc.Iterator[Variable]:
        """Go through the first axis: ``for row in x``.

        Provided by dezero-ops-basic.

        Raises
        ------
        TypeError
            If `x` has no axis, as in NumPy.
        """

    def __contains__(self, value: Any) -> bool:
        """Return whether an element equals `value`: ``value in x``, as for an ndarray.

        Provided by dezero-ops-basic.
        """

    def __gt__(self, x1: Any) -> _numpy.ndarray[Any, Any]:
        """Compare elementwise: ``x0 > x1``, ``np.greater``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        ndarray of bool
            Without a derivative: nothing is recorded.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: ``numpy.greater``.

        Examples
        --------
        >>> greater(Variable(np.array([1.0, 2.0])), 2.0)
        array([False, False])
        """

    def __ge__(self, x1: Any) -> _numpy.ndarray[Any, Any]:
        """Compare elementwise: ``x0 >= x1``, ``np.greater_equal``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        ndarray of bool
            Without a derivative: nothing is recorded.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: ``numpy.greater_equal``.

        Examples
        --------
        >>> greater_equal(Variable(np.array([1.0, 2.0])), 2.0)
        array([False,  True])
        """

    @property
    def imag(self) -> Variable:
        """Imaginary part, elementwise: ``np.imag``, ``val.imag``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        val : Variable, ndarray or number

        Returns
        -------
        Variable
            Of real dtype; zeros for real `val`. Derivative by the real part: 0; by the imaginary
            part: 1.

        Raises
        ------
        VariableTypeError (TypeError)
            If `val` is no number.

        Notes
        -----
        Source: ``numpy.imag``.

        Examples
        --------
        >>> z = Variable(np.array(3.0 + 4.0j))
        >>> y = imag(z)
        >>> y.backward()
        >>> y, z.grad
        (variable(4.0), array(0.+1.j))
        """

    def __lt__(self, x1: Any) -> _numpy.ndarray[Any, Any]:
        """Compare elementwise: ``x0 < x1``, ``np.less``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        ndarray of bool
            Without a derivative: nothing is recorded.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: ``numpy.less``.

        Examples
        --------
        >>> less(Variable(np.array([1.0, 2.0])), 2.0)
        array([ True, False])
        """

    def __le__(self, x1: Any) -> _numpy.ndarray[Any, Any]:
        """Compare elementwise: ``x0 <= x1``, ``np.less_equal``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        ndarray of bool
            Without a derivative: nothing is recorded.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: ``numpy.less_equal``.

        Examples
        --------
        >>> less_equal(Variable(np.array([1.0, 2.0])), 2.0)
        array([ True,  True])
        """

    def __matmul__(self, x1: Any) -> Variable:
        """Matrix product, of stacks of matrices too: ``x0 @ x1``, ``np.matmul``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable or ndarray
            Shapes ``(..., m, k)`` and ``(..., k, n)``, or ``(k,)`` for a vector.

        Returns
        -------
        Variable
            Shape ``(..., m, n)``, without the axis of a vector. Derivative: ``gy @ x1.T`` and
            ``x0.T @ gy``.

        Raises
        ------
        ValueError
            If the shapes do not fit, or an operand is a scalar.

        Notes
        -----
        Source: ``numpy.matmul``; DeZero's MatMul; Giles 2008, section 2.2.

        Examples
        --------
        >>> x, w = Variable(np.array([[1.0, 2.0]])), Variable(np.array([[3.0], [4.0]]))
        >>> y = matmul(x, w)
        >>> y.backward()
        >>> y, x.grad
        (variable([[11.]]), array([[3., 4.]]))
        """

    def __rmatmul__(self, x1: Any) -> Variable:
        """``x1 @ x0``, with `x0` on the right; see `matmul`.

        Provided by dezero-ops-basic.
        """

    def __mod__(self, x1: Any) -> Variable:
        """Remainder with the sign of `x1`, elementwise: ``x0 % x1``, ``np.remainder``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them. Derivative: 1 and ``-(x0 // x1)``, also at
            the jumps.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: ``numpy.remainder``.

        Examples
        --------
        >>> mod(Variable(np.array(-7.0)), 3.0)
        variable(2.0)
        """

    def __rmod__(self, x1: Any) -> Variable:
        """``x1 % x0``, with `x0` on the right; see `mod`.

        Provided by dezero-ops-basic.
        """

    def __mul__(self, x1: Any) -> Variable:
        """Product, elementwise: ``x0 * x1``, ``np.multiply``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them. Derivative: `x1` and `x0`.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: *Deep Learning from Scratch 3*, step 20.

        Examples
        --------
        >>> a, b = Variable(np.array(3.0)), Variable(np.array(2.0))
        >>> y = mul(a, b)
        >>> y.backward()
        >>> a.grad, b.grad
        (array(2.), array(3.))
        """

    def __rmul__(self, x1: Any) -> Variable:
        """Product, elementwise: ``x0 * x1``, ``np.multiply``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them. Derivative: `x1` and `x0`.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: *Deep Learning from Scratch 3*, step 20.

        Examples
        --------
        >>> a, b = Variable(np.array(3.0)), Variable(np.array(2.0))
        >>> y = mul(a, b)
        >>> y.backward()
        >>> a.grad, b.grad
        (array(2.), array(3.))
        """

    def __neg__(self) -> Variable:
        """Negative, elementwise: ``-x``, ``np.negative``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x : Variable, ndarray or number

        Returns
        -------
        Variable
            Shape and dtype of `x`. Derivative: -1.

        Raises
        ------
        TypeError
            If `x` is boolean, as in NumPy.

        Notes
        -----
        Source: *Deep Learning from Scratch 3*, step 22.

        Examples
        --------
        >>> neg(Variable(np.array(2.0)))
        variable(-2.0)
        """

    def __ne__(self, x1: Any) -> _numpy.ndarray[Any, Any]:  # type: ignore[override]
        """Compare elementwise: ``x0 != x1``, ``np.not_equal``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        ndarray of bool
            Without a derivative: nothing is recorded.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: ``numpy.not_equal``.

        Examples
        --------
        >>> not_equal(Variable(np.array([1.0, 2.0])), 2.0)
        array([ True, False])
        """

    def __pos__(self) -> Variable:
        """The same values in a new Variable: ``+x``, ``np.positive``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x : Variable, ndarray or number

        Returns
        -------
        Variable
            Shape and dtype of `x`. Derivative: 1.

        Raises
        ------
        TypeError
            If `x` is boolean, as in NumPy.

        Notes
        -----
        Source: ``numpy.positive``.

        Examples
        --------
        >>> pos(Variable(np.array(2.0)))
        variable(2.0)
        """

    def __pow__(self, c: Any) -> Variable:
        """Power, elementwise: ``x ** c``, ``np.power``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x, c : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them. Derivative by `x`: ``c * x**(c - 1)``, which
            is 0 for ``c == 0`` also at 0. Derivative by `c`: ``x**c * log(x)``; 0 where `x`
            is 0 and ``c >= 0``; nan, with NumPy's RuntimeWarning, where `x` is negative.

        Raises
        ------
        ValueError
            If the shapes do not broadcast, or an integer is raised to a negative integer.

        Notes
        -----
        Source: *Deep Learning from Scratch 3*, step 22; NIST DLMF 4.2.

        Examples
        --------
        >>> x = Variable(np.array(3.0))
        >>> y = pow(x, 2)
        >>> y.backward()
        >>> y, x.grad
        (variable(9.0), array(6.))
        """

    def __rpow__(self, x: Any) -> Variable:
        """``x ** c``: what ``2.0 ** c`` becomes, with the Variable on the right; see `pow`.

        Provided by dezero-ops-basic.
        """

    @property
    def real(self) -> Variable:
        """Real part, elementwise: ``np.real``, ``val.real``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        val : Variable, ndarray or number

        Returns
        -------
        Variable
            A view of the data, of real dtype. Derivative by the real part: 1; by the imaginary
            part: 0.

        Raises
        ------
        VariableTypeError (TypeError)
            If `val` is no number.

        Notes
        -----
        Source: ``numpy.real``.

        Examples
        --------
        >>> z = Variable(np.array(3.0 + 4.0j))
        >>> y = real(z)
        >>> y.backward()
        >>> y, z.grad
        (variable(3.0), array(1.-0.j))
        """

    def __sub__(self, x1: Any) -> Variable:
        """Difference, elementwise: ``x0 - x1``, ``np.subtract``.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x0, x1 : Variable, ndarray or number
            Of shapes that broadcast.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them. Derivative: 1 and -1.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Notes
        -----
        Source: *Deep Learning from Scratch 3*, step 22.

        Examples
        --------
        >>> sub(Variable(np.array(2.0)), 3.0)
        variable(-1.0)
        """

    def __rsub__(self, x1: Any) -> Variable:
        """``x1 - x0``: what ``2.0 - x`` becomes, with `x0` on the right; see `sub`.

        Provided by dezero-ops-basic.
        """

    def sum_to(self, shape: Any) -> Variable:
        """Sum `x` to `shape`: the opposite of `broadcast_to`.

        Provided by dezero-ops-basic.

        Parameters
        ----------
        x : Variable, ndarray or number
        shape : int or tuple of int
            A shape that broadcasts to ``x.shape``.

        Returns
        -------
        Variable
            Of `shape`. Derivative: the gradient is repeated.

        Raises
        ------
        ValueError
            If `shape` does not broadcast to ``x.shape``.

        Notes
        -----
        Source: DeZero's function of that name.

        Examples
        --------
        >>> sum_to(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), (1, 2))
        variable([[4. 6.]])
        """

    def all(self, axis: int | tuple[int, ...] | None=None, out: None=None, keepdims: bool=False, *, where: Any=True) -> Any:
        """Whether no element is 0: ``np.all``, ``a.all()``.

        Provided by dezero-ops-math.


        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        axis : int, tuple of int, or None
            The axes over which it is taken; all by default.
        out : None
            Refused: an ndarray cannot hold the graph.
        keepdims : bool
            Leave the axes in the shape, of length 1.
        where : ndarray of bool, optional
            Which elements count. It broadcasts to `a`; a constant, copied.

        Returns
        -------
        bool, or ndarray of bool
            Without a derivative: nothing is recorded.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.

        Notes
        -----
        Source: ``numpy.all``.

        Examples
        --------
        >>> all(Variable(np.array([[1.0, 2.0], [0.0, 3.0]])), axis=1)
        array([ True, False])
        """

    def any(self, axis: int | tuple[int, ...] | None=None, out: None=None, keepdims: bool=False, *, where: Any=True) -> Any:
        """Whether any element is not 0: ``np.any``, ``a.any()``.

        Provided by dezero-ops-math.


        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        axis : int, tuple of int, or None
            The axes over which it is taken; all by default.
        out : None
            Refused: an ndarray cannot hold the graph.
        keepdims : bool
            Leave the axes in the shape, of length 1.
        where : ndarray of bool, optional
            Which elements count. It broadcasts to `a`; a constant, copied.

        Returns
        -------
        bool, or ndarray of bool
            Without a derivative: nothing is recorded.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.

        Notes
        -----
        Source: ``numpy.any``.

        Examples
        --------
        >>> any(Variable(np.array([[0.0, 2.0], [0.0, 0.0]])), axis=1)
        array([ True, False])
        """

    def argmax(self, axis: int | None=None, out: None=None, *, keepdims: Any=False) -> Any:
        """Position of the largest element, the first of several: ``np.argmax``, ``a.argmax()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        axis : int or None
            The axis to look along; by default the elements in a row.
        out : None
            Refused: an ndarray cannot hold the graph.
        keepdims : bool
            Leave the axis in the shape, of length 1.

        Returns
        -------
        int, or ndarray of int
            Without a derivative: nothing is recorded.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.
        ValueError
            If there is nothing to compare.

        Notes
        -----
        Source: ``numpy.argmax``.

        Examples
        --------
        >>> argmax(Variable(np.array([[1.0, 3.0], [4.0, 2.0]])), axis=1)
        array([1, 0])
        """

    def argmin(self, axis: int | None=None, out: None=None, *, keepdims: Any=False) -> Any:
        """Position of the smallest element, the first of several: ``np.argmin``, ``a.argmin()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        axis : int or None
            The axis to look along; by default the elements in a row.
        out : None
            Refused: an ndarray cannot hold the graph.
        keepdims : bool
            Leave the axis in the shape, of length 1.

        Returns
        -------
        int, or ndarray of int
            Without a derivative: nothing is recorded.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.
        ValueError
            If there is nothing to compare.

        Notes
        -----
        Source: ``numpy.argmin``.

        Examples
        --------
        >>> argmin(Variable(np.array([[1.0, 3.0], [4.0, 2.0]])), axis=1)
        array([0, 1])
        """

    def argpartition(self, kth: Any, axis: int | None=-1, kind: Any='introselect', order: None=None) -> _numpy.ndarray[Any, Any]:
        """Positions that would partition: ``np.argpartition``, ``x.argpartition(kth)``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable or ndarray
        kth : int or sequence of int
            The places that get the element which sorting would put there.
        axis : int or None
            Along which to sort; None for the flattened array.
        kind : {"introselect"}
            The algorithm.
        order : None
            NumPy's place for names of fields, which a Variable has not.

        Returns
        -------
        ndarray of int
            Without a derivative: nothing is recorded.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        ValueError
            If `kth` is out of range.

        Notes
        -----
        Source: ``numpy.argpartition``.

        Examples
        --------
        >>> argpartition(Variable(np.array([3.0, 1.0, 2.0])), 0)[0]
        np.int64(1)
        """

    def argsort(self, axis: int | None=-1, kind: Any=None, order: None=None, *, stable: bool | None=None) -> _numpy.ndarray[Any, Any]:
        """Positions that would sort: ``np.argsort``, ``x.argsort()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable or ndarray
        axis : int or None
            Along which to sort; None for the flattened array.
        kind : {"quicksort", "heapsort", "mergesort", "stable"}
            The algorithm.
        order : None
            NumPy's place for names of fields, which a Variable has not.
        stable : bool or None
            Another way to say ``kind="stable"``.

        Returns
        -------
        ndarray of int
            Without a derivative: nothing is recorded.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.

        Notes
        -----
        Source: ``numpy.argsort``.

        Examples
        --------
        >>> argsort(Variable(np.array([3.0, 1.0, 2.0])))
        array([1, 2, 0])
        """

    def clip(self, min: Any | None=None, max: Any | None=None, out: None=None) -> Variable:
        """Keep elements within bounds, as ndarray's method; see `clip`.

        Provided by dezero-ops-math.
        """

    def compress(self, condition: Any, axis: int | None=None, out: None=None) -> Variable:
        """Elements or rows where a condition holds; see `compress`.

        Provided by dezero-ops-math.
        """

    def copy(self, order: Any='C') -> Variable:
        """The method, with the order it has of an ndarray; see `copy`.

        Provided by dezero-ops-math.
        """

    def cumprod(self, axis: int | None=None, dtype: Any=None, out: None=None) -> Variable:
        """Products of the elements so far: ``np.cumprod``, ``a.cumprod()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        axis : int or None
            The axis along which they are multiplied; by default all elements are, in a row.
        dtype : data-type, optional
            Of the products.
        out : None
            Refused: an ndarray cannot hold the graph.

        Returns
        -------
        Variable
            Shape of `a`, or flat; dtype as NumPy gives it.
            Derivative of each product: the product of its other elements, computed without division: right
            where elements are 0, too, at every order.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.

        Notes
        -----
        Source: ``numpy.cumprod``.

        Examples
        --------
        >>> cumprod(Variable(np.array([1.0, 2.0, 3.0])))
        variable([1. 2. 6.])
        """

    def cumsum(self, axis: int | None=None, dtype: Any=None, out: None=None) -> Variable:
        """Sums of the elements so far: ``np.cumsum``, ``a.cumsum()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        axis : int or None
            The axis along which they are summed; by default all elements are, in a row.
        dtype : data-type, optional
            Of the sums.
        out : None
            Refused: an ndarray cannot hold the graph.

        Returns
        -------
        Variable
            Shape of `a`, or flat; dtype as NumPy gives it.
            Derivative of each sum: 1 for every element that is in it.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.

        Notes
        -----
        Source: ``numpy.cumsum``.

        Examples
        --------
        >>> cumsum(Variable(np.array([1.0, 2.0, 3.0])))
        variable([1. 3. 6.])
        """

    def diagonal(self, offset: int=0, axis1: int=0, axis2: int=1) -> Variable:
        """The diagonal of the matrices on two axes: ``np.diagonal``, ``x.diagonal()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable or ndarray
            With two axes at least.
        offset : int
            How far above the main diagonal; negative for below.
        axis1, axis2 : int
            The axes of rows and of columns.

        Returns
        -------
        Variable
            The diagonal is its last axis; a read-only view.
            Derivative: 1 on it, 0 elsewhere.

        Raises
        ------
        ValueError
            If `a` has less than two axes, or `axis1` is `axis2`.
        AxisError (ValueError, IndexError)
            If `a` has no such axis.

        Notes
        -----
        Source: ``numpy.diagonal``.

        Examples
        --------
        >>> diagonal(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
        variable([1. 4.])
        """

    def dot(self, b: Any, out: None=None) -> Variable:
        """Product of vectors, matrices, or more axes: ``np.dot``, ``a.dot(b)``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a, b : Variable, ndarray or number
            The last axis of `a` and the last but one of `b`, or its only one, are of the same length,
            and summed over. Numbers multiply.
        out : None
            Refused: an ndarray cannot hold the graph.

        Returns
        -------
        Variable
            The other axes of `a`, then those of `b`.
            Derivative, of matrices: ``gy @ b.T`` and ``a.T @ gy``.

        Raises
        ------
        VariableTypeError (TypeError)
            If `out` is given.
        ValueError
            If the lengths differ.

        Notes
        -----
        Source: ``numpy.dot``; Giles 2008, section 2.2.

        Examples
        --------
        >>> x, w = Variable(np.array([1.0, 2.0])), Variable(np.array([3.0, 4.0]))
        >>> y = dot(x, w)
        >>> y.backward()
        >>> y, x.grad
        (variable(11.0), array([3., 4.]))
        """

    def flatten(self, order: Any='C') -> Variable:
        """All elements along one axis, copied: ``x.flatten()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        x : Variable, ndarray or number
            Any shape.
        order : {"C", "F"}
            Whether the last or the first index runs fastest.

        Returns
        -------
        Variable
            A copy of the data.
            Derivative: 1 for every element.

        Raises
        ------
        ValueError
            For another `order`.

        Notes
        -----
        Source: ``numpy.ndarray.flatten``.

        Examples
        --------
        >>> flatten(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
        variable([1. 2. 3. 4.])
        """

    @property
    def mT(self) -> Variable:
        """The Variable with its last two axes exchanged; see `matrix_transpose`.

        Provided by dezero-ops-math.
        """

    def max(self, axis: int | tuple[int, ...] | None=None, out: None=None, keepdims: bool=False, initial: Any=..., where: Any=True) -> Variable:
        """Largest element over axes: ``np.max``, ``a.max()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape, not empty along the axes if there is no `initial`. nan is the largest.
        axis : int, tuple of int, or None
            The axes over which it is taken; all by default.
        out : None
            Refused: an ndarray cannot hold the graph.
        keepdims : bool
            Leave the axes in the shape, of length 1.
        initial : number, optional
            Compared with the elements as if it were one of them; a constant.
        where : ndarray of bool, optional
            Which elements are compared, with `initial`. It broadcasts to `a`; a constant, copied.

        Returns
        -------
        Variable
            Dtype of `a`.
            Derivative: 1 for the largest element, shared equally over ties; `initial` keeps the share of
            one.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.
        ValueError
            If there is nothing to take the maximum of.

        Notes
        -----
        Source: ``numpy.max``. JAX and autograd share over ties too; DeZero's Max gives each of them the
        whole gradient.

        Examples
        --------
        >>> a = Variable(np.array([1.0, 3.0, 3.0]))
        >>> y = max(a)
        >>> y.backward()
        >>> y, a.grad
        (variable(3.0), array([0. , 0.5, 0.5]))
        """

    def mean(self, axis: int | tuple[int, ...] | None=None, dtype: Any=None, out: None=None, keepdims: bool=False, *, where: Any=True) -> Variable:
        """Arithmetic mean over axes: ``np.mean``, ``a.mean()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape. The mean of nothing is nan with a RuntimeWarning, as in NumPy.
        axis : int, tuple of int, or None
            The axes over which it is taken; all by default.
        dtype : data-type, optional
            Of the result, and of what is added up on the way.
        out : None
            Refused: an ndarray cannot hold the graph.
        keepdims : bool
            Leave the axes in the shape, of length 1.
        where : ndarray of bool, optional
            Which elements count. It broadcasts to `a`; a constant, copied.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them.
            Derivative: 1 / n for each of n elements.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.

        Notes
        -----
        Source: ``numpy.mean``.

        Examples
        --------
        >>> mean(Variable(np.array([1.0, 2.0, 6.0])))
        variable(3.0)
        """

    def min(self, axis: int | tuple[int, ...] | None=None, out: None=None, keepdims: bool=False, initial: Any=..., where: Any=True) -> Variable:
        """Smallest element over axes: ``np.min``, ``a.min()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape, not empty along the axes if there is no `initial`. nan is the smallest.
        axis : int, tuple of int, or None
            The axes over which it is taken; all by default.
        out : None
            Refused: an ndarray cannot hold the graph.
        keepdims : bool
            Leave the axes in the shape, of length 1.
        initial : number, optional
            Compared with the elements as if it were one of them; a constant.
        where : ndarray of bool, optional
            Which elements are compared, with `initial`. It broadcasts to `a`; a constant, copied.

        Returns
        -------
        Variable
            Dtype of `a`.
            Derivative: 1 for the smallest element, shared equally over ties; `initial` keeps the share of
            one.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.
        ValueError
            If there is nothing to take the minimum of.

        Notes
        -----
        Source: ``numpy.min``.

        Examples
        --------
        >>> min(Variable(np.array([[1.0, 3.0], [2.0, 0.0]])), axis=1)
        variable([1. 0.])
        """

    def nonzero(self) -> Any:
        """Positions of the elements that are not 0: ``np.nonzero``, ``a.nonzero()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.

        Returns
        -------
        tuple of ndarray of int
            One for each axis.
            Without a derivative: nothing is recorded.

        Raises
        ------
        ValueError
            If `a` has no dimensions.

        Notes
        -----
        Source: ``numpy.nonzero``.

        Examples
        --------
        >>> nonzero(Variable(np.array([0.0, 2.0, 3.0])))
        (array([1, 2]),)
        """

    def prod(self, axis: int | tuple[int, ...] | None=None, dtype: Any=None, out: None=None, keepdims: bool=False, initial: Any=..., where: Any=True) -> Variable:
        """Product over axes: ``np.prod``, ``a.prod()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        axis : int, tuple of int, or None
            The axes over which it is taken; all by default.
        dtype : data-type, optional
            Of the product, and of what is multiplied on the way.
        out : None
            Refused: an ndarray cannot hold the graph.
        keepdims : bool
            Leave the axes in the shape, of length 1.
        initial : number, optional
            Multiplied with the product; a constant.
        where : ndarray of bool, optional
            Which elements count. It broadcasts to `a`; a constant, copied.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them.
            Derivative: the product of the other elements, computed without division: right where elements
            are 0, too, at every order.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.

        Notes
        -----
        Source: ``numpy.prod``. Autograd divides by the elements, and gives nan where one is 0.

        Examples
        --------
        >>> a = Variable(np.array([2.0, 0.0, 3.0]))
        >>> y = prod(a)
        >>> y.backward()
        >>> y, a.grad
        (variable(0.0), array([0., 6., 0.]))
        """

    def ravel(self, order: Any='C') -> Variable:
        """All elements along one axis: ``np.ravel``, ``a.ravel()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        order : {"C", "F"}
            Whether the last or the first index runs fastest.

        Returns
        -------
        Variable
            A view of the data where NumPy gives one.
            Derivative: 1 for every element.

        Raises
        ------
        ValueError
            For another `order`.

        Notes
        -----
        Source: ``numpy.ravel``.

        Examples
        --------
        >>> ravel(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), order="F")
        variable([1. 3. 2. 4.])
        """

    def repeat(self, repeats: Any, axis: int | None=None) -> Variable:
        """Repeat each element: ``np.repeat``, ``x.repeat(2)``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        repeats : int or array of int
            How often; an array says it for each position along `axis`.
        axis : int or None
            None repeats all elements, along one axis.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them.
            Derivative: 1 for every repetition; they add up.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        ValueError
            If `repeats` is negative, or does not fit the axis.
        VariableTypeError (TypeError)
            If `repeats` is a Variable: numbers of repetitions have no
            derivative.

        Notes
        -----
        Source: ``numpy.repeat``.

        Examples
        --------
        >>> x = Variable(np.array([1.0, 2.0]))
        >>> y = repeat(x, [1, 3])
        >>> y.backward()
        >>> y, x.grad
        (variable([1. 2. 2. 2.]), array([1., 3.]))
        """

    def reshape(self, *shape: Any, order: Any='C', copy: bool | None=None) -> Variable:
        """The method: the lengths may be given one by one; see `reshape`.

        Provided by dezero-ops-math.
        """

    def round(self, decimals: int=0, out: None=None) -> Variable:
        """Round each element to decimals: ``np.round``, ``np.around``, ``a.round()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape; of complex numbers both parts are rounded.
        decimals : int
            How many; negative ones count to the left of the point. Halves go to the even digit.
        out : None
            Refused: an ndarray cannot hold the graph.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them.
            Derivative: 0, also at the jumps.

        Raises
        ------
        VariableTypeError (TypeError)
            If `a` is no number, or `decimals` is a Variable.

        Notes
        -----
        Source: ``numpy.round``.

        Examples
        --------
        >>> round(Variable(np.array([0.5, 2.345])), 1)
        variable([0.5 2.3])
        """

    def searchsorted(self, v: Any, side: Any='left', sorter: Any=None) -> Any:
        """Where `v` is to be inserted to keep `a` sorted: ``np.searchsorted``, ``a.searchsorted(v)``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable or array_like
            Of one dimension, ascending, unless `sorter` is given.
        v : Variable or array_like
            The elements to insert.
        side : 'left' or 'right'
            Before or after elements that are equal.
        sorter : Variable or array_like of int, or None
            Positions that sort `a`.

        Returns
        -------
        ndarray of int
            Shape of `v`.
            Without a derivative: nothing is recorded.

        Raises
        ------
        ValueError
            If `a` has not one dimension, or `sorter` not its length.

        Notes
        -----
        Source: ``numpy.searchsorted``.

        Examples
        --------
        >>> searchsorted(Variable(np.array([1.0, 2.0, 3.0])), [0.0, 2.0])
        array([0, 1])
        """

    def squeeze(self, axis: int | tuple[int, ...] | None=None) -> Variable:
        """Take away axes of length 1: ``np.squeeze``, ``a.squeeze()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        axis : int, tuple of int, or None
            Which of them; all by default.

        Returns
        -------
        Variable
            A view of the data.
            Derivative: 1 for every element.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        ValueError
            If an axis that is named is not of length 1.

        Notes
        -----
        Source: ``numpy.squeeze``.

        Examples
        --------
        >>> squeeze(Variable(np.array([[1.0, 2.0]])))
        variable([1. 2.])
        """

    def std(self, axis: int | tuple[int, ...] | None=None, dtype: Any=None, out: None=None, ddof: float=0, keepdims: bool=False, *, where: Any=True, mean: Any=..., correction: Any=...) -> Variable:
        """Standard deviation over axes, the root of `var`: ``np.std``, ``a.std()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape. NumPy warns where ``n - ddof`` is not positive.
        axis : int, tuple of int, or None
            The axes over which it is taken; all by default.
        dtype : data-type, optional
            Of the result, and of what is added up on the way.
        out : None
            Refused: an ndarray cannot hold the graph.
        ddof : float
            The squares of n elements are added up and divided by ``n - ddof``.
        keepdims : bool
            Leave the axes in the shape, of length 1.
        where : ndarray of bool, optional
            Which elements count. It broadcasts to `a`; a constant, copied.
        mean : Variable, ndarray or number, optional
            The mean, if it is known: of the shape that
            ``keepdims=True`` gives.
        correction : number, optional
            Another name of `ddof`.

        Returns
        -------
        Variable
            Real, dtype as NumPy gives it.
            Derivative: ``(a - mean) / ((n - ddof) std)``, by `mean` the sum of that, negative; nan where
            ``n - ddof`` is not positive. Where all elements are equal it is 0, and the second
            derivative is nan, with a RuntimeWarning.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.
        ValueError
            If both `ddof` and `correction` are given.

        Notes
        -----
        Source: ``numpy.std``. Where all elements are equal torch takes 0, too, and JAX nan; autograd
        divides 0 by 0.

        Examples
        --------
        >>> a = Variable(np.array([1.0, 3.0]))
        >>> y = std(a)
        >>> y.backward()
        >>> y, a.grad
        (variable(1.0), array([-0.5,  0.5]))
        """

    def sum(self, axis: int | tuple[int, ...] | None=None, dtype: Any=None, out: None=None, keepdims: bool=False, initial: Any=..., where: Any=True) -> Variable:
        """Sum over axes: ``np.sum``, ``a.sum()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        axis : int, tuple of int, or None
            The axes over which it is taken; all by default.
        dtype : data-type, optional
            Of the result, and of what is added up on the way.
        out : None
            Refused: an ndarray cannot hold the graph.
        keepdims : bool
            Leave the axes in the shape, of length 1.
        initial : number, optional
            Added to the sum; a constant.
        where : ndarray of bool, optional
            Which elements count. It broadcasts to `a`; a constant, copied.

        Returns
        -------
        Variable
            Shape and dtype as NumPy gives them.
            Derivative: 1 for every element that is summed.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.

        Notes
        -----
        Source: ``numpy.sum``; DeZero's Sum.

        Examples
        --------
        >>> sum(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), axis=0)
        variable([4. 6.])
        """

    def swapaxes(self, axis1: int, axis2: int) -> Variable:
        """Exchange two axes: ``np.swapaxes``, ``a.swapaxes(0, 1)``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        axis1, axis2 : int

        Returns
        -------
        Variable
            A view of the data.
            Derivative: 1 for every element.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.

        Notes
        -----
        Source: ``numpy.swapaxes``.

        Examples
        --------
        >>> swapaxes(Variable(np.zeros((2, 3, 4))), 0, 2).shape
        (4, 3, 2)
        """

    def take(self, indices: Any, axis: int | None=None, out: None=None, mode: str='raise') -> Variable:
        """Elements or rows by position: ``np.take``, ``x.take(indices)``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        indices : int, sequence of int, ndarray of int, or Variable of such
            Any shape; copied.
        axis : int or None
            Along which to pick; of the flattened array by default.
        out : None
            Refused: an ndarray cannot hold the graph.
        mode : {"raise", "wrap", "clip"}
            What becomes of positions out of range.

        Returns
        -------
        Variable
            With the shape of `indices` in place of `axis`.
            Derivative: 1 for each element picked; one that is picked twice adds up.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.
        IndexError
            If a position is out of range.
        TypeError
            If `indices` are no integers.

        Notes
        -----
        Source: ``numpy.take``.

        Examples
        --------
        >>> x = Variable(np.array([1.0, 2.0, 3.0]))
        >>> y = take(x, [0, 0, 2])
        >>> y.backward()
        >>> y, x.grad
        (variable([1. 1. 3.]), array([2., 0., 1.]))
        """

    def trace(self, offset: int=0, axis1: int=0, axis2: int=1, dtype: Any=None, out: None=None) -> Variable:
        """Sum of the diagonal of the matrices on two axes: ``np.trace``, ``x.trace()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable or ndarray
            With two axes at least.
        offset : int
            How far above the main diagonal; negative for below.
        axis1, axis2 : int
            The axes of rows and of columns.
        dtype : data-type, optional
            In which to sum; as NumPy does by default.
        out : None
            Refused: an ndarray cannot hold the graph.

        Returns
        -------
        Variable
            Without these two axes.
            Derivative: 1 on the diagonal, 0 elsewhere.

        Raises
        ------
        VariableTypeError (TypeError)
            If `out` is given.
        ValueError
            If `a` has less than two axes, or `axis1` is `axis2`.
        AxisError (ValueError, IndexError)
            If `a` has no such axis.

        Notes
        -----
        Source: ``numpy.trace``.

        Examples
        --------
        >>> trace(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
        variable(5.0)
        """

    def transpose(self, axes: Any=None, *more: int) -> Variable:
        """Put the axes in another order: ``np.transpose``, ``a.transpose(1, 0)``, ``a.T``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape.
        axes : int, tuple of int, or None
            A permutation of the axes; reversed by default.
        *more : int
            Further axes, if `axes` is an int.

        Returns
        -------
        Variable
            A view of the data.
            Derivative: 1 for every element.

        Raises
        ------
        ValueError
            If `axes` is no permutation of the axes of `a`.

        Notes
        -----
        Source: ``numpy.transpose``; DeZero's Transpose.

        Examples
        --------
        >>> transpose(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
        variable([[1. 3.]
                  [2. 4.]])
        """

    @property
    def T(self) -> Variable:
        """The Variable with its axes reversed; see `transpose`.

        Provided by dezero-ops-math.
        """

    def var(self, axis: int | tuple[int, ...] | None=None, dtype: Any=None, out: None=None, ddof: float=0, keepdims: bool=False, *, where: Any=True, mean: Any=..., correction: Any=...) -> Variable:
        """Variance over axes, the mean of ``abs(a - mean)**2``: ``np.var``, ``a.var()``.

        Provided by dezero-ops-math.

        Parameters
        ----------
        a : Variable, ndarray or number
            Any shape. NumPy warns where ``n - ddof`` is not positive.
        axis : int, tuple of int, or None
            The axes over which it is taken; all by default.
        dtype : data-type, optional
            Of the result, and of what is added up on the way.
        out : None
            Refused: an ndarray cannot hold the graph.
        ddof : float
            The squares of n elements are added up and divided by ``n - ddof``.
        keepdims : bool
            Leave the axes in the shape, of length 1.
        where : ndarray of bool, optional
            Which elements count. It broadcasts to `a`; a constant, copied.
        mean : Variable, ndarray or number, optional
            The mean, if it is known: of the shape that
            ``keepdims=True`` gives.
        correction : number, optional
            Another name of `ddof`.

        Returns
        -------
        Variable
            Real, dtype as NumPy gives it.
            Derivative: ``2 (a - mean) / (n - ddof)``, by `mean` the sum of that, negative; nan where
            ``n - ddof`` is not positive.

        Raises
        ------
        AxisError (ValueError, IndexError)
            If `a` has no such axis.
        VariableTypeError (TypeError)
            If `out` is given.
        ValueError
            If both `ddof` and `correction` are given.

        Notes
        -----
        Source: ``numpy.var``.

        Examples
        --------
        >>> a = Variable(np.array([1.0, 2.0, 6.0]))
        >>> y = var(a)
        >>> y.backward()
        >>> y, a.grad
        (variable(4.666666666666667), array([-1.33333333, -0.66666667,  2.        ]))
        """

    def __hash__(self) -> int:
        ...

@overload
def grad(outputs: Variable | Sequence[Variable], inputs: Variable, create_graph: Literal[False]=False, grad_outputs: Any=None) -> _numpy.ndarray[Any, Any]:
    """Return the gradients of the sum of `outputs`, and touch no ``.grad``.

    Parameters
    ----------
    outputs : Variable, or list or tuple of Variable
        Each of any shape; the gradient of each starts from ones.
    inputs : Variable, or list or tuple of Variable
        Inputs of the graph or Variables in the middle of it.
    create_graph : bool
        Return Variables that can be differentiated again. Inside a function that
        ``functional.grad`` and the like differentiate, they always are.
    grad_outputs : ndarray, Variable or None, or list or tuple of them
        The gradient to start from at each output, in place of ones.

    Returns
    -------
    ndarray or Variable, or a list of them if `inputs` is one or a tuple
        In the shape and dtype of each input; zeros for one that `outputs` do not depend on, with
        a warning, unless a gradient by it was computed with `create_graph` before.

    Raises
    ------
    GraphError (RuntimeError)
        If an output has no graph, or is complex and no gradient is given for it.
    GradientError (ValueError)
        If `grad_outputs` are not one for each output, in its shape.
    VariableTypeError (TypeError)
        If an input is a constant: no Variable, or of integer or boolean data.

    Examples
    --------
    >>> class Double(Function):
    ...     def forward(self, x):
    ...         return x + x
    ...
    ...     def backward(self, gy):
    ...         return gy + gy
    >>> x = Variable(np.array([1.0, 2.0]))
    >>> grad(Double()(x), x)
    array([2., 2.])
    """

@overload
def grad(outputs: Variable | Sequence[Variable], inputs: Variable, create_graph: Literal[True], grad_outputs: Any=None) -> Variable:
    ...

@overload
def grad(outputs: Variable | Sequence[Variable], inputs: Variable, create_graph: bool, grad_outputs: Any=None) -> _numpy.ndarray[Any, Any] | Variable:
    ...

@overload
def grad(outputs: Variable | Sequence[Variable], inputs: Sequence[Variable], create_graph: Literal[False]=False, grad_outputs: Any=None) -> list[_numpy.ndarray[Any, Any]]:
    ...

@overload
def grad(outputs: Variable | Sequence[Variable], inputs: Sequence[Variable], create_graph: Literal[True], grad_outputs: Any=None) -> list[Variable]:
    ...

@overload
def grad(outputs: Variable | Sequence[Variable], inputs: Sequence[Variable], create_graph: bool, grad_outputs: Any=None) -> list[_numpy.ndarray[Any, Any]] | list[Variable]:
    ...
