"""Random programs with moments in loops: what they order is in order, round after round."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings

import nasm
from tests.sequence.moments.looped import Building, Items, looping
from tests.sequence.moments.rows import Pipeline, pipelines
from tests.sequence.test_loops_random import judged


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(looping())
def test_a_random_loop_with_moments_keeps_their_order(items: Items) -> None:
    building = Building(items)
    session, said = judged(building.program(), building.case.inputs())
    assert said == set()
    for name, wanted in building.case.meant().items():
        np.testing.assert_array_equal(session.read(name), wanted, err_msg=name)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(pipelines())
def test_a_random_pipeline_reads_what_was_written_rounds_before(one: Pipeline) -> None:
    session, said = judged(nasm.assemble(one.text()), one.inputs())
    assert said == set()
    np.testing.assert_array_equal(session.read("O"), one.meant())
