"""The assembler: a source in, a program out, or every problem of the text at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from nasm.base import gc_pause
from nasm.base.array_files import ArrayFile
from nasm.base.files import ANY, Allowed
from nasm.base.problems import Failure, Problem, Refused, Severity, Unsaid, limited
from nasm.base.source import Source, Span
from nasm.isa.instruction import REQUIRED
from nasm.isa.target import Loader
from nasm.isa.timing import NONE, Timing
from nasm.language.expanding.defines import constants
from nasm.language.expanding.evaluate import free_names
from nasm.language.expanding.expand import Expander
from nasm.language.expanding.forward_names import Undeclared
from nasm.language.expanding.including import Includes
from nasm.language.expanding.statements import unknown_target
from nasm.language.expanding.transfer_counts import unclear
from nasm.language.expectations.judge import check_static
from nasm.language.text import suppressions, tree
from nasm.language.text.parse import parse, read_again
from nasm.program.builder import ProgramBuilder
from nasm.program.notes import in_order
from nasm.program.program import Program

COMMENTED = "E0247"

_INSTRUCTION = re.compile(r";[ \t]*(?=(@\w+[ \t]+)?([A-Z]\w*)[^;\n]*)")
_CLAUSE = re.compile(
    r";[ \t]*((?P<word>post|after)[ \t]+(?P<name>[A-Za-z_]\w*)(?:\[[^\]\n]*\])?"
    r"|\$[A-Za-z_]\w*[ \t]*(?:\+\+|--|(?:[-+>=]=|=)[ \t]*[\w*]+)"
    r"|(?:give|take)[ \t]+\$\w+(?:,[ \t]*\w+)?)[ \t]*$",
    re.MULTILINE,
)

Rewrite = Callable[[ProgramBuilder], object]
"""Puts other lines into the queues of a builder; raises Failure."""


class Unassembled(Failure):
    """Problems of a text, with the part of its program that was made, which cannot be run.

    ``program`` is None if the text names no target. A copy is a Failure, and has none.
    """

    program: Program | None = None

    def __reduce__(self) -> tuple[type[Failure], tuple[object, ...]]:
        return Failure, self.args


def assemble(
    source: Source,
    targets: Mapping[str, Loader],
    target: str | None = None,
    defines: Mapping[str, int | float] | None = None,
    options: Mapping[str, object] | None = None,
    files: Allowed = ANY,
    timing: Timing = NONE,
    rewrite: Rewrite | None = None,
    ranks: int | None = None,
) -> Program:
    """Assemble a text; ``target``, ``defines`` and ``ranks`` override what it says.

    ``options`` and ``timing`` are those of the machine that it is for, ``files`` those that it may
    name. What is finished may be rewritten by a function of its builder. Raises Unassembled, a
    Failure, with every problem found, in the order of the text.
    """
    if target is not None and target not in targets:
        raise Failure(unknown_target(target, targets).at(None))
    with gc_pause.paused():
        file, problems = parse(source, alike=True)
        allowed, unclear = suppressions.allows(source)
        includes = Includes(source, files)
        given = constants(defines) if defines else {}
        expander = Expander(source, targets, target, given, options, timing, includes, ranks)
        expander.problems += unclear
        try:
            program = _assembled(file, problems, expander, files, rewrite)
        except Failure as failure:
            unassembled = Unassembled(failure.problems)
            unassembled.program = expander.builder.program if expander.builder else None
            raise unassembled from None
        program.allows = [*allowed, *expander.allowed]
        program.views = expander.scope.named_views()
        program.macros = expander.macros
        if tree.Like in map(type, file.body):  # it may have a line for each instruction
            expander.forget()
        return program


def _assembled(
    file: tree.File,
    problems: list[Problem],
    expander: Expander,
    files: Allowed,
    rewrite: Rewrite | None,
) -> Program:
    named = any(isinstance(s, tree.TargetLine) for s in file.body)
    expander.problems += problems
    if expander.override is not None and not named:
        expander.use_target(expander.override)
    builder = expander.expand(file.body, file.unread)
    unsaid = Unsaid(file.unsaid + expander.unsaid, expander.stopped and not problems)
    if builder is None:
        raise Failure(limited(in_order(expander.problems), unsaid))
    undeclared = expander.scope.undeclared
    builder.program.files = files
    builder.problems += _commented(expander.source, builder)
    builder.problems += initialisers(builder.program)
    builder.problems += expectations(builder, undeclared)
    builder.problems += unclear(builder)
    if builder.recorded:
        builder.place()
        builder.check_rules(unsaid)
        from nasm.sync.loops_and_moments import put_in  # which most texts do not need

        try:
            put_in(builder)
        except Failure as failure:  # a moment may be missing because it is in a comment
            comments = [p for p in builder.problems if p.code == COMMENTED]
            raise Failure(in_order([*failure.problems, *comments])) from None
    program = builder.finish(undeclared, unsaid)
    if rewrite is not None:
        rewrite(builder)
        program = builder.finish()
    if builder.in_blocks:
        from nasm.sync.missing_writes import unwritten_in_blocks

        program.warnings += unwritten_in_blocks(program)
    return program


def initialisers(program: Program, first: int = 0) -> list[Problem]:
    """The files of initialisers that may not be read, of tensors from one on.

    None is read before the program is loaded.
    """
    found: list[Problem] = []
    for tensor in islice(program.tensors.values(), first, None):
        if isinstance(tensor.init, ArrayFile):
            try:
                program.files.check(tensor.init.folder, tensor.init.name)
            except Refused as refused:
                found.append(refused.at(tensor.span))
    return found


def expectations(builder: ProgramBuilder, undeclared: Undeclared, first: int = 0) -> list[Problem]:
    """Errors in expectations from one on, except for undeclared names."""
    program = builder.program
    engines = [n for e in builder.generation.engines for n in (e.name, *e.aliases)]
    found: list[Problem] = []
    for expectation in program.expectations[first:]:
        assert isinstance(expectation.tree, tuple)
        if not any(name in undeclared for name in free_names(expectation.tree[0])):
            found += check_static(
                expectation, program.tensors, engines, program.cores, program.files
            )
    return found


def _commented(source: Source, builder: ProgramBuilder) -> Iterator[Problem]:
    """A warning for each comment after a line that is itself an instruction, or a clause of one."""
    rows = builder.target.isa.rows
    for start, end in suppressions.comments(source.text):
        clause = _CLAUSE.match(source.text, start, end)
        if clause is not None and _clause(source, clause):
            said = f"';' begins a comment: this '{clause[1]}' is not read"
            span = Span(source, clause.start(1), clause.end(1))
            yield Problem(COMMENTED, said, span, "leave the ';' out", severity=Severity.WARNING)
            continue
        found = _INSTRUCTION.match(source.text, start, end)
        row = rows.get(found[2]) if found is not None else None
        if found is None or row is None or not _follows(source, start):
            continue
        stop = source.text.find(";", found.end(), end)
        span = Span(source, found.end(), end if stop < 0 else stop)
        line = read_again(source, span.start, span.end)
        if line is None or line.mnemonic is None:
            continue
        needed = sum(operand.default is REQUIRED for operand in row.written)
        if len(line.operands) < needed or not (found[1] or line.operands):
            continue
        message = f"';' begins a comment: this {row.name} is not executed"
        hint = "write it on a line of its own"
        yield Problem(COMMENTED, message, span, hint, severity=Severity.WARNING)


def _clause(source: Source, found: re.Match[str]) -> bool:
    """Whether a comment after an instruction is a wait, an update or a moment that others have."""
    line = source.line(source.position(found.start())[0]).partition(";")[0]
    if not re.match(r"[ \t]*(\w+:)?[ \t]*(@\w+[ \t]+)?[A-Z]\w*[a-zA-Z0-9]", line):
        return False
    other = {"post": "after", "after": "post", None: ""}[found["word"]]
    return (
        not other or re.search(rf"\b{other}\b[^\n;]*\b{found['name']}\b", source.text) is not None
    )


def _follows(source: Source, start: int) -> bool:
    """Whether there is something before a comment on its line."""
    line, column = source.position(start)
    return bool(source.line(line)[: column - 1].strip())
