"""The matrix unit: instructions that documents only name."""

from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.matrix.facts import MatrixFacts
from nasm.targets.tensix.words.units import MATRIX
from nasm.targets.tensix.words.word import Described, Word

UNIT = Family(__name__)

NAMED = MatrixFacts(timing=None)
WAITING = MatrixFacts(timing=None, after_moves=True)
"""Of those that are documented to wait for moves into Dst."""

TRNSPSRCA = UNIT.row(
    Word(0x14, "TRNSPSRCA", MATRIX, "Transpose SrcA; named only.", described=Described.NAME),
    facts=NAMED,
)

RAREB = UNIT.row(
    Word(0x15, "RAREB", MATRIX, "Leave out rows of SrcB; named only.", described=Described.NAME),
    facts=NAMED,
)

SETASHRMH0 = UNIT.row(
    Word(
        0x1A,
        "SETASHRMH0",
        MATRIX,
        "Set a mask of horizontal shifts of SrcA, of thread 0; named only.",
        "reg_mask[23:1] halo_mask[0]",
        described=Described.NAME,
    ),
    facts=NAMED,
)

SETASHRMH1 = UNIT.row(
    Word(
        0x1B,
        "SETASHRMH1",
        MATRIX,
        "Set a mask of horizontal shifts of SrcA, of thread 1; named only.",
        "reg_mask[23:1] halo_mask[0]",
        described=Described.NAME,
    ),
    facts=NAMED,
)

SETASHRMV = UNIT.row(
    Word(
        0x1C,
        "SETASHRMV",
        MATRIX,
        "Set a mask of vertical shifts of SrcA; named only.",
        "reg_mask2[23:0]",
        described=Described.NAME,
    ),
    facts=NAMED,
)

SETPKEDGOF = UNIT.row(
    Word(
        0x1D,
        "SETPKEDGOF",
        MATRIX,
        "Set which edges of a plane packers write as zeros; named only.",
        "y_end[23:12] y_start[11:8] x_end[7:4] x_start[3:0]",
        described=Described.NAME,
    ),
    facts=NAMED,
)

SETASHRMH = UNIT.row(
    Word(
        0x1E,
        "SETASHRMH",
        MATRIX,
        "Set a mask of horizontal shifts of SrcA, of the issuing thread; named only.",
        "reg_mask[23:1] halo_mask[0]",
        described=Described.NAME,
    ),
    facts=NAMED,
)

CONV3S1 = UNIT.row(
    Word(
        0x22,
        "CONV3S1",
        MATRIX,
        "Convolve with 3 by 3, in steps of 1; named only.",
        "clear_dvalid[23:22] rotate_weights[21:17] addr_mode[16:15] dst[14:0]",
        described=Described.NAME,
    ),
    facts=WAITING,
)

CONV3S2 = UNIT.row(
    Word(
        0x23,
        "CONV3S2",
        MATRIX,
        "Convolve with 3 by 3, in steps of 2; named only.",
        "clear_dvalid[23:22] rotate_weights[21:17] addr_mode[16:15] dst[14:0]",
        described=Described.NAME,
    ),
    facts=WAITING,
)

MPOOL3S1 = UNIT.row(
    Word(
        0x24,
        "MPOOL3S1",
        MATRIX,
        "Take maxima of 3 by 3, in steps of 1; named only.",
        "clear_dvalid[23:22] addr_mode[21:15] index_en[14] dst[13:0]",
        described=Described.NAME,
    ),
    facts=WAITING,
)

APOOL3S1 = UNIT.row(
    Word(
        0x25,
        "APOOL3S1",
        MATRIX,
        "Take means of 3 by 3, in steps of 1; named only.",
        "clear_dvalid[23:22] addr_mode[21:15] index_en[14] dst[13:0]",
        described=Described.NAME,
    ),
    facts=WAITING,
)

MPOOL3S2 = UNIT.row(
    Word(
        0x31,
        "MPOOL3S2",
        MATRIX,
        "Take maxima of 3 by 3, in steps of 2; named only.",
        "clear_dvalid[23:22] addr_mode[21:15] index_en[14] dst[13:0]",
        described=Described.NAME,
    ),
    facts=WAITING,
)

APOOL3S2 = UNIT.row(
    Word(
        0x32,
        "APOOL3S2",
        MATRIX,
        "Take means of 3 by 3, in steps of 2; named only.",
        "clear_dvalid[23:22] addr_mode[21:15] index_en[14] dst[13:0]",
        described=Described.NAME,
    ),
    facts=WAITING,
)

SETIBRWC = UNIT.row(
    Word(
        0x39,
        "SETIBRWC",
        MATRIX,
        "Set a bias of row counters, or add to it; named only.",
        "rwc_cr[23:18] rwc_bias[17:6] set_inc_ctrl[5:0]",
        described=Described.NAME,
    ),
    facts=NAMED,
)

MFCONV3S1 = UNIT.row(
    Word(
        0x3A,
        "MFCONV3S1",
        MATRIX,
        "Convolve four filters with 3 by 3, in steps of 1; named only.",
        "clear_dvalid[23:22] rotate_weights[21:17] addr_mode[16:15] dst[14:0]",
        described=Described.NAME,
    ),
    facts=WAITING,
)
