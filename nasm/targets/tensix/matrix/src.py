"""Banks of SrcA and SrcB: which unit may use which, and how their owner changes (SrcASrcB.md).

Either has two banks. The matrix unit and an unpacker point at one each, and move on to the other
when they hand theirs over: the pointers advance independently. Which owner they wait for is in
``ownership``.
"""

from __future__ import annotations

from collections.abc import Callable

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix.formats import FIVE_BIT_EXPONENT, Format, Style
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.state import MATRIX, U32, UNPACKERS, Coprocessor

ROWS = 64


def unknown(what: str) -> Refused:
    """What the public documents leave undefined."""
    return Refused("E0701", what + ": the documents leave undefined what happens")


def data_format(code: int, where: str) -> Format:
    """A format by its code; raises Refused for a code without one."""
    try:
        return Format(code)
    except ValueError:
        raise Refused("E0701", f"{where} is {code}, which is the code of no data format") from None


def source_format(core: Coprocessor, thread: int) -> Format:
    """The format of SrcA, which decides for SrcB as well."""
    if field(core, thread, "ALU_FORMAT_SPEC_REG_SrcA_override"):
        return data_format(field(core, thread, "ALU_FORMAT_SPEC_REG_SrcA_val"), "SrcA_val")
    return data_format(field(core, thread, "ALU_FORMAT_SPEC_REG0_SrcA"), "REG0_SrcA")


def moved_style(core: Coprocessor, thread: int) -> Style:
    """What moves take elements for: they never see integers."""
    if field(core, thread, "FP16A_FORCE_Enable"):
        return Style.FP16
    form = source_format(core, thread)
    if form is Format.TF32:
        return Style.TF32
    return Style.FP16 if form in FIVE_BIT_EXPONENT else Style.BF16


def wide_dst(core: Coprocessor, thread: int) -> bool:
    """Whether the matrix unit uses Dst with 32 bits."""
    if field(core, thread, "FP16A_FORCE_Enable"):
        return False
    return bool(
        field(core, thread, "ALU_ACC_CTRL_Fp32_enabled")
        or field(core, thread, "ALU_ACC_CTRL_INT8_math_enabled")
    )


def computed_style(core: Coprocessor, thread: int) -> Style:
    """What arithmetic takes elements of SrcA and SrcB for."""
    forced = field(core, thread, "FP16A_FORCE_Enable")
    if field(core, thread, "ALU_ACC_CTRL_INT8_math_enabled") and not forced:
        return Style.INT8
    return moved_style(core, thread)


def flip(core: Coprocessor, thread: int, a: int, b: int) -> None:
    """The matrix unit returns its banks to the unpackers, unless that is disabled, and moves on."""
    m = core.matrix
    if a:
        if not field(core, thread, "CLR_DVALID_SrcA_Disable"):
            m.owner_a[m.matrix_a] = UNPACKERS
        m.matrix_a ^= 1
    if b:
        if not field(core, thread, "CLR_DVALID_SrcB_Disable"):
            m.owner_b[m.matrix_b] = UNPACKERS
        m.matrix_b ^= 1


def first_row(core: Coprocessor, thread: int, unpacker: int) -> int:
    """The row of SrcA or SrcB at which an unpacker begins a bank."""
    return field(core, thread, "SRCB_SET_Base" if unpacker else "SRCA_SET_Base") << 4


def hand_over(core: Coprocessor, thread: int, unpacker: int) -> Callable[[], None]:
    """An unpacker moves on to its other bank now; the returned function gives up the old one."""
    m = core.matrix
    owner, bank = (m.owner_b, m.unpack_b) if unpacker else (m.owner_a, m.unpack_a)
    if unpacker:
        m.unpack_b ^= 1
    else:
        m.unpack_a ^= 1
    set_row(core, thread, unpacker, first_row(core, thread, unpacker))

    def over() -> None:
        owner[bank] = MATRIX

    return over


def set_row(core: Coprocessor, thread: int, unpacker: int, row: int) -> None:
    """Where an unpacker continues in its bank, for a thread."""
    own = core.threads[thread]
    first, second = own.src_row
    own.src_row = (first, row & 63) if unpacker else (row & 63, second)


def reset_banks(core: Coprocessor) -> None:
    """All banks to the unpackers, and everybody to bank 0."""
    m = core.matrix
    m.owner_a[:] = m.owner_b[:] = UNPACKERS
    m.matrix_a = m.matrix_b = m.unpack_a = m.unpack_b = 0


def bank_a(core: Coprocessor) -> U32:
    """The matrix unit's bank of SrcA: 64 rows of 16."""
    bank: U32 = core.matrix.srca[core.matrix.matrix_a]
    return bank


def bank_b(core: Coprocessor) -> U32:
    """The matrix unit's bank of SrcB: 64 rows of 16."""
    bank: U32 = core.matrix.srcb[core.matrix.matrix_b]
    return bank
