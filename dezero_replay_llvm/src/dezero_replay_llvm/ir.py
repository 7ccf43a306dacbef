"""The text of LLVM's intermediate representation, since `llvmlite.ir` takes ten times as long."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .machine import Machine

SIZES = {"double": 8, "float": 4, "i64": 8, "i32": 4, "i8": 1, "i1": 1}


class Type(NamedTuple):
    """A number, or a vector of `lanes` of them."""

    #: ``"double"``, ``"float"``, ``"i64"``, ``"i1"`` and so on.
    element: str
    #: 0 of a number.
    lanes: int = 0

    def __str__(self) -> str:
        return f"<{self.lanes} x {self.element}>" if self.lanes else self.element

    @property
    def is_float(self) -> bool:
        """Whether it is of floating point."""
        return self.element in ("double", "float")

    def of(self, element: str) -> Type:
        """Return as many lanes of another element."""
        return Type(element, self.lanes)


I64, I32, BYTE, DOUBLE = Type("i64"), Type("i32"), Type("i8"), Type("double")


class V(NamedTuple):
    """A value: its type, and its name or literal."""

    type: Type
    text: str

    def __str__(self) -> str:
        return f"{self.type} {self.text}"


class Module:
    """Functions, and the declarations that they need."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._declared: dict[str, str] = {}
        self._functions: list[str] = []

    def pointer(self, element: Type | str) -> str:
        """Return the type of a pointer to an element, or to a function."""
        return "ptr" if self.machine.opaque else f"{element}*"

    def declare(self, name: str, result: object, arguments: Sequence[V]) -> None:
        """Declare a function of elsewhere."""
        types = ", ".join(str(each.type) for each in arguments)
        self._declared[name] = f"declare {result} @{name}({types})"

    def add(self, function: Function) -> None:
        """Add a function that is complete."""
        self._functions.append(str(function))

    def __str__(self) -> str:
        attributes = 'attributes #0 = { nounwind "no-trapping-math"="false" '
        attributes += '"prefer-vector-width"="512" "min-legal-vector-width"="512" }'
        return "\n".join([*self._declared.values(), *self._functions, attributes, ""])


