"""The miscellaneous unit: address counters and banks of SrcA and SrcB."""

from nasm.targets.tensix.isa.table import Family

UNIT = Family(__name__)

SETADC = UNIT.row("SETADC")
SETADCXY = UNIT.row("SETADCXY")
INCADCXY = UNIT.row("INCADCXY")
ADDRCRXY = UNIT.row("ADDRCRXY")
SETADCZW = UNIT.row("SETADCZW")
INCADCZW = UNIT.row("INCADCZW")
ADDRCRZW = UNIT.row("ADDRCRZW")
SETDVALID = UNIT.row("SETDVALID")
SETADCXX = UNIT.row("SETADCXX")
