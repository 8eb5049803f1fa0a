"""Settings of Tensix: where each goes, and the words of the instructions that write it.

Word numbers and bits are worked by hand from the public headers: ALU_FORMAT_SPEC_REG0_SrcA is bits
20 to 17 of word 1, STATE_RESET_EN bit 0 of word 4, ADDR_MOD_AB_SEC1 the words 9 and 10 of a thread.
"""

from __future__ import annotations

import numpy as np
import pytest

from nasm.apps.lsp.analysis import analyse
from nasm.apps.lsp.completion import completions
from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.language.printing import text as printed
from nasm.program.program import Program
from nasm.targets import TARGETS
from nasm.targets.tensix.chips import WORMHOLE
from nasm.targets.tensix.layouts.wormhole import FIELDS
from nasm.targets.tensix.settings import put, settings_of
from nasm.targets.tensix.state import U8, Coprocessor


class NoMemory:
    def read(self, address: int, count: int) -> U8:
        raise AssertionError

    def write(self, address: int, data: U8) -> None:
        raise AssertionError


SETTINGS = settings_of(WORMHOLE)


def assembled(text: str) -> Program:
    return assemble(Source("t.nasm", f".target wormhole\n{text}\n"), TARGETS)


def held(text: str) -> Coprocessor:
    core = Coprocessor(NoMemory())
    for one in assembled(text).settings:
        thread = int(one.engine[1]) if one.engine else 0
        put(core, thread, SETTINGS.named(one.name), one.value)
    return core


def wrong(text: str) -> Problem:
    with pytest.raises(Failure) as raised:
        assembled(text)
    (problem,) = raised.value.problems
    return problem


def words(text: str) -> list[int]:
    program = assembled(text)
    known = program.target.words(program.generation)
    assert known is not None
    made = [program.instruction(0, pc) for pc in range(len(program.queues[0]))]
    return [known.encode(i.row, i.operands) for i in made]


def test_every_field_of_the_configuration_is_a_setting() -> None:
    assert len(FIELDS) == 813
    assert set(FIELDS) <= set(SETTINGS.offered)


def test_a_banked_field_is_set_in_both_banks_and_leaves_the_rest_of_its_word() -> None:
    core = held(".cfg ALU_FORMAT_SPEC_REG0_SrcA = bf16\n.cfg ALU_ROUNDING_MODE_Padding = 3")
    assert core.config[:, 1].tolist() == [5 << 17 | 3 << 3] * 2
    assert int(core.config.sum()) == 2 * (5 << 17 | 3 << 3)


def test_a_field_of_a_thread_is_that_thread_s() -> None:
    core = held("@t2 .cfg ADDR_MOD_AB_SEC1_SrcBIncr = 9")
    assert [int(t.config[9]) for t in core.threads] == [0, 0, 9 << 8]


def test_formats_have_the_words_of_declarations() -> None:
    words = SETTINGS.offered["THCON_SEC0_REG7_Unpack_data_format_cntx0"].words
    assert {w: words[w] for w in ("f32", "bf16", "bfp8", "i8")} == {
        "f32": 0, "bf16": 5, "bfp8": 6, "i8": 14,
    }  # fmt: skip
    assert not SETTINGS.offered["THCON_SEC0_REG2_Shift_amount_cntx0"].words


def test_a_constant_that_is_a_dtype_is_the_word_of_its_format_and_prints_as_it() -> None:
    text = """\
.const d = bf16
.const e = i8
.cfg ALU_FORMAT_SPEC_REG0_SrcA = d
.cfg THCON_SEC1_REG2_Out_data_format = e
@t0 .write ALU_FORMAT_SPEC_REG0_SrcA = d
"""
    core = held(text)
    assert core.config[0, [1, 100]].tolist() == [5 << 17, 14]
    assert words(text) == words("@t0 .write ALU_FORMAT_SPEC_REG0_SrcA = 5")
    said = printed(assembled(text))
    assert ".cfg ALU_FORMAT_SPEC_REG0_SrcA = bf16\n" in said
    assert ".cfg THCON_SEC1_REG2_Out_data_format = i8\n" in said
    again = assemble(Source("again.nasm", said), TARGETS)
    assert [(s.name, s.value) for s in again.settings] == [
        ("ALU_FORMAT_SPEC_REG0_SrcA", 5),
        ("THCON_SEC1_REG2_Out_data_format", 14),
    ]
    found = wrong(".const d = u8\n.cfg ALU_FORMAT_SPEC_REG0_SrcA = d")
    assert "found 'uint8'" in found.message


def test_the_later_words_of_a_tile_descriptor_have_fields_of_their_own() -> None:
    of = "THCON_SEC1_REG0_TileDescriptor"
    given = {"YDim": 2, "ZDim": 3, "WDim": 4, "DigestSize": 1}
    core = held("\n".join(f".cfg {of}_{name} = {value}" for name, value in given.items()))
    # YDim begins at bit 32 of the descriptor, ZDim at 48, WDim at 64 and DigestSize at 120.
    assert core.config[1, 92:96].tolist() == [0, 2 | 3 << 16, 4, 1 << 24]
    assert SETTINGS.offered[f"{of}_WDim"].source.endswith("UNPACR")


def test_registers_semaphores_and_mutexes_begin_as_they_are_set() -> None:
    core = held(
        "@t1 .cfg GPR63 = 0xFFFFFFFF\n.cfg SEM7_value = 3\n.cfg SEM7_max = 15\n.cfg MUTEX2 = t2"
    )
    assert core.threads[1].registers[63] == 0xFFFFFFFF
    assert core.semaphores[7].tolist() == [3, 15]
    assert core.mutexes.tolist() == [-1, -1, 2, -1, -1, -1, -1, -1]


