"""Settings: what cores and queues of the toy hold before a run, and what writes it later."""

from __future__ import annotations

import pytest

from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.base.source_files import ObjectFile
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.language.objects import load
from nasm.language.objects.writing import written
from nasm.language.printing import text as printed
from nasm.machine import Machine, tensor_io
from nasm.program.program import Program
from tests.toy.rack import Rack
from tests.toy.target import TARGETS


def assembled(text: str) -> Program:
    return assemble(Source("toy.nasm", f".target toy\n{text}\n"), TARGETS)


def wrong(text: str) -> Problem:
    with pytest.raises(Failure) as raised:
        assembled(text)
    (problem,) = raised.value.problems
    return problem


def racks(program: Program) -> list[Rack]:
    machine = Machine(program)
    tensor_io.load(program, machine.addresses, {})
    assert all(isinstance(held, Rack) for held in machine.holds)
    return [held for held in machine.holds if isinstance(held, Rack)]


def values(program: Program) -> list[tuple[str, int, int, str]]:
    return [(s.name, s.value, s.core, s.engine) for s in program.settings]


EVERY = """
.const N = 3
.cfg hot = 2*N
.cfg lock0 = beta
@beta
.cfg records = 1
@alpha .cfg records = 2
.for i in 1..3
.cfg lock{i} = i - 1
.end
.core 1
.cfg lock2 = alpha
"""


def test_a_core_and_its_queues_begin_with_what_the_program_sets() -> None:
    first, second = racks(assembled(EVERY))
    assert (first.hot, first.locks, first.left) == (6, [1, 0, 1, -1], [2, 1])
    assert (second.hot, second.locks, second.left) == (0, [-1, -1, 0, -1], [0, 0])


def test_settings_hold_from_the_start_and_are_the_same_at_a_restart() -> None:
    text = ".cfg hot = 30\n@alpha Touch\n@alpha Heat 90"
    session = Session.load(Source("toy.nasm", f".target toy\n{text}\n"), targets=TARGETS)
    (held,) = session.machine.holds
    assert isinstance(held, Rack)
    session.run()
    starts = session.now
    assert held.hot > 90  # Touch waited until 30, and Heat came behind it
    session.restart()
    again = session.machine.holds[0]
    assert isinstance(again, Rack)
    assert again.hot == 30
    session.run()
    assert session.now == starts


def test_an_instruction_waits_for_what_a_setting_began_with() -> None:
    program = assembled(".cfg hot = 30\n@alpha Touch")
    machine = Machine(program, trace=True)
    machine.run(1000)
    assert machine.trace is not None
    assert [(start, end) for _, _, _, _, start, end in machine.trace.instructions] == [(30, 33)]


def test_a_printed_program_has_the_same_settings() -> None:
    program = assembled(EVERY)
    made = printed(program)
    assert "@alpha .cfg records = 2\n" in made
    assert ".cfg lock0 = beta\n" in made
    again = assemble(Source("printed", made), TARGETS)
    assert values(again) == values(program)
    assert again == program
    assert printed(again) == made


def test_an_object_file_has_the_same_settings() -> None:
    source = Source("toy.nasm", f".target toy\n{EVERY}\n")
    program = assemble(source, TARGETS)
    made = load(ObjectFile("toy.nobj", written(program, source)), TARGETS).program
    assert values(made) == values(program)
    assert [s.span and s.span.text for s in made.settings] == [
        s.span and s.span.text for s in program.settings
    ]


def test_two_programs_that_set_other_values_are_not_the_same() -> None:
    assert assembled(".cfg hot = 1") != assembled(".cfg hot = 2")
    assert assembled(".cfg hot = 1") == assembled("\n.cfg hot = 1")


@pytest.mark.parametrize(
    ("text", "code", "said", "at"),
    [
        (".cfg hut = 1", "E0242", "there is no setting 'hut'", "hut"),
        (".cfg hot = 1001", "E0301", "hot is an integer from 0 to 1000, found 1001", "1001"),
        (".cfg lock0 = gamma", "E0301", "lock0 is -1 to 1 or free, alpha, beta, found 'gamma'",
         "gamma"),
        ("@alpha .cfg hot = 1", "E0244", "hot belongs to all queues of a core, and not to @alpha",
         "hot"),
        (".cfg hot: Wait", "E0244",
         "hot takes no instruction: it is an integer from 0 to 1000", "Wait"),
        (".cfg hot = 1\n.cfg heat = 2", "E0243",
         "heat is set, and has its place in common with hot, which is too", "heat"),
        ("@beta .cfg records = 1\n@beta .cfg records = 2", "E0243", "records is set twice",
         "records"),
        ("@alpha .write heat = 1", "E0244", "no instruction writes heat", "@alpha .write heat = 1"),
        ("@alpha .write hot = 1 tims=2", "E0309", "'tims' is no option of .write", "tims=2"),
    ],
)  # fmt: skip
def test_what_cannot_be_set_is_refused_where_it_is(
    text: str, code: str, said: str, at: str
) -> None:
    problem = wrong(text)
    assert (problem.code, problem.message) == (code, said)
    assert problem.span is not None
    assert problem.span.text == at


def test_a_setting_of_queues_wants_one() -> None:
    assert wrong(".cfg records = 1").code == "E0220"


def test_the_first_of_two_is_shown_as_well() -> None:
    (note,) = wrong(".cfg hot = 1\n.cfg hot = 2").notes
    assert note.span is not None
    assert (note.span.line, note.span.text) == (2, ".cfg hot = 1")


def test_write_makes_the_instructions_that_write_settings() -> None:
    program = assembled("@beta\nagain: .write hot = 4, hot = 5 times=2\nWait")
    lines = program.queues[1]
    made = [program.instruction(1, pc) for pc in range(len(lines))]
    assert [(i.row.name, *i.operands[:1]) for i in made[:4]] == [("Heat", 4), ("Heat", 5)] * 2
    assert made[4].row.name == "Wait"
    assert lines.labels == {"again": 0}
    span = program.span(1, 3)
    assert span is not None
    assert span.line == 3


def test_a_line_that_is_typed_later_sets_nothing() -> None:
    session = Session.load(Source("toy.nasm", ".target toy\n@alpha Wait\n"), targets=TARGETS)
    with pytest.raises(Failure) as raised:
        session.execute(".cfg hot = 1")
    (problem,) = raised.value.problems
    assert problem.code == "E0244"
    assert problem.hint == "write .write hot = 1"
    assert not session.program.settings
