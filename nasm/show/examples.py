"""Whole programs around the examples of rows: tensors declared, filled and waited for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nasm.base.source import Source
from nasm.isa.generation import Generation
from nasm.isa.instruction import Operand, Row
from nasm.isa.list_kinds import views
from nasm.isa.target import Samples, Target
from nasm.language.assemble import assemble
from nasm.language.expanding.statements import unknown_target
from nasm.program.availability import available
from nasm.program.program import Program

SIZE = 128
"""Elements per partition of the tiles in a program that shows an example."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_DECLARED = re.compile(
    r"(?:@(\w+)\s+)?\.(\w+)\s+(\w+)\s+([\w]+\s*\[[^\]]*\])\s*(?:input\s*=\s*(.+))?"
)
_LABEL = re.compile(r"\w+:\s")
_INTEGER = re.compile(r"u?int|[iu]\d")


def whole(row: Row, target: Target, name: str | None = None) -> str:
    """A program to read and to run: a row's example, on a machine or on the first that has it.

    Raises Refused if there is no such machine, or if it lacks the instruction.
    """
    generation = next(g for g in target.generations if target.available(row, g))
    if name is not None:
        found = target.generation(name)
        if found is None:
            raise unknown_target(name, [s for g in target.generations for s in g.spellings])
        generation = found
    row = target.row(row.name, generation) or row
    have = target.engines(row, generation)
    engine = next((e for e in row.engines if e in have), row.engines[0])  # as the row prefers
    available(target, generation, row, engine)
    text = program_text(row, engine, generation, target, SIZE)
    return f"; {row.name}: {row.summary}\n{text}"


def program_text(
    row: Row, engine: str, generation: Generation, target: Target, n: int, limit: int = 0
) -> str:
    """A program that runs a row's example, with tiles of ``n`` elements per partition.

    The tensor called ``a`` has at most ``limit`` of them (0: as many). What the example reads is
    filled first. Raises Failure, for example where the engine lacks what the example does.
    """
    samples = target.samples
    assert samples is not None, "the target has no tensors for examples"
    text = _example_lines(row, engine, samples)
    words = set(_WORD.findall("\n".join(text)))
    prepared = [samples.transfer] if "load" in words else []
    words |= set(_WORD.findall("\n".join(prepared)))
    tensors = {}
    for line in (*samples.tensors, *row.tensors.strip().splitlines()):
        match = _DECLARED.match(line.strip())
        assert match is not None, f"{row.name}: no declaration of a tensor: {line}"
        only, memory, name, what, start = match.groups()
        if name in words and only in (None, engine):
            size = min(n, limit or n) if name == "a" else n
            tensors[name] = (memory, what.format(n=size), start or "")
    head = f".target {generation.spellings[0]}"
    bare = "\n".join([head, *_declarations(tensors, (), samples), *prepared, *text])
    loaders = {generation.spellings[0]: lambda: target}
    unwritten = tuple(dict.fromkeys(_unwritten(assemble(Source("example", bare + "\n"), loaders))))
    lines = [head, *_declarations(tensors, unwritten, samples), *prepared]
    if unwritten:
        fills = [samples.fill[tensors[name][0]].format(dst=name) for name in unwritten]
        wait = samples.wait.format(count=samples.posts * len(fills))
        users = dict.fromkeys(re.findall(r"@\w+", "\n".join(text)))
        lines += [samples.semaphores, *fills, *(f"{user} {wait}" for user in users)]
    return "\n".join([*lines, *text]) + "\n"


def _example_lines(row: Row, engine: str, samples: Samples) -> list[str]:
    """The row's example after what it needs, each line with its engine."""
    lines = [line.strip() for line in (*row.setup.splitlines(), row.example) if line.strip()]
    text = [_on_engine(line, engine) for line in lines]
    if "again" in set(_WORD.findall("\n".join(lines))):
        text.insert(len(text) - 1, f"again: @{engine} {samples.labelled}")
    return text


def _on_engine(line: str, engine: str) -> str:
    """A line with its engine: a directive has none, and a label precedes it."""
    label, mark, rest = line.rpartition(":") if _LABEL.match(line) else ("", "", line)
    if rest.strip().startswith(("@", ".")):
        return line
    return f"{label}{mark} @{engine} {rest.strip()}".strip()


def _declarations(
    tensors: dict[str, tuple[str, str, str]], filled: tuple[str, ...], samples: Samples
) -> Iterator[str]:
    """Declarations; a tensor that is filled has a twin in the memory that inputs come by."""
    for name, (memory, what, start) in tensors.items():
        start = start or ("iota" if _INTEGER.match(what) else "random(seed=1)")
        if memory == samples.outside:
            yield f".{memory:<5} {name:<6} {what} input = {start}"
            continue
        if name in filled and "{dst}_in" in samples.fill[memory]:
            yield f".{samples.outside:<5} {name + '_in':<6} {what} input = {start}"
        yield f".{memory:<5} {name:<6} {what}"


def _unwritten(program: Program) -> Iterator[str]:
    """Tensors that a program reads before anything of it writes to them, inputs left out."""
    written = {t.name for t in program.tensors.values() if t.memory.io or t.init is not None}
    for instruction in program.instructions:
        pairs = [
            (operand, view.tensor.name)
            for operand, value in zip(instruction.row.operands, instruction.operands, strict=True)
            for view in views(value)
        ]
        for operand, name in pairs:
            if name not in written and not _only_written(operand):
                yield name
        written |= {name for operand, name in pairs if "w" in operand.access or _moved_to(operand)}


def _only_written(operand: Operand) -> bool:
    """Whether an operand's old content makes no difference."""
    return (operand.access == "w" and not operand.partial) or _moved_to(operand)


def _moved_to(operand: Operand) -> bool:
    return operand.access == "@" and operand.name == "dst"
