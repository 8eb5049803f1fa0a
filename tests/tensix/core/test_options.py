"""Options of the machine: each choice makes a difference that a program shows."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.machine import Machine
from nasm.targets import TARGETS
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.matrix.dst import read32
from nasm.targets.tensix.matrix.formats import fp32_from_dst, src_from_tf32
from nasm.targets.tensix.options import OPTIONS, quirks
from tests.tensix.core.machines import held, starts


def ran(text: str, **options: str) -> Machine:
    named = {name.replace("__", "."): value for name, value in options.items()}
    source = Source("tensix.nasm", f".target wormhole\n{text}\n")
    machine = Machine(assemble(source, TARGETS, options=named), trace=True)
    machine.run(100_000)
    return machine


def test_the_defaults_are_the_documents() -> None:
    assert quirks("wormhole", {option.name: option.default for option in OPTIONS}) == DOCUMENTED
    assert len(OPTIONS) == len(fields(Quirks)) + 3


def test_a_denormal_is_stored_as_it_is_or_as_zero() -> None:
    text = (
        "@t0 SFPLOADI VD=0, Mod0=2, Imm16=5\n@t0 SFPSTORE VD=0, Mod0=3\n@t0 SFPLOAD VD=1, Mod0=3\n"
    )

    def loaded(core: Tensix) -> list[int]:
        return np.unique(core.vector.registers[1]).tolist()

    assert loaded(held(ran(text))) == [5]
    assert loaded(held(ran(text, sfpu__store_flushes_denormals="yes"))) == [0]


def test_a_rounding_to_nearest_draws_or_does_not() -> None:
    text = "@t0 SFP_STOCH_RND VC=9, VD=0\n"
    assert not held(ran(text)).vector.random.any()
    assert held(ran(text, sfpu__rounding_always_draws="yes")).vector.random.all()


def test_srcb_is_cut_by_its_own_format_or_by_that_of_srca() -> None:
    text = (
        ".cfg ALU_FORMAT_SPEC_REG0_SrcA = tf32\n.cfg ALU_FORMAT_SPEC_REG1_SrcB = bf16\n"
        ".cfg ALU_ACC_CTRL_Fp32_enabled = 1\n"
        "@t1 SETDVALID 3\n@t1 ZEROACC Mode=3\n@t1 ELWADD\n"
    )

    def added(**options: str) -> float:
        named = {name.replace("__", "."): value for name, value in options.items()}
        source = Source("tensix.nasm", f".target wormhole\n{text}\n")
        machine = Machine(assemble(source, TARGETS, options=named), trace=True)
        matrix = held(machine).matrix
        for held_by in (matrix.srca, matrix.srcb):
            held_by[:] = src_from_tf32(np.float32(1 + 2**-10).view(np.uint32) >> 13)
        machine.run(100_000)
        return float(fp32_from_dst(read32(matrix, np.array([0]))).view(np.float32)[0, 0])

    assert added() == 2 + 2**-10
    assert added(matrix__srcb_format="own") == 2 + 2**-10
    assert added(matrix__srcb_format="srca") == 2 + 2**-9


def test_exponents_of_two_widths_are_refused() -> None:
    text = ".cfg ALU_FORMAT_SPEC_REG0_SrcA = f16\n@t1 SETDVALID 3\n@t1 ZEROACC Mode=3\n@t1 MVMUL"
    with pytest.raises(Failure, match="five bits in the format of SrcA, and eight bits in that"):
        ran(text)
    ran(text, matrix__srcb_format="srca")
    ran(f".cfg ALU_FORMAT_SPEC_REG1_SrcB = fp8\n{text}")


def test_a_mop_without_rounds_has_129_or_one() -> None:
    def rounds(**options: str) -> int:
        source = Source("tensix.nasm", ".target wormhole\n@t0 MOP mop_type=1\n")
        named = {name.replace("__", "."): value for name, value in options.items()}
        machine = Machine(assemble(source, TARGETS, options=named), trace=True)
        words = held(machine).threads[0].mop
        words[:] = 0x02000000
        words[[0, 1]] = 1, 0
        words[3] = 0x5E000000  # EndOp0: SETADCXX
        machine.run(100_000)
        return len(starts(machine, 0))

    assert rounds() == 129
    assert rounds(mop__outer_bug="no") == 1
