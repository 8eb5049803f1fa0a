"""Random programs with moments in loops: what they order is in order, round after round."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings

from tests.sequence.moments.looped import Building, Items, looping
from tests.sequence.test_loops_random import judged


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(looping())
def test_a_random_loop_with_moments_keeps_their_order(items: Items) -> None:
    building = Building(items)
    session, said = judged(building.program(), building.case.inputs())
    assert said == set()
    for name, wanted in building.case.meant().items():
        np.testing.assert_array_equal(session.read(name), wanted, err_msg=name)
