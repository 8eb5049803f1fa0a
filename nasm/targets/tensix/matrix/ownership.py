"""Who waits for which bank of SrcA and SrcB (SrcASrcB.md).

``None`` where nothing has to be waited for. Rows of the matrix unit declare the banks they need.
"""

from __future__ import annotations

from functools import cache

from nasm.isa.core_state import Blocked
from nasm.targets.tensix.matrix.facts import MATRIX_UNIT, Banks
from nasm.targets.tensix.state import MATRIX, UNPACKERS, Coprocessor
from nasm.targets.tensix.unit_queries import SRC

CAUSE = "src"
"""What idle time of this cause is called."""


def _a(core: Coprocessor) -> Blocked | None:
    m = core.matrix
    if m.owner_a[m.matrix_a] == MATRIX:
        return None
    return _not_owner("SrcA", m.matrix_a, 0)


def _b(core: Coprocessor) -> Blocked | None:
    m = core.matrix
    if m.owner_b[m.matrix_b] == MATRIX:
        return None
    return _not_owner("SrcB", m.matrix_b, 1)


@cache
def _not_owner(name: str, bank: int, unpacker: int) -> Blocked:
    return Blocked(
        CAUSE,
        f"bank {bank} of {name} is the unpackers': "
        f"no UNPACR of unpacker {unpacker} with FlipSrc, and no SETDVALID, has released it",
        on=(SRC,),
    )


def blocked(core: Coprocessor, thread: int, mnemonic: str) -> Blocked | None:
    """Why an instruction of the matrix unit cannot start yet, of any mnemonic."""
    return blocked_by(core, MATRIX_UNIT[mnemonic].banks)


def blocked_by(core: Coprocessor, banks: Banks) -> Blocked | None:
    """Why what needs some banks cannot start yet."""
    return (_a(core) if banks.a else None) or (_b(core) if banks.b else None)


def blocked_unpack(
    core: Coprocessor,
    thread: int,
    WhichUnpacker: int,
    CfgContextCntInc: int = 0,
    SearchCacheFlush: int = 0,
) -> Blocked | None:
    """Why an unpack cannot start yet. One that fills Dst waits for a bank of SrcA as well."""
    if CfgContextCntInc or SearchCacheFlush:
        return None
    m = core.matrix
    owners, bank = (m.owner_b, m.unpack_b) if WhichUnpacker else (m.owner_a, m.unpack_a)
    return None if owners[bank] == UNPACKERS else _kept(WhichUnpacker, bank)


@cache
def _kept(unpacker: int, bank: int) -> Blocked:
    name = "SrcB" if unpacker else "SrcA"
    flip = f"FlipSrc{name[-1]}"
    return Blocked(
        CAUSE,
        f"bank {bank} of {name} is the matrix unit's: "
        f"no instruction with {flip}, and no CLEARDVALID, has released it",
        on=(SRC,),
    )


def blocked_unpack_nop(
    core: Coprocessor, thread: int, Unpack_block_selection: int, NoOp: int
) -> Blocked | None:
    """Why a turn of an unpacker that reads nothing cannot start yet.

    One that clears waits until the unpackers own the matrix unit's bank, or, with bit 4, their own.
    """
    if NoOp & 7 not in (1, 5):
        return None
    return blocked_clear(core, Unpack_block_selection, bool(NoOp & 16))


def blocked_clear(core: Coprocessor, unpacker: int, own: bool) -> Blocked | None:
    """Why no bank can be cleared yet: the unpackers do not own the matrix unit's, or their own."""
    m = core.matrix
    owners = m.owner_b if unpacker else m.owner_a
    if own:
        bank = m.unpack_b if unpacker else m.unpack_a
    else:
        bank = m.matrix_b if unpacker else m.matrix_a
    return None if owners[bank] == UNPACKERS else _kept(unpacker, bank)