def test_slots_of_the_expanders_are_words_of_instructions() -> None:
    core = held(
        "@t0\n.cfg MOP1_OuterCount = 4\n.cfg MOP1_LoopOp: SEMPOST SemaphoreMask=2\n"
        ".cfg REPLAY31: NOP\n.cfg MOP_mask_high = 7"
    )
    # SEMPOST is 0xA4 with the mask in bits 9 to 2; NOP is 0x02.
    assert core.threads[0].mop.tolist() == [4, 0, 0, 0, 0, 0xA4000008, 0, 0, 0]
    assert core.threads[0].replay.tolist() == [0] * 31 + [0x02000000]
    assert core.threads[0].mop_mask_high == 7


def test_the_seed_of_the_generators_is_a_setting() -> None:
    seeded = held(".cfg PRNG_SEED_Seed_Val = 12345").vector.random
    other = held(".cfg PRNG_SEED_Seed_Val = 54321").vector.random
    assert not np.array_equal(seeded, other)


def test_setc16_writes_a_word_of_a_thread_whose_fields_are_all_given() -> None:
    assert words("@t0 .write ADDR_MOD_SET_Base = 1") == [0xB2020001]
    wants = wrong("@t0 .write CLR_DVALID_SrcA_Disable = 1")
    assert wants.code == "E0244"
    assert wants.message == "SETC16 writes all of a word, and CLR_DVALID_SrcB_Disable is not given"
    both = "@t0 .write CLR_DVALID_SrcA_Disable = 1, CLR_DVALID_SrcB_Disable = 1"
    assert words(both) == [0xB2050003]


def test_bits_of_a_banked_word_are_written_byte_by_byte() -> None:
    # Bits 20 to 17 are bits 4 to 1 of byte 2: RMWCIB2, mask 0x1E, value 5 << 1, word 1.
    assert words("@t0 .write ALU_FORMAT_SPEC_REG0_SrcA = bf16") == [0xB51E0A01]
    # Padding is bits 12 to 3: mask 0xF8 of byte 0 and 0x1F of byte 1; 0x155 << 3 is 0xAA8.
    assert words("@t0 .write ALU_ROUNDING_MODE_Padding = 0x155") == [0xB3F8A801, 0xB41F0A01]


def test_a_whole_word_goes_through_a_register() -> None:
    # SETDMAREG 0x45 with the value in bits 23 to 8, halves 120 and 121 of register 60; WRCFG 0xB0.
    made = words("@t0 .write PRNG_SEED_Seed_Val = 0x12345678 register=60")
    assert made == [0x45567878, 0x45123479, 0xB03C00A4]


def test_registers_and_semaphores_are_written_by_their_instructions() -> None:
    assert words("@t0 .write GPR1 = 0x10002") == [0x45000202, 0x45000103]
    assert words("@t0 .write SEM1_value = 1, SEM1_max = 2") == [0xA3210008]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("@t0 .write MUTEX0 = free", "no instruction writes MUTEX0"),
        ("@t0 .write SEM1_value = 1",
         "SEMINIT writes all of a word, and SEM1_max is not given"),
        ("@t0 .write STATE_RESET_EN = 1",
         "RMWCIB0 writes STATE_RESET_EN as any other word, and resets nothing"),
        ("@t0 .cfg SEM1_max = 2", "SEM1_max belongs to all queues of a core, and not to @t0"),
        ("@t0 .cfg GPR0: NOP", "GPR0 takes no instruction: it is an integer from 0 to 0xffffffff"),
        ("@t0 .cfg MOP1_LoopOp: NOP\n@t0 .cfg MOP0_A2: NOP",
         "MOP0_A2 is set, and has its place in common with MOP1_LoopOp, which is too"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(text: str, said: str) -> None:
    assert wrong(text).message == said


def test_a_word_that_is_no_instruction_is_one_as_a_number_alone() -> None:
    assert wrong("@t0 .cfg REPLAY0: .word 0xFF000000").code == "E0323"
    assert held("@t0 .cfg REPLAY0 = 0xFF000000").threads[0].replay[0] == 0xFF000000


def test_what_is_printed_sets_the_same() -> None:
    program = assembled(
        ".cfg ALU_FORMAT_SPEC_REG0_SrcA = bfp8\n.cfg MUTEX3 = t1\n"
        "@t1 .cfg MOP1_LoopOp: SEMPOST SemaphoreMask=2\n@t2 .cfg REPLAY0 = 0xFF000000"
    )
    again = assemble(Source("printed", printed(program)), TARGETS)
    assert again.settings == program.settings
    assert "@t1 .cfg MOP1_LoopOp: SEMPOST sem_sel=SEMAPHORE_1\n" in printed(program)
    assert ".cfg REPLAY0 = 0xff000000\n" in printed(program)
    assert ".cfg ALU_FORMAT_SPEC_REG0_SrcA = bfp8\n" in printed(program)


@pytest.mark.parametrize(
    ("before", "word"),
    [
        (".cfg ALU_FORMAT_SPEC_REG0_S", "ALU_FORMAT_SPEC_REG0_SrcA"),
        ("@t1 .cfg MOP1_Lo", "MOP1_LoopOp"),
        (".cfg ALU_FORMAT_SPEC_REG0_SrcA = b", "bf16"),
        ("@t0 .write SEM1_value = 1, SEM1_m", "SEM1_max"),
    ],
)
def test_names_and_words_are_completed(before: str, word: str) -> None:
    analysis = analyse(".target wormhole\n")
    assert word in [found.text for found in completions(analysis, before)]
