"""Functions of tt-llk for lines of a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nasm.base.source import Source
from nasm.isa.foreign import ForeignMade
from nasm.isa.instruction import Row
from nasm.llk.interpret import LlkKernel


def made_of(
    rows: Iterable[Row],
    function: str,
    sources: Sequence[Source],
    given: Mapping[str, int | str],
    names: Mapping[str, int],
) -> ForeignMade:
    """What a function of some files makes, with parameters by name; raises Failure.

    ``names`` are constants that files which need not be given would declare.
    """
    kernel = LlkKernel(rows, sources, given, names)
    kernel.run(function)
    return ForeignMade(kernel.output.items, kernel.output.settings)
