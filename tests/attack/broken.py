"""A hundred broken plugins, as the files that an installer would leave on the path.

In the texts MODULE stands for the name of the plugin's module, which is its own. None provides what
another plugin has: that is no defect.
"""

from typing import NamedTuple

HEAD = "from dezero_core import Function, hookimpl, Variable\nimport numpy as np\n"
HOOK = HEAD + "@hookimpl\ndef dezero_register_ops(register):\n    "
GOOD = HOOK + "register('MODULE_op', lambda x: x)\n"

REFUSED, LOADED, ANY = "refused", "loaded", "any"


class Broken(NamedTuple):
    """One plugin: what is wrong, the files it consists of, and what is to become of it.

    Attributes
    ----------
    what : str
    source : str
        The text of its module, or None for a plugin without one.
    fate : str
        "refused" and named, "loaded" since it only looks broken, or "any".
    value : str
        What its entry point names.
    name : str, optional
        The name of its entry point.
    files : mapping
        More files, or others, by their paths.
    """

    what: str
    source: str | bytes | None
    fate: str = REFUSED
    value: str = "MODULE"
    name: str | None = None
    files: dict = {}  # noqa: RUF012 (never written to)


def raising(expression, before=""):
    return f"{before}\nraise {expression}\n"


RAISED = {
    "ImportError": "ImportError('no luck')",
    "ModuleNotFoundError of nothing": "ModuleNotFoundError(name=None)",
    "SystemExit": "SystemExit",
    "SystemExit 0": "SystemExit(0)",
    "SystemExit with a text": "SystemExit('bye')",
    "GeneratorExit": "GeneratorExit",
    "StopIteration": "StopIteration",
    "StopAsyncIteration": "StopAsyncIteration",
    "CancelledError": "__import__('asyncio').CancelledError()",
    "MemoryError": "MemoryError",
    "RecursionError": "RecursionError",
    "OSError": "OSError(28, 'No space left on device', 'MODULE')",
    "UnicodeDecodeError": "UnicodeDecodeError('utf-8', b'\\xff', 0, 1, 'bad')",
    "SyntaxError by hand": "SyntaxError('odd', (None, 'x', None, 5))",
    "a Warning": "DeprecationWarning('old')",
    "ExceptionGroup": "ExceptionGroup('two', [ValueError(1), KeyError(2)])",
    "BaseExceptionGroup": "BaseExceptionGroup('one', [SystemExit(1)])",
    "itself as its cause": "(lambda e: setattr(e, '__cause__', e) or e)(ValueError())",
}
SAYS = "class E(Exception):\n    def __str__(self): "
OF_ITS_OWN = {
    "a BaseException": "class E(BaseException): pass",
    "an error without a text": SAYS + "raise ValueError",
    "an error whose text exits": SAYS + "raise SystemExit",
    "an error whose text is no text": SAYS + "return 5",
    "an error whose text never ends": SAYS + "return str(self)",
    "an error of ten million letters": SAYS + "return 'x' * 10**7",
    "an error with escapes": SAYS + "return '\\x1b[31mred\\x1b[2J\\r\\0\\x07\\x9b31m\\x7f'",
    "an error with surrogates": SAYS + "return '\\ud800 \\udfff'",
    "an error of many lines": SAYS + "return 'line\\n' * 10**5",
    "an error whose class has escapes": "E = type('\\x1b[31mE\\r', (Exception,), {})",
    "an error with odd attributes": (
        "class E(Exception):\n"
        "    def __init__(self): vars(self).update({5: 6, 'plugin': 7, 'self': 8, 'message': 9})"
    ),
    "an error without a traceback": (
        "class E(Exception):\n    __traceback__ = property(lambda self: 1 / 0)"
    ),
    "an error that cannot be asked for its class": (
        "class E(Exception):\n    __class__ = property(lambda self: 1 / 0)"
    ),
    "an error that is neither true nor false": (
        "class E(Exception):\n    def __bool__(self): raise SystemExit"
    ),
    "an error whose repr raises": SAYS + "raise SystemExit\n    __repr__ = __str__",
    "an error without attributes": (
        "class E(Exception):\n    __dict__ = property(lambda self: 1 / 0)"
    ),
    "an error of a metaclass": (
        "class M(type):\n    __name__ = property(lambda self: 1 / 0)\n"
        "class E(Exception, metaclass=M): pass"
    ),
}
MODULES = {
    "is not Python": "def :",
    "is of another Python": "print 'hello'",
    "is indented": "   x = 1\n x = 2",
    "is of bytes": b"\xff\xfe\x00\x01",
    "has null bytes": b"x = 1\0\n",
    "says another encoding": b"# coding: klingon\nx = 1\n",
    "imports what is missing": "import surely_not_there_MODULE",
    "imports itself": "import MODULE.nothing",
    "takes itself away": "import sys\ndel sys.modules[__name__]",
    "replaces itself by None": "import sys\nsys.modules[__name__] = None",
    "replaces itself by a number": "import sys\nsys.modules[__name__] = 5",
    "recurs for ever": "def f(): f()\nf()",
    "is empty": "",
    "raises in a file of another name": "exec(compile('1 / 0', 'a\\0b', 'exec'))",
    "raises in a file with escapes": "exec(compile('1 / 0', '\\x1b[31m.py\\r', 'exec'))",
    "raises where it is asked for anything": "def __getattr__(name): raise RuntimeError(name)",
    "exits where it is asked for anything": "def __getattr__(name): raise SystemExit",
    "has all names": (
        "class A:\n    def __getattr__(self, n): return self\ndef __getattr__(n): return A()"
    ),
    "lists numbers as names": GOOD + "def __dir__(): return [1, None]",
    "cannot list its names": GOOD + "def __dir__(): raise ValueError",
    "wants an API of text": "DEZERO_PLUGIN_API = '1'\n" + GOOD,
    "wants an API of one number": "DEZERO_PLUGIN_API = (2,)\n" + GOOD,
    "wants an API of floats": "DEZERO_PLUGIN_API = (2.0, 0.0)\n" + GOOD,
    "wants an API to come": "DEZERO_PLUGIN_API = (99, 0)\n" + GOOD,
    "wants an API that raises": (
        "class T(tuple):\n    def __iter__(self): raise SystemExit\nDEZERO_PLUGIN_API = T((2, 0))\n"
        + GOOD
    ),
}
OBJECT = (
    "{head}class P:\n    def {method}\n"
    "    @hookimpl\n    def dezero_register_ops(self, register):\n        {hook}\n"
    "import sys\nsys.modules[__name__] = P()"
)
LOADS = "register('MODULE_op', lambda x: x)"
HARMLESS = {
    "lists names that it has not": GOOD + "def __dir__(): return ['a', 'dezero_register_ops']",
    "is false": OBJECT.format(head=HEAD, method="__bool__(self): return False", hook=LOADS),
    "cannot be true": OBJECT.format(
        head=HEAD, method="__bool__(self): raise SystemExit", hook=LOADS
    ),
    "is of no length": OBJECT.format(
        head=HEAD, method="__len__(self): raise ValueError", hook=LOADS
    ),
    "cannot be written": OBJECT.format(
        head=HEAD, method="__repr__(self): raise SystemExit", hook=LOADS
    ),
    "prints when it is imported": "print('hello')\n" + GOOD,
    "writes to the descriptor": "import os\nos.write(1, b'hello')\n" + GOOD,
    "prints at exit": "import atexit\natexit.register(print, 'bye')\n" + GOOD,
    "raises at exit": "import atexit\natexit.register(lambda: 1 / 0)\n" + GOOD,
    "warns": "import warnings\nwarnings.warn('I am old')\n" + GOOD,
    "raises in a thread": (
        "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()\n" + GOOD
    ),
    "waits in a thread for an import": (
        "import threading\nt = threading.Thread(target=lambda: __import__('dezero_core').plugins(),"
        " daemon=True)\nt.start()\n" + GOOD
    ),
    "asks for plugins": "import dezero_core\ndezero_core.plugins()\n" + GOOD,
    "has a hook that takes nothing": HOOK.replace("(register)", "()") + "pass",
    "is changed in its path": "__path__ = None\n__spec__ = None\n__file__ = 5\n" + GOOD,
}
#: They may be loaded or not, as long as the others are.
UNEQUAL = {
    "is equal to everything": OBJECT.format(
        head=HEAD,
        method="__eq__(self, other): return True\n    __hash__ = object.__hash__",
        hook=LOADS,
    ),
    "cannot be compared": OBJECT.format(
        head=HEAD,
        method="__eq__(self, other): raise SystemExit\n    __hash__ = object.__hash__",
        hook=LOADS,
    ),
}
HOOKS = {
    "no hook is marked": "def dezero_register_ops(register): pass",
    "a hook is misspelt": HOOK.replace("register_ops", "regsiter_ops") + "pass",
    "a hook is of another time": HOOK.replace("dezero_register_ops", "quux") + "pass",
    "a hook takes something else": HOOK.replace("(register)", "(registrar)") + "pass",
    "a hook takes too much": HOOK.replace("(register)", "(register, more)") + "pass",
    "a hook exits": HOOK + "raise SystemExit(0)",
    "a hook raises a BaseException": HOOK + "raise type('E', (BaseException,), {})('no')",
    "a hook raises GeneratorExit": HOOK + "raise GeneratorExit",
    "a hook raises halfway": HOOK + "register('MODULE_op', abs, methods='MODULE_op'); 1 / 0",
    "a hook never ends": HOOK + "dezero_register_ops(register)",
    "a hook of observers raises": HOOK.replace("ops", "observers") + "raise SystemExit",
    "an observer has no name": HOOK + "register.part('observer', None, object)",
    "a part is of no kind": HOOK + "register.part(None, 'MODULE_o', object)",
    "a part cannot be asked": HOOK
    + "register.part(type('K', (str,), {'isidentifier': None})('observer'), 'MODULE_o', object)",
    "a setting is a number": HOOK + "register.part('setting', 'MODULE_s', 5)",
    "a type of arrays cannot be written": HOOK
    + "register.part('array', 'MODULE_a', type('A', (), {'__repr__': lambda self: 1 / 0})())",
    "an adviser is a text": HOOK + "register.part('adviser', 'MODULE_a', 'tea')",
    "a hook is a wrapper": HOOK.replace("@hookimpl", "@hookimpl(wrapper=True)") + "pass",
    "an object cannot be hashed": (
        HEAD + "class P:\n    __hash__ = None\n"
        "    @hookimpl\n    def dezero_register_ops(self, register): 1 / 0\n"
        "import sys\nsys.modules[__name__] = P()"
    ),
    "an object cannot be written": (
        HEAD + "class P:\n    def __repr__(self): raise SystemExit\n"
        "import sys\nsys.modules[__name__] = P()"
    ),
}
REGISTRATIONS = {
    "nothing": "register()",
    "a name alone": "register('MODULE_op')",
    "None as a function": "register('MODULE_op', None)",
    "a number as a name": "register(3, abs)",
    "bytes as a name": "register(b'MODULE_op', abs)",
    "a class as a function": "register('MODULE_op', Function)",
    "a number as a class": "register('MODULE_op', abs, 5)",
    "another class": "register('MODULE_op', abs, int)",
    "an instance as a class": "register('MODULE_op', abs, Function())",
    "one thing twice": "register('MODULE_op', abs); register('MODULE_op', abs)",
    "numbers as methods": "register('MODULE_op', abs, methods=5)",
    "None in methods": "register('MODULE_op', abs, methods=[None])",
    "a method that belongs to the core": "register('MODULE_op', abs, methods='backward')",
    "an attribute that belongs to the core": "register('MODULE_op', abs, methods='data')",
    "__init__": "register('MODULE_op', abs, dunders='__init__')",
    "__class__": "register('MODULE_op', abs, dunders='__class__')",
    "__getattribute__": "register('MODULE_op', abs, methods='__getattribute__')",
    "__array_ufunc__": "register('MODULE_op', abs, dunders='__array_ufunc__')",
    "numbers of NumPy": "register('MODULE_op', abs, numpy=[np.pi])",
    "None of NumPy": "register('MODULE_op', abs, numpy=[None])",
    "text of NumPy": "register('MODULE_op', abs, numpy='MODULE_op')",
    "a word that nobody knows": "register('MODULE_op', abs, colour='red')",
    "a name that cannot be hashed": (
        "register(type('S', (str,), {'__hash__': None})('MODULE_op'), abs)"
    ),
    "part: no kind": "register.part(None, 'MODULE_o', object)",
    "part: no name": "register.part('observer', None, object)",
    "part: one thing twice": "[register.part('observer', 'MODULE_o', abs) for _ in range(2)]",
    "part: a number as a type of arrays": "register.part('array', 'MODULE', 5)",
    "part: text as the default of a setting": "register.part('setting', 'MODULE', 'on')",
    "later: a number": "register.later(3, operations='MODULE_op')",
    "later: no operation": "register.later('MODULE_more', operations='')",
    "later: what belongs to the core": (
        "register.later('MODULE_more', operations='MODULE_op', methods='backward')"
    ),
}
ACCEPTED = {
    "a number as a sample": "register('MODULE_op', abs, sample=3)",
    "a number as an observer": "register.part('observer', 'MODULE_o', 5)",
    "no method that can be called": "register('MODULE_op', abs, methods={'MODULE_m': 5})",
    "later: numbers": "register.later('MODULE_more', operations=[5])",
}
LATER = {
    "a module that is missing": {},
    "a module that raises": {"MODULE_more.py": "1 / 0"},
    "a module that exits": {"MODULE_more.py": "raise SystemExit"},
    "a module that raises a BaseException": {
        "MODULE_more.py": "raise type('E', (BaseException,), {})('\\x1b[31m')"
    },
    "a module without the function": {"MODULE_more.py": "x = 1"},
    "a module that registers something else": {
        "MODULE_more.py": "def register_ops(register): register('MODULE_other', abs)"
    },
    "a module that registers nothing": {"MODULE_more.py": "def register_ops(register): pass"},
}
REFERENCES = {
    "nothing": "",
    "a colon": ":",
    "dots": "..",
    "two colons": "MODULE:a:b",
    "a distribution's name": "broken-ops.plugin",
    "what the module has not": "MODULE:nothing",
    "a function": "os:getcwd",
    "a number": "sys:maxsize",
    "None": "MODULE:__doc__",
    "the builtins": "builtins",
    "the core": "dezero_core",
    "escapes": "\x1b[31mMODULE\r",
    "ten thousand letters": "MODULE." + "x" * 10_000,
}
NAMES = {
    "escapes": "\x1b[31mMODULE\x07\x9b",
    "ten thousand letters": "MODULE" + "x" * 10_000,
    "of all languages": "MODULE äößé 名前 🎉",
    "which are turned around": "MODULE\u202egnihton\u202c",
    "spaces": "MODULE of nothing at all",
}
METADATA = {
    "without METADATA": {"INFO/METADATA": None},
    "with empty METADATA": {"INFO/METADATA": ""},
    "with METADATA of bytes": {"INFO/METADATA": b"\xff\xfe\0\0Name"},
    "without a name": {"INFO/METADATA": "Metadata-Version: 2.1\n"},
    "with a name of escapes": {"INFO/METADATA": "Name: \x1b[31mMODULE\nVersion: \x1b[31m1\n"},
    "with a version that is none": {"INFO/METADATA": "Name: MODULE\nVersion: one\n"},
    "that requires what nobody can read": {
        "INFO/METADATA": "Name: MODULE\nVersion: 1\nRequires-Dist: ;;;\nRequires-Dist: (\n"
    },
    "that requires itself": {"INFO/METADATA": "Name: MODULE\nVersion: 1\nRequires-Dist: MODULE\n"},
    "with a direct_url that is no JSON": {"INFO/direct_url.json": "{"},
    "with a direct_url of numbers": {"INFO/direct_url.json": "5"},
    "with entry points of bytes": {"INFO/entry_points.txt": b"[dezero]\n\xff\xfe = MODULE\n"},
    "with entry points of null bytes": {"INFO/entry_points.txt": b"[dezero]\n\0 = \0\n"},
    "with entry points without values": {"INFO/entry_points.txt": "[dezero]\nMODULE\n= MODULE\n"},
    "with a section that does not end": {"INFO/entry_points.txt": "[dezero\nMODULE = MODULE\n"},
    "with entry points that are a folder": {"INFO/entry_points.txt/nothing": ""},
}


