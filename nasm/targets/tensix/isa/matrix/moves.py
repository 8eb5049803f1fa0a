"""The matrix unit: moves between register files, and shifts within one."""

from collections.abc import Mapping

from nasm.targets.tensix.isa.matrix import modes
from nasm.targets.tensix.isa.setups import FROM_DST, IN_SOURCES
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.matrix import moves
from nasm.targets.tensix.matrix.facts import (
    CYCLE,
    ONLY_A,
    ONLY_B,
    DstRows,
    MatrixFacts,
    Move,
    UnitTiming,
    always,
)
from nasm.targets.tensix.words.units import MATRIX
from nasm.targets.tensix.words.word import Described, Word

UNIT = Family(__name__)

Fields = Mapping[str, int]

_MOVE = UnitTiming(1, 4, "MatrixUnit, MOVA2D")
_TO_SRCB = UnitTiming(1, 4, "MOVD2B")
"""Documents give no latency; the three cycles in which nothing else is accepted make it four."""


def _one_or_four(fields: Fields) -> int:
    return 4 if fields["Move4Rows"] else 1


def _one_or_eight(fields: Fields) -> int:
    return 8 if fields["Move8Rows"] else 1


def _as_asked(fields: Fields) -> int:
    return 8 if fields["Broadcast1RowTo8"] else _one_or_four(fields)


MOVD2A = UNIT.row(
    Word(
        0x08,
        "MOVD2A",
        MATRIX,
        "Move one row or four of Dst to SrcA.",
        "dest_32b_lo[23] src[22:17] addr_mode[16:15] instr_mod[13:12] dst[9:0]",
        forms="UseDst32bLo[23] SrcRow[22:17] AddrMod[16:15] Move4Rows[13] DstRow[9:0]",
        values={"instr_mod": modes.ONE_OR_FOUR},
    ),
    moves.MOVD2A,
    facts=MatrixFacts(
        timing=UnitTiming(1, 2, "MatrixUnit, MOVD2A"),
        dst=DstRows(always, writes=False, count=_one_or_four),
        move=Move("SrcA", 1),
    ),
    setup=FROM_DST,
    example="MOVD2A Move4Rows=1, DstRow=0",
    formula="SrcA[1 or 4 rows] = Dst[the same number of rows]",
)

MOVDBGA2D = UNIT.row(
    Word(
        0x09,
        "MOVDBGA2D",
        MATRIX,
        "Move one row or eight of SrcA to Dst, without waiting for the bank.",
        "dest_32b_lo[23] src[22:17] addr_mode[16:15] instr_mod[13:12] dst[9:0]",
        forms="UseDst32bLo[23] SrcRow[22:17] AddrMod[16:15] Move8Rows[13] DstRow[9:0]",
        values={"instr_mod": modes.ONE_OR_EIGHT},
    ),
    moves.MOVDBGA2D,
    facts=MatrixFacts(timing=_MOVE, dst=DstRows(count=_one_or_eight), move=Move("Dst", 3)),
    setup=f"{FROM_DST}\nMOVD2A Move4Rows=1, DstRow=0",
    example="MOVDBGA2D Move8Rows=1, DstRow=8",
    formula="Dst[1 or 8 rows] = SrcA[the same number of rows], whichever unit owns the bank",
)

MOVD2B = UNIT.row(
    Word(
        0x0A,
        "MOVD2B",
        MATRIX,
        "Move one row or four of Dst to SrcB.",
        "dest_32b_lo[23] src[22:17] addr_mode[16:15] instr_mod[13:12] dst[9:0]",
        forms="UseDst32bLo[23] SrcRow[22:17] AddrMod[16:15] Move4Rows[13] DstRow[9:0]",
        values={"instr_mod": modes.ONE_OR_FOUR},
    ),
    moves.MOVD2B,
    facts=MatrixFacts(
        timing=_TO_SRCB, dst=DstRows(always, writes=False, count=_one_or_four), move=Move("SrcB", 3)
    ),
    setup=FROM_DST,
    example="MOVD2B Move4Rows=1, DstRow=0",
    formula="SrcB[1 or 4 rows] = Dst[the same number of rows]",
)

MOVB2A = UNIT.row(
    Word(
        0x0B,
        "MOVB2A",
        MATRIX,
        "Move rows of SrcB to SrcA.",
        "srca[23:17] addr_mode[16:15] instr_mod[14:12] srcb[11:0]",
        described=Described.YAML,
        values={"instr_mod": modes.FOUR},
    ),
    moves.MOVB2A,
    facts=MatrixFacts(timing=_MOVE, banks=ONLY_B, move=Move("SrcA", 0)),
    setup=IN_SOURCES,
    example="MOVB2A srca=4, instr_mod=2, srcb=0",
    formula="SrcA[4 rows] = SrcB[4 rows]",
)

