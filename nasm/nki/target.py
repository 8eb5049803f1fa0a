"""The target that kernels are traced for by default."""

from __future__ import annotations

import os

TARGET = "NEURON_PLATFORM_TARGET_OVERRIDE"
"""The variable that says for which generation kernels are traced."""

GENERATION = "NKI_NC_VERSION"
"""The variable by which the library's tests tell AWS's simulator the generation: gen3, say."""

USUAL = "trn2"
"""The target where nothing says one."""


def default_target() -> str:
    """The target where none is given."""
    return os.environ.get(TARGET) or os.environ.get(GENERATION) or USUAL
