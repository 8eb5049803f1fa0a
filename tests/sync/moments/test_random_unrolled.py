"""Random programs with moments: what they order is in order, by as few waits as do it."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from tests.parts import examples
from tests.sync.moments import kept
from tests.sync.moments.unrolled import Woven, woven


@settings(max_examples=examples(200, 14), deadline=None, suppress_health_check=list(HealthCheck))
@given(woven())
def test_a_random_program_with_moments_keeps_their_order_with_no_wait_too_many(one: Woven) -> None:
    kept.unrolled(one)
