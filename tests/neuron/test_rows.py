"""What holds for every row of the table by its being there."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import pytest

from nasm.analysis.summary import form_text
from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.isa.evidence import Cost, Evidence
from nasm.isa.implicit_kinds import Implicit
from nasm.isa.instruction import InstructionContext, Row, Rule
from nasm.language.assemble import assemble
from nasm.machine.records import Status
from nasm.program.availability import available
from nasm.program.program import Program
from nasm.program.shapes import Shapes
from nasm.show import example_times, examples, pages
from nasm.targets import TARGETS
from nasm.targets.neuron import TARGET, rules
from nasm.targets.neuron.isa import ISA
from nasm.views.view import View
from tests.neuron import programs
from tests.parts import part
from tests.tables import each

ROWS = tuple(ISA)
ENGINES = ("tensor", "vector", "scalar", "gpsimd", "sync")
every_row = each("row", ROWS, ids=lambda row: row.name)
some_rows = each("row", part(ROWS, 10), ids=lambda row: row.name)
Test = Callable[..., None]


def text(row: Row, engine: str, on: str, n: int = 128) -> str:
    """The example of a row as a program, on one engine of one machine."""
    generation = TARGET.generation(on)
    assert generation is not None
    return examples.program_text(row, engine, generation, TARGET, n, 128)


def generations(row: Row) -> list[str]:
    """The machines that have the example of a row."""
    return [g.spellings[0] for g in TARGET.generations if TARGET.available(row, g)]


def every(rows: tuple[Row, ...] = ROWS, share: int = 5) -> Callable[[Test], Test]:
    """Each row on each machine and engine that has it; in `make test` a fifth of those, or less."""
    cases = [
        pytest.param(row, engine, g.spellings[0], id=f"{row.name}-{g.name}-{engine}")
        for row in rows
        for g in TARGET.generations
        for engine in TARGET.engines(row, g)
    ]
    return each(("row", "engine", "on"), part(cases, len(cases) // share))


def assembled(row: Row, engine: str, on: str, n: int = 128) -> Program:
    """That program; skips what a rule leaves to other engines."""
    try:
        return assemble(Source("example.nasm", text(row, engine, on, n)), TARGETS)
    except Failure as failure:
        if {p.code for p in failure.problems} == {"E0408"} and engine != row.engines[0]:
            pytest.skip("the engine lacks what the example does")
        raise


def cost(row: Row, engine: str, on: str, n: int) -> Cost:
    made = assembled(row, engine, on, n)
    instruction = next(f for f in reversed(made.instructions) if f.row is row)
    return row.cost(InstructionContext.of(row, instruction.operands, engine, made.generation))


@every(tuple(row for row in ROWS if row.data), share=30)
def test_all_numbers_in_place_of_a_tile_have_one_shape(row: Row, engine: str, on: str) -> None:
    made = assembled(row, engine, on)
    instruction = next(f for f in reversed(made.instructions) if f.row is row)
    for at in row.data:
        found = set()
        for number in (2.5, 0.0, -0.0, 1.0, -3e38, 1e-40, float("inf"), float("nan")):
            operands = *instruction.operands[:at], number, *instruction.operands[at + 1 :]
            shape = Shapes(made.generation).of(row, operands, engine)
            arguments = [repr(one) for one in shape.arguments]
            read = [n for n, o in enumerate(row.reads) if o is row.operands[at]]
            assert [place[1:] for place in shape.reading if place[1] == at] == [(at, *read)]
            arguments[read[0]] = "the number"
            found.add((shape.cost, shape.domain, shape.exact, shape.held, *arguments))
        assert len(found) == 1, (row.operands[at].name, found)


@every()
def test_the_example_assembles_and_runs(row: Row, engine: str, on: str) -> None:
    done = Session(assembled(row, engine, on), {})
    report = done.run()
    assert (report.problems, report.hazards) == ((), ())
    assert report.status is Status.FINISHED
    instruction = next(f for f in reversed(done.program.instructions) if f.row is row)
    view = instruction.operand("dst") if "dst" in row.position else None
    if isinstance(view, View) and not row.operand("dst").partial:
        assert done.known(view.tensor.name).all()


@some_rows
def test_the_example_is_a_whole_program(row: Row) -> None:
    for on in generations(row):
        shown = examples.whole(row, TARGET, on)
        report = Session(assemble(Source("-", shown), TARGETS)).run()
        assert report.ok, shown
        assert shown.startswith(f"; {row.name}: ")


@every_row
def test_the_example_formats_back_to_itself(row: Row) -> None:
    made = assembled(row, row.engines[0], generations(row)[-1])
    said = [
        form_text(made, queue, pc)
        for queue, lines in enumerate(made.queues)
        for pc in range(len(lines))
        if made.instruction(queue, pc).row is row
    ]
    assert " ".join(row.example.split()) in said


@every()
def test_the_cost_is_positive_and_does_not_fall_as_tiles_grow(
    row: Row, engine: str, on: str
) -> None:
    costs = [cost(row, engine, on, n) for n in (32, 64, 128)]
    assert all(0 < c.interval <= c.latency for c in costs)
    intervals = [c.interval for c in costs]
    assert intervals == sorted(intervals)
    assert [c.latency for c in costs] == sorted(c.latency for c in costs)
    assert all(c.source and c.evidence in Evidence for c in costs)


@every_row
def test_the_page_has_its_parts(row: Row) -> None:
    assert row.summary.endswith(".")
    assert row.doc.count("\n") == 0 or row.doc.splitlines()[1] == ""
    assert row.source
    assert row.formula
    assert any(row.vendor.values())


@some_rows
def test_the_page_says_what_the_example_takes_on_every_engine(row: Row) -> None:
    shown = pages.page(row, TARGET)
    assert shown.cost.endswith(".")
    assert not set(re.findall(r"\w+", shown.cost)) & set(ISA.rows), "the cost of another row"
    assert {(t.generation, t.engine) for t in shown.times} == {
        (g.name, engine)
        for g in TARGET.generations
        for engine in TARGET.engines(row, g)
        if example_times.cost(row, engine, g, TARGET, 128) is not None
    }
    for time in shown.times:
        generation = TARGET.generation(time.generation)
        assert generation is not None
        size = time.size or example_times.SIZES[0]
        assert time.cost == example_times.cost(row, time.engine, generation, TARGET, size)
    everything = "; ".join(source for _, source in pages.time_sources(shown))
    assert all(time.cost.source in everything for time in shown.times)


@every_row
def test_every_operand_describes_itself(row: Row) -> None:
    for operand in row.operands:
        assert operand.kind.describe()
        assert isinstance(operand.kind, Implicit) == (operand not in row.written)


@each(
    "rule",
    [*rules.EVERYWHERE, *(r for row in ROWS for r in row.rules)],
    ids=lambda rule: rule.sentence,
)
def test_every_rule_has_a_sentence_and_a_source(rule: Rule) -> None:
    assert rule.source
    assert rule.code.startswith(("E04", "E06"))
    assert not rule.sentence.endswith(".")


@some_rows
def test_an_engine_either_has_the_instruction_or_refuses_it_by_name(row: Row) -> None:
    for on, engine in itertools.product(programs.GENERATIONS, ENGINES):
        try:
            assemble(Source("example.nasm", text(row, engine, on)), TARGETS)
        except Failure as failure:
            # An example with a second core fails of that too where there is none.
            found = {p.code for p in failure.problems} - {"E0318"}
            assert found == {"E0408"}, (on, engine)
            continue
        assert engine in row.engines, (on, engine)


@every_row
def test_every_engine_a_row_names_has_it_on_some_generation(row: Row) -> None:
    def has(engine: str, generation: str) -> bool:
        found = TARGET.generation(generation)
        assert found is not None
        try:
            available(TARGET, found, row, engine)
        except Refused:
            return False
        return True

    for engine in row.engines:
        assert any(has(engine, on) for on in programs.GENERATIONS), engine
