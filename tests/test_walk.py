"""A line stays in few rooms on its way from text to bytes."""

from __future__ import annotations

from tests.walk import walks


def test_binding_goes_through_few_files_and_seldom_changes_them() -> None:
    _, binding, run = walks()
    assert 0 < len({file for file, _, _ in binding.functions}) <= 14
    assert 0 < binding.changes <= 40
    assert run.functions
