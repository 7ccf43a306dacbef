"""Types of what this namespace has in place of NumPy's, which the written stubs import."""

from collections.abc import Sequence
from typing import Any, overload

from numpy.typing import NDArray

from dezero_core import Variable

Variables = Variable | Sequence[Variable] | Sequence[Sequence[Variable]]
Operand = NDArray[Any] | complex
_Numbers = Operand | Sequence[complex] | Sequence[Sequence[complex]]

class _Joining:
    def __getitem__(self, key: Any) -> Any: ...

r_: _Joining
c_: _Joining

@overload
def array(
    object: Variables, dtype: Any = ..., *, copy: Any = ..., ndmin: int = ...
) -> Variable: ...
@overload
def array(object: _Numbers, *args: Any, **kwargs: Any) -> NDArray[Any]: ...
@overload
def array(*args: Any, **kwargs: Any) -> Any: ...
@overload
def asarray(a: Variables, dtype: Any = ..., *, copy: Any = ...) -> Variable: ...
@overload
def asarray(a: _Numbers, *args: Any, **kwargs: Any) -> NDArray[Any]: ...
@overload
def asarray(*args: Any, **kwargs: Any) -> Any: ...
@overload
def full(shape: Any, fill_value: Variables, dtype: Any = ...) -> Variable: ...
@overload
def full(shape: Any, fill_value: _Numbers, *args: Any, **kwargs: Any) -> NDArray[Any]: ...
@overload
def full(*args: Any, **kwargs: Any) -> Any: ...
