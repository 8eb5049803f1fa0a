"""Random programs in sequential order: every conflict is in order, and no wait is one too many."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings

import nasm
from nasm.sync.synchronize import synchronise
from tests.parts import examples
from tests.sync.cases import Case, cases
from tests.sync.oracle import Oracle

ORDER = {"E0502", "E0514", "E0540", "E0541", "E0520"}


@settings(max_examples=examples(1000, 24), deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_a_random_program_keeps_its_meaning_with_no_wait_too_many(case: Case) -> None:
    builder, sequence = case.builder()
    synchronise(builder, sequence)
    program = builder.finish()

    oracle = Oracle(case, program)
    assert oracle.unordered() == ""
    for place in oracle.waits():
        assert oracle.unordered(without=place) != "", f"{place} is not needed"

    session = nasm.Session(program, inputs=case.inputs())
    report = session.run()
    said = [p.code for p in (*report.hazards, *report.warnings)]
    assert not ORDER & set(said), said
    for name, wanted in case.meant().items():
        np.testing.assert_array_equal(session.read(name), wanted, err_msg=name)
