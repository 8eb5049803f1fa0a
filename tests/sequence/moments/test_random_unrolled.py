"""Random programs with moments: what they order is in order, by as few waits as do it."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings

import nasm
from tests.sequence.moments.unrolled import Woven, woven
from tests.sequence.oracle import Oracle

ORDER = {"E0502", "E0514", "E0540", "E0541", "E0520"}


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(woven())
def test_a_random_program_with_moments_keeps_their_order_with_no_wait_too_many(one: Woven) -> None:
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
