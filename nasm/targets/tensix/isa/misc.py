"""The miscellaneous unit: address counters and banks of SrcA and SrcB."""

from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.matrix import control
from nasm.targets.tensix.scalar import adc

UNIT = Family(__name__)

SETADC = UNIT.row("SETADC", adc.SETADC, example="SETADC U0=1, Channel=0, XYZW=1, NewValue=2")
SETADCXY = UNIT.row("SETADCXY", adc.SETADCXY, example="SETADCXY U0=1, Y0Val=2, X0Val=3, Y0=1, X0=1")
INCADCXY = UNIT.row("INCADCXY", adc.INCADCXY, example="INCADCXY U0=1, Y0Inc=1, X0Inc=2")
ADDRCRXY = UNIT.row("ADDRCRXY", adc.ADDRCRXY, example="ADDRCRXY U0=1, Y0Inc=1, X0Inc=2, Y0=1, X0=1")
SETADCZW = UNIT.row("SETADCZW", adc.SETADCZW, example="SETADCZW U0=1, W0Val=2, Z0Val=3, W0=1, Z0=1")
INCADCZW = UNIT.row("INCADCZW", adc.INCADCZW, example="INCADCZW U0=1, W0Inc=1, Z0Inc=2")
ADDRCRZW = UNIT.row("ADDRCRZW", adc.ADDRCRZW, example="ADDRCRZW U0=1, W0Inc=1, Z0Inc=2, W0=1, Z0=1")
SETDVALID = UNIT.row("SETDVALID", control.SETDVALID, example="SETDVALID FlipSrcB=1, FlipSrcA=1")
SETADCXX = UNIT.row("SETADCXX", adc.SETADCXX, example="SETADCXX U0=1, X1Val=255, X0Val=0")
