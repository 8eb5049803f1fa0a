"""The wait gate: defaults, conditions, block bits, the cycle it lags, and what replaces a latch."""

from __future__ import annotations

import pytest

from nasm.isa.core_state import Blocked
from nasm.targets.tensix.state import MATRIX, UNPACKERS, Coprocessor
from nasm.targets.tensix.sync import gate
from nasm.targets.tensix.sync.semaphores import SEMGET, SEMINIT, SEMPOST
from tests.tensix.scalar.cores import made


class Doing:
    """Units as a set of pairs of a unit and a thread."""

    def __init__(self, now: int = 0, *busy: tuple[str, int]) -> None:
        self.now = now
        self.pairs = {*busy}

    def busy(self, unit: str, thread: int) -> bool:
        return (unit, thread) in self.pairs


def asked(core: Coprocessor, bits: int, doing: Doing, thread: int = 0) -> Blocked | None:
    gate.look(core, thread, doing)
    return gate.blocked(core, thread, bits, doing)


UNITS = {
    1: "unpack0",
    2: "unpack1",
    3: "pack0",
    4: "pack1",
    5: "pack2",
    6: "pack3",
    7: "matrix",
    12: "mover",
    13: "host",
    14: "vector",
}


@pytest.mark.parametrize("bit", UNITS)
def test_a_condition_waits_for_its_unit_and_thread_alone(bit: int) -> None:
    core = made()
    gate.STALLWAIT(core, 1, 1, 1 << bit)
    others = [(u, 1) for b, u in UNITS.items() if b != bit] + [(UNITS[bit], 0), (UNITS[bit], 2)]
    core.matrix.owner_a[:] = core.matrix.owner_b[:] = MATRIX
    assert gate.waits_for(core, 1, Doing(0, *others)) == []
    (said,) = gate.waits_for(core, 1, Doing(0, (UNITS[bit], 1)))
    assert said.endswith(f"(C{bit})")


def test_requests_to_memory_are_the_threads_own() -> None:
    core = made()
    core.threads[0].requests = 2
    gate.STALLWAIT(core, 1, 1, 1)
    assert gate.waits_for(core, 1, Doing()) == []
    gate.STALLWAIT(core, 0, 1, 1)
    assert gate.waits_for(core, 0, Doing()) == ["t0 has 2 memory requests in flight (C0)"]


@pytest.mark.parametrize(
    ("bit", "owner", "pointer", "wanted", "source"),
    [
        (8, "owner_a", "unpack_a", UNPACKERS, "SrcA"),
        (9, "owner_b", "unpack_b", UNPACKERS, "SrcB"),
        (10, "owner_a", "matrix_a", MATRIX, "SrcA"),
        (11, "owner_b", "matrix_b", MATRIX, "SrcB"),
    ],
)
def test_banks_are_those_that_the_pointers_name(
    bit: int, owner: str, pointer: str, wanted: int, source: str
) -> None:
    core = made()
    gate.STALLWAIT(core, 0, 1, 1 << bit)
    for bank in (0, 1):
        setattr(core.matrix, pointer, bank)
        getattr(core.matrix, owner)[:] = wanted
        assert gate.waits_for(core, 0, Doing()) == []
        getattr(core.matrix, owner)[1 - bank] = 1 - wanted
        assert gate.waits_for(core, 0, Doing()) == []
        getattr(core.matrix, owner)[bank] = 1 - wanted
        found = "the unpackers" if wanted == MATRIX else "the matrix unit"
        said = f"bank {bank} of {source} belongs to {found} (C{bit})"
        assert gate.waits_for(core, 0, Doing()) == [said]


def test_no_condition_is_for_the_seven_lowest() -> None:
    core = made()
    gate.STALLWAIT(core, 0, 1, 0)
    assert core.threads[0].latch.conditions == 0x7F
    assert gate.waits_for(core, 0, Doing(0, ("pack3", 0)))
    assert not gate.waits_for(core, 0, Doing(0, ("matrix", 0), ("vector", 0), ("mover", 0)))


def test_no_block_bit_is_for_the_matrix_unit() -> None:
    core = made()
    for latch in (
        lambda: gate.STALLWAIT(core, 0, 0, 1 << 14),
        lambda: gate.SEMWAIT(core, 0, 0, 1, 1),
    ):
        latch()
        assert core.threads[0].latch.block == 1 << 6
        doing = Doing(5, ("vector", 0))
        assert asked(core, 1 << 6, doing) is not None
        assert asked(core, 0x1FF & ~(1 << 6), doing) is None


def test_a_semwait_without_a_condition_waits_for_units_and_no_semaphore() -> None:
    core = made()
    gate.SEMWAIT(core, 0, 1, 0xFF, 0)
    latch = core.threads[0].latch
    assert (latch.of_semaphores, latch.conditions, latch.semaphores) == (False, 0x7F, 0)
    assert not gate.waits_for(core, 0, Doing())
    assert gate.waits_for(core, 0, Doing(0, ("unpack1", 0)))


