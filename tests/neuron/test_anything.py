"""Whatever a program says, it is refused in a sentence or runs to an end that has a name."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from nasm.analysis.summary import form_text
from nasm.apps.cli import main
from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.isa.instruction import Row
from nasm.language import codes
from nasm.language.assemble import assemble
from nasm.machine.records import RunReport, Status
from nasm.program.program import Program
from nasm.sim.history import History
from nasm.sim.recording import Recording
from nasm.targets import TARGETS
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.isa import ISA
from tests.machine.alike import compare, without_values
from tests.neuron.anything import Writer
from tests.neuron.choices import Choices, examples
from tests.neuron.programs import GENERATIONS
from tests.parts import everything, part
from tests.profile.whole import again, whole

KNOWN = {row.code for row in codes.table()}
ENDS = (Status.FINISHED, Status.FAULT, Status.DEADLOCK)
OPTIONS: tuple[dict[str, object], ...] = (
    {},
    {},
    {"rounding": "stochastic", "rounding.seed": "5"},
    {"cast.overflow": "saturate", "cast.e4m3fn": "saturate", "nan.maximum": "ignore"},
    {"ordering": "relaxed"},
    {"accumulate": "after_cast", "quantize_mx.scale": "ocp", "mx.scale255": "infinity"},
)
CYCLES, OF_A_LOOP = 3_000_000, 5_000
"""Of the base clock: more than any program here takes that has no loop, and what those get."""

INTERNAL = re.compile(r"<class|object at|\b(View|Tensor|DType|Offsets|Symbol|array)\(|\bNone\b")
"""What Python would say of a value, and no sentence for a user should."""

Case = tuple[Row, str]
machines = pytest.mark.parametrize("on", GENERATIONS)


def rows(on: str) -> list[Case]:
    """Every row with an engine that has it."""
    generation = TARGET.generation(on)
    assert generation is not None
    return [(row, engine) for row in ISA for engine in TARGET.engines(row, generation)]


@dataclass(frozen=True)
class Written:
    """A program, and options to run it under."""

    text: str
    options: dict[str, object]


def on_machine(on: str, options: dict[str, object]) -> dict[str, object]:
    """Those of some options that a machine takes."""
    generation = TARGET.generation(on)
    assert generation is not None
    taken = {option.name for option in TARGET.offered(generation)}
    return {name: value for name, value in options.items() if name in taken}


def every_row(
    on: str,
    check: Callable[[str, dict[str, object]], None],
    count: int = 2,
    lines: int = 1,
    share: int = 1,
    first: int = 0,
    size: int = 12,
) -> None:
    """Check ``count`` programs for one in ``share`` of the rows and engines; one is the simplest.

    Of those rows `make test` has ``size``.

    What they have besides that row's line are lines of any other.
    """
    all_rows = rows(on)
    for number in part(range(first, len(all_rows), share), size):

        def make(random: Random, number: int = number) -> Written:
            choices = Choices(random)
            others = (choices.one_of(*all_rows) for _ in range(lines - 1))
            text = Writer(choices, on).program([all_rows[number], *others])
            return Written(text, on_machine(on, choices.one_of(*OPTIONS)))

        name = f"{check.__qualname__.partition('.')[0]}_{on}_{number}"
        examples(make, lambda made: check(made.text, made.options), name, count)()


def assembled(text: str, options: dict[str, object]) -> Program | list[Problem]:
    """The program, or why it is none."""
    try:
        return assemble(Source("any.nasm", text), TARGETS, options=options)
    except Failure as failure:
        return list(failure.problems)


def sensible(problems: Any, text: str) -> None:
    """Every problem has a known code, a sentence, and a place in the text."""
    for problem in problems:
        assert problem.code in KNOWN, text
        assert not problem.code.startswith("E09"), f"{problem}\n{text}"
        assert problem.message, text
        assert problem.span is not None, f"{problem}\n{text}"
        said = f"{problem.message} {problem.hint}"
        assert not INTERNAL.search(said), f"{said}\n{text}"


def mended(text: str, options: dict[str, object]) -> tuple[str, Program | None]:
    """The text without the lines that are refused, and what is left as a program."""
    while True:
        made = assembled(text, options)
        if isinstance(made, Program):
            return text, made
        assert made, text
        sensible(made, text)
        wrong = {p.span.source.position(p.span.start)[0] for p in made if p.span}
        kept = [s for n, s in enumerate(text.splitlines(), 1) if n not in wrong]
        if not any(line.startswith("@") for line in kept):
            return text, None
        text = "\n".join(kept) + "\n"


def stepped(program: Program) -> RunReport:
    """A run that goes one instruction at a time."""
    session = Session(program, {})
    while not session.over:
        session.step()
    return session.report()


def what_came(report: RunReport) -> tuple[object, ...]:
    """What two runs of a program have in common."""
    return (
        report.status,
        report.ticks,
        report.trace_hash,
        report.memory_hash,
        report.hazards,
        report.problems,
        report.warnings,
        report.messages,
        report.engines,
    )


def looked_at(program: Program, text: str) -> None:
    """Run a program: it ends, and ends alike however it is run."""
    for lines in program.queues:
        for number in set(lines.instructions):
            cost = program.instructions[number].shape(lines.engine, program.generation).cost
            assert (type(cost.interval), type(cost.latency)) == (int, int), text
            assert 0 < cost.interval <= cost.latency, text
    session, history, recording = Session(program, {}, trace=True), History(), Recording()
    session.machine.scheduler.observe(history)
    session.machine.scheduler.observe(recording)
    loops = "CompareBranch" in text
    cycles = OF_A_LOOP if loops else CYCLES
    report = session.run(max_cycles=cycles)
    found = (*report.problems, *report.hazards, *report.warnings)
    stopped = {"E0511"} if loops else set()  # which may have no place
    sensible((p for p in found if p.span is not None or p.code not in stopped), text)
    assert all(
        head <= start < finish for *_, head, start, finish in session.machine.trace.instructions
    ), text
    for queue in session.machine.scheduler.queues:
        busy, idle = queue.times(session.now)
        assert busy + sum(idle.values()) == session.now, text
        assert min([busy, *idle.values()]) >= 0, text
    compare(session, report, without_values(program, cycles))
    if report.status is Status.FINISHED and len(history):
        whole(history, session.now)
        again(history, recording, session.machine.scheduler)
    if loops and report.status is Status.LIMIT:
        return
    assert report.status in ENDS, text
    assert what_came(Session(program, {}).run()) == what_came(report), text
    assert what_came(stepped(program)) == what_came(report), text


def twice(text: str) -> str:
    """The same program on the second core as well, with names of its own."""
    head, *lines = text.splitlines()
    names = re.findall(r"^\.\w+ (\w+)", text, re.MULTILINE)
    own = re.compile(rf"\b({'|'.join([*names, 't_'])})\b")
    return "\n".join([head, *lines, ".core 1", *(own.sub(r"\1_1", s) for s in lines)]) + "\n"


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@machines
@pytest.mark.parametrize("first", range(4))
def test_a_line_is_refused_in_a_sentence_or_runs_to_its_end(on: str, first: int) -> None:
    ran = 0

    def check(text: str, options: dict[str, object]) -> None:
        nonlocal ran
        made = assembled(text, options)
        if isinstance(made, Program):
            looked_at(made, text)
            ran += 1
        else:
            sensible(made, text)

    every_row(on, check, count=5, share=4, first=first, size=4)
    assert ran >= (20 if everything() else 1)


@machines
def test_lines_beside_each_other_run_to_an_end(on: str) -> None:
    def check(text: str, options: dict[str, object]) -> None:
        whole = text if on == "trn1" or ".core" in text else twice(text)
        kept, made = mended(whole, options)
        if made is not None:
            looked_at(made, kept)

    every_row(on, check, lines=6, share=4, size=4)


@machines
def test_an_instruction_that_assembles_is_written_so_that_it_does_again(on: str) -> None:
    def check(text: str, options: dict[str, object]) -> None:
        made = assembled(text, options)
        if not isinstance(made, Program) or ".core" in text or "again" in text or "there" in text:
            return
        number, lines = next((n, q) for n, q in enumerate(made.queues) if len(q))
        heads = [line for line in text.splitlines() if not line.startswith("@")]
        bodies = []
        shown = [form_text(made, number, pc) for pc in range(len(lines))]
        for pc, said in enumerate(shown):
            row = made.instruction(number, pc).row
            posts = f" $t_ += {row.posts}" if row.posts else ""
            bodies.append(f"@{lines.engine} {said}{posts}")
        again = assembled("\n".join([*heads, *bodies, ""]), options)
        assert isinstance(again, Program), again
        other, queue = next((n, q) for n, q in enumerate(again.queues) if len(q))
        assert [form_text(again, other, pc) for pc in range(len(queue))] == shown

    every_row(on, check)


@machines
def test_the_command_says_the_same_checked_run_stepped_and_as_json(
    on: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NASM_DEBUG", "1")
    path = tmp_path / "any.nasm"

    def does(*arguments: str) -> tuple[int, str]:
        code = main(list(arguments))
        said = capsys.readouterr()
        return code, said.out + ("" if "--json" in arguments else said.err)

    def check(text: str, options: dict[str, object]) -> None:
        path.write_text(text)
        if "CompareBranch" in text:
            return
        checked, _ = does("check", str(path))
        ran, _ = does("run", str(path))
        assert (checked == 2) == (ran == 2)
        assert {checked, ran} <= {0, 1, 2}
        assert does("repl", str(path), "-ex", "step 10000")[0] == ran
        assert does("repl", str(path), "-ex", "run")[0] == ran
        code, document = does("check", str(path), "--json")
        assert (code, json.loads(document)["exit_code"]) == (checked, checked)
        code, document = does("run", str(path), "--json")
        assert (code, json.loads(document)["exit_code"]) == (ran, ran)

    every_row(on, check, share=12, size=2)