class Function:
    """A function as it is written: each method adds a line, and returns the value.

    If it is `internal`, only this module calls it.
    """

    def __init__(
        self,
        module: Module,
        name: str,
        parameters: Sequence[Type],
        result: Type | str = "void",
        internal: bool = True,
    ) -> None:
        self.module, self.name, self.result = module, name, result
        self.parameters = [V(each, f"%a{n}") for n, each in enumerate(parameters)]
        self._linkage = "internal " if internal else ""
        self._lines: list[str] = []
        self._entry: list[str] = []
        self._count = 0
        self._block = "entry"

    def __str__(self) -> str:
        parameters = ", ".join(map(str, self.parameters))
        head = f"define {self._linkage}{self.result} @{self.name}({parameters}) #0 {{\nentry:"
        return "\n".join([head, *self._entry, *self._lines, "}"])

    def _name(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def _set(self, kind: Type, text: str) -> V:
        name = self._name()
        self._lines.append(f"  {name} = {text}")
        return V(kind, name)

    # Numbers.

    def op(self, name: str, a: V, b: V) -> V:
        """Add an instruction of two operands of one type, as ``fadd``."""
        return self._set(a.type, f"{name} {a}, {b.text}")

    def negative(self, a: V) -> V:
        """Add ``fneg``."""
        return self._set(a.type, f"fneg {a}")

    def compare(self, name: str, a: V, b: V) -> V:
        """Add a comparison, as ``fcmp olt``."""
        return self._set(a.type.of("i1"), f"{name} {a}, {b.text}")

    def select(self, test: V, a: V, b: V) -> V:
        """Add the choice of `a` where `test` is true, else `b`."""
        return self._set(a.type, f"select {test}, {a}, {b}")

    def negation(self, test: V) -> V:
        """Return whether a test is false."""
        return self.op("xor", test, literal(True, test.type))

    def convert(self, name: str, a: V, element: str) -> V:
        """Add a conversion, as ``sitofp``."""
        if a.type.element == element:
            return a
        kind = a.type.of(element)
        return self._set(kind, f"{name} {a} to {kind}")

    def frozen(self, a: V) -> V:
        """Return a value that is the same wherever it is used, whatever LLVM takes it for."""
        return self._set(a.type, f"freeze {a}")

    def call(self, name: str, result: Type, *arguments: V, declare: bool = True) -> V:
        """Add a call of a function: of elsewhere, if it is to be declared."""
        if declare:
            self.module.declare(name, result, arguments)
        return self._set(result, f"call {result} @{name}({', '.join(map(str, arguments))})")

    def intrinsic(self, name: str, *arguments: V) -> V:
        """Add a call of an intrinsic of LLVM's, by its name without the type."""
        kind = arguments[0].type
        lanes = f"v{kind.lanes}" if kind.lanes else ""
        element = {"double": "f64", "float": "f32"}.get(kind.element, kind.element)
        return self.call(f"llvm.{name}.{lanes}{element}", kind, *arguments)

    def call_void(self, name: str, *arguments: V, declare: bool = True) -> None:
        """Add a call that gives nothing."""
        if declare:
            self.module.declare(name, "void", arguments)
        self._lines.append(f"  call void @{name}({', '.join(map(str, arguments))})")

    # Vectors.

    def splat(self, a: V, lanes: int) -> V:
        """Return a vector that has one number in each lane."""
        kind = Type(a.type.element, lanes)
        one = self._set(kind, f"insertelement {kind} poison, {a}, i32 0")
        zeros = f"<{lanes} x i32> zeroinitializer"
        return self._set(kind, f"shufflevector {one}, {kind} poison, {zeros}")

    def extract(self, a: V, lane: int) -> V:
        """Return the number in one lane."""
        return self._set(Type(a.type.element), f"extractelement {a}, i32 {lane}")

    def shuffled(self, a: V, b: V, lanes: Sequence[int]) -> V:
        """Return a vector of lanes of two vectors: those of the second are counted on."""
        kind = Type(a.type.element, len(lanes))
        mask = ", ".join(f"i32 {lane}" for lane in lanes)
        return self._set(kind, f"shufflevector {a}, {b}, <{len(lanes)} x i32> <{mask}>")

    def halves(self, a: V) -> tuple[V, V]:
        """Return the lower and the upper half of a vector."""
        n, nothing = a.type.lanes // 2, V(a.type, "poison")
        return self.shuffled(a, nothing, range(n)), self.shuffled(a, nothing, range(n, 2 * n))

    def joined(self, a: V, b: V) -> V:
        """Return a vector of the lanes of two."""
        return self.shuffled(a, b, range(2 * a.type.lanes))

    # Memory: an address is the number of a byte.

    def load(self, address: V, kind: Type) -> V:
        """Return the value at an address; booleans are bytes there."""
        if kind.element == "i1":
            return self.convert("trunc", self.load(address, kind.of("i8")), "i1")
        pointer = self._pointer(address, kind)
        return self._set(kind, f"load {kind}, {pointer}, align 1")

    def store(self, a: V, address: V) -> None:
        """Write a value to an address."""
        if a.type.element == "i1":
            a = self.convert("zext", a, "i8")
        self._lines.append(f"  store {a}, {self._pointer(address, a.type)}, align 1")

    def gather(self, address: V, kind: Type, stride: int, count: int | None = None) -> V:
        """Return a vector of numbers that are so many bytes apart; zeros behind the first `count`.

        For a number, this is `load`.
        """
        count = kind.lanes if count is None else count
        if not kind.lanes or (count == kind.lanes and stride == SIZES[kind.element]):
            return self.load(address, kind)
        if not stride and count == kind.lanes:
            return self.splat(self.load(address, Type(kind.element)), count)
        found = literal(0, kind)
        for lane in range(count):
            number = self.load(self.add(address, lane * stride), Type(kind.element))
            found = self._set(kind, f"insertelement {found}, {number}, i32 {lane}")
        return found

    def scatter(self, a: V, address: V, stride: int, count: int | None = None) -> None:
        """Write a vector, or its first `count` numbers, to addresses so many bytes apart.

        For a number, this is `store`.
        """
        lanes = a.type.lanes
        count = lanes if count is None else count
        if not lanes or (count == lanes and stride == SIZES[a.type.element]):
            self.store(a, address)
            return
        for lane in range(count):
            self.store(self.extract(a, lane), self.add(address, lane * stride))

    def _pointer(self, address: V, kind: Type) -> str:
        pointer = self.module.pointer(kind)
        made = self._set(kind, f"inttoptr {address} to {pointer}")
        return f"{pointer} {made.text}"

    def space(self, count: int) -> V:
        """Return the address of room for whole numbers, which the function has while it runs."""
        made, name = self._name(), self._name()
        self._entry.append(f"  {made} = alloca i64, i64 {count}, align 8")
        self._entry.append(f"  {name} = ptrtoint {self.module.pointer(I64)} {made} to i64")
        return V(I64, name)

    def address_of(self, name: str, parameters: Sequence[Type], result: Type) -> V:
        """Return the address of a function of this module."""
        pointer = self.module.pointer(f"{result} ({', '.join(map(str, parameters))})")
        return V(I64, f"ptrtoint ({pointer} @{name} to i64)")

    # Whole numbers, for addresses.

    def add(self, a: V, b: V | int) -> V:
        """Return a sum of whole numbers."""
        if b == 0 or (isinstance(b, V) and b.text == "0"):
            return a
        return self._set(a.type, f"add {a}, {b if isinstance(b, int) else b.text}")

    def times(self, a: V, b: int) -> V:
        """Return a whole number times a constant."""
        return a if b == 1 else self._set(a.type, f"mul {a}, {b}")

    # Blocks.

    def _branch(self, to: str, block: str) -> None:
        """End a block, and begin another one."""
        self._lines += [f"  br {to}", f"{block}:"]
        self._block = block

    @contextmanager
    def loop(self, stop: V | int, carried: Sequence[V] = (), start: V | int = 0) -> Iterator[Loop]:
        """Repeat the lines of the block for each index from `start`; there is at least one.

        `carried` are the first values of variables that change from turn to turn. In the block,
        `Loop.values` has their present values, and the block sets it to those of the next turn.
        After the loop it has the last values.
        """
        self._count += 1
        block, after, before = f"l{self._count}", f"e{self._count}", self._block
        self._branch(f"label %{block}", block)
        place = len(self._lines)
        index = V(I64, self._name())
        values = [V(each.type, self._name()) for each in carried]
        loop = Loop(index, list(values))
        yield loop
        following = self.add(index, 1)
        first, limit = (i64(x) if isinstance(x, int) else x for x in (start, stop))
        changing = zip([index, *values], [first, *carried], [following, *loop.values], strict=True)
        self._lines[place:place] = [
            f"  {value.text} = phi {value.type} "
            f"[ {old.text}, %{before} ], [ {new.text}, %{self._block} ]"
            for value, old, new in changing
        ]
        test = self.compare("icmp slt", following, limit)
        self._branch(f"{test}, label %{block}, label %{after}", after)

    def parts(self, n: int, size: int) -> Iterator[tuple[V, int]]:
        """Yield the beginning and the size of the parts of `n`, in a loop; then those of the rest.

        Lines that are written meanwhile are those of the loop.
        """
        full, rest = divmod(n, size)
        if full:
            with self.loop(full) as loop:
                yield self.times(loop.index, size), size
        if rest:
            yield i64(full * size), rest

    @contextmanager
    def when(self, test: V) -> Iterator[None]:
        """Run the lines of the block only if `test` is true. Its values cannot be used after it."""
        self._count += 1
        block, after = f"t{self._count}", f"e{self._count}"
        self._branch(f"{test}, label %{block}, label %{after}", block)
        yield
        self._branch(f"label %{after}", after)

    def back(self, a: V | None = None) -> None:
        """Return from the function."""
        self._lines.append("  ret void" if a is None else f"  ret {a}")


@dataclass(eq=False)
class Loop:
    """A loop: its index, and the values that are carried from turn to turn."""

    index: V
    values: list[V]


def i64(number: int) -> V:
    """Return a whole number of 64 bits."""
    return V(I64, str(number))


def literal(number: Any, kind: Type) -> V:
    """Return a number as a constant, to the bit; for a vector, in each of its lanes."""
    if kind.lanes:
        return vector([literal(number, Type(kind.element))] * kind.lanes)
    if kind.element == "i1":
        return V(kind, "true" if number else "false")
    if not kind.is_float:
        return V(kind, str(int(number)))
    value = float(np.float32(number) if kind.element == "float" else number)
    return V(kind, f"0x{struct.pack('>d', value).hex().upper()}")


def vector(numbers: Sequence[V]) -> V:
    """Return constants as a vector."""
    return V(Type(numbers[0].type.element, len(numbers)), f"<{', '.join(map(str, numbers))}>")