MOVA2D = UNIT.row(
    Word(
        0x12,
        "MOVA2D",
        MATRIX,
        "Move one row or eight of SrcA to Dst.",
        "dest_32b_lo[23] src[22:17] addr_mode[16:15] instr_mod[13:12] dst[9:0]",
        forms="UseDst32bLo[23] SrcRow[22:17] AddrMod[16:15] Move8Rows[13] DstRow[9:0]",
        values={"instr_mod": modes.ONE_OR_EIGHT},
    ),
    moves.MOVA2D,
    facts=MatrixFacts(
        timing=_MOVE,
        banks=ONLY_A,
        dst=DstRows(count=_one_or_eight),
        move=Move("Dst", 3),
        moved=moves.rows_of_a,
    ),
    setup=IN_SOURCES,
    example="MOVA2D Move8Rows=1, DstRow=8",
    formula="Dst[1 or 8 rows] = SrcA[the same number of rows]",
)

MOVB2D = UNIT.row(
    Word(
        0x13,
        "MOVB2D",
        MATRIX,
        "Move one row or four of SrcB to Dst, or broadcast a row or a column.",
        "dest_32b_lo[23] src[22:17] addr_mode[16:15] instr_mod[14:12] dst[9:0]",
        forms="UseDst32bLo[23] SrcRow[22:17] AddrMod[16:15] Move4Rows[14] Broadcast1RowTo8[13] "
        "BroadcastCol0[12] DstRow[9:0]",
        values={"instr_mod": modes.BROADCAST_ROWS},
    ),
    moves.MOVB2D,
    facts=MatrixFacts(
        timing=_MOVE, banks=ONLY_B, dst=DstRows(count=_as_asked), move=Move("Dst", 3)
    ),
    setup=IN_SOURCES,
    example="MOVB2D BroadcastCol0=1, DstRow=8",
    formula="Dst[1, 4 or 8 rows] = SrcB[1 or 4 rows]",
)

MOVDBGB2D = UNIT.row(
    Word(
        0x0C,
        "MOVDBGB2D",
        MATRIX,
        "Move one row or four of SrcB to Dst, or broadcast, without waiting for the bank.",
        "dest_32b_lo[23] src[22:17] addr_mode[16:14] movb2d_instr_mod[13:11] dst[10:0]",
        forms="UseDst32bLo[23] SrcRow[22:17] AddrMod[16:14] Move4Rows[13] Broadcast1RowTo8[12] "
        "BroadcastCol0[11] DstRow[9:0]",
        values={"movb2d_instr_mod": modes.BROADCAST_ROWS},
        described=Described.YAML,
        chip="Blackhole A0",
    ),
    moves.MOVB2D,
    facts=MatrixFacts(timing=_MOVE, dst=DstRows(count=_as_asked), move=Move("Dst", 3)),
    since="blackhole",
    setup="@t1 MOVD2B Move4Rows=1, DstRow=0",
    example="MOVDBGB2D BroadcastCol0=1, DstRow=8",
    formula="Dst[1, 4 or 8 rows] = SrcB[1 or 4 rows], whichever unit owns the bank",
)

TRNSPSRCB = UNIT.row(
    Word(0x16, "TRNSPSRCB", MATRIX, "Transpose rows 16 to 31 of SrcB."),
    moves.TRNSPSRCB,
    facts=MatrixFacts(timing=CYCLE, banks=ONLY_B),
    setup=IN_SOURCES,
    example="TRNSPSRCB",
    formula="SrcB[16 + i, j] = SrcB[16 + j, i]",
)

SHIFTXA = UNIT.row(
    Word(
        0x17,
        "SHIFTXA",
        MATRIX,
        "Shift sixteen rows of SrcA by a column.",
        "log2_amount2[23:2] shift_mode[1:0]",
        forms="Direction[1:0]",
        values={"Direction": modes.DIRECTIONS},
    ),
    moves.SHIFTXA,
    facts=MatrixFacts(timing=CYCLE, banks=ONLY_A),
    setup=IN_SOURCES,
    example="SHIFTXA Direction=2",
    formula="SrcA[0..15, i] = SrcA[16 rows, i - 1] or [16 rows, i + 1]",
)

SHIFTXB = UNIT.row(
    Word(
        0x18,
        "SHIFTXB",
        MATRIX,
        "Rotate or shift a row of SrcB to the left by a column.",
        "addr_mode[16:15] rot_shift[10] shift_row[5:0]",
        forms="AddrMod[16:15] ShiftInZero[10] SrcRow[5:0]",
    ),
    moves.SHIFTXB,
    facts=MatrixFacts(
        timing=UnitTiming(2, 2, "MatrixUnit, SHIFTXB"), banks=ONLY_B, move=Move("", 1)
    ),
    setup=IN_SOURCES,
    example="SHIFTXB ShiftInZero=1, SrcRow=1",
    formula="SrcB[row, i] = SrcB[row, i + 1]",
)
