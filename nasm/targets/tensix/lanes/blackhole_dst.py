"""Loads and stores of the vector unit of Blackhole.

Source: the pages of SFPLOAD, SFPSTORE and Dst in the ISA documentation of Blackhole A0. Of the
counter of the stack of rows they do not give the width: it is taken for that of its increment.
"""

from __future__ import annotations

from nasm.targets.tensix.lanes.dst_access import above, address, below, load, resolved, store
from nasm.targets.tensix.lanes.dst_formats import BLACKHOLE, INT32_ALL
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.scalar.addr_mods import apply_addr_mod
from nasm.targets.tensix.scalar.dst_order import follow_order
from nasm.targets.tensix.state import Coprocessor


def SFPLOAD(core: Coprocessor, thread: int, VD: int, Mod0: int, AddrMod: int, Imm10: int) -> None:
    """VD = Dst, in the format Mod0; then the row counters move, but the fidelity phase.

    INT32_ALL moves the stack of rows down and reads its top, in all lanes.
    """
    order = follow_order(core, thread)
    kind = resolved(core, thread, Mod0)
    at = address(core, thread, kind, Imm10)
    if kind == INT32_ALL:
        core.threads[thread].rows.stack = below(core, thread)
    load(core.vector, core.matrix.dst, VD, kind, at, BLACKHOLE, order)
    apply_addr_mod(core, thread, AddrMod, fidelity=False)


def SFPSTORE(
    core: Coprocessor,
    thread: int,
    VD: int,
    Mod0: int,
    AddrMod: int,
    Imm10: int,
    quirks: Quirks = DOCUMENTED,
) -> None:
    """Dst = VD, in the format Mod0, where SFPLOAD would read; then the row counters move.

    INT32_ALL writes the top of the stack of rows, in all lanes, and moves it up.
    """
    follow_order(core, thread)
    kind = resolved(core, thread, Mod0)
    at = address(core, thread, kind, Imm10, stores=True)
    if kind == INT32_ALL:
        core.threads[thread].rows.stack = above(core, thread)
    store(core, VD, kind, at, quirks, BLACKHOLE)
    apply_addr_mod(core, thread, AddrMod, fidelity=False)
