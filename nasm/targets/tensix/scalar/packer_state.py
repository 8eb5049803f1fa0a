"""What sets registers: half a register from the word, or registers from what packers keep.

Sources: its two pages in the public ISA documentation of Wormhole B0.
"""

from __future__ import annotations

import numpy as np

from nasm.base.problems import Refused
from nasm.targets.tensix.scalar.gprs import halves, quad
from nasm.targets.tensix.state import U32, Coprocessor

_METADATA = {
    0: "the sizes of packed tiles",
    1: "the zero flags of packed tiles",
    2: "the header of a packed tile",
    3: "the header of a packed tile",
    4: "the header of a packed tile",
    5: "the header of a packed tile",
    8: "the zero flags of packed tiles",
}
"""What packers tell of the tiles they compressed, which is documented in part only."""

_HEADER = ((0x0000FFFF,), (0x00FF0000,), (0xFFFFFFFF,), (0,))
"""The bits of a tile's header, by word, that are not reserved."""


def SETDMAREG_Immediate(core: Coprocessor, thread: int, NewValue: int, ResultHalfReg: int) -> None:
    """Write 16 bits to half a register; half 2 * n is the low one of register n."""
    halves(core, thread)[ResultHalfReg] = NewValue


def SETDMAREG_Special(
    core: Coprocessor,
    thread: int,
    ResultSize: int,
    WhichPackers: int,
    InputSource: int,
    InputHalfReg: int,
    ResultHalfReg: int,
) -> None:
    """Write half a register, one or four from what packers keep; sources from 10 on are zero.

    Sizes: 0 a half to a half, 1 a word to a register, 2 four words to an aligned quad, 3 these
    without what a tile's header reserves. Raises Refused for what packers tell of compression.
    """
    values = _values(core, WhichPackers, InputSource)
    if ResultSize == 0:
        halves(core, thread)[ResultHalfReg] = values.view("<u2")[InputHalfReg]
    elif ResultSize == 1:
        core.threads[thread].registers[ResultHalfReg >> 1] = values[InputHalfReg >> 1]
    else:
        into = quad(core, thread, ResultHalfReg >> 1)
        bits = np.array([b for (b,) in _HEADER], np.uint32) if ResultSize == 3 else ~np.uint32(0)
        into[:] = values & bits | into & ~bits


def _values(core: Coprocessor, which: int, source: int) -> U32:
    """The 128 bits of a source."""
    said = _METADATA.get(source)
    if said is not None:
        raise Refused(
            "E0601", f"SETDMAREG from source {source} reads {said}, which nasm does not keep"
        )
    values = np.zeros(4, np.uint32)
    if source in (6, 7):
        first = 16 * (source - 6)
        values[:] = core.packers[which & 3].histogram[first : first + 16].view("<u4")
    elif source == 9:
        values[0] = core.packers[0].largest_exponent
    return values
