"""A line stays in few rooms on its way from text to bytes."""

from __future__ import annotations

from tests.walk import NEURON, TENSIX, Example, walks


def held(example: Example, most: dict[str, tuple[int, int]]) -> None:
    """Each phase of a line stays within so many files and changes of file."""
    found = {w.name: (len({file for file, _, _ in w.functions}), w.changes) for w in walks(example)}
    assert found.keys() == most.keys()
    for phase, (files, changes) in found.items():
        assert 0 < files <= most[phase][0], phase
        assert 0 < changes <= most[phase][1], phase


def test_each_phase_of_a_matmul_goes_through_few_files_and_seldom_changes_them() -> None:
    held(NEURON, {"text to program": (51, 495), "binding": (17, 43), "run": (12, 26)})


def test_each_phase_of_a_multiply_add_of_vectors_does_too() -> None:
    held(TENSIX, {"text to program": (49, 346), "binding": (13, 32), "run": (16, 33)})
