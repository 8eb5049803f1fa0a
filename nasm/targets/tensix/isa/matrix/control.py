"""The matrix unit: row counters, banks, and what is cleared."""

from nasm.targets.tensix.core import instruction_start
from nasm.targets.tensix.isa.matrix import modes
from nasm.targets.tensix.isa.setups import FROM_DST, IN_SOURCES
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.matrix import control
from nasm.targets.tensix.matrix.facts import CYCLE, MatrixFacts
from nasm.targets.tensix.words.units import MATRIX
from nasm.targets.tensix.words.word import Word

UNIT = Family(__name__)

ZEROACC = UNIT.row(
    Word(
        0x10,
        "ZEROACC",
        MATRIX,
        "Mark rows of Dst as undefined, which then count as zero.",
        "clear_mode[21:19] AddrMode[18:15] dst[9:0]",
        forms="UseDst32b[21] Mode[20:19] Revert[18] AddrMod[16:15] Imm10[9:0]",
        values={"Mode": modes.CLEARED, "clear_mode": modes.CLEARED_BITS},
    ),
    control.ZEROACC,
    facts=MatrixFacts(timing=CYCLE),
    setup=FROM_DST,
    example="ZEROACC Mode=1, Imm10=0",
    formula="rows of Dst are undefined: 0 to products, minus infinity to maxima",
)

ZEROSRC = UNIT.row(
    Word(
        0x11,
        "ZEROSRC",
        MATRIX,
        "Fill SrcA or SrcB with zeros, or SrcA with minus infinity.",
        "zero_val[4] write_mode[3] bank_mask[2] src_mask[1:0]",
        forms="NegativeInfSrcA[4] SingleBankMatrixUnit[3] BothBanks[2] ClearSrcB[1] ClearSrcA[0]",
        values={"src_mask": modes.SOURCES},
    ),
    control.ZEROSRC,
    facts=MatrixFacts(timing=CYCLE),
    setup=IN_SOURCES,
    example="ZEROSRC SingleBankMatrixUnit=1, ClearSrcB=1, ClearSrcA=1",
    formula="a bank of SrcA or SrcB = 0, or SrcA = minus infinity",
)

CLREXPHIST = UNIT.row(
    Word(0x21, "CLREXPHIST", MATRIX, "Clear the exponent histograms of the packers."),
    control.CLREXPHIST,
    facts=MatrixFacts(timing=CYCLE),
    formula="histograms of exponents in the packers = 0",
)

GATESRCRST = UNIT.row(
    Word(
        0x35,
        "GATESRCRST",
        MATRIX,
        "Invalidate the operand cache between SrcB and the matrix unit.",
        "reset_srcb_gate_control[1] reset_srca_gate_control[0]",
        forms="InvalidateSrcBCache[1]",
    ),
    control.GATESRCRST,
    facts=MatrixFacts(timing=CYCLE),
    formula="the cache between SrcB and the matrix unit is forgotten",
)

CLEARDVALID = UNIT.row(
    Word(
        0x36,
        "CLEARDVALID",
        MATRIX,
        "Give banks of SrcA and SrcB back to the unpackers.",
        "cleardvalid[23:22] reset[1:0]",
        forms="FlipSrcB[23] FlipSrcA[22] KeepReadingSameSrc[1] Reset[0]",
    ),
    control.CLEARDVALID,
    facts=MatrixFacts(timing=CYCLE),
    starts=instruction_start.giving_back,
    setup=IN_SOURCES,
    example="CLEARDVALID FlipSrcB=1, FlipSrcA=1",
    formula="banks of SrcA and SrcB belong to the unpackers",
)

SETRWC = UNIT.row(
    Word(
        0x37,
        "SETRWC",
        MATRIX,
        "Set row counters, and perhaps give banks back to the unpackers.",
        "clear_ab_vld[23:22] rwc_cr[21:18] rwc_d[17:14] rwc_b[13:10] rwc_a[9:6] BitMask[3:0]",
        forms="FlipSrcB[23] FlipSrcA[22] DstCtoCr[21] DstCr[20] SrcBCr[19] SrcACr[18] "
        "DstVal[17:14] SrcBVal[13:10] SrcAVal[9:6] Fidelity[3] Dst[2] SrcB[1] SrcA[0]",
        values={"rwc_cr": modes.RETURNS, "BitMask": modes.SET_COUNTERS},
    ),
    control.SETRWC,
    facts=MatrixFacts(timing=CYCLE, counts=control.set_rows),
    example="SETRWC DstVal=8, SrcBVal=4, SrcAVal=4, Dst=1, SrcB=1, SrcA=1",
    formula="counter = carriage return = value, or carriage return + value; of those that "
    "are selected",
)

INCRWC = UNIT.row(
    Word(
        0x38,
        "INCRWC",
        MATRIX,
        "Add to row counters.",
        "rwc_cr[20:18] rwc_d[17:14] rwc_b[13:10] rwc_a[9:6]",
        forms="DstCr[20] SrcBCr[19] SrcACr[18] DstInc[17:14] SrcBInc[13:10] SrcAInc[9:6]",
        values={"rwc_cr": modes.STEPPED_RETURNS},
    ),
    control.INCRWC,
    facts=MatrixFacts(timing=CYCLE, counts=control.increment_rows),
    example="INCRWC DstInc=8, SrcBInc=4, SrcAInc=4",
    formula="counter += value, or counter = carriage return += value",
)
