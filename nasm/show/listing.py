"""What a program became: a line for each instruction, queue by queue."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict

from rich.text import Text

from nasm.base.problems import clean
from nasm.base.records import dataclass, fields
from nasm.isa.effects import RankExchange, Rendezvous, Transfer
from nasm.isa.instruction import Row
from nasm.language.printing.declarations import setting
from nasm.language.printing.lines import update_text, wait_text
from nasm.language.printing.text import counter_names
from nasm.program import instruction_text
from nasm.program.program import Program, Update, Wait
from nasm.show.documents import Key, Shape

UNKNOWN = "?"
WRITE = ".write "
"""How a line begins that represents the instructions that write settings."""


@dataclass(frozen=True, slots=True)
class ListedLine:
    """A line of a queue. ``offset`` counts those of all queues, one after the other.

    ``cycles`` are those for which its unit is busy and ``latency`` those until its results, in
    cycles of its engine, without what a pace adds; None where they follow from the run.
    """

    offset: int
    core: int
    engine: str
    pc: int
    labels: tuple[str, ...]
    cycles: int | None
    latency: int | None
    mnemonic: str
    operands: str
    wait: str
    update: str
    place: str
    expansion: str


def lines(
    program: Program, engines: Collection[str] = (), core: int | None = None, foreign: bool = False
) -> Iterator[ListedLine]:
    """Every line, or those of some engines and of a core.

    With ``foreign`` it is written as the vendor's profiler shows it, as far as that is known.
    """
    names = counter_names(program)
    offset = 0
    for number, queue in enumerate(program.queues):
        if (engines and queue.engine not in engines) or core not in (None, queue.core):
            offset += len(queue)
            continue
        labels: dict[int, list[str]] = {}
        for name, pc in queue.labels.items():
            labels.setdefault(pc, []).append(name)
        for pc in range(len(queue)):
            instruction = program.instruction(number, pc)
            wait = program.waits[queue.waits[pc]]
            update = program.updates[queue.updates[pc]]
            typed = instruction_text.typed(instruction, program.span(number, pc))
            opcode, operands = instruction.row.name, instruction_text.operands(instruction, typed)
            waits, updates = wait_text(wait, names), update_text(update, names)
            profiled = program.target.profiled
            if foreign and profiled is not None:
                opcode, operands = profiled(instruction.row, instruction.operands)
                waits, updates = _waited(program, wait), _updated(program, instruction.row, update)
            yield ListedLine(
                offset + pc,
                queue.core,
                queue.engine,
                pc,
                tuple(labels.get(pc, ())),
                *_cost(program, number, pc),
                opcode or UNKNOWN,
                operands,
                waits,
                updates,
                *_where(program, number, pc),
            )
        offset += len(queue)


def _cost(program: Program, queue: int, pc: int) -> tuple[int | None, int | None]:
    instruction = program.instruction(queue, pc)
    effect = instruction.row.effect
    cost = instruction.shape(program.queues[queue].engine, program.generation).cost
    if effect is not None and issubclass(effect, Transfer | Rendezvous | RankExchange):
        return None, None
    return cost.interval, cost.latency


def _where(program: Program, queue: int, pc: int) -> tuple[str, str]:
    """Where it is written, and the expansions that led there."""
    lines = program.queues[queue]
    span = program.spans[lines.spans[pc]]
    if span is None:
        return "", ""
    chain = (*program.chains[lines.chains[pc]], *span.chain)
    steps = [frame.what for frame in chain]
    if span.text.startswith(WRITE):
        steps.append(" ".join(span.text.split()))
    return f"{span.source.shown}:{span.line}", ", ".join(steps)


def _waited(program: Program, wait: Wait | None) -> str:
    """``$S[45]>=16``."""
    return "" if wait is None else f"{_counter(program, wait.semaphore)}{wait.op}{wait.value}"


def _updated(program: Program, row: Row, update: Update | None) -> str:
    """``$S[8]++@complete``, and of a transfer ``semaphore=8 sem_increment=16``."""
    if update is None:
        return ""
    _, number, event = program.generation.counter(update.semaphore)
    if row.posts:
        return f"semaphore={number} sem_increment={update.value}"
    plain = (update.op, update.value) == ("+", 1) and not event
    counter = _counter(program, update.semaphore)
    return f"{counter}{'++' if plain else UNKNOWN}@{'read' if update.at_read else 'complete'}"


def _counter(program: Program, index: int) -> str:
    _, number, event = program.generation.counter(index)
    return UNKNOWN if event else f"$S[{number}]"


# ---------------------------------------------------------------- shown


def settings(
    program: Program, engines: Collection[str] = (), core: int | None = None
) -> list[Text]:
    """What cores begin with, as the text sets it: of all, or of some engines and of a core."""
    made = []
    for one in program.settings:
        if core not in (None, one.core) or (engines and one.engine and one.engine not in engines):
            continue
        of_core = f"core {one.core}" if program.cores > 1 else ""
        who = f"@{program.named(one.core, one.engine)}" if one.engine else of_core
        made.append(Text(f"{who}  {setting(one, program)}".lstrip()))
    return made


NAMES = ("offset", "pc", "cycles", "", "instruction", "operands", "wait", "update", "written at",
         "expansion")  # fmt: skip
RIGHT = 3
"""Columns at the left that hold numbers."""

STYLES = ("", "", "", "", "cyan", "", "", "", "dim", "dim")


def table(program: Program, found: Iterable[ListedLine]) -> list[Text]:
    """The lines in columns, queue by queue; none is folded."""
    rows: list[tuple[str, ...] | str] = []
    before = None
    for line in found:
        if before != (line.core, line.engine):
            rows.append(f"@{program.named(line.core, line.engine)}")
            before = line.core, line.engine
        rows.append(_row(line))
    cells = [row for row in rows if isinstance(row, tuple)]
    widths = [max(map(len, column)) for column in zip(NAMES, *cells, strict=True)]
    made = [_shown(NAMES, widths, ["dim"] * len(NAMES))] if cells else []
    for row in rows:
        if isinstance(row, str):
            made += [Text(), Text(row, "bold")]
        else:
            made.append(_shown(row, widths, STYLES))
    return made


def _row(line: ListedLine) -> tuple[str, ...]:
    return (
        str(line.offset),
        str(line.pc),
        UNKNOWN if line.cycles is None else f"{line.cycles:,}",
        " ".join(f"{label}:" for label in line.labels),
        line.mnemonic,
        *map(clean, (line.operands, line.wait, line.update, line.place, line.expansion)),
    )


def _shown(row: Sequence[str], widths: Sequence[int], styles: Sequence[str]) -> Text:
    made = Text()
    for at, (cell, width, style) in enumerate(zip(row, widths, styles, strict=True)):
        if width:
            made.append(cell.rjust(width) if at < RIGHT else cell.ljust(width), style)
            made.append("  ")
    made.rstrip()
    return made


LINE: Shape = (
    Key("offset", "the number of the line among those of all queues"),
    Key("core", "its place"),
    Key("engine"),
    Key("pc"),
    Key("labels", "the labels there"),
    Key("cycles", "cycles of its engine for which its unit is busy; null where the run decides"),
    Key("latency", "cycles until its results; null as above"),
    Key("mnemonic", "the instruction; with `--explorer` the profiler's opcode, or `?`"),
    Key("operands", "as texts"),
    Key("wait"),
    Key("update"),
    Key("place", "file and line where it is written"),
    Key("expansion", "the rounds of loops that led there"),
)


def comma_separated(found: Iterable[ListedLine]) -> str:
    """The lines as CSV, with their names in the first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([field.name for field in fields(ListedLine)])
    for line in found:
        row = asdict(line) | {"labels": " ".join(line.labels)}
        writer.writerow(["" if value is None else value for value in row.values()])
    return out.getvalue()
