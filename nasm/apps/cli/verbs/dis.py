"""The verb ``dis``: an object file, or words of instructions, as a text."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nasm.apps.cli import results
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import OK
from nasm.apps.cli.verb import Verb, preload
from nasm.apps.cli.verbs.asm import check, of_words, spelling, unfit
from nasm.base import host_files
from nasm.base.problems import Failure, Problem, Refused, counted, in_line

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.isa.target import Target


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("program", help="an object file, or - for standard input")
    verb.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="-",
        help="write it to a file, instead of to standard output",
    )
    options.places(verb)
    verb.add_argument(
        "--extract",
        action="store_true",
        help="write the array files that are in the object next to the text",
    )
    of_words(verb, "read words, as hexadecimal text or as bytes, instead of an object file")
    verb.add_argument(
        "--target", metavar="NAME", help="the machine of words whose file does not say it"
    )
    options.timeout(verb)


def dis(args: argparse.Namespace, screen: Screen) -> int:
    """Print the text of an object file, or of words; returns the exit code."""
    if args.words:
        return _words(args, screen)
    preload("nasm.apps.cli.programs", "nasm.language.printing")
    from nasm.apps.cli import files
    from nasm.base.source_files import ObjectFile
    from nasm.language.objects import loaded
    from nasm.language.printing import text
    from nasm.targets import TARGETS

    path = results.spelled(args.output)
    to_output = args.output == "-"
    if not to_output:
        check("the text", path, args)
    given = files.program(args.program)
    if not isinstance(given, ObjectFile):
        message = f"{in_line(given.name)} is a text; wanted an object file"
        raise Failure(Problem("E0801", message, None, "'neuron-nasm print' works loops out"))
    made = loaded(given, TARGETS, rules=False)
    held = {os.path.normpath(name): read for name, read in made.program.files.held.items()}
    folder = made.folder if held or to_output else os.path.dirname(path)
    printed = text(made.program, folder=folder, places=args.places)
    if args.extract:
        for name in _extracted(held, made.folder, os.path.dirname(path)):
            screen.note(f"wrote {in_line(name)}")
    results.put_text(path, printed)
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
            message = (
                f"{in_line(beside)} is not written: it is named outside of the object's folder"
            )
            raise Failure(Problem("E0806", message))
        path = os.path.join(folder, beside)
        if os.path.lexists(path) and not _same(path, read):
            message = f"{in_line(path)} is not written: there is another file of that name"
            raise Failure(Problem("E0813", message, None, "give -o in an empty folder"))
        wanted.append((path, read))
    for path, read in wanted:
        results.make_folder(os.path.dirname(path) or ".")
        results.put(path, read)
    return [path for path, _ in wanted]


def _same(path: str, read: bytes) -> bool:
    """Whether a file holds just these bytes."""
    try:
        with host_files.opened(path) as stream:
            return stream.read(len(read) + 1) == read
    except OSError:
        return False


# ---------------------------------------------------------------- words


def _words(args: argparse.Namespace, screen: Screen) -> int:
    """Print a file of words as a program; the exit code."""
    preload("nasm.apps.cli.programs", "nasm.language.printing.words")
    from nasm.language.printing.elf_files import is_elf
    from nasm.language.printing.word_files import read
    from nasm.language.printing.words import text_of

    data = _bytes(args.program)
    if is_elf(data):
        return _of_code(args, screen, data)
    given = read(args.program, data)
    name = args.target or given.target
    target = _target(name)
    generation = target.generation(name)
    assert generation is not None
    _, back = spelling(target, generation, args.form)
    queues: dict[str, list[int]] = {}
    for queue, words in given.queues.items():
        at = generation.engine(queue or args.queue or generation.engines[0].name).name
        queues.setdefault(at, []).extend(map(back, words))
    printed = text_of(target, name, queues)
    results.put_text(results.spelled(args.output), printed)
    return OK


def _of_code(args: argparse.Namespace, screen: Screen, data: bytes) -> int:
    """Print the words in the code of an ELF file of a RISC-V core as a program; the exit code."""
    from nasm.language.printing.elf_files import words_in_code
    from nasm.language.printing.words import text_of_code, words_known

    target = _target(args.target)
    generation = target.generation(args.target)
    assert generation is not None
    if args.queue is not None and target.code is not None:
        queue = generation.engine(args.queue).name
        if queue in target.code.engines:
            (made,) = target.binaries.values()
            lines = made(args.program, data, queue, generation.name)
            text = f".target {args.target}\n\n@{queue}\n{lines}"
            results.put_text(results.spelled(args.output), text)
            return OK
    words = words_known(target, generation)
    form = next((s for n, s in words.spellings.items() if args.form in (None, n)), None)
    if form is None:
        raise Refused("E0812", f"no words of {target.summary} are among those of other cores")
    found = words_in_code(args.program, data, words, form)
    queue = generation.engine(args.queue or generation.engines[0].name).name
    results.put_text(results.spelled(args.output), text_of_code(target, args.target, queue, found))
    count = counted(sum(len(one.words) for one in found), "word")
    screen.note(f"{count} of {target.summary} among those of the core")
    return OK


def _bytes(path: str) -> bytes:
    """What is in a file, ``-`` is standard input; raises Failure."""
    from nasm.base.source_files import LARGEST

    if path == "-":
        return sys.stdin.buffer.read(LARGEST)
    try:
        with host_files.opened(path) as stream:
            return stream.read(LARGEST)
    except OSError as error:
        message = f"cannot read {path}: {error.strerror}"
        raise Failure(Problem("E0801", message)) from None


def _target(name: str) -> Target:
    from nasm.language.expanding.statements import unknown_target
    from nasm.targets import TARGETS

    if not name:
        hint = "give --target NAME, or begin the text with '.target NAME'"
        raise Refused("E0812", "words do not say what machine they are for", hint)
    if name not in TARGETS:
        raise unknown_target(name, TARGETS)
    return TARGETS[name]()


VERB = Verb(
    summary="print the text of an object file",
    rank=110,
    arguments=_arguments,
    conflicts=(unfit,),
    body=dis,
    notes="""\
examples:
  neuron-nasm dis program.nobj
  neuron-nasm dis program.nobj -o program.nasm --extract
  neuron-nasm dis words.txt --words --target wormhole
  neuron-nasm dis trisc1.elf --words --target wormhole --queue t1
  neuron-nasm dis trisc1.elf --words --target wormhole --queue trisc1

What is printed is what 'print' writes, and assembles to the same object, but
for the text in it. Machine options and timing figures are named in comments. Of
an ELF file of a RISC-V core, --words finds the words among its instructions, or
with --queue brisc, trisc0, … prints these as lines of that core.
""",
    other_names=("disassemble", "objdump", "disasm"),
)
