"""The miscellaneous unit: address counters and banks of SrcA and SrcB."""

from nasm.targets.tensix.core import instruction_start
from nasm.targets.tensix.isa import modes
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.matrix import control
from nasm.targets.tensix.scalar import adc
from nasm.targets.tensix.scalar.timing import MISC_PACE
from nasm.targets.tensix.words.units import MISC
from nasm.targets.tensix.words.word import Word

UNIT = Family(__name__)

SETADC = UNIT.row(
    Word(
        0x50,
        "SETADC",
        MISC,
        "Set one address counter.",
        "CntSetMask[23:21] ChannelIndex[20] DimensionIndex[19:18] Value[17:0]",
        forms="PK[23] U1[22] U0[21] Channel[20] XYZW[19:18] NewValue[17:0]",
        values={"XYZW": modes.DIMENSIONS, "Channel": modes.CHANNELS},
    ),
    adc.SETADC,
    pace=MISC_PACE,
    example="SETADC U0=1, Channel=0, XYZW=1, NewValue=2",
    formula="counter = carriage return = NewValue",
    hazard="The next instruction of the thread sees it. Packs and unpacks that have started keep "
    "theirs.",
)

SETADCXY = UNIT.row(
    Word(
        0x51,
        "SETADCXY",
        MISC,
        "Set X and Y address counters.",
        "CntSetMask[23:21] Ch1_Y[19:15] Ch1_X[14:12] Ch0_Y[11:9] Ch0_X[8:6] BitMask[3:0]",
        forms="PK[23] U1[22] U0[21] ThreadOverride[19:18] Y1Val[17:15] X1Val[14:12] Y0Val[11:9] "
        "X0Val[8:6] Y1[3] X1[2] Y0[1] X0[0]",
    ),
    adc.SETADCXY,
    pace=MISC_PACE,
    example="SETADCXY U0=1, Y0Val=2, X0Val=3, Y0=1, X0=1",
    formula="counters X and Y that are selected = their carriage returns = values",
    hazard="The next instruction of the thread sees it. Packs and unpacks that have started keep "
    "theirs.",
)

INCADCXY = UNIT.row(
    Word(
        0x52,
        "INCADCXY",
        MISC,
        "Add to X and Y address counters.",
        "CntSetMask[23:21] Ch1_Y[19:15] Ch1_X[14:12] Ch0_Y[11:9] Ch0_X[8:6]",
        forms="PK[23] U1[22] U0[21] ThreadOverride[19:18] Y1Inc[17:15] X1Inc[14:12] Y0Inc[11:9] "
        "X0Inc[8:6]",
    ),
    adc.INCADCXY,
    pace=MISC_PACE,
    example="INCADCXY U0=1, Y0Inc=1, X0Inc=2",
    formula="counters X and Y += values",
    hazard="The next instruction of the thread sees it. Packs and unpacks that have started keep "
    "theirs.",
)

ADDRCRXY = UNIT.row(
    Word(
        0x53,
        "ADDRCRXY",
        MISC,
        "Add to the carriage returns of X and Y address counters, and go there.",
        "CntSetMask[23:21] Ch1_Y[19:15] Ch1_X[14:12] Ch0_Y[11:9] Ch0_X[8:6] BitMask[3:0]",
        forms="PK[23] U1[22] U0[21] ThreadOverride[19:18] Y1Inc[17:15] X1Inc[14:12] Y0Inc[11:9] "
        "X0Inc[8:6] Y1[3] X1[2] Y0[1] X0[0]",
    ),
    adc.ADDRCRXY,
    pace=MISC_PACE,
    example="ADDRCRXY U0=1, Y0Inc=1, X0Inc=2, Y0=1, X0=1",
    formula="counters X and Y that are selected = carriage returns += values",
    hazard="The next instruction of the thread sees it. Packs and unpacks that have started keep "
    "theirs.",
)

