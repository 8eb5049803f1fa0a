"""The matrix unit: products of matrices, arithmetic by element, pools."""

from collections.abc import Mapping

from nasm.targets.tensix.isa.matrix import modes
from nasm.targets.tensix.isa.setups import IN_SOURCES
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.matrix import arithmetic
from nasm.targets.tensix.matrix.facts import (
    BOTH,
    DstRows,
    MatrixFacts,
    SourceRows,
    UnitTiming,
    always,
)
from nasm.targets.tensix.state import RowCounters
from nasm.targets.tensix.words.units import MATRIX
from nasm.targets.tensix.words.word import Word

UNIT = Family(__name__)

Fields = Mapping[str, int]

COMPUTE = UnitTiming(1, 5, "MatrixUnit")
_ALL = (True,) * 8


def _four(fields: Fields) -> int:
    return 4


def _added(fields: Fields) -> bool:
    return bool(fields["AddDst"])


def _eight_rows_or_one(fields: Fields, rows: RowCounters, row: int) -> SourceRows:
    """Eight rows of SrcB, or one for all: then every other row of Dst is written."""
    if fields.get("BroadcastSrcBRow"):
        return SourceRows((rows.srcb,) * 8, tuple(i & 1 == row & 1 for i in range(8)))
    source = rows.srcb & 0x38
    return SourceRows(tuple(range(source, source + 8)), _ALL)


def _four_rows(fields: Fields, rows: RowCounters, row: int) -> SourceRows:
    """Four rows of SrcB, and of Dst those of one half of the block."""
    source = rows.srcb & 0x38
    return SourceRows(
        tuple(source + (i & 3) for i in range(8)), tuple(i & 4 == row & 4 for i in range(8))
    )


MVMUL = UNIT.row(
    Word(
        0x26,
        "MVMUL",
        MATRIX,
        "Multiply eight rows of SrcB by sixteen of SrcA and add the product to Dst.",
        "clear_dvalid[23:22] instr_mod19[19] addr_mode[16:15] dst[9:0]",
        forms="FlipSrcB[23] FlipSrcA[22] BroadcastSrcBRow[19] AddrMod[16:15] DstRow[9:0]",
    ),
    arithmetic.MVMUL,
    facts=MatrixFacts(timing=COMPUTE, banks=BOTH, dst=DstRows(always), product=_eight_rows_or_one),
    setup=IN_SOURCES,
    example="MVMUL DstRow=8",
    formula="Dst[8 rows] += SrcB[8 rows] @ SrcA[16 rows]",
)

ELWMUL = UNIT.row(
    Word(
        0x27,
        "ELWMUL",
        MATRIX,
        "Multiply eight rows of SrcA and SrcB element by element and add the products to Dst.",
        "clear_dvalid[23:22] dest_accum_en[21] instr_mod19[20:19] addr_mode[16:15] dst[9:0]",
        forms="FlipSrcB[23] FlipSrcA[22] BroadcastSrcBRow[20] BroadcastSrcBCol0[19] "
        "AddrMod[16:15] DstRow[9:0]",
        values={"instr_mod19": modes.BROADCASTS},
    ),
    arithmetic.ELWMUL,
    facts=MatrixFacts(timing=COMPUTE, banks=BOTH, dst=DstRows(always)),
    setup=IN_SOURCES,
    example="ELWMUL DstRow=8",
    formula="Dst[8 rows] += SrcA[8 rows] * SrcB[8 rows], element by element",
)

ELWADD = UNIT.row(
    Word(
        0x28,
        "ELWADD",
        MATRIX,
        "Add eight rows of SrcA and SrcB element by element, and write or add the sums to Dst.",
        "clear_dvalid[23:22] dest_accum_en[21] instr_mod19[20:19] addr_mode[16:15] dst[9:0]",
        forms="FlipSrcB[23] FlipSrcA[22] AddDst[21] BroadcastSrcBRow[20] BroadcastSrcBCol0[19] "
        "AddrMod[16:15] DstRow[9:0]",
        values={"instr_mod19": modes.BROADCASTS},
    ),
    arithmetic.ELWADD,
    facts=MatrixFacts(timing=COMPUTE, banks=BOTH, dst=DstRows(_added)),
    setup=IN_SOURCES,
    example="ELWADD DstRow=8",
    formula="Dst[8 rows] = SrcA[8 rows] + SrcB[8 rows], or += with AddDst",
)

