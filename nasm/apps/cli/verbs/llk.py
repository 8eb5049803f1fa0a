"""The verb ``llk``: a function of the vendor's low-level kernels, as a program."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from nasm.apps.cli import results
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import OK
from nasm.apps.cli.verb import Verb, preload
from nasm.base.problems import Failure, Problem, quoted

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen


_LANGUAGE = "llk"


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("function", metavar="FILE:FUNCTION", help="a function of a file of C++")
    verb.add_argument(
        "-D",
        dest="given",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the function or of its template, or another name: an "
        "integer, true, false, or an expression of the file's names",
    )
    verb.add_argument(
        "-I",
        dest="headers",
        action="append",
        default=[],
        metavar="FILE",
        help="a file that declares functions, constants or enumerations which it uses",
    )
    verb.add_argument("--queue", metavar="QUEUE", default="t1", help="the thread (t1)")
    verb.add_argument("--target", metavar="NAME", default="wormhole", help="the machine (wormhole)")
    verb.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="-",
        help="write the program to a file, instead of to standard output",
    )
    options.timeout(verb)


def llk(args: argparse.Namespace, screen: Screen) -> int:
    """Print the program that a function makes; returns the exit code."""
    preload("nasm.llk.reading")
    from nasm.apps.cli import files
    from nasm.apps.cli.verbs.isa import known_targets
    from nasm.base.source_files import source_of
    from nasm.language.printing.llk import program_text

    path, _, function = args.function.rpartition(":")
    if not path or not function:
        message = f"'{quoted(args.function)}' is no function of a file"
        raise Failure(Problem("E0801", message, None, "write FILE:FUNCTION, as llk_math.h:init"))
    sources = [files.program_text(path), *(source_of(Path(one)) for one in args.headers)]
    (target,) = known_targets(args.target)
    if _LANGUAGE not in target.foreign:
        raise Failure(Problem("E0812", f"{target.summary} has no functions of tt-llk"))
    generation = target.generation(args.target)
    assert generation is not None
    given = dict(map(_given, args.given))
    made = target.foreign[_LANGUAGE].read(generation, function, sources, given)
    text = program_text(target, made, args.target, args.queue)
    results.put_text(results.spelled(args.output), text)
    return OK


def _given(text: str) -> tuple[str, int | str]:
    name, _, value = text.partition("=")
    if not name or not value:
        message = f"-D {quoted(text)}: wanted a name, '=' and an integer or an expression"
        raise Failure(Problem("E0801", message))
    try:
        return name, int(value, 0)
    except ValueError:
        return name, value


VERB = Verb(
    summary="make a program of a function of tt-llk",
    rank=108,
    arguments=_arguments,
    body=llk,
    examples=(("ckernel_sfpu_where.h:_init_where_", "a function of tt-llk as a program"),),
    notes="""\
examples:
  neuron-nasm llk ckernel_sfpu_where.h:_init_where_ -D APPROXIMATION_MODE=false
  neuron-nasm llk llk_math_matmul.h:matmul_configure_mop -I llk_defs.h -o a.nasm

The function is executed, not compiled: its macros (TTI_, TT_, TT_OP_), replays,
templates and address modifiers become instructions and settings. Names of
values are known; other constants and functions come from -D and from files of
-I. C++ beyond statements and expressions of integers is refused, at its line.
""",
)