def everything():
    """Return all of them."""
    found = [Broken(f"raises {k}", raising(v)) for k, v in RAISED.items()]
    found += [Broken(f"raises {k}", raising("E", v)) for k, v in OF_ITS_OWN.items()]
    found += [Broken(f"a module that {k}", v) for k, v in MODULES.items()]
    found += [Broken(f"a module that {k}", v, LOADED) for k, v in HARMLESS.items()]
    found += [Broken(f"a module that {k}", v, ANY) for k, v in UNEQUAL.items()]
    found += [Broken(k, v) for k, v in HOOKS.items()]
    found += [Broken(f"registers {k}", HOOK + v) for k, v in REGISTRATIONS.items()]
    found += [Broken(f"registers {k}", HOOK + v, ANY) for k, v in ACCEPTED.items()]
    announced = HOOK + "register.later('MODULE_more', operations='MODULE_op')"
    found += [Broken(f"announces {k}", announced, ANY, files=v) for k, v in LATER.items()]
    found += [Broken(f"refers to {k}", GOOD, value=v) for k, v in REFERENCES.items()]
    found += [
        Broken(f"a name with {k}", raising("ImportError('no luck')"), name=v)
        for k, v in NAMES.items()
    ]
    found += [Broken(f"a distribution {k}", GOOD, ANY, files=v) for k, v in METADATA.items()]
    return found


EVERYTHING = everything()


def install(folder, number, before=True):
    """Write one of them into a folder; return the name of its module.

    It is loaded before or after the plugins of this project, by the order of names.
    """
    broken = EVERYTHING[number]
    module = f"{'a' if before else 'z'}broken{number}"

    def own(text):
        return (
            text.replace(b"MODULE", module.encode())
            if isinstance(text, bytes)
            else (text.replace("MODULE", module).replace("INFO", f"{module}-1.0.dist-info"))
        )

    files = {
        "INFO/METADATA": "Metadata-Version: 2.1\nName: MODULE\nVersion: 1.0\n",
        "INFO/entry_points.txt": f"[dezero]\n{broken.name or 'MODULE'} = {broken.value}\n",
        "INFO/RECORD": "",
        "MODULE.py": broken.source,
    }
    given = {path.partition(".txt/")[0] for path in broken.files if ".txt/" in path}
    files = {p: t for p, t in files.items() if p.partition(".txt")[0] not in given} | broken.files
    for path, text in files.items():
        if text is not None:
            place = folder / own(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            text = own(text)
            place.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return module
