"""The base of all optimizers: which parameters are changed, their States and the hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self

from dezero_core import Parameter

from ..docstrings import described
from ..layers import Layer, State
from . import saving
from .hooks import FreezeParam
from .targets import ArrayTree, as_layer, names_of, prepare, require_finite, warn_of_missing

Tree = Any
"""Nested tuples, lists, dicts and dataclasses of floating-point arrays and numbers."""

Hook = Callable[[list[Parameter]], Any]


@described
class Optimizer:
    """Changes the parameters of a model by their gradients: the base class.

    A subclass defines ``update_one(param)``, and names in `state_names` what it keeps for each
    parameter from one update to the next.

    Attribute state_names (tuple of str): the names of the `State` Variables that each parameter
        has. They begin as zeros of its shape and dtype, are saved in checkpoints, and dezero-replay
        sees that they change.
    Attribute rate_name (str): the attribute that a schedule changes: ``"lr"``, and of `Adam`
        ``"alpha"``.
    Attribute target (Layer or None): the model that `setup` was given.
    Attribute hooks (list of callable): in the order in which they are called.
    Attribute t (int): the number of updates since `setup`.
    Raises TypeError, ValueError: if a number is none, or out of its range.
    Note: Parameters are changed in place: ``p.data`` is the same array after an update. Of two
        Parameters that hold the same array, each one's update changes it. A graph holds the same
        arrays too: call ``backward()`` before the update, not after it. Of a loss that was computed
        before, the gradients would be those of the new parameters in part.
    Source: step 46 of the book.

    >>> from dezero_nn.layers import Linear
    >>> class HeavyBall(Optimizer):
    ...     state_names = ("v",)
    ...
    ...     def update_one(self, param):
    ...         for data, grad, v in self.parts(param):
    ...             v *= 0.9
    ...             v -= 0.5 * grad
    ...             data += v
    >>> model = Linear(1, in_size=2)
    >>> optimizer = HeavyBall().setup(model)
    >>> np.sum(model(np.ones((3, 2), np.float32))).backward()
    >>> optimizer.update()
    >>> model.b
    variable([-1.5])
    """

    # In the class, so that a subclass may forget super().__init__().
    state_names: tuple[str, ...] = ()
    rate_name = "lr"
    target: Layer | None = None
    hooks: list[Hook] = []  # noqa: RUF012 - never changed: add_hook makes a new list
    t = 0
    _states: dict[int, tuple[Parameter, tuple[State, ...]]]
    _warned_of: frozenset[tuple[str, ...]] = frozenset()

    def __init__(self) -> None:
        self.hooks = []

    def setup(self, target: Layer | Iterable[Parameter | Layer] | Tree) -> Self:
        """Take the model whose parameters are trained, and begin anew: with zeros as States.

        target (Layer, or iterable of Parameter and Layer): ``model.params()`` works, too. A model
            is looked through at each update, so what is added to it later is trained as well.
            Nested arrays are a target as well, for `step`.
        Returns (Optimizer): itself: ``optimizer = SGD().setup(model)``.
        Raises TypeError: if `target` is something else.
        """
        self.target = as_layer(target, self._who)
        self.t, self._states, self._warned_of = 0, {}, frozenset()
        for param in self.target.params():
            self.states_of(param)
        return self

    def update(self) -> None:
        """Change each parameter that has a gradient, after the hooks were called.

        A gradient that is a Variable, as of ``backward(create_graph=True)``, becomes its data.

        Raises RuntimeError: before `setup`.
        Raises ValueError: if a gradient is not of its parameter's shape, an array is read-only, or
            there are no parameters.
        Raises TypeError: if a gradient or a parameter's data are no arrays of fitting numbers.
        Raises FloatingPointError: if the smallest gradient, or one of up to 4,096 numbers, holds
            nan or inf.
        Warns MissingGradientWarning (UserWarning): once for the same parameters, if some have no
            gradient, and are not in `FreezeParam`.
        Note: after one of these errors no parameter is changed; hooks may have changed gradients.
            An interrupt, as by Ctrl-C, may come between two parameters: go on from a checkpoint.
        """
        target = self._require_target("update")
        params = list(target.params())
        if not params:
            raise ValueError(
                f"{self._who}.update: {type(target).__name__} has no parameters. Put Parameters or "
                "layers into its attributes, or into lists, tuples or dicts there."
            )
        given = [param for param in params if param.grad is not None]
        prepare(given, self.states_of, self._name_of)
        if len(given) < len(params):
            self._warn_of_others({id(param) for param in given}, target)
        for hook in self.hooks:
            hook(given)
            given = [param for param in given if param.grad is not None]
        if self.hooks:
            prepare(given, self.states_of, self._name_of)
        require_finite(given, self._name_of)
        self.t += 1
        for param in given:
            self.update_one(param)

    def step(self, tree: Tree, gradients: Tree) -> Tree:
        """Return plain arrays after one update by their gradients; the given ones do not change.

        It is `update` without a model: hooks, States and schedules work as they do there, and the
        bits are the same. The first call does what `setup` does. In a function that dezero-replay
        compiles, call ``setup(tree)`` before.

        tree (nested tuples, lists, dicts and dataclasses of floating-point arrays and numbers):
            in each call of the same form.
        gradients (nested tuples, lists, dicts and dataclasses of arrays): in the form of `tree`, as
            ``dezero_tools.functional.grad`` gives them. Where one is None, the array stays.
        Returns (nested tuples, lists, dicts and dataclasses of arrays): in the form of `tree`.
        Raises TypeError: if a leaf is no floating-point array or number, or the optimizer trains a
            model.
        Raises ValueError, FloatingPointError: as of `update`; or if the form is not that of the
            call before, or not that of the gradients. Nothing is changed then.
        Raises ImportError: if dezero-tools, which walks through nested arrays, is not installed.

        >>> from dezero_nn.optimizers import SGD
        >>> optimizer = SGD(lr=0.5)
        >>> optimizer.step({"w": np.array([1.0, 2.0]), "b": 3.0}, {"w": np.ones(2), "b": -1.0})
        {'w': array([0.5, 1.5]), 'b': np.float64(3.5)}
        """
        who = f"{self._who}.step"
        target = ArrayTree(tree, who) if self.target is None else self.target
        if not isinstance(target, ArrayTree):
            raise TypeError(
                f"{who} changes plain arrays, and this optimizer was set up for a "
                f"{type(target).__name__}. Call update(), or make another optimizer."
            )
        target.take(tree, gradients, who)
        if self.target is None:
            self.setup(target)
        self.update()
        return target.like(tree)

    def update_one(self, param: Parameter) -> None:
        """Change the data of a parameter by its gradient: a subclass defines it.

        param: its gradient is an ndarray of its shape.
        """
        raise NotImplementedError(f"{self._who} must define update_one(self, param).")

    def add_hook(self, hook: Hook) -> None:
        """Call ``hook(params)`` at each update, after the hooks that were added before.

        hook (callable): it gets the list of parameters that have gradients, and changes these:
            ``param.grad = ...``. One whose gradient it sets to None is left as it is.
        Raises TypeError: if it cannot be called.
        """
        if not callable(hook):
            raise TypeError(f"{self._who}.add_hook takes a callable, and got {hook!r}.")
        self.hooks = [*self.hooks, hook]

    def parts(self, param: Parameter) -> Iterator[tuple[Any, ...]]:
        """Yield data, gradient and States of a parameter, as arrays to be changed in place.

        Of complex data the real parts come first and then the imaginary parts, so that they are
        trained as two real parameters, as in PyTorch.

        Yields (tuple of ndarray): ``(data, grad, *states)``, the States in the order of
            `state_names`.
        """
        arrays = param.data, param.grad, *(state.data for state in self.states_of(param))
        if param.data.dtype.kind == "c":
            yield tuple(x.real for x in arrays)
            yield tuple(x.imag for x in arrays)
        else:
            yield arrays

    def states_of(self, param: Parameter) -> tuple[State, ...]:
        """Return the States of a parameter; their data are None before the first update.

        Returns (tuple of State): in the order of `state_names`.
        """
        found = self._states.get(id(param))
        if found is None:
            # The parameter is kept beside them, or another one could get its id.
            found = param, tuple(State(None, name) for name in self.state_names)
            self._states[id(param)] = found
        return found[1]

    def state_dict(self) -> dict[str, Any]:
        """Return the numbers among the attributes, and the States: a checkpoint keeps them.

        Returns (dict of str to number, str or ndarray): the arrays are those of the States, no
            copies.
        Raises RuntimeError: before `setup`.
        Raises TypeError: if a subclass keeps arrays in an attribute, where they would not be saved.
        """
        return saving.saved(self, self._require_target("state_dict"))

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where another optimizer of the same class and model was.

        state (mapping): the result of its `state_dict`.
        Raises RuntimeError: before `setup`.
        Raises ValueError: if it is of another class, of a model with other parameters, or an array
            has another shape or dtype than the parameter. Nothing is changed then.
        """
        self.plan_to_load(state)()

    def plan_to_load(self, state: Mapping[str, Any]) -> Callable[[], None]:
        """Check a state as `load_state_dict` does, and return the function that loads it.

        state (mapping):
        Returns (callable):
        """
        return saving.plan_to_load(self, self._require_target("load_state_dict"), state)

    def _require_target(self, method: str) -> Layer:
        if self.target is None:
            raise RuntimeError(
                f"{self._who}.{method} needs a model. Call optimizer.setup(model) before."
            )
        return self.target

    def _warn_of_others(self, given: set[int], target: Layer) -> None:
        hooks = [hook for hook in self.hooks if isinstance(hook, FreezeParam)]
        known = given.union(*(hook.ids() for hook in hooks))
        every = names_of(target)
        names = tuple(name for key, name in every.items() if key not in known)
        if names and names not in self._warned_of:
            self._warned_of |= {names}
            warn_of_missing(names, len(every), self._who)

    def _name_of(self, param: Parameter) -> str:
        names = names_of(self._require_target("update"))
        return f"{self._who}.update: {names.get(id(param), param.name)!r}"

    @property
    def _who(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        numbers = (f"{name}={value!r}" for name, value in saving.numbers_of(self).items())
        return f"{self._who}({', '.join(numbers)})"

    def __getstate__(self) -> dict[str, Any]:
        # A copy of a parameter has another id.
        return vars(self) | {"_states": list(getattr(self, "_states", {}).values())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._states = {id(found[0]): found for found in state["_states"]}
