"""What is found of whole programs, against every change tried alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import nasm
from nasm.program.program import Program
from nasm.runs.waits.candidates import Candidates
from nasm.runs.waits.records import AT_READ, DROP, WEAKER
from nasm.runs.waits.trials import WaitTrials
from tests.parts import part, seed
from tests.waits.brute import EveryChange, with_later_posts, with_more_waits

PROGRAMS = Path(__file__).parents[2] / "programs"
SMALL = (
    *("countdown", "dma_trigger", "double_row", "layernorm", "matmul", "matmul_k"),
    *("softmax", "transpose"),
)
LARGE = ("digits", "matmul_tiled", "mx", "pair_softmax", "ring")
WAYS: tuple[tuple[str, Callable[[Program], Program]], ...] = (
    ("as it is", lambda program: program),
    ("with more waits", lambda program: with_more_waits(program, seed(), 3)),
    ("with later posts", with_later_posts),
)
CASES = [(name, way) for name in SMALL for way, _ in WAYS]
LARGER = [pytest.param(name, way, marks=pytest.mark.thorough) for name in LARGE for way, _ in WAYS]


@pytest.mark.parametrize(("name", "way"), [*part(CASES, 4), *LARGER])
def test_each_wait_that_could_go_or_be_weaker_is_found_and_no_other(name: str, way: str) -> None:
    program = dict(WAYS)[way](nasm.assemble(PROGRAMS / f"{name}.nasm"))
    every = EveryChange(program)
    assert every.fine, every.base.reason
    ordering = every.base.execution.ordering
    assert ordering is not None
    check = ordering.judged()
    candidates = Candidates(program, check, WaitTrials(program, check))
    found = list(candidates.found())
    dropped = {place for one in found if one.kind == DROP for place in one.places}
    assert dropped == every.drops()
    single = {
        place
        for place in candidates.lines.key
        if (wait := candidates.lines.wait(place)) is not None
        and candidates.firm.units[wait.semaphore] == 1
        and not check.order.goes_down(wait.semaphore)
        and place not in dropped
    }
    lines = [
        places
        for _, places in candidates.lines.posting()
        if not any(_early(program, place) for place in places)
        and all(place in candidates.touching for place in places)
    ]
    early = {place for one in found if one.kind == AT_READ for place in one.places}
    assert early == every.early(lines)
    weaker = {place for one in found if one.kind == WEAKER for place in one.places}
    assert weaker & single == every.weaker(single)


def _early(program: Program, place: tuple[int, int]) -> bool:
    """Whether an instruction posts as soon as it has read."""
    queue, pc = place
    update = program.updates[program.queues[queue].updates[pc]]
    return update is not None and update.at_read
