"""Programs with one change: none is called equal unless runs agree on random inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.equal.mutants import PROGRAMS, assembled, mutants, results
from tests.equal.proofs import Prover
from tests.parts import part, seed

SEEDS = (11, 12)
LARGE = {"attention", "lm_head", "matmul_credits", "matmul_loops", "transformer_block"}
SMALL = [path for path in PROGRAMS if path.stem not in LARGE]
CASES = [
    *part(SMALL, 3),
    *(pytest.param(path, marks=pytest.mark.thorough) for path in PROGRAMS if path.stem in LARGE),
]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_mutant_that_is_equal_has_the_results_of_the_program(path: Path) -> None:
    program = assembled(path)
    prover = Prover(program)
    wrong = [
        mutant.what
        for mutant in mutants(program, seed(), 6)
        if prover.proves(mutant.program)
        and [results(mutant.program, n) for n in SEEDS] != [results(program, n) for n in SEEDS]
    ]
    assert not wrong
