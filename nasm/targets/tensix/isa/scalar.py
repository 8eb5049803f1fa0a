"""The scalar unit: registers, L1, atomics."""

from nasm.targets.tensix.core import instruction_start, waits
from nasm.targets.tensix.isa import modes
from nasm.targets.tensix.isa.setups import IN_L1, REGISTERS
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.scalar import arithmetic, forms, memory, registers_of_devices, timing, unit
from nasm.targets.tensix.scalar.timing import ATOMIC_LATENCY, LOAD_LATENCY, RETRY, scalar_pace
from nasm.targets.tensix.words.groups import SettingGroup
from nasm.targets.tensix.words.units import RESET, SCALAR
from nasm.targets.tensix.words.word import Described, Word

UNIT = Family(__name__)

_ARITHMETIC = "OpBisConst[23] ResultRegIndex[17:12] OpBRegIndex[11:6] OpARegIndex[5:0]"
_REGISTER_OR_NUMBER = {
    "register": "0[23] ResultReg[17:12] RightReg[11:6] LeftReg[5:0]",
    "immediate": "1[23] ResultReg[17:12] RightImm6[11:6] LeftReg[5:0]",
}
_WITH_MODE = "OpBisConst[23] OpSel[20:18] ResultRegIndex[17:12] OpBRegIndex[11:6] OpARegIndex[5:0]"
_BY_MODE = {
    "register": "0[23] Mode[20:18] ResultReg[17:12] RightReg[11:6] LeftReg[5:0]",
    "immediate": "1[23] Mode[20:18] ResultReg[17:12] RightImm6[11:6] LeftReg[5:0]",
}


RSTDMA = UNIT.row(
    Word(
        0x44,
        "RSTDMA",
        RESET,
        "Reset the scalar unit, packers and unpackers; named only.",
        described=Described.NAME,
    )
)

SETDMAREG = UNIT.row(
    Word(
        0x45,
        "SETDMAREG",
        SCALAR,
        "Set half of a register, or registers to what packers keep.",
        "Payload_SigSelSize[23:22] Payload_SigSel[21:8] SetSignalsMode[7] RegIndex16b[6:0]",
        forms={
            "immediate": "NewValue[23:8] 0[7] ResultHalfReg[6:0]",
            "special": "ResultSize[23:22] WhichPackers[18:15] InputSource[14:11] "
            "InputHalfReg[10:8] 1[7] ResultHalfReg[6:0]",
        },
        upto={"Payload_SigSel": 16},
        values={"SetSignalsMode": modes.SIGNALS, "Payload_SigSelSize": modes.PAYLOADS},
    ),
    forms.SETDMAREG,
    pace=scalar_pace(1),
    settings=SettingGroup.REGISTER,
    example="SETDMAREG NewValue=6, ResultHalfReg=2",
    formula="half a register = NewValue; or registers = what packers keep",
    hazard="The next instruction of the thread sees the register.",
)

FLUSHDMA = UNIT.row(
    Word(
        0x46,
        "FLUSHDMA",
        SCALAR,
        "Wait in the scalar unit until some conditions hold.",
        "FlushSpec[3:0]",
        forms="ConditionMask[3:0]",
        values={"ConditionMask": modes.FLUSHED},
    ),
    unit.FLUSHDMA,
    pace=scalar_pace(2, least=True),
    waits=waits.to_flush,
    setup="SETDMAREG NewValue=6, ResultHalfReg=2",
    example="FLUSHDMA ConditionMask=1",
    formula="wait in the scalar unit while any of ConditionMask holds",
    hazard="STALLWAIT does the same without keeping the scalar unit.",
)

REG2FLOP = UNIT.row(
    Word(
        0x48,
        "REG2FLOP",
        SCALAR,
        "Move a register to an address counter, or to a configuration word of ThCon.",
        "SizeSel[23:22] TargetSel[21:20] ByteOffset[19:18] ContextId_2[17:16] "
        "FlopIndex[12:6] RegIndex[5:0]",
        forms={
            "configuration": "SizeSel[23:22] 0[21:20] ThConCfgIndex[12:6] InputReg[5:0]",
            "counter": "SizeSel[23:22] 1[21] OverrideThread[20] Shift8[19:18] ThreadSel[17:16] "
            "Channel[11] ADCSel[10:9] Cr[8] XYZW[7:6] InputReg[5:0]",
        },
        values={"SizeSel": modes.WRITTEN_SIZES},
    ),
    forms.REG2FLOP,
    pace=scalar_pace(2, least=True),
    setup=REGISTERS,
    example="REG2FLOP SizeSel=1, ThConCfgIndex=24, InputReg=1",
    formula="a word of the configuration of ThCon, or an address counter, = InputReg",
    hazard="Units that are at work do not wait for it.",
)

