"""``python -m dezero_tools``: the command ``dezero``."""

from __future__ import annotations

import sys

from _dezero_command import main

sys.exit(main())
