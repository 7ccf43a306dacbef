"""``python -m dezero_tools``: the command ``dezero``."""

import sys

from _dezero_command import main

sys.exit(main())
