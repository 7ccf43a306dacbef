"""A plugin that announces its modules, installed for a test of the registry."""

import pytest

from .announcing_plugin import DOUBLED, PLUGIN, TRIPLED


@pytest.fixture
def acme(fake_distribution):
    """Return a function that installs a plugin of two modules, with the sources given."""

    def install(plugin=PLUGIN, **sources):
        sources = {"plugin": plugin, "tripled": TRIPLED, "doubled": DOUBLED} | sources
        modules = {f"acme/{name}.py": text for name, text in sources.items()}
        modules["acme/__init__.py"] = ""
        return fake_distribution("acme-ops", modules, {"acme": "acme.plugin"})

    return install