LOADIND = UNIT.row(
    Word(
        0x49,
        "LOADIND",
        SCALAR,
        "Load 8 to 128 bits of L1 into registers.",
        "SizeSel[23:22] OffsetIndex[20:14] AutoIncSpec[13:12] DataRegIndex[11:6] AddrRegIndex[5:0]",
        forms="Size[23:22] OffsetHalfReg[20:14] OffsetIncrement[13:12] ResultReg[11:6] "
        "AddrReg[5:0]",
        values={"Size": modes.SIZES, "OffsetIncrement": modes.INCREMENTS},
    ),
    memory.LOADIND,
    pace=scalar_pace(3, LOAD_LATENCY, least=True),
    setup=IN_L1,
    example="LOADIND Size=1, OffsetHalfReg=4, ResultReg=3, AddrReg=1",
    formula="ResultReg = L1[16 * AddrReg + offset], which arrives later",
    hazard="Nothing waits for the register: STALLWAIT with ConditionMask THCON before it is read.",
)

ADDDMAREG = UNIT.row(
    Word(
        0x58,
        "ADDDMAREG",
        SCALAR,
        "Add two registers, or a register and a number.",
        _ARITHMETIC,
        forms=_REGISTER_OR_NUMBER,
        values={"OpBisConst": modes.RIGHT_OPERANDS},
    ),
    arithmetic.ADDDMAREG,
    pace=timing.arithmetic,
    setup=REGISTERS,
    example="ADDDMAREG ResultReg=3, RightReg=2, LeftReg=1",
    formula="ResultReg = LeftReg + RightReg or RightImm6, modulo 2**32",
)

SUBDMAREG = UNIT.row(
    Word(
        0x59,
        "SUBDMAREG",
        SCALAR,
        "Subtract two registers, or a number from a register.",
        _ARITHMETIC,
        forms=_REGISTER_OR_NUMBER,
        values={"OpBisConst": modes.RIGHT_OPERANDS},
    ),
    arithmetic.SUBDMAREG,
    pace=timing.arithmetic,
    setup=REGISTERS,
    example="SUBDMAREG ResultReg=3, RightReg=2, LeftReg=1",
    formula="ResultReg = LeftReg - RightReg or RightImm6, modulo 2**32",
)

MULDMAREG = UNIT.row(
    Word(
        0x5A,
        "MULDMAREG",
        SCALAR,
        "Multiply the low halves of two registers, or of a register and a number.",
        _ARITHMETIC,
        forms=_REGISTER_OR_NUMBER,
    ),
    arithmetic.MULDMAREG,
    pace=timing.arithmetic,
    setup=REGISTERS,
    example="MULDMAREG ResultReg=3, RightReg=2, LeftReg=1",
    formula="ResultReg = the low half of LeftReg * the low half of RightReg, or RightImm6",
)

BITWOPDMAREG = UNIT.row(
    Word(
        0x5B,
        "BITWOPDMAREG",
        SCALAR,
        "Combine two registers, or a register and a number, bit by bit.",
        _WITH_MODE,
        forms=_BY_MODE,
        values={"Mode": modes.BITWISE},
    ),
    arithmetic.BITWOPDMAREG,
    pace=timing.arithmetic,
    setup=REGISTERS,
    example="BITWOPDMAREG Mode=0, ResultReg=3, RightReg=2, LeftReg=1",
    formula="ResultReg = LeftReg combined with RightReg or RightImm6",
)

