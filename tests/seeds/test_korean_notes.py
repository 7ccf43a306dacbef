"""The Korean notes: memory management, memory saving mode, easier Variables.

Sections are quoted by their headings. Operator overloading and packaging are in
test_korean_notes_operators.py.
"""

import gc
import re
import weakref

import numpy as np
import pytest

from dezero_core import Function, Variable, no_grad, using_config


class Square(Function):
    def forward(self, x):
        return x**2

    def backward(self, gy):
        x = self.inputs[0].data
        return 2 * x * gy


def test_circular_reference_is_freed_by_the_collector_only(no_collector):
    """순환 참조 and GC(Garbage Collection): gc.collect() may be called explicitly."""

    class Node:
        pass

    a, b = Node(), Node()
    a.other, b.other = b, a
    watched = weakref.ref(a)
    del a, b
    assert watched() is not None
    gc.collect()
    assert watched() is None


def test_weak_reference_is_dead_after_a_is_none():
    """약한 참조(weak reference). The notes show `0x…: to` and `0x…: dead`; Python prints `;`."""
    a = np.array([1, 2, 3])
    b = weakref.ref(a)
    assert re.fullmatch(r"<weakref at 0x\w+; to 'numpy.ndarray' at 0x\w+>", repr(b))
    assert repr(b()) == "array([1, 2, 3])"
    a = None
    assert re.fullmatch(r"<weakref at 0x\w+; dead>", repr(b))
    assert (a, b()) == (None, None)


def test_weakref_in_dezero_outputs_are_weak_and_backward_reads_the_outputs(no_collector):
    """Weakref 구조를 Dezero에 도입: `output().grad` in place of `output.grad`."""
    x = Variable(np.array(3.0))
    y = Square()(x)
    f = y.creator
    assert f.inputs == (x,)
    assert [output() for output in f.outputs] == [y]
    y.backward()
    assert float(x.grad) == 6.0
    del y
    assert [output() for output in f.outputs] == [None]


def test_memory_saving_mode_drops_gradients_and_skips_backprop():
    """메모리 절약모드, 1 and 2: gradients nobody asked for, and recording nobody needs."""
    x = Variable(np.array(2.0))
    t = Square()(x)
    y = Square()(t)
    y.backward()
    assert (y.grad, t.grad, float(x.grad)) == (None, None, 32.0)
    for mode in (using_config("enable_backprop", False), no_grad()):
        with mode:
            z = Square()(x)
        assert (z.creator, z.generation) == (None, 0)


def test_variable_name_is_kept_and_is_none_unless_given():
    """변수 이름 지정. The notes write `self.gard = None`: it is `self.grad`."""
    x = Variable(np.array(1.0), "x")
    assert (x.name, x.grad, x.creator, x.generation) == ("x", None, None, 0)
    assert Variable(np.array(1.0)).name is None
    assert not hasattr(x, "gard")
    with pytest.raises(TypeError, match=r"^<class 'float'> is not supported"):
        Variable(1.0)


def test_properties_shape_ndim_size_dtype_are_those_of_the_array():
    """The snippet drops the property shape, of which the sentence above it speaks."""
    x = Variable(np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32))
    assert (x.shape, x.ndim, x.size, x.dtype) == ((2, 3), 2, 6, np.float32)


def test_len_of_a_variable_prints_2(capsys):
    """len함수와 print함수."""
    x = Variable(np.array([[1, 2, 3], [4, 5, 6]]))
    print(len(x))
    assert capsys.readouterr().out == "2\n"


def test_print_aligns_the_lines_of_a_variable(capsys):
    """len함수와 print함수."""
    x = Variable(np.array([[1, 2, 3], [4, 5, 6]]))
    print(x)
    assert capsys.readouterr().out == "variable([[1 2 3]\n          [4 5 6]])\n"
    assert repr(x) == str(x)


def test_repr_of_a_variable_without_data_is_variable_none():
    """len함수와 print함수."""
    assert repr(Variable(None)) == "variable(None)"
