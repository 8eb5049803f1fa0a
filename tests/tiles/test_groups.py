"""Groups of tiles that are simulated apart: the same run as in one machine, whatever is sent."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from nasm.base.source_files import program_of
from nasm.machine.records import RunReport, Status
from nasm.runs.execution import Execution
from nasm.runs.settings import RunSettings
from nasm.sim.group_scheduler import GroupScheduler
from nasm.targets.tensix.noc.links import Links
from nasm.tiles import groups
from nasm.tiles.groups import Groups
from nasm.tiles.interface import divided
from nasm.tiles.runs import TilesRun
from nasm.workers.places import OwnProcess
from tests.parts import part
from tests.tiles.random_tiles import RandomTiles

NOC = Path(__file__).parents[2] / "programs" / "tensix" / "noc"
BUSY = """
.target wormhole
.tile 1, 1
.l1 a u8[4096] @ 0x2000 = random(seed=1)
.l1 c u8[4096] @ 0x6000 = zeros
.tile 4, 1
.l1 b u8[4096] @ 0x2000 = random(seed=2)
.tile 2, 3
.l1 d u8[4096] @ 0x2000 = zeros
.tile 4, 1
@noc0 NOC_READ b[0:2048], a[0:2048]
@noc0 NOC_BARRIER
.tile 1, 1
@noc0 NOC_NOP
@noc0 NOC_WRITE d, c
@noc0 NOC_BARRIER
"""
"""The answer to the first line needs the link from tile 1-1 at a time when its own packet would."""


def made(text: str | Path, **keywords: Any) -> Execution:
    """A program on a machine."""
    return Execution.load(program_of(text), settings=RunSettings(**keywords))


def outputs(run: Execution) -> dict[str, bytes]:
    """What every tensor holds."""
    return {name: run.read(name).tobytes() for name in run.program.tensors}


def both(
    text: str | Path, count: int, most: int | None = None, **keywords: Any
) -> tuple[RunReport, TilesRun]:
    """The report of one machine, and a run in groups that was compared with it."""
    one, other = made(text, **keywords), made(text, **keywords)
    report = one.run(max_cycles=most)
    run = TilesRun(other, OwnProcess(), count)
    found = run.run(max_cycles=most)
    assert found == report
    assert str(found) == str(report)
    assert outputs(other) == outputs(one)
    assert other.queues() == one.queues()
    assert other.machine.scheduler.late == one.machine.scheduler.late
    assert states(other) == states(one)
    return report, run


def states(run: Execution) -> list[Any]:
    """Where queues are, and what each waits for."""
    found = []
    for queue in run.machine.scheduler.queues:
        fields = "pc", "done", "wait", "parked", "blocked", "blocker", "cause", "reached", "due"
        found.append({name: getattr(queue, name) for name in fields})
    return found


def random_text(seed: int) -> str:
    """A program by its number."""
    rng = Random(seed)
    return RandomTiles(rng, rng.randint(2, 10), rng.randint(2, 10), rng.random() < 0.8).text


@pytest.mark.parametrize("seed", part(range(400), 16))
def test_groups_execute_random_packets_as_one_machine_does(seed: int) -> None:
    both(random_text(seed), 1 + seed % 5)


@pytest.mark.parametrize("seed", part(range(200), 10))
def test_groups_take_from_semaphores_as_one_machine_does(seed: int) -> None:
    rng = Random(seed)
    text = RandomTiles(rng, rng.randint(2, 8), rng.randint(4, 10), taking=True).text
    _, run = both(text, 1 + seed % 4)
    assert "semaphore" not in run.alone


@pytest.mark.parametrize("seed", part(range(200), 6))
def test_groups_of_tiles_of_several_chips_are_as_one_machine(seed: int) -> None:
    rng = Random(seed)
    text = RandomTiles(rng, rng.randint(3, 8), rng.randint(4, 10), chips=2).text
    both(text, 2 + seed % 3)


def test_what_takes_a_count_below_0_is_reported_from_groups() -> None:
    text = BUSY.replace("@noc0 NOC_NOP", ".sem s\n@noc0 NOC_NOP $s -= 2\n@noc0 NOC_NOP $s -= 1")
    report, run = both(text, 3)
    assert not run.alone
    assert any("below 0" in problem.message for problem in report.warnings + report.hazards)


@pytest.mark.parametrize("count", [1, 3, 4])
def test_a_product_over_tiles_is_the_same_in_groups(count: int) -> None:
    defines = {"N": 2, "K": 1}
    report, run = both(NOC / "matmul_tiles.nasm", count, defines=defines, trace=True)
    assert report.ok
    assert not run.alone
    assert run.windows > 20


def test_acknowledged_writes_take_as_long_between_groups() -> None:
    report, run = both(NOC / "round_trip.nasm", 3)
    assert report.ok
    assert not run.alone


def test_a_run_without_values_is_the_same_in_groups() -> None:
    for text in (NOC / "round_trip.nasm", BUSY):
        run = TilesRun(made(text, values=False), OwnProcess(), 2)
        assert run.run() == made(text, values=False).run()
        assert not run.alone


def test_bytes_that_were_taken_too_early_are_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []
    whole = GroupScheduler.revoke

    def revoke(self: GroupScheduler, *event: Any) -> None:
        whole(self, *event)
        found.append(event)

    monkeypatch.setattr(GroupScheduler, "revoke", revoke)
    _, run = both(BUSY, 3)
    assert len(found) == 1
    assert not run.alone


@pytest.mark.parametrize("seed", [0, 5])
def test_what_groups_tell_is_put_in_order_some_windows_at_a_time(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "TELL", 5)
    both(random_text(seed), 3)
    both(BUSY, 3)


def test_a_group_without_events_is_not_asked() -> None:
    text = BUSY + ".tile 9, 9\n.rv B\n" + "nop\n" * 300
    _, run = both(text, 4)
    assert not run.alone
    assert run.calls < 4 * run.windows


def test_tiles_of_a_row_and_of_a_column_are_spread_over_groups() -> None:
    program = made(NOC / "matmul_tiles.nasm", defines={"N": 4, "K": 1}).program
    four = divided(program, 4).groups
    for line in range(4):
        assert {four[4 * line + n] for n in range(4)} == set(range(4))
        assert {four[4 * n + line] for n in range(4)} == set(range(4))
    assert sorted(divided(program, 16).groups) == list(range(16))


NEAR = """
.target wormhole
.tile 1, 1
.sem s
.tile 2, 1
.sem t
.tile 1, 1
@noc0 NOC_INC $t++
"""
"""What reaches the next tile as soon as anything can: a packet of one flit, by one hop."""


def test_windows_are_as_long_as_the_shortest_way_and_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, run = both(NEAR, 2)
    assert not run.alone
    monkeypatch.setattr(Links, "soonest", Links.soonest + 1)
    _, run = both(NEAR, 2)
    assert "earlier" in run.alone


def test_a_deadlock_between_groups_is_reported_as_in_one_machine() -> None:
    text = BUSY.replace("@noc0 NOC_NOP", ".sem never\n@noc0 NOC_NOP $never >= 1")
    report, run = both(text, 3)
    assert report.status is Status.DEADLOCK
    assert not run.alone


CIRCLE = """
.target wormhole
.tile 1, 1
.sem acked, back
.tile 4, 1
.sem ready
@noc0 NOC_NOP $ready >= 1
@noc0 NOC_INC $acked++
.tile 1, 1
@noc0 NOC_NOP $acked >= 1
@noc0 NOC_INC $ready++
"""
"""Two tiles that wait for each other."""
THREADS = """
.tile 1, 1
@noc1 NOC_SEMPOST 1 $back >= 1
@t0
SEMWAIT BlockMask=STALL_SYNC, SemaphoreMask=2, ConditionMask=STALL_ON_ZERO
SEMPOST SemaphoreMask=4
@noc0 NOC_SEMWAIT 2, 1
"""
"""And what waits for them through a thread and semaphores of the Tensix."""


LATER = """
.tile 4, 1
@noc1 NOC_NOP $ready >= 2
.tile 1, 1
@noc0 NOC_NOP $acked >= 2
"""
TWICE = CIRCLE.replace(
    "@noc0 NOC_NOP $ready", "@noc0 NOC_BARRIER\n@noc0 NOC_NOP\n" * 3 + "@noc0 NOC_NOP $ready"
)
"""Two queues wait for one semaphore, the second of them first."""


@pytest.mark.parametrize("text", [CIRCLE, CIRCLE + THREADS, TWICE + LATER])
def test_a_deadlock_is_reported_with_all_that_is_blocked(text: str) -> None:
    report, run = both(text, 2)
    assert report.status is Status.DEADLOCK
    assert "acked" in str(report.problems[0].notes)
    assert not run.alone


def test_a_limit_is_met_as_in_one_machine() -> None:
    report, run = both(BUSY, 3, most=100)
    assert report.status is Status.LIMIT
    assert run.alone == "it has met a limit"


def test_a_fault_of_one_group_is_reported_as_in_one_machine() -> None:
    text = BUSY.replace(
        "@noc0 NOC_NOP", "@noc0 NOC_MULTICAST 0x2000, a, X0=18, Y0=18, X1=19, Y1=19"
    )
    text += ".sem s\n@noc1 NOC_MULTICAST 0x2000, a, X0=18, Y0=18, X1=19, Y1=19 $s += 9\n"
    report, _ = both(text, 3)
    assert report.status is Status.FAULT


def test_what_needs_one_machine_runs_in_one() -> None:
    _, run = both(".target wormhole\n.l1 a u8[16] = zeros\n@noc0 NOC_NOP\n", 2)
    assert run.alone == "it has one tile"


@pytest.mark.parametrize("windows", [1, 5])
def test_a_run_in_groups_that_was_halted_says_where_it_was(
    windows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    execution = made(BUSY)
    run, whole = TilesRun(execution, OwnProcess(), 3), Groups.advance

    def advance(self: Groups) -> None:
        if run.windows + 1 == windows:
            run.halt()
        whole(self)

    monkeypatch.setattr(Groups, "advance", advance)
    report = run.run()
    assert run.windows == windows
    assert report.status is Status.RUNNING
    assert report.ticks > 0
    assert execution.run().ok  # from the start, where it is again


def test_inputs_reach_the_groups() -> None:
    text = ".target wormhole\n.dram0 x u8[64] input\n.dram0 y u8[64] output\n"
    text += ".tile 1, 1\n.l1 a u8[64]\n.tile 3, 3\n.l1 b u8[64]\n.sem got\n"
    text += "@noc0 NOC_READ b, x\n@noc0 NOC_BARRIER\n@noc0 NOC_WRITE a, b\n@noc0 NOC_BARRIER\n"
    text += "@noc0 NOC_WRITE y, b\n@noc0 NOC_BARRIER\n"
    x = np.arange(64, dtype=np.uint8)
    settings = RunSettings(reruns=True)
    run = Execution.load(program_of(text), {"x": x}, settings=settings)
    assert TilesRun(run, OwnProcess(), 2).run().ok
    assert np.array_equal(run.read("y"), x)
    assert np.array_equal(run.read("a"), x)


def test_code_that_uses_the_interfaces_of_a_tile_runs_in_one_machine() -> None:
    code = ".tile 1, 1\n.rv B\nlui t0, 0xFFB20\nlw t1, 0x2C(t0)\n"
    _, run = both(BUSY + code, 3)
    assert "interfaces" in run.alone


def test_code_of_cores_is_executed_in_groups() -> None:
    code = (
        "".join(
            f".tile {x}, {y}\n.rv B\nli t0, {x}\nlui t1, 8\nagain: addi t0, t0, 1\nsw t0, 0(t1)\n"
            f"slti t2, t0, 40\nbnez t2, again\n"
            for x, y in ((1, 1), (4, 1))
        )
        .replace("again", "a1", 2)
        .replace("again", "a2")
    )
    _, run = both(BUSY + code, 3)
    assert not run.alone