def test_semaphores_of_the_mask_have_to_be_above_0_or_below_their_maximum() -> None:
    core = made()
    SEMINIT(core, 0, 2, 1, 0b110)
    gate.SEMWAIT(core, 0, 1, 0b110, 0b01)
    assert gate.waits_for(core, 0, Doing()) == []
    SEMGET(core, 1, 0b010)
    assert gate.waits_for(core, 0, Doing()) == ["semaphore 1 is 0 (C0)"]
    gate.SEMWAIT(core, 0, 1, 0b100, 0b10)
    assert gate.waits_for(core, 0, Doing()) == []
    SEMPOST(core, 1, 0b100)
    assert gate.waits_for(core, 0, Doing()) == ["semaphore 2 is 2, and its maximum 2 (C1)"]
    SEMPOST(core, 1, 0b100)
    assert gate.waits_for(core, 0, Doing()) == ["semaphore 2 is 3, and its maximum 2 (C1)"]


def test_both_conditions_of_a_semaphore_with_no_room_never_end() -> None:
    """Value 0 and maximum 0 as at reset: it is empty and full."""
    core = made()
    gate.SEMWAIT(core, 0, 1, 1, 0b11)
    said = ["semaphore 0 is 0 (C0)", "semaphore 0 is 0, and its maximum 0 (C1)"]
    assert gate.waits_for(core, 0, Doing()) == said


def test_what_is_met_at_once_still_costs_the_next_instruction_a_cycle() -> None:
    core = made()
    gate.look(core, 0, Doing(10))
    gate.STALLWAIT(core, 0, 1, 1)
    gate.look(core, 0, Doing(10))
    wait = asked(core, 1, Doing(11))
    assert wait is not None
    assert (wait.cause, wait.until) == ("stallwait", 12)
    assert asked(core, 1, Doing(12)) is None
    assert core.threads[0].latch.block == 0


def test_the_latch_is_gone_by_itself_while_other_instructions_pass() -> None:
    core = made()
    gate.look(core, 0, Doing(10))
    gate.SEMWAIT(core, 0, 1 << 6, 1, 2)
    core.semaphores[0] = 0, 1
    for now in (11, 12):
        assert asked(core, 1 << 8, Doing(now)) is None
    core.semaphores[0] = 1, 1
    assert asked(core, 1 << 6, Doing(13)) is None


def test_conditions_have_to_be_met_together() -> None:
    core = made()
    gate.look(core, 0, Doing(1))
    gate.STALLWAIT(core, 0, 1, 1 << 7 | 1 << 14)
    for now, busy in ((2, "matrix"), (3, "vector"), (4, "matrix")):
        wait = asked(core, 1, Doing(now, (busy, 0)))
        assert wait is not None
        assert wait.reason.startswith(f"the {busy} unit is busy with t0")
        assert wait.until is None
    wait = asked(core, 1, Doing(9))
    assert wait is not None
    assert wait.until == 10
    assert asked(core, 1, Doing(10, ("matrix", 0))) is None


def test_what_was_met_once_is_over_whatever_starts_then() -> None:
    core = made()
    gate.look(core, 0, Doing(1))
    gate.STALLWAIT(core, 0, 1, 1 << 7)
    assert asked(core, 1, Doing(2)) is not None
    assert asked(core, 1, Doing(3, ("matrix", 0))) is None


@pytest.mark.parametrize("bit", range(9))
def test_an_instruction_is_held_by_any_of_its_bits(bit: int) -> None:
    core = made()
    gate.STALLWAIT(core, 2, 1 << bit, 1 << 7)
    doing = Doing(5, ("matrix", 2))
    assert asked(core, 1 << bit | 1, doing, 2) is not None
    assert asked(core, 0x1FF & ~(1 << bit), doing, 2) is None
    assert asked(core, 0x1FF, doing, 1) is None


def test_a_plain_nop_is_held_by_all_nine_together() -> None:
    core = made()
    doing = Doing(5, ("matrix", 0))
    for block, held in ((0x1FF, True), (0x0FF, False), (0x1FE, False)):
        gate.STALLWAIT(core, 0, block, 1 << 7)
        gate.look(core, 0, doing)
        wait = gate.blocked(core, 0, gate.ALL_BLOCKS, doing, every=True)
        assert (wait is not None) == held


def test_a_semwait_replaces_a_latch_that_does_not_hold_the_sync_unit_up() -> None:
    core = made()
    doing = Doing(5, ("matrix", 0))
    gate.STALLWAIT(core, 0, 1 << 6, 1 << 7)
    assert asked(core, 1 << 1, doing) is None
    assert asked(core, gate.ALL_BLOCKS, doing) is not None
    SEMINIT(core, 0, 1, 1, 1)
    gate.SEMWAIT(core, 0, 1 << 8, 1, 1)
    assert asked(core, 1 << 6, doing) is None
    gate.STALLWAIT(core, 0, 1 << 6 | 1 << 1, 1 << 7)
    assert asked(core, 1 << 1, doing) is not None


def test_a_latch_is_saved_and_restored() -> None:
    core = made()
    gate.look(core, 0, Doing(3))
    before = core.save()
    gate.STALLWAIT(core, 0, 3, 5)
    assert core.threads[0].latch.block == 3
    core.restore(before)
    assert core.threads[0].latch.block == 0
