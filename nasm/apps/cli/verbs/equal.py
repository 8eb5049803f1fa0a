"""The verb ``equal``: whether two programs have the same results for every input."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from nasm.apps.cli import program_names, two_sides, values
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import BROKEN, OK, refuse
from nasm.apps.cli.verb import Verb, preload
from nasm.base.problems import Failure
from nasm.machine.records import MOST_EXAMINED

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.program.program import Program
    from nasm.runs.equal.records import Equality


def _arguments(verb: argparse.ArgumentParser) -> None:
    two_sides.arguments(verb, "equal")
    options.common(verb)
    options.kernel(verb)
    options.inputs(verb)
    options.inputs_folder(verb)
    verb.add_argument(
        "--tries",
        metavar="N",
        type=values.tries,
        default=2,
        help="run two programs that are not proved equal on so many sets of random inputs, to "
        "find some for which they differ: 2 by default",
    )
    options.limit(verb, "follow at most N instructions of each", MOST_EXAMINED)
    options.timeout(verb)
    options.json(verb)
    options.quiet(verb)


def equal(args: argparse.Namespace, screen: Screen) -> int:
    """Compare two programs; returns the exit code."""
    preload("nasm.apps.cli.programs", "nasm.runs.equal")
    from nasm.runs import equal as comparison

    args.answer.content["programs"] = [args.first.program, args.program]
    try:
        (a, inputs), (b, _) = _program(args.first), _program(args)
        found = comparison.equal(
            a, b, inputs=inputs, tries=args.tries, max_instructions=args.max_instructions
        )
    except Failure as failure:
        content = {"programs": [args.first.program, args.program]}
        return refuse(args, screen, failure.problems, **content)
    code = OK if found.ok else BROKEN
    if args.json:
        from nasm.show.json_equal import equality

        content = equality([args.first.program, args.program], found)
        return int(args.answer.give(code, **content))
    _show(args, screen, found)
    return code


def _program(args: argparse.Namespace) -> tuple[Program, Any]:
    """A side's program, and what is given of its inputs; raises Failure."""
    from nasm.apps.cli import arrays, programs

    if program_names.kernel(args.program):
        return programs.called(args)
    return programs.assembled(args, args.program).program, arrays.inputs(args)


def _show(args: argparse.Namespace, screen: Screen, found: Equality) -> None:
    from rich.text import Text

    from nasm.show.diff import tensor_line

    style = "bold green" if found.ok else "bold red"
    screen.show(Text.assemble((found.verdict, style), f": {found.reason}"))
    if args.quiet:
        return
    for side, place in (("a", found.a), ("b", found.b)):
        if place is not None:
            where = "" if place.span is None else f" ({place.span})"
            screen.show(Text(f"  {side}: {place.text}{where}"))
    if found.example is not None:
        screen.show(Text(f"  {found.example.tensor.name}: {tensor_line(found.example.tensor)}"))
    elif found.tried:
        times = "once" if found.tried == 1 else f"{found.tried} times"
        screen.show(Text(f"  run {times} on the same inputs, they had the same outputs"))
    if found.problems:
        screen.problems(found.problems)


VERB = Verb(
    summary="prove that two programs have the same results for every input",
    rank=45,
    arguments=_arguments,
    read=two_sides.sides,
    body=equal,
    examples=(("old.nasm new.nasm", "whether they compute the same"),),
    notes="""\
examples:
  neuron-nasm equal old.nasm new.nasm
  neuron-nasm equal by_hand.nasm with_moments.nasm -D N=1_024
  neuron-nasm equal kernel.py:name --in x=x.npy --vs --hoist

Nothing is computed for a proof: everything that a program makes gets a name
that says what was made of what. If all outputs have the same names on both
sides, and neither has a race, they are equal for every input and under every
timing. Otherwise both are run, on the inputs that the first program declares
and on random ones; an output that differs proves that they are different.
The exit code is 0 if they are equal, 1 if they are different or it is not
proved, and 2 if one of them does not assemble.
""",
    document="programs",
    undone="both programs were compared",
    other_names=("equiv", "equivalent", "same"),
)
