"""What can be looked at of a coprocessor: its parts by name."""

from __future__ import annotations

from typing import Final

from nasm.targets.tensix.inspect import cores, registers, shared, threads

PARTS: Final = (*registers.PARTS, *shared.PARTS, *threads.PARTS, *cores.PARTS)