SHIFTDMAREG = UNIT.row(
    Word(
        0x5C,
        "SHIFTDMAREG",
        SCALAR,
        "Shift a register by another, or by a number.",
        _WITH_MODE,
        forms={
            "register": "0[23] Mode[20:18] ResultReg[17:12] RightReg[11:6] LeftReg[5:0]",
            "immediate": "1[23] Mode[20:18] ResultReg[17:12] RightImm5[10:6] LeftReg[5:0]",
        },
        values={"Mode": modes.SHIFTS},
    ),
    arithmetic.SHIFTDMAREG,
    pace=timing.arithmetic,
    setup=REGISTERS,
    example="SHIFTDMAREG Mode=0, ResultReg=3, RightReg=2, LeftReg=1",
    formula="ResultReg = LeftReg shifted by the low five bits of RightReg, or RightImm5",
)

CMPDMAREG = UNIT.row(
    Word(
        0x5D,
        "CMPDMAREG",
        SCALAR,
        "Compare two registers, or a register and a number.",
        _WITH_MODE,
        forms=_BY_MODE,
        values={"Mode": modes.COMPARISONS},
    ),
    arithmetic.CMPDMAREG,
    pace=timing.arithmetic,
    setup=REGISTERS,
    example="CMPDMAREG Mode=1, ResultReg=3, RightReg=2, LeftReg=1",
    formula="ResultReg = 1 if LeftReg compares so with RightReg or RightImm6, else 0; "
    "without signs",
)

DMANOP = UNIT.row(
    Word(0x60, "DMANOP", SCALAR, "Take a cycle of the scalar unit."),
    unit.DMANOP,
    pace=scalar_pace(1),
    formula="nothing, for a cycle of the scalar unit",
    hazard="Between a load and what reads its register a few of these do what a wait does.",
)

ATINCGET = UNIT.row(
    Word(
        0x61,
        "ATINCGET",
        SCALAR,
        "Add to an integer of L1 atomically, and get what it was.",
        "MemHierSel[23] WrapVal[18:14] Sel32b[13:12] DataRegIndex[11:6] AddrRegIndex[5:0]",
        forms="IntWidth[18:14] Ofs[13:12] InOutReg[11:6] AddrReg[5:0]",
    ),
    memory.ATINCGET,
    pace=scalar_pace(3, ATOMIC_LATENCY, least=True),
    starts=instruction_start.atomic(ATOMIC_LATENCY),
    waits=waits.for_atomic,
    setup=IN_L1,
    example="ATINCGET IntWidth=31, Ofs=3, InOutReg=2, AddrReg=1",
    formula="old = L1[word]; L1[word] = old + InOutReg within IntWidth + 1 bits; InOutReg = "
    "old, later",
    hazard="Nothing waits for the register: STALLWAIT with ConditionMask THCON before it is read.",
)

ATINCGETPTR = UNIT.row(
    Word(
        0x62,
        "ATINCGETPTR",
        SCALAR,
        "Advance a counter of a FIFO in L1 atomically, once it has room or an element.",
        "MemHierSel[23] NoIncr[22] IncrVal[21:18] WrapVal[17:14] Sel32b[13:12] "
        "DataRegIndex[11:6] AddrRegIndex[5:0]",
        forms="NoIncr[22] IncrLog2[21:18] IntWidth[17:14] Ofs[13:12] ResultReg[11:6] AddrReg[5:0]",
    ),
    memory.ATINCGETPTR,
    pace=scalar_pace(RETRY, least=True),
    waits=waits.for_fifo,
    setup=IN_L1,
    example="ATINCGETPTR IntWidth=4, Ofs=0, ResultReg=3, AddrReg=1",
    formula="wait until the FIFO has room or an element; ResultReg = a counter of it, which "
    "moves on",
    hazard="Each attempt takes 15 cycles. Nothing waits for the register: STALLWAIT with "
    "ConditionMask THCON before it is read.",
)

ATSWAP = UNIT.row(
    Word(
        0x63,
        "ATSWAP",
        SCALAR,
        "Store 16-bit parts of registers to L1 by a mask.",
        "MemHierSel[23] SwapMask[22:14] DataRegIndex[11:6] AddrRegIndex[5:0]",
        forms="SingleDataReg[22] Mask[21:14] DataReg[11:6] AddrReg[5:0]",
    ),
    memory.ATSWAP,
    pace=scalar_pace(3, least=True),
    starts=instruction_start.atomic(3),
    waits=waits.for_atomic,
    setup=IN_L1,
    example="ATSWAP Mask=0x30, DataReg=2, AddrReg=1",
    formula="16-bit parts of L1[16 * AddrReg] = those of registers, by Mask; nothing is read",
    hazard="The store may not have ended when the thread continues: STALLWAIT with "
    "ConditionMask THCON before others may read it.",
)

