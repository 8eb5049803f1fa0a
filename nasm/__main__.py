"""``python -m nasm``: the same as the command ``neuron-nasm``."""

from __future__ import annotations

import sys

from nasm.apps.cli import main

if __name__ == "__main__":
    sys.exit(main())
