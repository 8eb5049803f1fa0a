"""Tiles that do nothing: they take no time and no memory, and look as if they did."""

from __future__ import annotations

import numpy as np

from nasm.machine.machine import Machine
from nasm.sim.memory import POISON
from nasm.targets.tensix.noc.chip_map import WORMHOLE
from tests.machine.everything import differences, everything
from tests.tensix.noc.test_packets import session

CHIP = "\n".join(f".tile {x}, {y}" for x in WORMHOLE.tensix_columns for y in WORMHOLE.tensix_rows)
HEAD = f"""\
.target wormhole
{CHIP}
.tile 1, 1
.l1 a u32[8] @ 0x1000 = iota
.l1 back u32[8] @ 0x2000 output
.tile 2, 1
.l1 b u32[8] @ 0x1000
.cfg ALU_FORMAT_SPEC_REG0_SrcA = bf16
.tile 1, 1
@noc0
"""
"""A chip of 80 tiles of which one has lines; the setting is of a tile that has none."""

LINES = """\
NOC_NOP
NOC_NOP
NOC_MULTICAST a, a, X0=2, Y0=1, X1=3, Y1=1
NOC_BARRIER
NOC_READ back, 0x1000, X=3, Y=1
NOC_BARRIER
"""


def core(of: Machine, place: tuple[int, int]) -> int:
    return of.program.tiles.index(place)


def made(of: Machine) -> tuple[list[tuple[str, int]], list[int]]:
    """The memories, and what cores hold, that there are."""
    return [at for at, store in of.state.numbered.items() if store.made], [*of.holds.made]


def test_what_no_line_uses_is_not_made() -> None:
    of = session(LINES, HEAD)
    machine, alone = of.machine, core(of.machine, (1, 1))
    assert machine.program.cores == 80
    assert made(machine) == ([("l1", alone)], [alone])
    checkpoint = of.checkpoint()
    report = of.run()
    assert report.problems == report.hazards == ()
    touched = [("l1", core(machine, (x, 1))) for x in (1, 2, 3)]
    assert made(machine) == (touched, [alone])
    assert len(checkpoint.saved[0][-1]) == 1


def test_it_looks_as_if_it_were_there() -> None:
    machine = session(LINES, HEAD).machine
    far = core(machine, (9, 11))
    memory = machine.core_memories.linear(far)
    assert memory is not None
    assert (memory.look(0, memory.memory.size) == POISON).all()
    assert not memory.store.written.any()
    one, other = machine.holds[far], machine.holds[core(machine, (2, 1))]
    assert not one.config.any()  # type: ignore[union-attr]
    assert other.config.any()  # type: ignore[union-attr]


def test_what_is_touched_later_is_untouched_before() -> None:
    few = "\n".join(f".tile {x}, 1" for x in (1, 2, 3, 4))
    of = session(LINES, HEAD.replace(CHIP, few))
    of.step()
    early = of.checkpoint()
    first = of.run()
    b = of.machine.state.numbered["l1", core(of.machine, (2, 1))]
    assert b.written[0, 0x1000:0x1020].all()
    of.back_to(early)
    assert not b.written.any()
    assert (b.data == POISON).all()
    then = everything(of.machine)
    assert of.run() == first
    of.back_to(early)
    assert differences(then, everything(of.machine)) == []


def test_changes_since_a_moment_have_what_was_touched_after_it() -> None:
    of = session(LINES, HEAD)
    of.step()
    early = of.memory.since()
    of.run()
    found = {change.tensor: change for change in of.memory.changes(early)}
    assert sorted(found) == ["b", "back"]
    assert found["b"].count == 8


def test_a_moment_between_may_be_given_up() -> None:
    of = session(LINES, HEAD)
    of.step()
    early = of.checkpoint()
    of.step()
    between = of.memory.since()
    first = of.run()
    later = of.memory.since()
    for moment in (between, later):
        of.memory.release(moment)
    of.back_to(early)
    assert not of.machine.state.numbered["l1", core(of.machine, (2, 1))].written.any()
    assert of.run() == first


def test_what_is_looked_at_by_hand_is_made_again_after_going_back() -> None:
    of = session(LINES, HEAD)
    of.step()
    early, far = of.checkpoint(), core(of.machine, (9, 11))
    before = of.machine.holds[far].save()  # type: ignore[union-attr]
    of.machine.holds[far].threads[0].registers[:] = 5  # type: ignore[union-attr]
    of.run()
    of.back_to(early)
    assert far not in of.machine.holds.made
    np.testing.assert_equal(of.machine.holds[far].save(), before)  # type: ignore[union-attr]
