"""A printed program is the program: it assembles to the same, and runs in the same ticks."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import nasm
from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.isa.instruction import Row
from nasm.language.assemble import assemble
from nasm.program.program import Program
from nasm.show import examples
from nasm.targets import TARGETS
from nasm.targets.neuron import TARGET
from tests.fuzz.programs import Programs, few_lines
from tests.neuron.programs import GENERATIONS
from tests.neuron.test_anything import every_row, mended
from tests.parts import everything, part
from tests.printing.same import round_trip
from tests.tables import each

pytestmark = pytest.mark.turns(2)

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "programs").glob("*.nasm"))
LONG = (
    *("matmul_blocked", "matmul_naive", "matmul_hoisted", "mamba_v2_long"),
    *("nkibench_matmul", "nkibench_lora", "nkibench_bmm", "nkibench_transpose"),
)
PUBLISHED = [
    path
    for path in sorted((ROOT / "programs" / "published").glob("*.nasm"))
    if not path.stem.startswith(LONG)
]
REFUSED = (
    "issue-1036-placed-out-of-bounds",
    "issue-1060-too-much-for-a-partition",
    "issue-999-all-in-partition-0",
)
HAZARDS = [
    path for path in sorted((ROOT / "tests" / "hazards").glob("*.nasm")) if path.stem not in REFUSED
]


def end(program: Program) -> tuple[object, ...]:
    """How a run ends: its ticks, its trace, every byte of memory, and what it was told of."""
    report = nasm.run(program, max_instructions=20_000).report
    found = [{p.code for p in problems} for problems in (report.hazards, report.problems)]
    allowed = {a.problem.code for a in report.allowed}
    held = [e.held for e in report.expectations]
    return report.status, report.ticks, report.trace_hash, report.memory_hash, found, allowed, held


def name(path: Path) -> str:
    return path.stem


@each("path", part([*PROGRAMS, *HAZARDS], 15), ids=name)
def test_a_file_printed_is_the_same_program_and_runs_alike(path: Path) -> None:
    program = nasm.assemble(path)
    assert end(round_trip(program, str(path.parent))) == end(program)


@pytest.mark.parametrize("path", part(PUBLISHED, 3), ids=name)
def test_a_published_program_printed_is_the_same(path: Path) -> None:
    round_trip(nasm.assemble(path), str(path.parent))


@each("row", part(list(TARGET.isa), 12), ids=lambda row: row.name)
def test_the_example_of_a_row_printed_is_the_same(row: Row) -> None:
    for generation in TARGET.generations:
        try:
            found = examples.whole(row, TARGET, generation.name)
        except (Failure, Refused):
            continue  # a machine that has no such instruction
        program = nasm.assemble(found)
        assert end(round_trip(program)) == end(program)


@pytest.mark.parametrize("on", GENERATIONS)
def test_random_instructions_printed_are_the_same(on: str) -> None:
    def check(text: str, options: dict[str, object]) -> None:
        _, program = mended(text, options)
        if program is not None:
            round_trip(program)

    every_row(on, check, count=4, lines=5, size=3)


def test_mutated_programs_that_assemble_are_the_same_when_printed() -> None:
    fuzzer, printed = Programs(), 0
    for number in part(range(400), 80):
        source = Source("any", fuzzer.make(Random(number)).decode("utf-8"))
        with few_lines():
            try:
                program = assemble(source, TARGETS)
            except Failure:
                continue
            if len(program) < 2_000:
                printed += 1
                round_trip(program)
    assert printed > (40 if everything() else 8)
