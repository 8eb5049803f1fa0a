"""The mover, the packers and the unpackers."""

from nasm.targets.tensix.isa.setups import MOVED, PACKED, UNPACKED
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.matrix import pack, unpack
from nasm.targets.tensix.scalar import mover

UNIT = Family(__name__)

XMOV = UNIT.row("XMOV", mover.XMOV, setup=MOVED, example="XMOV")
PACR = UNIT.row("PACR", pack.PACR, setup=PACKED, example="PACR PackerMask=1, Last=1")
UNPACR = UNIT.row(
    "UNPACR", unpack.UNPACR, setup=UNPACKED, example="UNPACR WhichUnpacker=0, FlipSrc=1"
)
UNPACR_NOP = UNIT.row(
    "UNPACR_NOP", unpack.UNPACR_NOP, example="UNPACR_NOP Unpack_block_selection=1, NoOp=7"
)
PACR_SETREG = UNIT.row("PACR_SETREG")
TBUFCMD = UNIT.row("TBUFCMD")
