"""The verb ``check``: the errors of programs, reported without computing a value."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from nasm.apps.cli import program_names, sarif
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import BROKEN, OK, REFUSED, refuse
from nasm.apps.cli.verb import Verb, preload
from nasm.base import host_memory, suppressions
from nasm.base.problems import Failure, Problem, ProblemFamily, Refused, Severity, counted, in_line
from nasm.base.suppressions import Judged
from nasm.machine.records import MOST_EXAMINED
from nasm.show import jsonable
from nasm.show.log_lines import ProgramProblems

if TYPE_CHECKING:
    from rich.text import Text

    from nasm.apps.cli.screen import Screen
    from nasm.isa.timing import Timing
    from nasm.program.program import Program
    from nasm.runs.check import Examination
    from nasm.runs.check.size_answer import SizesAnswer

SLOW = ProblemFamily.SLOW


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "programs", metavar="program", nargs="+", help="a .nasm file, -, or kernel.py:name"
    )
    options.autosync(verb, "with the waits and updates that 'sync' finds, which a text then lacks")
    options.watch(verb)
    options.common(verb)
    options.ranks(verb)
    options.topology(verb)
    options.kernel(verb)
    options.inputs(verb)
    verb.add_argument(
        "--map",
        action="store_true",
        help="show who owns which bytes of each memory, from when to when, and by whom",
    )
    verb.add_argument(
        "--ordering",
        choices=("relaxed",),
        help="list the reads that nothing would order if engines did not wait for their own "
        "earlier results",
    )
    verb.add_argument(
        "--why",
        nargs=2,
        type=int,
        metavar="LINE",
        help="say why these two lines are in order in every execution, or what is missing",
    )
    verb.add_argument(
        "--waits",
        action="store_true",
        help="try each wait: which could go, wait for less or be elsewhere, with the time that it "
        "costs, and how few semaphores would do",
    )
    verb.add_argument(
        "--for",
        dest="sizes",
        type=_sizes,
        metavar="NAME=A..B",
        help="check for every value of a constant that counts rounds or tiles: 'N=1..', "
        "'N=1..64', 'N=128.. step 128'",
    )
    options.limit(verb, "follow at most N instructions", MOST_EXAMINED)
    options.policy(verb)
    options.timeout(verb)
    options.json(verb)
    options.sarif(verb)
    options.quiet(verb)


def _sizes(text: str) -> tuple[str, int, int | None, int | None]:
    """The name of a constant, its first and last value, and the step, of ``--for``."""
    found = _SIZES.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"wanted NAME=A..B, such as N=1..64, found {text!r}")
    name, first, last, step = found.groups()
    return name, int(first), int(last) if last else None, int(step) if step else None


def _one_size(parsed: argparse.Namespace) -> str:
    """What is asked of one size alone."""
    if parsed.sizes is None:
        return ""
    asked = {
        "--map": parsed.map,
        "--why": parsed.why,
        "--ordering": parsed.ordering,
        "--waits": parsed.waits,
    }
    some = [option for option, value in asked.items() if value]
    if some:
        return f"{some[0]} is of one size, which -D gives: it does not go with --for"
    name, first, last, _ = parsed.sizes
    if last is not None and last < first:
        return f"--for {name}={first}..{last} has no value"
    return ""


_SIZES = re.compile(r"([A-Za-z_]\w*)\s*=\s*(\d+)\s*\.\.\s*(\d+)?(?:\s+step\s+([1-9]\d*))?")


def check(args: argparse.Namespace, screen: Screen) -> int:
    """Every problem of every file; returns the exit code."""
    preload("nasm.apps.cli.programs", "nasm.runs.check", "nasm.show.check")
    from nasm.isa.timing import Timing

    done: list[dict[str, Any]] = args.answer.content["files"]
    code = wrong = bad = 0
    log = ""
    logged: list[ProgramProblems] = []
    try:
        if args.sarif is not None:
            log = _log(args, screen)
        timing = Timing.of(args.timing)
    except Failure as failure:
        return refuse(args, screen, failure.problems, files=[])
    try:
        for path in args.programs:
            checked = _checked(path, args, timing, screen)
            screen.clear()
            done.append(checked.document(args))
            wrong, bad = wrong + len(checked.errors), bad + bool(checked.errors)
            code = max(code, checked.code)
            of = checked.judged
            logged.append(ProgramProblems(path, (*of.errors, *of.warnings), of.allowed))
            if not args.json:
                checked.show(screen, args)
    except BaseException:
        if log:  # which says what was found until now, and that it is not all
            _logged(log, [*logged, ProgramProblems(path, (), whole=False)])
        raise
    unwritten = _logged(log, logged) if log else ()
    if unwritten:
        code = REFUSED
        screen.problems(unwritten)
    if args.json:
        args.answer.give(code, files=done, problems=jsonable.problems(unwritten))
    elif wrong:
        screen.note(f"{counted(wrong, 'error')} in {bad} of {counted(len(done), 'file')}")
    return code


def _log(args: argparse.Namespace, screen: Screen) -> str:
    """Where --sarif goes; raises Failure."""
    read = [args.timing] if args.timing is not None else []
    path = sarif.destination(args.sarif, args.programs, read, args.json)
    if sarif.takes_output(path):
        screen.aside()
    return path


def _logged(path: str, found: Sequence[ProgramProblems]) -> Sequence[Problem]:
    """Write what --sarif asks for; gives why that cannot be done."""
    try:
        sarif.write(path, found)
    except Failure as failure:
        return failure.problems
    return ()


class Checked:
    """A file: what it is, whether it assembles, and its diagnostics."""

    def __init__(
        self,
        path: str,
        judged: Judged,
        program: Program | None = None,
        found: Examination | None = None,
        sizes: Sequence[SizesAnswer] = (),
    ) -> None:
        self.path, self.program, self.found, self.judged = path, program, found, judged
        self.sizes = sizes
        self.errors = judged.errors
        self.warnings = [p for p in judged.warnings if p.severity is not Severity.NOTE]
        self.notes = [p for p in judged.warnings if p.severity is Severity.NOTE]

    @property
    def code(self) -> int:
        """The exit code, if it were the only file."""
        if not self.errors:
            return OK
        if any(answer.found is not None for answer in self.sizes):
            return BROKEN
        return REFUSED if self.program is None else BROKEN

    def document(self, args: argparse.Namespace) -> dict[str, Any]:
        """What a document says of it."""
        from nasm.show import json_check
        from nasm.show.documents import plain

        content = plain(self, json_check.CHECKED)
        if self.program is not None and self.found is not None:
            relied = _relaxed(self.program, args)
            content |= plain(self.program, json_check.ASSEMBLED)
            content |= json_check.examination(self.found, args.map, relied)
        if self.sizes:
            content |= plain(self, json_check.SIZES)
        return content

    def show(self, screen: Screen, args: argparse.Namespace) -> None:
        """Print the diagnostics, then everything else."""
        from rich.text import Text

        from nasm.show import check as tables

        message = [*self.errors, *(() if args.quiet else self.warnings)]
        if message:
            screen.problems(message)
            screen.note("")
        if self.sizes:
            from nasm.show import sizes

            said = [line for answer in self.sizes for line in sizes.lines(answer)]
            screen.show(*(Text(f"{in_line(self.path)}: {line}") for line in said))
        if self.program is None or self.found is None:
            return
        if self.notes and not args.quiet:
            screen.tell(tables.notes(self.notes))
        if not args.quiet and not self.errors:
            screen.show(_fine(self.path, self.program))
        for allowed in () if args.quiet else self.judged.allowed:
            screen.show(Text(str(allowed), "dim"))
        if self.found.order is not None:
            screen.show(Text("\n").join(map(Text, tables.order(self.found.order))))
        if self.found.waits is not None:
            from nasm.show import waits

            screen.show(*map(Text, waits.lines(self.found.waits)))
        if args.map:
            several = self.program.cores > 1
            screen.show(*tables.maps(self.found, several, screen.width, screen.ascii_only))
        if _relaxed(self.program, args):
            screen.show(Text(), *tables.relied(self.found))


def _relaxed(program: Program, args: argparse.Namespace) -> bool:
    """Whether to list what needs an interlock: it is asked for, or the machine has none."""
    return args.ordering is not None or not program.target.interlocked(program.options)


def _checked(path: str, args: argparse.Namespace, timing: Timing, screen: Screen) -> Checked:
    from nasm.apps.cli import programs
    from nasm.ranks.examining import examine_ranks

    try:
        if args.sizes is not None:
            return _of_sizes(path, args, timing, screen, args.sizes)
        program = _program(path, args, timing)
        found = examine_ranks(
            program,
            max_instructions=args.max_instructions,
            relaxed=args.ordering is not None,
            waits=args.waits,
            why=None if args.why is None else (args.why[0], args.why[1]),
            settings=programs.settings(args),
        )
    except Failure as failure:
        return Checked(path, suppressions.refused(failure.problems))
    except (MemoryError, SystemError) as error:
        if not host_memory.lacking(error):
            raise
        return Checked(path, suppressions.refused([Problem("E0808", host_memory.LACKING)]))
    judged = Judged(found.errors, (*found.warnings, *found.notes), found.allowed)
    checked = Checked(path, judged, program, found)
    if program.params and not (found.errors or args.map or args.why or args.ordering):
        return _of_params(checked, program, args, timing, screen)
    return checked


def _of_params(
    checked: Checked, program: Program, args: argparse.Namespace, timing: Timing, screen: Screen
) -> Checked:
    """A program that is in order, checked for all values of its ``.param`` that ``-D`` gives none.

    Of several the others have their first.
    """
    given = dict(args.defines or ())
    answers: list[SizesAnswer] = []
    for name, values in program.params.items():
        if name not in given:
            of = _of_sizes(checked.path, args, timing, screen, (name, *values))
            answers += of.sizes
            if of.errors:
                return Checked(checked.path, of.judged, sizes=answers)
    return Checked(checked.path, checked.judged, program, checked.found, answers)


def _of_sizes(
    path: str,
    args: argparse.Namespace,
    timing: Timing,
    screen: Screen,
    sizes: tuple[str, int, int | None, int | None],
) -> Checked:
    """A file checked for all values of a constant; raises Failure."""
    from nasm.apps.cli import files, programs
    from nasm.base.source import Source
    from nasm.runs.check.size_answer import SizeRange
    from nasm.runs.check.sizes import for_all

    text = None if program_names.kernel(path) else files.program(path)
    if not isinstance(text, Source):
        raise Refused("E0838", f"--for takes a text, and {in_line(path)} is none")
    settings = programs.settings(args, timing=timing)
    start = monotonic()

    def looking(size: int) -> None:
        screen.working(f"checking {sizes[0]} = {size:,}", monotonic() - start)

    answer = for_all(text, SizeRange(*sizes), settings, args.max_instructions, looking)
    allowed = () if answer.found is None else answer.found.allowed
    return Checked(path, Judged(answer.problems, (), allowed), sizes=[answer])


def _program(path: str, args: argparse.Namespace, timing: Timing) -> Program:
    from nasm.apps.cli import programs

    if program_names.kernel(path):
        args.program = path
        return programs.traced(args, timing).program
    return programs.assembled(args, path, timing).program


def _fine(path: str, program: Program) -> Text:
    from rich.text import Text

    from nasm.show.json_check import instructions

    queues = instructions(program)
    return Text(
        f"{in_line(path)}: ok, {counted(sum(queues.values()), 'instruction')} on "
        f"{counted(len(queues), 'engine')}, {program.generation.summary}"
    )


VERB = Verb(
    summary="check programs without computing a value",
    rank=50,
    arguments=_arguments,
    conflicts=(
        options.kernel_with_autosync,
        options.unwatched,
        options.text_with_inputs,
        _one_size,
    ),
    body=check,
    examples=(("*.nasm", "report all errors in all files"),),
    notes="""\
examples:
  neuron-nasm check matmul.nasm
  neuron-nasm check programs/*.nasm -D N=512 --json
  neuron-nasm check matmul.nasm --map         who owns which bytes, and when
  neuron-nasm check matmul.nasm --why 15 18   why these lines are in order
  neuron-nasm check matmul.nasm --waits       which waits could go, or be sooner
  neuron-nasm check matmul.nasm --ordering relaxed
  neuron-nasm check matmul.nasm --for 'N=512.. step 512'   for every size

A program whose branches and addresses need no values is followed to its end,
and all errors on the way are reported. The exit code is 1 if there are any, and
2 for a program that does not assemble. Warnings and notes do not change it.
""",
    document="files",
    undone="all files were checked",
    other_names=("lint", "verify", "validate"),
)
