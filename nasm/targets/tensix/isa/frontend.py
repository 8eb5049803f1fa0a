"""The front end: expansion, and what does nothing."""

from nasm.targets.tensix.isa.setups import EXPANDED
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.scalar import unit

UNIT = Family(__name__)

MOP = UNIT.row("MOP", setup=EXPANDED, example="MOP Template=1")
NOP = UNIT.row("NOP", unit.NOP)
MOP_CFG = UNIT.row("MOP_CFG", example="MOP_CFG MaskHi=5")
REPLAY = UNIT.row(
    "REPLAY",
    setup="REPLAY Index=0, Count=2, Load=1\nSFPLOADI VD=0, Imm16=0x3f80\nSFPMOV VC=0, VD=1",
    example="REPLAY Index=0, Count=2",
)
