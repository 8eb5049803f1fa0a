"""Locations: which instructions of a program a line, a label, a mnemonic or an engine means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from nasm.base.problems import Refused, did_you_mean, listed, quoted
from nasm.base.records import dataclass
from nasm.base.source import Source, Span, brief
from nasm.debugger.values.rounds import rounds_at, variables
from nasm.isa.micro_instructions import micro_of
from nasm.program.program import Program, QueueProgram
from nasm.runs.inspection import Inspection

UNKNOWN = "E0822"

_NAME = re.compile(r"[A-Za-z_]\w*")
_MICRO = re.compile(r"(\d{1,9})\.(\d{1,9})")
_ROUND = re.compile(r"\.for (\w+) = (-?\d+)")


@dataclass(frozen=True, slots=True)
class CodeLocation:
    """Instructions of a program: their pcs by queue; ``text`` says which.

    ``moved`` says where it went if what was asked for has no instruction. Of instructions that are
    expanded it is the first of those that replace them, or the one of the number ``micro``. Of a
    line that was asked for ``line`` is the one that has them.
    """

    text: str
    pcs: Mapping[int, frozenset[int]]
    moved: str = ""
    micro: int = 0
    line: int = 0

    def holds(self, queue: int, pc: int) -> bool:
        """Whether an instruction is one of them."""
        found = self.pcs.get(queue)
        return found is not None and pc in found and micro_of(pc) == self.micro

    @property
    def count(self) -> int:
        """How many instructions there are."""
        return sum(map(len, self.pcs.values()))


def location(held: Inspection, text: str) -> CodeLocation:
    """What a text refers to; raises Refused.

    A line number, a line of one of several files (``kernel.py:57``), a label, a mnemonic, an
    engine, an engine with a pc (``tensor pc 3``); with the number of one of several instructions
    that it is expanded to, ``tensor pc 3.2`` or ``tensor:3.2``.
    """
    words = text.split()
    if len(words) == 1 and words[0].isdecimal():
        return _line(held, int(words[0][:9]), text_of(held))
    file, _, line = text.strip().rpartition(":")
    if file and line.isdecimal():
        return _line(held, int(line[:9]), file_of(held, file))
    if len(words) == 3 and words[1] == "pc":
        return _at(held, words[0], words[2])
    if file and _MICRO.fullmatch(line):
        return _at(held, file, line)
    program = held.program
    if len(words) == 1:
        word = words[0]
        pcs = {q: frozenset((ls.labels[word],)) for q, ls in _labelled(program, word)}
        if pcs:
            return CodeLocation(f"label {word}", pcs)
        if word in program.target.isa.rows:
            return _mnemonic(program, word)
        try:
            queue = held.queue(word)
        except Refused:
            pass
        else:
            every = frozenset(range(queue.length))
            return CodeLocation(f"@{program.queue_name(queue.index)}", {queue.index: every})
    known = [program.queue_name(q) for q in range(len(program.queues))]
    known += [label for lines in program.queues for label in lines.labels]
    known += [row.name for row in program.target.isa]
    name = _NAME.match(text)
    if name is not None and name[0] in program.tensors:
        hint = f"'watch {name[0]}' stops when it changes, 'break if {name[0]}[0, 0] > 1' by a value"
        raise Refused(UNKNOWN, f"no location '{quoted(text)}' in the program", hint)
    hint = did_you_mean(text, known) or "a line, a label, a mnemonic, an engine, or 'ENGINE pc N'"
    raise Refused(UNKNOWN, f"no location '{quoted(text)}' in the program", hint)


def _labelled(program: Program, word: str) -> Iterator[tuple[int, QueueProgram]]:
    for queue, lines in enumerate(program.queues):
        if lines.labels.get(word, len(lines)) < len(lines):
            yield queue, lines


def _mnemonic(program: Program, word: str) -> CodeLocation:
    pcs = {
        queue: frozenset(
            pc
            for pc, number in enumerate(lines.instructions)
            if program.instructions[number].row.name == word
        )
        for queue, lines in enumerate(program.queues)
    }
    if not any(pcs.values()):
        raise Refused(UNKNOWN, f"the program has no {word}")
    return CodeLocation(word, {queue: found for queue, found in pcs.items() if found})


def _at(held: Inspection, engine: str, number: str) -> CodeLocation:
    queue = held.queue(engine)
    one = _MICRO.fullmatch(number) if held.program.target.expand is not None else None
    whole, micro = (one[1], int(one[2])) if one else (number, 0)
    pc = int(whole) if whole.isdecimal() and len(whole) < 10 else -1
    name = held.program.queue_name(queue.index)
    if not 0 <= pc < queue.length:
        raise Refused(UNKNOWN, f"no pc {quoted(number)}: {name} has {queue.length} instructions")
    place = f"@{name} pc {pc}" + (f".{micro}" if one else "")
    return CodeLocation(place, {queue.index: frozenset((pc,))}, micro=micro)


def file_of(held: Inspection, name: str) -> Source:
    """The file of a program whose path ends so; raises Refused."""
    sources = {id(s.source): s.source for s in held.program.spans if s is not None}
    ends = [s for s in sources.values() if name in (s.name, s.label)]
    ends = ends or [s for s in sources.values() if f"/{s.name}".endswith(f"/{name}")]
    if len(ends) != 1:
        names = sorted(s.shown for s in (ends or sources.values()))
        message = (
            f"several files are called '{quoted(name)}'" if ends else f"no file '{quoted(name)}'"
        )
        hint = f"the program is made of {listed(names[:12], 'and')}" if names else ""
        raise Refused(UNKNOWN, message, hint)
    return ends[0]


def _line(held: Inspection, line: int, source: Source | None) -> CodeLocation:
    """A line, or the next one that has an instruction."""
    program = held.program
    if source is None:
        raise Refused(UNKNOWN, "the program has no text")
    found: dict[int, dict[int, set[int]]] = {}
    for queue, lines in enumerate(program.queues):
        numbers = {n: s.line for n in set(lines.spans) if (s := _in(program, n, source))}
        for pc, span in enumerate(lines.spans):
            at = numbers.get(span, 0)
            if at >= line:
                found.setdefault(at, {}).setdefault(queue, set()).add(pc)
    if not found:
        last = source.position(len(source.text))[0]
        raise Refused(UNKNOWN, f"no instruction on or after line {line} of {last}")
    at = min(found)
    moved = "" if at == line else f"line {line} has no instruction: moved to line {at}"
    where = f"line {at} of {source.shown}"
    if source.label or source is text_of(held):
        where = brief(at, source.label)
    return CodeLocation(where, {q: frozenset(pcs) for q, pcs in found[at].items()}, moved, line=at)


def _in(program: Program, number: int, source: Source) -> Span | None:
    span = program.spans[number]
    return span if span is not None and span.source is source else None


def text_of(held: Inspection) -> Source | None:
    """The text of a program, None for one that was built."""
    if held.source is not None:
        return held.source
    return next((span.source for span in held.program.spans if span is not None), None)


def rounds(held: Inspection, queue: int, pc: int) -> dict[str, int]:
    """The variables of the loops around an instruction, with their values there and now."""
    program = held.program
    chain = program.chains[program.queues[queue].chains[pc]]
    found = (_ROUND.fullmatch(frame.what) for frame in chain)
    unrolled = {match[1]: int(match[2]) for match in found if match is not None}
    return rounds_at(held, queue, pc) | unrolled


def loop_variables(program: Program) -> frozenset[str]:
    """The variables of all loops, unrolled and at run time."""
    frames = (frame.what for chain in program.chains for frame in chain)
    unrolled = frozenset(match[1] for what in frames if (match := _ROUND.fullmatch(what)))
    return unrolled | variables(program)
