"""Environments that have only some of the distributions which are installed here.

A test that says what is printed beside some plugins runs in such an environment. So it holds
whatever else is installed.
"""

import sysconfig
import venv
from pathlib import Path

import importlib_metadata

OPERATIONS = ("dezero-ops-basic", "dezero-ops-math")
#: What the README's first command installs beside the core.
README = ("dezero-tools", *OPERATIONS, "dezero-replay")


def plugins():
    """Return the names of the distributions with plugins that are installed."""
    return {entry.dist.name for entry in importlib_metadata.entry_points(group="dezero")}


def site_with(folder, *distributions):
    """Fill a site-packages folder like that of the tests, but of plugins with these alone.

    What it links to is found as everything else is, the core's own wheel or editable path
    included.
    """
    folder.mkdir(exist_ok=True)
    hidden = {"__pycache__"}
    for name in plugins().difference(distributions):
        hidden |= {file.parts[0] for file in importlib_metadata.distribution(name).files}
    for source in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for item in Path(source).iterdir():
            if item.name not in hidden:
                (folder / item.name).symlink_to(item)
    return folder


def environment_with(folder, *distributions):
    """Make a virtual environment with `site_with`, and with its commands; return its ``bin``."""
    venv.EnvBuilder(symlinks=True).create(folder)
    site = site_with(folder / "installed", *distributions)
    there = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    (there / "installed.pth").write_text(f"import site; site.addsitedir({str(site)!r})\n")
    commands = folder / "bin"
    for command in importlib_metadata.entry_points(group="console_scripts"):
        lines = (
            f"#!{commands / 'python'}",
            f"import sys, {command.module}",
            f"sys.exit({command.value.replace(':', '.')}())",
        )
        (commands / command.name).write_text("\n".join(lines) + "\n")
        (commands / command.name).chmod(0o755)
    return commands
