"""Programs of Tensix: random fields, words, settings and synchronisation, on three threads."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from random import Random

from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.isa.field_kinds import Field
from nasm.isa.instruction import Row
from nasm.language.assemble import assemble
from nasm.language.printing import text as printed
from nasm.language.printing.words import text_of, words_of
from nasm.machine import Machine
from nasm.machine.records import Status
from nasm.program.program import Program
from nasm.runs.execution import Execution
from nasm.targets import TARGETS
from nasm.targets.tensix import TARGET
from nasm.targets.tensix.core.tensix import Tensix as Held
from nasm.targets.tensix.isa import words_on
from nasm.targets.tensix.words import WORDS as TABLE
from nasm.targets.tensix.words.word import Described
from tests.fuzz import promises
from tests.fuzz.finding import Found
from tests.fuzz.mutations import TOKEN, mutated

WORDS = words_on("wormhole")

Rows = Sequence[Row]
QUEUES = ("t0", "t1", "t2")
ROWS: Rows = tuple(TARGET.rows(TARGET.generations[0]))
FAMILIES = ("vector", "matrix", "moving", "scalar", "config", "misc", "sync", "frontend")
BY_UNIT = tuple(
    tuple(
        row
        for row in ROWS
        if f".isa.{family}" in row.semantics.__module__
        and TABLE[row.name].described is Described.DOCS
        and row.name not in ("MOP", "PACR_SETREG", "LOADREG", "STOREREG")
    )
    for family in FAMILIES
)
"""Rows that do something, by what does it."""

CYCLES = 1_500
"""What a run may take: a MOP is thousands of instructions."""

HEAD = ".target wormhole\n"


class Tensix:
    """Texts of Tensix programs, most of which assemble."""

    name, suffix, each = "tensix", ".nasm", 1
    memory, seconds = 1 << 30, 10.0

    def make(self, rng: Random) -> bytes:
        """A program; of some the text is mutated as any text."""
        lines = list(_settings(rng))
        for queue in rng.sample(QUEUES, rng.choice([1, 1, 2, 3, 3])):
            lines += [f"@{queue}", *_thread(rng)]
        if rng.random() < 0.3:
            _mended(lines)
        text = HEAD + "\n".join(lines) + "\n"
        if rng.random() < 0.15:
            text = mutated(rng, text, [text])
        return text.encode("utf-8", "replace")

    def check(self, data: bytes) -> None:
        """Assemble it, run it, and look at all that is said; it is its own text and words."""
        source = Source("fuzzed.nasm", data.decode("utf-8"))
        try:
            program = assemble(source, TARGETS, options=_options(data))
            promises.names(program)
            promises.problems(program.warnings)
            if program.target is not TARGET or not promises.small(program):
                return
            end = _ends(program, data)
            if promises.chosen(data, 4):
                _own_text(program, end)
        except Failure as failure:
            promises.refused(failure)

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """Lines, then tokens."""
        yield data.splitlines(keepends=True)
        yield [token.encode() for token in TOKEN.findall(data.decode("utf-8"))]


# -- what holds


def _ends(program: Program, data: bytes) -> promises.Ending:
    """Run it, and again, restored from half-way: one end."""
    rng = Random(zlib.crc32(data))
    session, together = Session(program), Execution(program)
    made = session.run(max_cycles=CYCLES)
    promises.report(made, program, promises.chosen(data, 8))
    at_once = promises.ending(together.run(max_cycles=CYCLES)), _state(together.machine)
    if at_once != (promises.ending(made), _state(session.machine)):
        raise Found("hash", "a run with bursts ends otherwise", f"{at_once}\n{made}")
    if made.status is Status.LIMIT:
        return promises.ending(made)
    other = Session(program)
    for _ in range(rng.randint(0, 12)):
        other.step()
    other.advance(rng.randint(1, max(1, session.now)))
    there = other.checkpoint()
    for _ in range(rng.randint(1, 9)):
        other.step()
    first = other.run(max_cycles=CYCLES)
    other.back_to(there)
    ends = [promises.ending(report) for report in (made, first, other.run(max_cycles=CYCLES))]
    for what, end in zip(("stepped", "restored from half-way"), ends[1:], strict=True):
        if end != ends[0]:
            raise Found("hash", f"a run {what} ends otherwise", f"{ends[0]}\n{end}")
    return ends[0]


def _state(machine: Machine) -> object:
    """Where the time of each queue went, and what is held."""
    now = machine.scheduler.now
    times = [(queue.pc, queue.count, queue.times(now)) for queue in machine.scheduler.queues]
    held = [
        (core.vector.registers.tobytes(), core.matrix.dst.tobytes(), core.matrix.defined.tobytes())
        for core in machine.holds
        if isinstance(core, Held)
    ]
    return machine.scheduler.records, times, held


def _own_text(program: Program, end: promises.Ending) -> None:
    """What is printed of it is the same program, and so are its words."""
    again = assemble(Source("printed.nasm", printed(program)), TARGETS)
    if promises.ending(Session(again).run(max_cycles=CYCLES)) != end:
        raise Found("hash", "what is printed of a program ends otherwise", printed(program))
    if not any(queue.labels for queue in program.queues):
        words = words_of(program)
        text = text_of(TARGET, "wormhole", words)
        if words_of(assemble(Source("words.nasm", text), TARGETS)) != words:
            raise Found("hash", "the words of a program are others in their text", text)


def _options(data: bytes) -> dict[str, object]:
    rng = Random(zlib.crc32(data) + 1)
    few = rng.sample(TARGET.options, rng.randint(1, 3)) if rng.random() < 0.3 else []
    return {o.name: rng.choice([*o.choices]) for o in few}


# -- what is made


def _mended(lines: list[str]) -> None:
    """Take away lines that are refused, so that others are reached; not all that there may be."""
    for _ in range(6):
        source = Source("made.nasm", HEAD + "\n".join(lines) + "\n")
        try:
            session = Session(assemble(source, TARGETS))
            found: Sequence[Problem] = session.run(max_cycles=CYCLES).problems
            found = [problem for problem in found if problem.code != "E0510"]
        except Failure as failure:
            found = failure.problems
        except Exception:  # it is for the check to find
            return
        at = {source.position(p.span.start)[0] - 2 for p in found if p.span is not None}
        if not at:
            return
        lines[:] = [line for n, line in enumerate(lines) if n not in at]


def _settings(rng: Random) -> Iterator[str]:
    """Some settings, one in ten with a value that none takes."""
    assert TARGET.settings(TARGET.generations[0]) is not None
    offered = list(TARGET.settings(TARGET.generations[0]).offered.values())
    if rng.random() < 0.5:
        yield from _UNCOMPRESSED
    for setting in rng.sample(offered, rng.choice([0, 0, 1, 4, 40])):
        values = [setting.least, setting.most, rng.randint(setting.least, setting.most)]
        said = f"= {rng.choice([*setting.words, *map(str, values)])}"
        if setting.instruction and rng.random() < 0.8:
            said = f": {_instruction(rng)}"
        if rng.random() < 0.004:
            said = rng.choice(["= -1", "= 0x1_0000_0000", "= bf17", "= 1.5", "= [1]", ": NOP 1"])
        yield f"{f'@{rng.choice(QUEUES)} ' if setting.of_queue else ''}.cfg {setting.name} {said}"


def _thread(rng: Random) -> Iterator[str]:
    """Lines of a thread: of one unit mostly, or of all."""
    units = rng.choice([BY_UNIT, rng.sample(BY_UNIT, 1), rng.sample(BY_UNIT, 2)])
    if rng.random() < 0.5:
        yield "    SETDVALID 3"
    for _ in range(rng.choice([1, 3, 8, 8, 20, 40])):
        yield from (f"    {line}" for line in _lines(rng, units))


def _lines(rng: Random, units: Sequence[Rows]) -> Iterator[str]:
    """A line, or a sequence that is recorded and played."""
    draw = rng.random()
    if draw < 0.04:
        yield f".word {_word(rng):#010x}"
    elif draw < 0.14:
        yield rng.choice(_USUAL)(rng)
    elif draw < 0.17:
        start, count = rng.choice([0, 1, 30, 31]), rng.choice([1, 2, 5, 31, 32, 0])
        yield f"REPLAY start_idx={start}, len={count}, load_mode=1, {_while(rng)}"
        for _ in range(count or rng.choice([5, 64])):
            yield _instruction(rng, units)
        for _ in range(rng.randrange(3)):
            yield f"REPLAY start_idx={start}, len={rng.randint(1, max(1, count))}"
    elif draw < 0.173:
        yield rng.choice(ROWS).name
    else:
        yield _instruction(rng, units)


def _while(rng: Random) -> str:
    return f"execute_while_loading={rng.randrange(2)}"


def _word(rng: Random) -> int:
    """A random word that is an instruction, or one of a few that are none."""
    word = 0
    for _ in range(1 if rng.random() < 0.1 else 200):
        word = rng.choice(list(WORDS.rows)) << 24 | rng.getrandbits(24) & rng.getrandbits(24)
        if not WORDS.reason(word):
            break
    return word


def _instruction(rng: Random, units: Sequence[Rows] = BY_UNIT) -> str:
    """An instruction with a few fields, by the names of documents or of macros."""
    row = rng.choice(rng.choice(units))
    assert row.encoding is not None
    forms = row.encoding.forms
    for _ in range(1 if rng.random() < 0.01 else 20):
        form = rng.choice(forms) if forms and rng.random() < 0.6 else None
        share = rng.choice([0.2, 0.7, 1.0])
        few = [f for f in (form.fields if form else row.encoding.operands) if f.name]
        given = {f: _value(rng, f) for f in few if rng.random() < share}
        word = row.encoding.code << 24 | (form.value if form else 0)
        if not WORDS.reason(word | sum(f.put(value) for f, value in given.items())):
            break
    else:
        return "NOP"
    return f"{row.name} {', '.join(f'{f.name}={value}' for f, value in given.items())}".rstrip()


def _value(rng: Random, field: Field) -> int:
    most = (1 << field.width) - 1
    if rng.random() < 0.0005:
        return rng.choice([-1, most + 1, 1 << 32])
    return rng.choice([0, 0, 1, min(4, most), most, most - 1, most >> 1, rng.randint(0, most)])


def _mop(rng: Random) -> str:
    return f"MOP {rng.randrange(2)}, {rng.choice([0, 1, 7, 127])}, {rng.getrandbits(16)}"


_UNCOMPRESSED = (
    *(f".cfg THCON_SEC{at}_REG0_TileDescriptor = {1 << 4 | 32 << 16}" for at in (0, 1)),
    *(
        f".cfg THCON_{at}_Disable_zero_compress = 1"
        for at in ("SEC0_REG1", "SEC0_REG8", "SEC1_REG1", "SEC1_REG8")
    ),
)
"""Without these, packers and unpackers refuse."""

_USUAL = (
    _mop,
    lambda rng: f"MOP_CFG {rng.getrandbits(16)}",
    lambda rng: f"SEMINIT {rng.randrange(16)}, {rng.randrange(4)}, {1 << rng.randrange(8)}",
    lambda rng: f"SEMPOST {1 << rng.randrange(8)}",
    lambda rng: f"SEMGET {1 << rng.randrange(8)}",
    lambda rng: f"SEMWAIT {rng.getrandbits(9)}, {1 << rng.randrange(8)}, {rng.choice([1, 2])}",
    lambda rng: f"STALLWAIT {rng.getrandbits(9)}, {1 << rng.randrange(13)}",
    lambda rng: f"ATGETM {rng.randrange(8)}",
    lambda rng: f"ATRELM {rng.randrange(8)}",
    lambda rng: "SETDVALID 3",
    lambda rng: f"CLEARDVALID {rng.randrange(4)}, {rng.randrange(4)}",
    lambda rng: f"SETDMAREG 0, {rng.getrandbits(16)}, 0, {rng.randrange(128)}",
    lambda rng: f"SETC16 {rng.randrange(64)}, {rng.getrandbits(16)}",
    lambda rng: f"RMWCIB{rng.randrange(4)} 255, {rng.getrandbits(8)}, {rng.randrange(256)}",
)
"""What programs are full of, with numbers that mean something mostly."""
