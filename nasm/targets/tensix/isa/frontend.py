"""The front end: expansion, and what does nothing."""

from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.scalar import unit

UNIT = Family(__name__)

MOP = UNIT.row("MOP")
NOP = UNIT.row("NOP", unit.NOP)
MOP_CFG = UNIT.row("MOP_CFG")
REPLAY = UNIT.row("REPLAY")
