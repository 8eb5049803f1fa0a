"""What can be looked at of a coprocessor: its parts by name."""

from __future__ import annotations

from nasm.isa.core_state import Part
from nasm.isa.settings import Settings
from nasm.targets.tensix.inspect import cores, registers, shared, threads
from nasm.targets.tensix.layouts.layout import ConfigLayout


def parts_of(layout: ConfigLayout, settings: Settings) -> tuple[Part, ...]:
    """The parts of the coprocessor of a generation, with the words of what can be set."""
    own = shared.shared_parts(layout, settings)
    return (*registers.PARTS, *own, *threads.PARTS, *cores.PARTS)
