"""The mover, the packers and the unpackers."""

from nasm.targets.tensix.isa.table import Family

UNIT = Family(__name__)

XMOV = UNIT.row("XMOV")
PACR = UNIT.row("PACR")
UNPACR = UNIT.row("UNPACR")
UNPACR_NOP = UNIT.row("UNPACR_NOP")
PACR_SETREG = UNIT.row("PACR_SETREG")
TBUFCMD = UNIT.row("TBUFCMD")
