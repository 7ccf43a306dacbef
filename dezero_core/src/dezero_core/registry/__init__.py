"""The plugin system: which plugins are installed, how they are loaded, and what they provide.

A reader begins with `hookspecs`: a plugin sees nothing else of it. `registrar` collects the
registrations of a plugin, with the calls of `sampling`; `providers` binds them. `discovery` finds
the installed plugins, and `requirements` says what they need of each other. `loading` loads each
plugin as one transaction, `choices` lets the user choose between several that provide one
operation, and `manager` has the functions that users call.
"""
