"""The scalar unit: registers, L1, atomics."""

from nasm.targets.tensix.isa.setups import IN_L1, REGISTERS
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.scalar import arithmetic, forms, memory, registers_of_devices, unit

UNIT = Family(__name__)

RSTDMA = UNIT.row("RSTDMA")
SETDMAREG = UNIT.row("SETDMAREG", forms.SETDMAREG, example="SETDMAREG NewValue=6, ResultHalfReg=2")
FLUSHDMA = UNIT.row(
    "FLUSHDMA",
    unit.FLUSHDMA,
    setup="SETDMAREG NewValue=6, ResultHalfReg=2",
    example="FLUSHDMA ConditionMask=1",
)
REG2FLOP = UNIT.row(
    "REG2FLOP",
    forms.REG2FLOP,
    setup=REGISTERS,
    example="REG2FLOP SizeSel=1, ThConCfgIndex=24, InputReg=1",
)
LOADIND = UNIT.row(
    "LOADIND",
    memory.LOADIND,
    setup=IN_L1,
    example="LOADIND Size=1, OffsetHalfReg=4, ResultReg=3, AddrReg=1",
)
ADDDMAREG = UNIT.row(
    "ADDDMAREG",
    arithmetic.ADDDMAREG,
    setup=REGISTERS,
    example="ADDDMAREG ResultReg=3, RightReg=2, LeftReg=1",
)
SUBDMAREG = UNIT.row(
    "SUBDMAREG",
    arithmetic.SUBDMAREG,
    setup=REGISTERS,
    example="SUBDMAREG ResultReg=3, RightReg=2, LeftReg=1",
)
MULDMAREG = UNIT.row(
    "MULDMAREG",
    arithmetic.MULDMAREG,
    setup=REGISTERS,
    example="MULDMAREG ResultReg=3, RightReg=2, LeftReg=1",
)
BITWOPDMAREG = UNIT.row(
    "BITWOPDMAREG",
    arithmetic.BITWOPDMAREG,
    setup=REGISTERS,
    example="BITWOPDMAREG Mode=0, ResultReg=3, RightReg=2, LeftReg=1",
)
SHIFTDMAREG = UNIT.row(
    "SHIFTDMAREG",
    arithmetic.SHIFTDMAREG,
    setup=REGISTERS,
    example="SHIFTDMAREG Mode=0, ResultReg=3, RightReg=2, LeftReg=1",
)
CMPDMAREG = UNIT.row(
    "CMPDMAREG",
    arithmetic.CMPDMAREG,
    setup=REGISTERS,
    example="CMPDMAREG Mode=1, ResultReg=3, RightReg=2, LeftReg=1",
)
DMANOP = UNIT.row("DMANOP", unit.DMANOP)
ATINCGET = UNIT.row(
    "ATINCGET",
    memory.ATINCGET,
    setup=IN_L1,
    example="ATINCGET IntWidth=31, Ofs=3, InOutReg=2, AddrReg=1",
)
ATINCGETPTR = UNIT.row(
    "ATINCGETPTR",
    memory.ATINCGETPTR,
    setup=IN_L1,
    example="ATINCGETPTR IntWidth=4, Ofs=0, ResultReg=3, AddrReg=1",
)
ATSWAP = UNIT.row(
    "ATSWAP", memory.ATSWAP, setup=IN_L1, example="ATSWAP Mask=0x30, DataReg=2, AddrReg=1"
)
ATCAS = UNIT.row(
    "ATCAS", memory.ATCAS, setup=IN_L1, example="ATCAS SetVal=9, CmpVal=3, Ofs=3, AddrReg=1"
)
STOREIND = UNIT.row(
    "STOREIND",
    forms.STOREIND,
    setup=IN_L1,
    example="STOREIND Size=1, OffsetHalfReg=4, DataReg=2, AddrReg=1",
)
STOREREG = UNIT.row(
    "STOREREG", registers_of_devices.STOREREG, example="STOREREG DataReg=3, AddrLo=0x2c400"
)
LOADREG = UNIT.row(
    "LOADREG", registers_of_devices.LOADREG, example="LOADREG ResultReg=3, AddrLo=0x2c400"
)
