"""The mover, the packers and the unpackers."""

from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.matrix import pack, unpack
from nasm.targets.tensix.scalar import mover

UNIT = Family(__name__)

XMOV = UNIT.row("XMOV", mover.XMOV)
PACR = UNIT.row("PACR", pack.PACR)
UNPACR = UNIT.row("UNPACR", unpack.UNPACR)
UNPACR_NOP = UNIT.row("UNPACR_NOP", unpack.UNPACR_NOP)
PACR_SETREG = UNIT.row("PACR_SETREG")
TBUFCMD = UNIT.row("TBUFCMD")
