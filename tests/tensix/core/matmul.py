"""A 32 by 32 product over three threads, as a program: unpack, multiply, pack."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.machine import Machine
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.matrix.formats import Format
from nasm.targets.tensix.matrix.tiles import tile_bytes
from tests.tensix.core.machines import held, made
from tests.tensix.matrix.machine import PACKERS, configure, packs, set_x, unpacks
from tests.tensix.matrix.matmul import ORDER, OUT, A, B, modifiers
from tests.tensix.matrix.tiles import decode_tiles, encode_tiles

BF16 = Format.BF16

UNPACK = """
@t0 UNPACR WhichUnpacker=0, MultiContextMode=1, FlipSrc=1
@t0 UNPACR WhichUnpacker=1, MultiContextMode=1, FlipSrc=1
"""
MULTIPLY = "@t1 ZEROACC Mode=3\n@t1 REPLAY Index=0, Count=16, Exec=1, Load=1\n" + "".join(
    f"@t1 MVMUL AddrMod={number}\n" for number in ORDER
)
AGAIN = "@t1 REPLAY Index=0, Count=16\n"
POST = """
@t1 SETRWC FlipSrcB=1, FlipSrcA=1, Fidelity=1, Dst=1, SrcB=1, SrcA=1
@t1 STALLWAIT BlockMask=2, ConditionMask=0x80
@t1 SEMPOST SemaphoreMask=2
"""
PACK = """
@t2 SEMWAIT BlockMask=4, SemaphoreMask=2, ConditionMask=1
@t2 PACR PackerMask=15, Last=1
@t2 SEMGET SemaphoreMask=2
"""


def program(phases: int) -> str:
    """The text of a product in some fidelity phases; the operands are tiles at A and B."""
    tensors = f".l1 x u16[1024] @ 0:{A} input\n.l1 y u16[1024] @ 0:{B} input\n"
    return tensors + UNPACK + MULTIPLY + AGAIN * (phases - 1) + POST + PACK


def set_up(core: Tensix) -> None:
    """The configuration of all three threads."""
    modifiers(core, 1)
    configure(core, {"ALU_FORMAT_SPEC_REG0_SrcA": BF16})
    for unpacker, address in enumerate((B, A)):
        unpacks(core, unpacker, address, BF16, BF16, 1024)
        configure(core, {f"THCON_SEC{unpacker}_REG2_Throttle_mode": 2})
    packs(core, OUT, BF16, BF16, wide=False, count=256)
    set_x(core, 2, 0, 255, thread=2)
    for packer, section in enumerate(PACKERS):
        start = (OUT + packer * tile_bytes(BF16) // 4) // 16 - 1
        configure(core, {f"THCON_{section}_L1_Dest_addr": start})


def multiplying(x: Any, y: Any, phases: int) -> Machine:
    """The machine before it runs."""
    tiles = {n: encode_tiles(v, BF16).view(np.uint16) for n, v in (("x", x), ("y", y))}
    return made(program(phases), inputs=tiles, set_up=set_up)


def product(machine: Machine) -> Any:
    """What was packed."""
    return decode_tiles(held(machine).l1.read(OUT, tile_bytes(BF16)), BF16, 32, 32)