ATCAS = UNIT.row(
    Word(
        0x64,
        "ATCAS",
        SCALAR,
        "Wait until a word of L1 has some value, and atomically give it another.",
        "MemHierSel[23] SwapVal[21:18] CmpVal[17:14] Sel32b[13:12] DataRegIndex[11:6] "
        "AddrRegIndex[5:0]",
        forms="SetVal[21:18] CmpVal[17:14] Ofs[13:12] AddrReg[5:0]",
    ),
    memory.ATCAS,
    pace=scalar_pace(RETRY, least=True),
    waits=waits.for_word,
    setup=IN_L1,
    example="ATCAS SetVal=9, CmpVal=3, Ofs=3, AddrReg=1",
    formula="wait until L1[word] == CmpVal, then L1[word] = SetVal",
    hazard="Each attempt takes 15 cycles, in which no thread's instruction enters the scalar unit.",
)

STOREIND = UNIT.row(
    Word(
        0x66,
        "STOREIND",
        SCALAR,
        "Store registers to L1, to the memory map, or to SrcA and SrcB.",
        "MemHierSel[23] SizeSel[22] RegSizeSel[21] OffsetIndex[20:14] AutoIncSpec[13:12] "
        "DataRegIndex[11:6] AddrRegIndex[5:0]",
        forms={
            "L1": "1[23] Size[22:21] OffsetHalfReg[20:14] OffsetIncrement[13:12] "
            "DataReg[11:6] AddrReg[5:0]",
            "MMIO": "0[23] 1[22] OffsetHalfReg[20:14] OffsetIncrement[13:12] DataReg[11:6] "
            "AddrReg[5:0]",
            "Src": "0[23] 0[22] StoreToSrcB[21] OffsetHalfReg[20:14] "
            "OffsetIncrement[13:12] DataReg[11:6] AddrReg[5:0]",
        },
        upto={"RegSizeSel": 2},
        values={
            "Size": modes.STORED_SIZES,
            "OffsetIncrement": modes.INCREMENTS,
            "MemHierSel": modes.HIERARCHIES,
        },
    ),
    forms.STOREIND,
    pace=scalar_pace(3, least=True),
    waits=waits.to_store,
    setup=IN_L1,
    example="STOREIND Size=1, OffsetHalfReg=4, DataReg=2, AddrReg=1",
    formula="L1[16 * AddrReg + offset], the memory map or SrcA or SrcB = DataReg",
    hazard="The store may not have ended when the thread continues: STALLWAIT with "
    "ConditionMask THCON before others may read it.",
)

STOREREG = UNIT.row(
    Word(
        0x67,
        "STOREREG",
        SCALAR,
        "Store a register to the memory map.",
        "TdmaDataRegIndex[23:18] RegAddr[17:0]",
        forms="DataReg[23:18] AddrLo[17:0]",
    ),
    registers_of_devices.STOREREG,
    pace=scalar_pace(3, least=True),
    example="STOREREG DataReg=3, AddrLo=0x2c400",
    formula="a register of the memory map = DataReg",
    hazard="The store may not have ended when the thread continues: STALLWAIT with "
    "ConditionMask THCON before it matters.",
)

LOADREG = UNIT.row(
    Word(
        0x68,
        "LOADREG",
        SCALAR,
        "Load a register from the memory map.",
        "TdmaDataRegIndex[23:18] RegAddr[17:0]",
        forms="ResultReg[23:18] AddrLo[17:0]",
    ),
    registers_of_devices.LOADREG,
    pace=scalar_pace(3, LOAD_LATENCY, least=True),
    example="LOADREG ResultReg=3, AddrLo=0x2c400",
    formula="ResultReg = a register of the memory map, which arrives later",
    hazard="Nothing waits for the register: STALLWAIT with ConditionMask THCON before it is read.",
)
