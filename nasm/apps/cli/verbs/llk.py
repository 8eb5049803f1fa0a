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


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("function", metavar="FILE:FUNCTION", help="a function of a file of C++")
    verb.add_argument(
        "-D",
        dest="given",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the function or of its template, or another name: an "
        "integer, true or false",
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
    preload("nasm.llk.interpret")
    from nasm.apps.cli import files
    from nasm.apps.cli.verbs.isa import known_targets
    from nasm.base.source_files import source_of
    from nasm.llk.interpret import LlkKernel

    path, _, function = args.function.rpartition(":")
    if not path or not function:
        message = f"'{quoted(args.function)}' is no function of a file"
        raise Failure(Problem("E0801", message, None, "write FILE:FUNCTION, as llk_math.h:init"))
    sources = [files.program_text(path), *(source_of(Path(one)) for one in args.headers)]
    (target,) = known_targets(args.target)
    generation = target.generation(args.target)
    assert generation is not None
    kernel = LlkKernel(target, generation, sources, dict(map(_given, args.given)))
    kernel.run(function)
    results.put_text(results.spelled(args.output), kernel.output.text(args.target, args.queue))
    return OK


def _given(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    words = {"true": 1, "false": 0}
    try:
        return name, words[value] if value in words else int(value, 0)
    except ValueError:
        message = f"-D {quoted(text)}: wanted a name, '=' and an integer, true or false"
        raise Failure(Problem("E0801", message)) from None


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
