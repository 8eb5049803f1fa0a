"""The verbs ``asm`` and ``dis``: a program as an object file, and an object as a text."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import IO

from nasm.apps.cli import files, printing, program_names, results, streams
from nasm.apps.cli.answer import refuse
from nasm.apps.cli.assembling import assembled
from nasm.apps.cli.exit_codes import OK, REFUSED
from nasm.apps.cli.running import file_of
from nasm.apps.cli.screen import Screen
from nasm.base import host_files
from nasm.base.problems import Failure, Problem, counted, in_line
from nasm.base.source_files import ObjectFile
from nasm.language.objects import loaded
from nasm.language.objects.writing import written
from nasm.language.printing import text
from nasm.show import jsonable
from nasm.targets import TARGETS

ENDING = ".nobj"


def asm(args: argparse.Namespace, screen: Screen) -> int:
    """Assemble a program into an object file; returns the exit code."""
    if args.desugar:
        return printing.desugared(args, screen)
    try:
        path = results.spelled(_beside(args))
        _check("the object file", path, args, binary=True)
        if path == results.spelled("-"):
            screen.aside()
        made = assembled(args, args.program)
        link = os.path.dirname(path) if args.link else None
        data = written(made.program, made.source, strip=args.strip, link=link)
        results.replace(path, lambda out: _put(out, data))
    except Failure as failure:
        return refuse(args, screen, failure.problems)
    warnings = made.program.warnings
    if args.json:
        return int(
            args.answer.give(
                OK,
                object=path,
                bytes=len(data),
                instructions=len(made.program),
                warnings=jsonable.problems(warnings),
                problems=[],
            )
        )
    if not args.quiet:
        screen.problems(warnings)
        count = counted(len(made.program), "instruction")
        screen.note(f"{count}, {len(data):,} bytes; wrote {in_line(path)}")
    return OK


def _beside(args: argparse.Namespace) -> str:
    """Where the object goes; raises Failure if nothing says so."""
    if args.output is not None:
        return str(args.output)
    if args.program == "-":
        said = "asm - does not know what to call the object file"
        raise Failure(Problem("E0812", said, None, "give -o FILE, or -o - for standard output"))
    if program_names.kernel(args.program):
        folder = os.path.dirname(file_of(args.program))
        return os.path.join(folder, f"{args.program.rpartition(':')[2]}{ENDING}")
    stem, ending = os.path.splitext(args.program)
    return f"{args.program}{ENDING}" if ending == ENDING else f"{stem}{ENDING}"


def _check(what: str, path: str, args: argparse.Namespace, binary: bool = False) -> None:
    """Whether a result can be written; raises Failure."""
    others = [("it is the program", file_of(args.program))] if args.program != "-" else []
    if getattr(args, "timing", None) is not None:
        others.append(("it is read", args.timing))
    document = getattr(args, "json", False)
    found = results.clashes([(what, path)], others, document)
    problem = results.unwritable(path) or (results.seen(what, path) if binary else None)
    if problem is not None or found:
        raise Failure([*found, *([] if problem is None else [problem])])


def _put(out: IO[bytes], data: bytes) -> None:
    out.write(data)


# ---------------------------------------------------------------- and back


def dis(args: argparse.Namespace, screen: Screen) -> int:
    """Print the text of an object file; returns the exit code."""
    try:
        path = results.spelled(args.output)
        to_output = args.output == "-"
        if not to_output:
            _check("the text", path, args)
        given = files.program(args.program)
        if not isinstance(given, ObjectFile):
            said = f"{in_line(given.name)} is a text; wanted an object file"
            raise Failure(Problem("E0801", said, None, "'neuron-nasm print' works loops out"))
        made = loaded(given, TARGETS, rules=False)
        held = {os.path.normpath(name): read for name, read in made.program.files.held.items()}
        folder = made.folder if held or to_output else os.path.dirname(path)
        printed = text(made.program, folder=folder, places=args.places)
        if args.extract:
            for name in _extracted(held, made.folder, os.path.dirname(path)):
                screen.note(f"wrote {in_line(name)}")
        if to_output:
            streams.write(sys.stdout, printed)
        else:
            results.replace(path, lambda out: _put(out, printed.encode()))
    except Failure as failure:
        screen.problems(failure.problems)
        return REFUSED
    if held and not args.extract:
        count = counted(len(held), "array file")
        screen.note(f"the object has {count} that the text names: --extract writes them")
    return OK


def _extracted(held: Mapping[str, bytes], home: str, folder: str) -> Sequence[str]:
    """Write the files of an object below a folder; raises Failure before it writes any."""
    wanted: list[tuple[str, bytes]] = []
    for name, read in held.items():
        beside = os.path.normpath(os.path.relpath(name, home or "."))
        if os.path.isabs(beside) or beside.split(os.sep)[0] == os.pardir:
            said = f"{in_line(beside)} is not written: it is named outside of the object's folder"
            raise Failure(Problem("E0806", said))
        path = os.path.join(folder, beside)
        if os.path.lexists(path) and not _same(path, read):
            said = f"{in_line(path)} is not written: there is another file of that name"
            raise Failure(Problem("E0813", said, None, "give -o in an empty folder"))
        wanted.append((path, read))
    for path, read in wanted:
        results.make_folder(os.path.dirname(path) or ".")
        results.replace(path, lambda out, read=read: _put(out, read))  # type: ignore[misc]
    return [path for path, _ in wanted]


def _same(path: str, read: bytes) -> bool:
    """Whether a file holds just these bytes."""
    try:
        with host_files.opened(path) as stream:
            return stream.read(len(read) + 1) == read
    except OSError:
        return False
