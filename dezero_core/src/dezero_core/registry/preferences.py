"""Which of several plugins provides an operation: in the whole process, or in a block."""

from __future__ import annotations

from collections.abc import Mapping

from ..config import Block
from .choices import choose
from .loading import REGISTRY
from .providers import in_use


def prefer(**operations: str) -> None:
    """Say which plugin provides an operation from now on, in the whole process.

    Parameters
    ----------
    **operations : str
        Operation and plugin: ``prefer(exp="fastmath")``. The plugin is loaded, if only a conflict
        over these operations has kept it out. Where it binds less than others do, as no method,
        theirs stay.

    Raises
    ------
    UnknownPluginError, UnknownOperationError (LookupError)
        If there is no such plugin, or it does not provide the operation.
    PluginError
        If it is not loaded. In any case nothing has changed.

    See Also
    --------
    use_ops : The same for a block, with an example of both. ``DEZERO_OPS="exp=fastmath"`` says it
        from outside.
    """
    choose(operations, for_good=True)


class provided_by(Block):
    """`use_ops` for plugins that are known to be loaded: nothing is looked up, nothing settled.

    Parameters
    ----------
    operations : mapping from str to str
        Operation -> name of the plugin.
    """

    _variable = in_use

    def __init__(self, operations: Mapping[str, str]) -> None:
        self._operations = operations

    def _changed(self, value: Mapping[str, str]) -> Mapping[str, str]:
        return {**value, **self._operations}

    def __enter__(self) -> None:
        super().__enter__()
        with REGISTRY.lock:
            for each in self._operations.items():
                REGISTRY.blocks[each] += 1

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        with REGISTRY.lock:
            for each in self._operations.items():
                REGISTRY.blocks[each] -= 1


class use_ops(provided_by):
    """Take operations from the plugins given, for a ``with`` block or a decorated function.

    It holds for this thread and asyncio task; blocks nest.

    Parameters
    ----------
    **operations : str
        Operation and plugin: ``use_ops(exp="fastmath")``. The plugin is loaded, if only a conflict
        over these operations has kept it out. Where it binds less than others do, as no method,
        theirs stay.

    Raises
    ------
    UnknownPluginError, UnknownOperationError (LookupError)
        If there is no such plugin, or it does not provide the operation.
    PluginError
        If it is not loaded.

    Notes
    -----
    It decides what operators, methods and NumPy functions do with Variables. A plugin's own
    function, ``fastmath.exp(x)``, is what it is. If the plugin is unloaded meanwhile, a
    PluginWarning says whose the operation is from then on.

    See Also
    --------
    prefer : The same for the whole process.

    Examples
    --------
    >>> class Times(Function):
    ...     def __init__(self, factor):
    ...         self.factor = factor
    ...
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> def times(factor):
    ...     class plugin:
    ...         @staticmethod
    ...         @hookimpl
    ...         def dezero_register_ops(register):
    ...             register("scaled", lambda x: Times(factor)(x), methods="scaled")
    ...
    ...     return plugin
    >>> twice = register(times(2.0), "twice")
    >>> prefer(scaled="twice")
    >>> thrice = register(times(3.0), "thrice")
    >>> x = Variable(np.array(1.0))
    >>> x.scaled()
    variable(2.0)
    >>> with use_ops(scaled="thrice"):
    ...     x.scaled()
    variable(3.0)
    >>> [unregister(name).state for name in ("twice", "thrice")]
    ['disabled', 'disabled']
    """

    def __init__(self, **operations: str) -> None:
        super().__init__(choose(operations))

    def _changed(self, value: Mapping[str, str]) -> Mapping[str, str]:
        choose(self._operations)  # a plugin may have been unloaded meanwhile
        return super()._changed(value)
