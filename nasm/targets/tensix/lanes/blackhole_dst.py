"""Loads and stores of the vector unit of Blackhole.

Source: the pages of SFPLOAD, SFPSTORE and Dst in the ISA documentation of Blackhole A0.
"""

from __future__ import annotations

from nasm.base.problems import Refused
from nasm.targets.tensix.lanes.dst_access import address, load, resolved, store
from nasm.targets.tensix.lanes.dst_formats import BLACKHOLE, INT32_ALL
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.scalar.addr_mods import apply_addr_mod
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.state import Coprocessor

_ROWS_MOVED = "DEST_ACCESS_CFG_remap_addrs", "DEST_ACCESS_CFG_swizzle_32b"


def SFPLOAD(core: Coprocessor, thread: int, VD: int, Mod0: int, AddrMod: int, Imm10: int) -> None:
    """VD = Dst, in the format Mod0; then the row counters move, but the fidelity phase.

    Raises:
        Refused: INT32_ALL, which uses a stack of rows, or other places of rows.
    """
    _modelled(core, thread, "SFPLOAD", Mod0)
    kind = resolved(core, thread, Mod0)
    at = address(core, thread, kind, Imm10)
    load(core.vector, core.matrix.dst, VD, kind, at, BLACKHOLE)
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

    Raises:
        Refused: As a load.
    """
    _modelled(core, thread, "SFPSTORE", Mod0)
    kind = resolved(core, thread, Mod0)
    store(core, VD, kind, address(core, thread, kind, Imm10), quirks, BLACKHOLE)
    apply_addr_mod(core, thread, AddrMod, fidelity=False)


def _modelled(core: Coprocessor, thread: int, mnemonic: str, Mod0: int) -> None:
    """Refuse what moves rows of Dst in ways that nothing here follows."""
    if Mod0 == INT32_ALL:
        message = f"{mnemonic} with Mod0 {INT32_ALL} uses a stack of rows of Dst on Blackhole A0"
        raise Refused("E0601", f"{message}, which is not modelled", "Mod0 4 is INT32")
    for name in _ROWS_MOVED:
        if field(core, thread, name):
            message = f"{mnemonic} with {name}, which is not modelled on Blackhole A0"
            raise Refused("E0601", message, f"leave {name} at 0")
