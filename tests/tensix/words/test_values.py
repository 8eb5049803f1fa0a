"""Values of fields by their names: which words they make, and how they are printed.

Numbers are those of tt-llk's headers and of the documentation's ``#define`` lines.
"""

from __future__ import annotations

import pytest

from nasm.analysis.summary import form_text
from nasm.isa.field_values import FieldValues, bits_of_mask, one_of
from nasm.language.printing import text
from nasm.targets.tensix import TARGET
from tests.tables import each
from tests.tensix.words.programs import made, problem, word

BOTH = [
    # as one writes it, and as its word is
    ("SFPSWAP VC=0, VD=1, Mod1=VEC_MIN_MAX", 0x92000011),
    ("SFPSWAP VC=0, VD=1, Mod1=SFPSWAP_MOD1_VEC_MIN_MAX", 0x92000011),
    ("SFPSWAP lreg_src_c=LREG0, lreg_dest=LREG1, instr_mod1=ALL_ROWS_MAX", 0x92000011),
    ("STALLWAIT BlockMask=B1|B8, ConditionMask=C7", 0xA2810080),
    ("STALLWAIT STALL_SYNC|STALL_SFPU, MATH", 0xA2810080),
    ("SEMWAIT STALL_MATH, SEMAPHORE_1, STALL_ON_ZERO", 0xA6200009),
    ("SEMWAIT BlockMask=B6, SemaphoreMask=SEMAPHORE_1, ConditionMask=C0", 0xA6200009),
    ("SFPIADD Imm12=3, VC=0, VD=2, Mod1=ARG_IMM|CC_NONE", 0x79003025),
    ("SETRWC CLR_AB, CR_D, 8, 0, 0, SET_ABD_F", 0x37D2000F),
    ("MVMUL CLR_AB, 0, ADDR_MOD_2, 8", 0x26C10008),
    ("SFPLOAD VD=0, Mod0=LO16", 0x70090000),  # 9 in the documentation, 6 in tt-llk
    ("SFPLOAD LREG0, LO16", 0x70060000),
    ("SFPLOAD LREG0, MOD0_FMT_LO16", 0x70090000),
    ("ZEROACC CLR_ALL", 0x10180000),
    ("ZEROACC Mode=ALL_OF_DST", 0x10180000),
    ("SFPSTOCHRND VC=0, VD=2, Mod1=FP32_TO_FP16B", 0x8E000021),
    ("SETADCXX CntSetMask=UNP_AB, x_end2=1023", 0x5E6FFC00),
]


@each(("line", "wanted"), BOTH)
def test_names_of_both_families_make_the_word(line: str, wanted: int) -> None:
    assert word(line) == wanted
    again = text(made(line)).partition("@t1\n")[2].strip()
    assert word(again) == wanted


def test_what_is_shown_has_the_family_that_was_written() -> None:
    lines = [
        "SFPSWAP VC=0, VD=1, Mod1=VEC_MIN_MAX",
        "SFPSWAP lreg_dest=LREG1, instr_mod1=ALL_ROWS_MAX",
        "SFPSWAP VD=1, Mod1=1",
        "STALLWAIT BlockMask=B1|B8, ConditionMask=MATH",
    ]
    shown = ["SFPSWAP VD=1, Mod1=VEC_MIN_MAX", *lines[1:]]
    for line, wanted in zip(lines, shown, strict=True):
        program = made(line)
        assert form_text(program, 1, 0) == wanted
        assert " ".join(text(program).split("@t1")[1].split()) == wanted


def test_a_name_of_the_program_comes_first() -> None:
    const = ".const MATH = 2, N = 0"
    assert word(f"{const}\nSTALLWAIT BlockMask=B1, ConditionMask=MATH|C14") == 0xA2014002
    assert word(f"{const}\nSFPSWAP VD=1, Mod1=SWAP if N else VEC_MIN_MAX") == 0x92000011
    assert word(".macro swap(how)\nSFPSWAP VD=1, Mod1=how\n.end\nswap(VEC_MIN_MAX)") == 0x92000011


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("SFPSWAP Mod1=VEC_MIN_MAXX", "did you mean 'VEC_MIN_MAX'?"),
        ("STALLWAIT BlockMask=B1|MTH", "its names: B0, B1, B2, B3 and"),
        ("SFPSWAP Mod1=16", ""),
    ],
)
def test_other_names_are_refused(line: str, said: str) -> None:
    found = problem(line)
    assert found.code == "E0301"
    assert said in found.hint


def test_one_name_has_one_value_in_a_family() -> None:
    with pytest.raises(TypeError, match="one name for two values"):
        one_of("", "0 A - one\n1 A - other")
    values = bits_of_mask("X_", "1 A a one\n2 B - two\n3 - both both")
    found = [values.text(3, True), values.text(3, False), values.text(7, False)]
    assert found == ["both", "A|B", ""]
    assert values.number("X_A|B", macros=False) == 3


def test_every_named_value_fits_its_field_and_is_printed_as_itself() -> None:
    count = 0
    for row in TARGET.isa:
        for field in () if row.encoding is None else row.encoding.fields():
            if not isinstance(field.values, FieldValues):
                continue
            for one in field.values.entries:
                assert 0 <= one.number < 1 << field.width, (row.name, field.name, one)
                shown = field.format(one.number)
                assert field.accept(int(shown) if shown.isdigit() else shown) == one.number
                count += 1
    assert count > 1_500
