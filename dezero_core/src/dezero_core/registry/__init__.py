"""The plugin system: which plugins are installed, how they are loaded, and what they provide.

A reader begins with `hookspecs`, which is all that a plugin sees of it. `registrar` collects what
a plugin registers, with the calls of `sampling`; `providers` binds it. `discovery` finds the
installed plugins, `loading` loads each as one transaction, `choices` lets the user choose between
those that provide one operation, and `manager` has the functions that users call.
"""
