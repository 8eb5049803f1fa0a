"""A line stays in few rooms on its way from text to bytes."""

from __future__ import annotations

from tests.walk import walks


def test_each_phase_goes_through_few_files_and_seldom_changes_them() -> None:
    most = {"text to program": (66, 740), "binding": (14, 40), "run": (10, 20)}
    found = {w.name: (len({file for file, _, _ in w.functions}), w.changes) for w in walks()}
    assert found.keys() == most.keys()
    for phase, (files, changes) in found.items():
        assert 0 < files <= most[phase][0], phase
        assert 0 < changes <= most[phase][1], phase