DOTPV = UNIT.row(
    Word(
        0x29,
        "DOTPV",
        MATRIX,
        "Multiply eight rows of SrcB by sixteen of SrcA and add the product to Dst.",
        "clear_dvalid[23:22] dest_accum_en[21] instr_mod19[20:19] addr_mode[16:15] dst[9:0]",
        forms="FlipSrcB[23] FlipSrcA[22] AddrMod[16:15] DstRow[9:0]",
    ),
    arithmetic.DOTPV,
    facts=MatrixFacts(timing=COMPUTE, banks=BOTH, dst=DstRows(always), product=_eight_rows_or_one),
    setup=IN_SOURCES,
    example="DOTPV DstRow=8",
    formula="Dst[8 rows] += SrcB[8 rows] @ SrcA[16 rows]",
)

ELWSUB = UNIT.row(
    Word(
        0x30,
        "ELWSUB",
        MATRIX,
        "Subtract eight rows of SrcB from those of SrcA element by element, and write or add the "
        "differences to Dst.",
        "clear_dvalid[23:22] dest_accum_en[21] instr_mod19[20:19] addr_mode[16:15] dst[9:0]",
        forms="FlipSrcB[23] FlipSrcA[22] AddDst[21] BroadcastSrcBRow[20] BroadcastSrcBCol0[19] "
        "AddrMod[16:15] DstRow[9:0]",
        values={"instr_mod19": modes.BROADCASTS},
    ),
    arithmetic.ELWSUB,
    facts=MatrixFacts(timing=COMPUTE, banks=BOTH, dst=DstRows(_added)),
    setup=IN_SOURCES,
    example="ELWSUB BroadcastSrcBCol0=1, DstRow=8",
    formula="Dst[8 rows] = SrcA[8 rows] - SrcB[8 rows], or += with AddDst",
)

GMPOOL = UNIT.row(
    Word(
        0x33,
        "GMPOOL",
        MATRIX,
        "Take the largest element of each column of SrcA and a row of Dst.",
        "clear_dvalid[23:22] instr_mod19[21:19] addr_mode[16:15] max_pool_index_en[14] dst[9:0]",
        forms="FlipSrcB[23] FlipSrcA[22] AddrMod[16:15] ArgMax[14] DstRow[9:0]",
        values={"instr_mod19": modes.POOLED, "ArgMax": modes.INDEXED},
    ),
    arithmetic.GMPOOL,
    facts=MatrixFacts(timing=COMPUTE, banks=BOTH, dst=DstRows(always, count=_four)),
    setup=IN_SOURCES,
    example="GMPOOL DstRow=8",
    formula="Dst[row] = max(Dst[row], SrcA[16 rows]), column by column; Dst[next 3 rows] = 0",
)

GAPOOL = UNIT.row(
    Word(
        0x34,
        "GAPOOL",
        MATRIX,
        "Multiply four rows of SrcB by sixteen of SrcA and add the product to Dst.",
        "clear_dvalid[23:22] instr_mod19[21:19] addr_mode[16:15] max_pool_index_en[14] dst[9:0]",
        forms="FlipSrcB[23] FlipSrcA[22] AddrMod[16:15] DstRow[9:0]",
        values={"instr_mod19": modes.POOLED, "max_pool_index_en": modes.INDEXED},
    ),
    arithmetic.GAPOOL,
    facts=MatrixFacts(
        timing=COMPUTE, banks=BOTH, dst=DstRows(always, count=_four), product=_four_rows
    ),
    setup=IN_SOURCES,
    example="GAPOOL DstRow=8",
    formula="Dst[4 rows] += SrcB[4 rows] @ SrcA[16 rows]",
)
