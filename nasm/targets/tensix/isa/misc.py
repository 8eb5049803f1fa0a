"""The miscellaneous unit: address counters and banks of SrcA and SrcB."""

from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.matrix import control
from nasm.targets.tensix.scalar import adc

UNIT = Family(__name__)

SETADC = UNIT.row("SETADC", adc.SETADC)
SETADCXY = UNIT.row("SETADCXY", adc.SETADCXY)
INCADCXY = UNIT.row("INCADCXY", adc.INCADCXY)
ADDRCRXY = UNIT.row("ADDRCRXY", adc.ADDRCRXY)
SETADCZW = UNIT.row("SETADCZW", adc.SETADCZW)
INCADCZW = UNIT.row("INCADCZW", adc.INCADCZW)
ADDRCRZW = UNIT.row("ADDRCRZW", adc.ADDRCRZW)
SETDVALID = UNIT.row("SETDVALID", control.SETDVALID)
SETADCXX = UNIT.row("SETADCXX", adc.SETADCXX)