SETADCZW = UNIT.row(
    Word(
        0x54,
        "SETADCZW",
        MISC,
        "Set Z and W address counters.",
        "CntSetMask[23:21] Ch1_Y[19:15] Ch1_X[14:12] Ch0_Y[11:9] Ch0_X[8:6] BitMask[3:0]",
        forms="PK[23] U1[22] U0[21] ThreadOverride[19:18] W1Val[17:15] Z1Val[14:12] W0Val[11:9] "
        "Z0Val[8:6] W1[3] Z1[2] W0[1] Z0[0]",
    ),
    adc.SETADCZW,
    pace=MISC_PACE,
    example="SETADCZW U0=1, W0Val=2, Z0Val=3, W0=1, Z0=1",
    formula="counters Z and W that are selected = their carriage returns = values",
    hazard="The next instruction of the thread sees it. Packs and unpacks that have started keep "
    "theirs.",
)

INCADCZW = UNIT.row(
    Word(
        0x55,
        "INCADCZW",
        MISC,
        "Add to Z and W address counters.",
        "CntSetMask[23:21] Ch1_Y[19:15] Ch1_X[14:12] Ch0_Y[11:9] Ch0_X[8:6]",
        forms="PK[23] U1[22] U0[21] ThreadOverride[19:18] W1Inc[17:15] Z1Inc[14:12] W0Inc[11:9] "
        "Z0Inc[8:6]",
    ),
    adc.INCADCZW,
    pace=MISC_PACE,
    example="INCADCZW U0=1, W0Inc=1, Z0Inc=2",
    formula="counters Z and W += values",
    hazard="The next instruction of the thread sees it. Packs and unpacks that have started keep "
    "theirs.",
)

ADDRCRZW = UNIT.row(
    Word(
        0x56,
        "ADDRCRZW",
        MISC,
        "Add to the carriage returns of Z and W address counters, and go there.",
        "CntSetMask[23:21] Ch1_Y[19:15] Ch1_X[14:12] Ch0_Y[11:9] Ch0_X[8:6] BitMask[3:0]",
        forms="PK[23] U1[22] U0[21] ThreadOverride[19:18] W1Inc[17:15] Z1Inc[14:12] W0Inc[11:9] "
        "Z0Inc[8:6] W1[3] Z1[2] W0[1] Z0[0]",
    ),
    adc.ADDRCRZW,
    pace=MISC_PACE,
    example="ADDRCRZW U0=1, W0Inc=1, Z0Inc=2, W0=1, Z0=1",
    formula="counters Z and W that are selected = carriage returns += values",
    hazard="The next instruction of the thread sees it. Packs and unpacks that have started keep "
    "theirs.",
)

SETDVALID = UNIT.row(
    Word(
        0x57,
        "SETDVALID",
        MISC,
        "Give banks of SrcA and SrcB to the matrix unit.",
        "setvalid[1:0]",
        forms="FlipSrcB[1] FlipSrcA[0]",
        values={"setvalid": modes.GIVEN},
    ),
    control.SETDVALID,
    pace=MISC_PACE,
    starts=instruction_start.next_cycle(instruction_start.of_banks),
    example="SETDVALID FlipSrcB=1, FlipSrcA=1",
    formula="banks of SrcA and SrcB belong to the matrix unit; the unpackers continue with "
    "the others",
    hazard="It does not wait until a bank is the unpackers': one that the matrix unit has "
    "already, it takes as it is.",
)

SETADCXX = UNIT.row(
    Word(
        0x5E,
        "SETADCXX",
        MISC,
        "Set both X address counters.",
        "CntSetMask[23:21] x_end2[19:10] x_start[9:0]",
        forms="PK[23] U1[22] U0[21] X1Val[19:10] X0Val[9:0]",
    ),
    adc.SETADCXX,
    pace=MISC_PACE,
    example="SETADCXX U0=1, X1Val=255, X0Val=0",
    formula="X of channel 0 = X0Val, X of channel 1 = X1Val; carriage returns too",
    hazard="The next instruction of the thread sees it. Packs and unpacks that have started keep "
    "theirs.",
)
