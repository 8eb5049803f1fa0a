"""Functions of tt-llk for lines of a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nasm.base.source import Source
from nasm.isa.foreign import ForeignMade
from nasm.isa.target import Target
from nasm.llk.interpret import LlkKernel


def made_of(
    target: Target, function: str, sources: Sequence[Source], given: Mapping[str, int]
) -> ForeignMade:
    """What a function of some files makes, with parameters by name; raises Failure."""
    kernel = LlkKernel(target, [*sources], given)
    kernel.run(function)
    return ForeignMade(kernel.output.items, kernel.output.settings)
