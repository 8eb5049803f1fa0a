"""Random programs with moments in loops: what they order is in order, round after round."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from tests.parts import examples
from tests.sync.moments import kept
from tests.sync.moments.looped import Items, looping
from tests.sync.moments.rows import Pipeline, pipelines


@settings(max_examples=examples(100, 12), deadline=None, suppress_health_check=list(HealthCheck))
@given(looping())
def test_a_random_loop_with_moments_keeps_their_order(items: Items) -> None:
    kept.looped(items)


@settings(max_examples=examples(60, 8), deadline=None, suppress_health_check=list(HealthCheck))
@given(pipelines())
def test_a_random_pipeline_reads_what_was_written_rounds_before(one: Pipeline) -> None:
    kept.pipeline(one)


@settings(max_examples=examples(30, 4), deadline=None, suppress_health_check=list(HealthCheck))
@given(pipelines(rounds=4))
def test_a_random_pipeline_has_no_wait_too_many(one: Pipeline) -> None:
    kept.no_wait_too_many(one)


@settings(max_examples=examples(40, 8), deadline=None, suppress_health_check=list(HealthCheck))
@given(pipelines(nested=True))
def test_a_random_pipeline_goes_on_from_entry_to_entry(one: Pipeline) -> None:
    kept.pipeline(one)


@pytest.mark.thorough
@pytest.mark.timeout(600)
@settings(max_examples=examples(10, 2), deadline=None, suppress_health_check=list(HealthCheck))
@given(pipelines(rounds=4, nested=True))
def test_a_random_pipeline_in_a_nest_has_no_wait_too_many(one: Pipeline) -> None:
    kept.no_wait_too_many(one)
