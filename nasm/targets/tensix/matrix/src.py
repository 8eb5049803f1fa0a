"""Banks of SrcA and SrcB: which unit may use which, and how their owner changes (SrcASrcB.md).

Either has two banks. The matrix unit and an unpacker point at one each, and move on to the other
when they hand theirs over: the pointers advance independently. Which owner they wait for is in
``ownership``.
"""

from __future__ import annotations

from collections.abc import Callable

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix.formats import FIVE_BIT_EXPONENT, Format, Style, Styles
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.state import MATRIX, NO_FORMAT, U32, UNPACKERS, Coprocessor

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


def source_format(core: Coprocessor, thread: int, of_b: bool = False) -> Format:
    """The format of SrcA, which decides how wide exponents are, of SrcB too.

    Where banks have formats it is that of the bank of SrcA, or of SrcB where ``of_b``.
    """
    found = _implied(core, thread, "SRCA", of_b)
    if found is not None:
        return found
    if field(core, thread, "ALU_FORMAT_SPEC_REG_SrcA_override"):
        return data_format(field(core, thread, "ALU_FORMAT_SPEC_REG_SrcA_val"), "SrcA_val")
    return data_format(field(core, thread, "ALU_FORMAT_SPEC_REG0_SrcA"), "REG0_SrcA")


def _implied(core: Coprocessor, thread: int, disabled: str, of_b: bool) -> Format | None:
    """The format of the matrix unit's bank, where banks have one and a thread has not said no.

    ``disabled`` begins the field by which it may. Raises Refused for a bank that was not unpacked.
    """
    name = f"DISABLE_IMPLIED_{disabled}_FMT_Base"
    if not implied(core) or field(core, thread, name):
        return None
    m = core.matrix
    bank = m.matrix_b if of_b else m.matrix_a
    code, owner = (m.implied_b, m.owner_b) if of_b else (m.implied_a, m.owner_a)
    if owner[bank] != MATRIX or code[bank] == NO_FORMAT:
        raise Refused(
            "E0701",
            f"bank {bank} of {'SrcB' if of_b else 'SrcA'} has no format, as no unpack has given it "
            "to the matrix unit: what its elements are taken for is undefined",
            f"set {name} to 1, and the format of the configuration holds",
        )
    return Format(int(code[bank]))


def implied(core: Coprocessor) -> bool:
    """Whether banks have formats of their own."""
    return core.chip.tiles.implied_formats


def _note_format(core: Coprocessor, unpacker: int, bank: int, form: Format) -> None:
    """A bank has this format from now on, where banks have one."""
    if implied(core):
        held = core.matrix.implied_b if unpacker else core.matrix.implied_a
        held[bank] = form


def moved_style(core: Coprocessor, thread: int, of_b: bool = False) -> Style:
    """What moves take elements for, of SrcB where ``of_b``: they never see integers."""
    if field(core, thread, "FP16A_FORCE_Enable"):
        return Style.FP16
    return _style(source_format(core, thread, of_b))


def _style(form: Format) -> Style:
    if form is Format.TF32:
        return Style.TF32
    return Style.FP16 if form in FIVE_BIT_EXPONENT else Style.BF16


def masked_style(core: Coprocessor, thread: int) -> Style:
    """Which bits of an element of SrcB are used: by its own format, unless an option says not."""
    if core.srcb_as_srca or field(core, thread, "FP16A_FORCE_Enable"):
        return moved_style(core, thread)
    found = _implied(core, thread, "SRCB", of_b=True)
    if found is not None:
        return _style(found)
    if field(core, thread, "ALU_FORMAT_SPEC_REG_SrcB_override"):
        return _style(data_format(field(core, thread, "ALU_FORMAT_SPEC_REG_SrcB_val"), "SrcB_val"))
    return _style(data_format(field(core, thread, "ALU_FORMAT_SPEC_REG1_SrcB"), "REG1_SrcB"))


def wide_dst(core: Coprocessor, thread: int) -> bool:
    """Whether the matrix unit uses Dst with 32 bits."""
    if field(core, thread, "FP16A_FORCE_Enable"):
        return False
    return bool(
        field(core, thread, "ALU_ACC_CTRL_Fp32_enabled")
        or field(core, thread, "ALU_ACC_CTRL_INT8_math_enabled")
    )


def style_of_a(core: Coprocessor, thread: int) -> Style:
    """What arithmetic takes elements of SrcA for."""
    return Style.INT8 if _of_integers(core, thread) else moved_style(core, thread)


def style_of_b(core: Coprocessor, thread: int) -> Style:
    """What arithmetic takes elements of SrcB for."""
    return Style.INT8 if _of_integers(core, thread) else masked_style(core, thread)


def _of_integers(core: Coprocessor, thread: int) -> bool:
    integers = field(core, thread, "ALU_ACC_CTRL_INT8_math_enabled")
    return bool(integers and not field(core, thread, "FP16A_FORCE_Enable"))


def computed_styles(core: Coprocessor, thread: int) -> Styles:
    """What arithmetic takes elements for; raises Refused where exponents differ in width."""
    a, b = style_of_a(core, thread), style_of_b(core, thread)
    if (a is Style.FP16) != (b is Style.FP16):
        wide_a, wide_b = ("five bits" if one is Style.FP16 else "eight bits" for one in (a, b))
        raise Refused(
            "E0701",
            f"exponents have {wide_a} in the format of SrcA, and {wide_b} in that of SrcB: no "
            "document says what the matrix unit computes then",
            "set ALU_FORMAT_SPEC_REG1_SrcB to the format that unpacker 1 writes; --option "
            "matrix.srcb_format=srca takes that of SrcA for both",
        )
    return Styles(a, b, core.chip.tiles.loses_one)


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


def hand_over(
    core: Coprocessor, thread: int, unpacker: int, form: Format | None = None
) -> Callable[[], None]:
    """An unpacker moves on to its other bank now; the returned function gives up the old one.

    Where banks have formats the old one has the format ``form`` then.
    """
    m = core.matrix
    owner, bank = (m.owner_b, m.unpack_b) if unpacker else (m.owner_a, m.unpack_a)
    if unpacker:
        m.unpack_b ^= 1
    else:
        m.unpack_a ^= 1
    set_row(core, thread, unpacker, first_row(core, thread, unpacker))

    def over() -> None:
        owner[bank] = MATRIX
        if form is not None:
            _note_format(core, unpacker, bank, form)

    return over


def set_row(core: Coprocessor, thread: int, unpacker: int, row: int) -> None:
    """Where an unpacker continues in its bank, for a thread."""
    own = core.threads[thread]
    first, second = own.src_row
    own.src_row = (first, row & 63) if unpacker else (row & 63, second)


def reset_banks(core: Coprocessor) -> None:
    """All banks to the unpackers, and everybody to bank 0."""
    m = core.matrix
    if implied(core):
        m.implied_a[:] = m.implied_b[:] = 0
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
