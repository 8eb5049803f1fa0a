"""Programs to go to and fro in, all that is known of a run at a moment, and random moves.

What a session says at a moment is compared with a :class:`~nasm.runs.execution.Execution` that was
made anew
and has processed as many events: it knows nothing of the past, of breakpoints, or of going back.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.machine import tensor_io
from nasm.machine.records import Moment, RunReport, Status
from nasm.program.program import Program
from nasm.runs.execution import Execution
from nasm.targets import TARGETS
from nasm.views.view import View
from tests.fuzz.order import Ordered
from tests.machine.random_deadlocks import drawn, text
from tests.neuron.anything import Writer
from tests.neuron.choices import Choices
from tests.neuron.test_anything import mended, rows
from tests.order.mutants import changed, mutations

ROOT = Path(__file__).parents[2]
SMALL = ("columns", "countdown", "dma_trigger", "histogram", "matmul", "pair_softmax", "softmax")
"""Programs of ``programs/`` that run in a moment."""

LOOP = """\
.target trn2
.hbm X f32[128, 64] input = random(seed=1)
.sbuf x f32[128, 64]
.sbuf y bf16[128, 64] = zeros
.psum p f32[128, 64]
.sem loaded, done
@sync DmaCopy x, X $loaded += 16
@scalar RegisterMove %r0, 4
@vector EventSemaphore $loaded >= 16
.for i in 0..3
@vector TensorScalar y[:, i], x[:, i], op0=multiply, operand0=1.5 $done++
@vector Memset p[:, 8 * i : 8 * i + 8], 1.0
.end
again: @scalar RegisterAlu %r0, %r0, 1, op=subtract
@scalar CompareBranch %r0, 0, op=greater, target=again
@gpsimd Memset y[:, 5], 2.0 $done >= 2
@sync DmaCopy X[0:8], x[0:8]
"""
"""All sorts of things in few events."""

Made = tuple[Program, Source]


def made(words: str, name: str = "p.nasm") -> Made:
    """A text, assembled."""
    source = Source(name, words)
    return assemble(source, TARGETS), source


@contextmanager
def programs(kind: str, seed: int | str) -> Iterator[Made]:
    """A program of a kind."""
    draw = random.Random(f"{kind} {seed}")
    if kind == "wrong":
        yield made((ROOT / "tests" / "wrong" / f"{seed}.nasm").read_text())
    elif kind == "file":
        source = source_of(ROOT / "programs" / f"{SMALL[int(seed)]}.nasm")
        yield assemble(source, TARGETS), source
    elif kind == "stuck":
        yield made(text(drawn(int(seed))))
    elif kind == "any":
        on = draw.choice(("trn1", "trn2", "trn3"))
        some = draw.sample(rows(on), 6)
        words, program = mended(Writer(Choices(draw), on).program(some), {})
        assert program is not None
        yield program, Source("any.nasm", words)
    else:
        program, source = made(Ordered().make(draw).decode())
        if kind == "ordered":
            yield program, source
        else:
            some_changes = list(mutations(program))
            with changed(program, draw.choice(some_changes)):
                yield program, source


CASES = [
    *(("file", n) for n in range(len(SMALL))),
    *(("ordered", n) for n in range(6)),
    *(("mutant", n) for n in range(8)),
    *(("stuck", n) for n in range(8)),
    *(("any", n) for n in range(10)),
]

CYCLES = 200_000
"""Of the base clock: none of these takes as many, unless it has no end."""


def plain(given: Made) -> Execution:
    """A run that knows nothing of its past."""
    program, source = given
    found = Execution(program)
    found.source = source
    return found


def session(given: Made, **more: Any) -> Session:
    """A session with a program."""
    program, source = given
    found = Session(program, **more)
    found.source = source
    return found


def ends(given: Made) -> RunReport | None:
    """The report of a plain run; None if it has no end."""
    report = plain(given).run(max_cycles=CYCLES)
    return None if report.status is Status.LIMIT else report


def at(given: Made, moment: Moment) -> Execution:
    """A plain run at a moment, of which nothing was changed by hand until then."""
    run = plain(given)
    scheduler = run.machine.scheduler
    while scheduler.position < moment.position:
        run.process(moment.position - scheduler.position)
    if moment.poised:
        scheduler.poise = lambda queue, task: True
        run.process(1)
        scheduler.poise = None
    elif scheduler.now < moment.tick:
        run.process(1, moment.tick)
    assert run.moment[:2] == moment[:2]
    return run


def standing(run: Execution) -> dict[str, Any]:
    """All that can be known of a run now."""
    machine = run.machine
    return {
        "moment": run.moment._replace(changes=0),
        "status": run.status if run.ended else None,
        **{f"tensor {name}": _held(run, name) for name in run.program.tensors},
        "trace": machine.summary.digest(),
        "queues": run.queues(),
        "semaphores": run.semaphores(),
        "channels": run.channels(),
        "coming": [(tick, type(what).__name__) for tick, what in machine.scheduler.coming()],
        "flying": [(f.key, f.left) for f in machine.scheduler.transfers.values()],
        "registers": [registers.save() for registers in machine.state.registers],
        "found": _said(run),
        "messages": run.messages,
        "casts": [str(casting.save()) for casting in machine.state.castings],
    }


def _held(run: Execution, name: str) -> tuple[str, str]:
    """What a tensor holds, and of which elements that is known."""
    addresses, view = run.machine.addresses, View.whole(run.program.tensors[name])
    bits = (tensor_io.contents(addresses, view), tensor_io.known(addresses, view))
    digests = (hashlib.blake2b(np.ascontiguousarray(b).tobytes()).hexdigest()[:8] for b in bits)
    first, second = digests
    return first, second


def _said(run: Execution) -> object:
    judged = run.judged()
    every = (*judged.errors, *judged.warnings, *run.problems)
    return [(p.code, p.message, [n.message for n in p.notes]) for p in every]


def differing(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """What of two of them is not the same; tensors that were declared later are left out."""
    both = [key for key in one if key in other]
    return {key: (one[key], other[key]) for key in both if one[key] != other[key]}


def checked(given: Made, session: Session, went: object = None) -> None:
    """A session in which nothing was changed stands as a plain run would."""
    assert not session.changes_made
    found = differing(standing(session), standing(at(given, session.moment)))
    assert not found, f"{found}\nwent {went}"


class Traveller:
    """Moves a session at random; ``went`` is what it did."""

    def __init__(self, session: Session, draw: random.Random) -> None:
        self.session, self.draw = session, draw
        self.went: list[str] = []
        program = session.program
        self.engines = [program.queue_name(q) for q in range(len(program.queues))]
        self.tensors = [t.name for t in program.tensors.values()]
        self.counters = list(program.semaphores)
        self.marks = 0

    def moves(self) -> list[Callable[[], object]]:
        """What it can do that changes nothing."""
        one, draw = self.session, self.draw
        engine = draw.choice([None, *self.engines])
        some = draw.choice((1, 1, 2, 3, 7))
        cycles = draw.choice((1, 5, 64, 500, 3_000))
        found: list[Callable[[], object]] = [
            lambda: one.step(engine, some),
            lambda: one.advance(cycles, engine),
            lambda: [one.event() for _ in range(some)],
            lambda: one.finish(draw.choice(self.engines)),
            lambda: one.finish_loop(draw.choice(self.engines), draw.random() < 0.5),
            lambda: one.finish_transfers(),
            lambda: one.run(max_instructions=some, hashes=False),
            lambda: one.run(
                max_cycles=cycles + one.now // one.program.generation.base.cycle, hashes=False
            ),
            lambda: one.back(some, engine),
            lambda: one.back(some, engine),
            lambda: one.back_cycles(cycles, engine),
            lambda: one.goto(draw.randrange(3_000)),
            lambda: one.goto(draw.choice(("start", "end"))),
            self.mark,
            lambda: one.goto(f"m{draw.randrange(self.marks)}") if self.marks else None,
        ]
        if self.counters:
            counter = draw.choice(self.counters)
            found += [
                lambda: one.back_until(f"${counter} >= {some}"),
                lambda: one.run_until(f"${counter} >= {some}"),
                lambda: one.history(counter),
            ]
        if self.tensors:
            tensor = draw.choice(self.tensors)
            found += [lambda: one.back_to_write(tensor), lambda: one.last_write(tensor)]
        return found

    def mark(self) -> None:
        """Give a name to where it is."""
        self.session.mark(f"m{self.marks}")
        self.marks += 1

    def move(self) -> None:
        """Do one of these."""
        every = self.moves()
        number = self.draw.randrange(len(every))
        self.went.append(f"{number} from {self.session.moment}")
        with suppress(Refused, Failure):
            every[number]()

    def change(self) -> None:
        """Change something by hand."""
        one, draw = self.session, self.draw
        ways: list[Callable[[], object]] = [
            lambda: one.skip(draw.choice(self.engines)),
            lambda: one.set_pc(draw.choice(self.engines), draw.randrange(3)),
            lambda: one.execute(f"@{draw.choice(self.engines)} Nop"),
            lambda: one.declare(f".sbuf t{draw.randrange(1 << 30)} f32[4, 4] = iota"),
            lambda: one.set(f"@{draw.choice(self.engines)} %r0", draw.randrange(4)),
        ]
        if self.counters:
            counter = draw.choice(self.counters)
            ways.append(lambda: one.set(f"${counter}", draw.randrange(20)))
        if self.tensors:
            ways.append(lambda: one.set(draw.choice(self.tensors), draw.randrange(3)))
        number = draw.randrange(len(ways))
        self.went.append(f"change {number} at {one.moment}")
        with suppress(Refused, Failure):
            ways[number]()
