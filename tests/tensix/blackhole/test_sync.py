"""Mutexes and waits of Blackhole."""

from __future__ import annotations

import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.chips import BLACKHOLE, WORMHOLE
from nasm.targets.tensix.sync import gate
from nasm.targets.tensix.sync.conditions import parts
from nasm.targets.tensix.sync.mutexes import waits_to_release
from tests.tensix.blackhole.cores import made, ran


def test_there_are_four_mutexes() -> None:
    core = made()
    assert [n for n in range(9) if waits_to_release(core, n) is None] == [0, 2, 3, 4]


def test_conditions_have_other_numbers() -> None:
    core = made()
    # the packer, the matrix unit, the mover, the vector unit
    found = [parts(core, 1 << bit) for bit in (3, 4, 9, 11)]
    assert found == [("pack0",), ("matrix",), ("mover",), ("vector",)]
    assert all(parts(core, 1 << bit) == ("src",) for bit in range(5, 9))
    assert (len(BLACKHOLE.conditions), len(WORMHOLE.conditions)) == (13, 15)


def test_no_condition_means_the_first_four() -> None:
    core = made()
    gate.STALLWAIT(core, 1, 0, 0)
    latch = core.threads[1].latch
    assert (latch.block, latch.conditions) == (1 << 6, 0xF)


@pytest.mark.parametrize(
    ("writes", "longer"),
    [
        ("WRCFG InputReg=1, Is128Bit=0, CfgIndex=76", 1),
        ("RDCFG GprAddress=3, CfgReg=76", 1),
        ("RMWCIB0 Mask=255, NewValue=1, Index4=76", 0),
    ],
)
def test_a_wait_for_the_configuration_unit_heeds_all_threads(writes: str, longer: int) -> None:
    def ticks(condition: int) -> int:
        session = ran(
            f"@t0 {writes}\n@t1 STALLWAIT BlockMask=0x80, ConditionMask={condition}\n"
            "@t1 SETC16 CfgIndex=12, NewValue=8"
        )
        assert session.report().problems == ()
        return session.report().ticks

    assert ticks(0x1000) == ticks(1) + longer


def test_a_wait_for_semaphores_without_a_condition_is_undefined() -> None:
    with pytest.raises(Refused, match="SEMWAIT with ConditionMask 0"):
        gate.SEMWAIT(made(), 1, 2, 1, 0)


def test_a_mutex_that_wormhole_has_is_waited_for_in_vain() -> None:
    (problem,) = ran("@t0 ATGETM Index=5").report().problems
    assert problem.code == "E0510"
    assert "there is no mutex 5: the instruction waits forever" in problem.notes[0].message
