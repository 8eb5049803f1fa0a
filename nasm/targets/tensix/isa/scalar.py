"""The scalar unit: registers, L1, atomics."""

from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.scalar import arithmetic, forms, memory, registers_of_devices, unit

UNIT = Family(__name__)

RSTDMA = UNIT.row("RSTDMA")
SETDMAREG = UNIT.row("SETDMAREG", forms.SETDMAREG)
FLUSHDMA = UNIT.row("FLUSHDMA", unit.FLUSHDMA)
REG2FLOP = UNIT.row("REG2FLOP", forms.REG2FLOP)
LOADIND = UNIT.row("LOADIND", memory.LOADIND)
ADDDMAREG = UNIT.row("ADDDMAREG", arithmetic.ADDDMAREG)
SUBDMAREG = UNIT.row("SUBDMAREG", arithmetic.SUBDMAREG)
MULDMAREG = UNIT.row("MULDMAREG", arithmetic.MULDMAREG)
BITWOPDMAREG = UNIT.row("BITWOPDMAREG", arithmetic.BITWOPDMAREG)
SHIFTDMAREG = UNIT.row("SHIFTDMAREG", arithmetic.SHIFTDMAREG)
CMPDMAREG = UNIT.row("CMPDMAREG", arithmetic.CMPDMAREG)
DMANOP = UNIT.row("DMANOP", unit.DMANOP)
ATINCGET = UNIT.row("ATINCGET", memory.ATINCGET)
ATINCGETPTR = UNIT.row("ATINCGETPTR", memory.ATINCGETPTR)
ATSWAP = UNIT.row("ATSWAP", memory.ATSWAP)
ATCAS = UNIT.row("ATCAS", memory.ATCAS)
STOREIND = UNIT.row("STOREIND", forms.STOREIND)
STOREREG = UNIT.row("STOREREG", registers_of_devices.STOREREG)
LOADREG = UNIT.row("LOADREG", registers_of_devices.LOADREG)
