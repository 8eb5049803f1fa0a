"""The matrix unit."""

from nasm.targets.tensix.isa.setups import FROM_DST, IN_SOURCES
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.matrix import arithmetic, control, moves

UNIT = Family(__name__)

MOVD2A = UNIT.row("MOVD2A", moves.MOVD2A, setup=FROM_DST, example="MOVD2A Move4Rows=1, DstRow=0")
MOVDBGA2D = UNIT.row(
    "MOVDBGA2D",
    moves.MOVDBGA2D,
    setup=f"{FROM_DST}\nMOVD2A Move4Rows=1, DstRow=0",
    example="MOVDBGA2D Move8Rows=1, DstRow=8",
)
MOVD2B = UNIT.row("MOVD2B", moves.MOVD2B, setup=FROM_DST, example="MOVD2B Move4Rows=1, DstRow=0")
MOVB2A = UNIT.row(
    "MOVB2A", moves.MOVB2A, setup=IN_SOURCES, example="MOVB2A srca=4, instr_mod=2, srcb=0"
)
ZEROACC = UNIT.row("ZEROACC", control.ZEROACC, setup=FROM_DST, example="ZEROACC Mode=1, Imm10=0")
ZEROSRC = UNIT.row(
    "ZEROSRC",
    control.ZEROSRC,
    setup=IN_SOURCES,
    example="ZEROSRC SingleBankMatrixUnit=1, ClearSrcB=1, ClearSrcA=1",
)
MOVA2D = UNIT.row("MOVA2D", moves.MOVA2D, setup=IN_SOURCES, example="MOVA2D Move8Rows=1, DstRow=8")
MOVB2D = UNIT.row(
    "MOVB2D", moves.MOVB2D, setup=IN_SOURCES, example="MOVB2D BroadcastCol0=1, DstRow=8"
)
TRNSPSRCA = UNIT.row("TRNSPSRCA")
RAREB = UNIT.row("RAREB")
TRNSPSRCB = UNIT.row("TRNSPSRCB", moves.TRNSPSRCB, setup=IN_SOURCES, example="TRNSPSRCB")
SHIFTXA = UNIT.row("SHIFTXA", moves.SHIFTXA, setup=IN_SOURCES, example="SHIFTXA Direction=2")
SHIFTXB = UNIT.row(
    "SHIFTXB", moves.SHIFTXB, setup=IN_SOURCES, example="SHIFTXB ShiftInZero=1, SrcRow=1"
)
SETASHRMH0 = UNIT.row("SETASHRMH0")
SETASHRMH1 = UNIT.row("SETASHRMH1")
SETASHRMV = UNIT.row("SETASHRMV")
SETPKEDGOF = UNIT.row("SETPKEDGOF")
SETASHRMH = UNIT.row("SETASHRMH")
CLREXPHIST = UNIT.row("CLREXPHIST", control.CLREXPHIST)
CONV3S1 = UNIT.row("CONV3S1")
CONV3S2 = UNIT.row("CONV3S2")
MPOOL3S1 = UNIT.row("MPOOL3S1")
APOOL3S1 = UNIT.row("APOOL3S1")
MVMUL = UNIT.row("MVMUL", arithmetic.MVMUL, setup=IN_SOURCES, example="MVMUL DstRow=8")
ELWMUL = UNIT.row("ELWMUL", arithmetic.ELWMUL, setup=IN_SOURCES, example="ELWMUL DstRow=8")
ELWADD = UNIT.row("ELWADD", arithmetic.ELWADD, setup=IN_SOURCES, example="ELWADD DstRow=8")
DOTPV = UNIT.row("DOTPV", arithmetic.DOTPV, setup=IN_SOURCES, example="DOTPV DstRow=8")
ELWSUB = UNIT.row(
    "ELWSUB", arithmetic.ELWSUB, setup=IN_SOURCES, example="ELWSUB BroadcastSrcBCol0=1, DstRow=8"
)
MPOOL3S2 = UNIT.row("MPOOL3S2")
APOOL3S2 = UNIT.row("APOOL3S2")
GMPOOL = UNIT.row("GMPOOL", arithmetic.GMPOOL, setup=IN_SOURCES, example="GMPOOL DstRow=8")
GAPOOL = UNIT.row("GAPOOL", arithmetic.GAPOOL, setup=IN_SOURCES, example="GAPOOL DstRow=8")
GATESRCRST = UNIT.row("GATESRCRST", control.GATESRCRST)
CLEARDVALID = UNIT.row(
    "CLEARDVALID",
    control.CLEARDVALID,
    setup=IN_SOURCES,
    example="CLEARDVALID FlipSrcB=1, FlipSrcA=1",
)
SETRWC = UNIT.row(
    "SETRWC", control.SETRWC, example="SETRWC DstVal=8, SrcBVal=4, SrcAVal=4, Dst=1, SrcB=1, SrcA=1"
)
INCRWC = UNIT.row("INCRWC", control.INCRWC, example="INCRWC DstInc=8, SrcBInc=4, SrcAInc=4")
SETIBRWC = UNIT.row("SETIBRWC")
MFCONV3S1 = UNIT.row("MFCONV3S1")
