"""What has to hold of random programs with moments."""

from __future__ import annotations

import numpy as np

import nasm
from nasm.program.program import Program
from tests.sync.moments.looped import Building, Items
from tests.sync.moments.rows import Pipeline
from tests.sync.moments.unrolled import Woven
from tests.sync.oracle import Oracle
from tests.sync.test_loops_random import judged

ORDER = {"E0502", "E0514", "E0540", "E0541", "E0520"}


def unrolled(one: Woven) -> None:
    """What moments order is in order, by as few waits as do it; the values are those meant."""
    program = one.program()
    oracle = Oracle(one.case, program)
    assert oracle.unordered() == ""
    for queue, pc in oracle.waits():
        wait = program.waits[program.queues[queue].waits[pc]]
        assert wait is not None
        drains = not any(oracle.queues[queue][pc:])
        if program.semaphore_name(wait.semaphore) != "written" and not drains:
            assert oracle.unordered(without=(queue, pc)) != "", f"{queue, pc} is not needed"

    session = nasm.Session(program, inputs=one.case.inputs())
    report = session.run()
    said = [p.code for p in (*report.hazards, *report.warnings)]
    assert not ORDER & set(said), said
    for name, wanted in one.case.meant().items():
        np.testing.assert_array_equal(session.read(name), wanted, err_msg=name)


def looped(items: Items) -> None:
    """In loops, too."""
    building = Building(items)
    session, said = judged(building.program(), building.case.inputs())
    assert said == set()
    for name, wanted in building.case.meant().items():
        np.testing.assert_array_equal(session.read(name), wanted, err_msg=name)


def pipeline(one: Pipeline) -> None:
    """And what a round reads of rounds before."""
    session, said = judged(nasm.assemble(one.text()), one.inputs())
    assert said == set()
    np.testing.assert_array_equal(session.read("O"), one.meant())


def no_wait_too_many(one: Pipeline) -> None:
    """Without any wait of a loop, and what it takes, something is in no order."""
    program = nasm.assemble(one.text())
    for queue, lines in enumerate(program.queues):
        if "loop1" not in lines.labels:
            continue
        for pc in range(lines.labels["loop1"], len(lines)):
            if lines.waits[pc] and in_loop(program, queue, pc):
                kept = lines.waits[pc], lines.updates[pc]
                lines.waits[pc], lines.updates[pc] = 0, 0
                _, said = judged(program, one.inputs())
                lines.waits[pc], lines.updates[pc] = kept
                assert said, f"{program.queue_name(queue)} {pc} is not needed"


def in_loop(program: Program, queue: int, pc: int) -> bool:
    """Whether an instruction stands before the branch of the loop."""
    rest = range(pc, len(program.queues[queue]))
    return any(program.instruction(queue, at).row.name == "CompareBranch" for at in rest)
