"""The verb ``profile``: a run that is reported as where its time went."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from nasm.apps.cli import shared_options as options
from nasm.apps.cli import values
from nasm.apps.cli.program_run import Run
from nasm.apps.cli.verb import Verb, preload
from nasm.machine.records import MOST_PROFILED

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.base.source_files import Given


def _arguments(verb: argparse.ArgumentParser) -> None:
    options.program(verb)
    verb.add_argument(
        "--path",
        action="store_true",
        help="list all of the critical path and the slack of other lines, and every warning",
    )
    verb.add_argument(
        "--timeline",
        metavar="FROM..TO",
        nargs="?",
        const="..",
        type=values.stretch,
        help="show instead what queues and DMA rings did, all along or between two bounds: a time "
        "(2.5us), a line number or a label",
    )
    verb.add_argument(
        "--tables",
        metavar="DIR",
        help="write tables of instructions, transfers, semaphores and a summary to DIR/NAME.jsonl, "
        "named as the vendor's profiler does; the folder is created if needed",
    )
    verb.add_argument(
        "--format",
        choices=("jsonl", "parquet"),
        help="of those tables: JSON lines, the default, or Parquet, for which pyarrow is needed",
    )
    verb.add_argument(
        "--no-what-if",
        dest="what_if",
        action="store_false",
        help="do not run it again, each time without something, to see what would help",
    )
    with_history(verb)


def with_history(verb: argparse.ArgumentParser) -> None:
    """The options of a run whose history is kept, and that writes no results of its own."""
    options.pages(verb)
    options.ranks(verb)
    options.topology(verb)
    options.rank(verb, "of several ranks the one to report; profile takes that which ended last")
    options.inputs(verb)
    options.inputs_folder(verb)
    options.common(verb)
    options.kernel(verb)
    options.most_cycles(verb)
    options.no_values(verb)
    options.policy(verb)
    options.unchecked(verb)
    options.limit(verb, "stop after N instructions, with exit code 1", MOST_PROFILED)
    options.timeout(verb)
    options.json(verb)
    verb.set_defaults(values=None, trace=None, outputs=[], out_dir=None, quiet=False)
    verb.set_defaults(sarif=None, emit=None, autosync=False)


def _unfit(parsed: argparse.Namespace) -> str:
    """Which options do not go together; empty if all do."""
    if parsed.timeline is not None and (parsed.json or parsed.path):
        given = "--json" if parsed.json else "--path"
        return f"{given} does not go with --timeline, which shows nothing else"
    if parsed.format is not None and parsed.tables is None:
        return "--format says how --tables is written: give that, too"
    for name in ("tables", "html", "svg"):
        if parsed.timeline is not None and getattr(parsed, name) is not None:
            return f"--{name} does not go with --timeline, which shows nothing else"
    return ""


def profile(args: argparse.Namespace, screen: Screen) -> int:
    """Run a program and report where the time went; returns the exit code."""
    preload("nasm.apps.cli.programs", "nasm.show.profile")
    from nasm.apps.cli.profile_run import Profiling

    def of_ranks(given: Given | None = None) -> Run:
        from nasm.apps.cli.ranks_profile import RanksProfiling

        return RanksProfiling(args, screen, given)

    if args.ranks is not None or args.rank is not None:
        return of_ranks().go()
    made = Profiling(args, screen)
    made.of_ranks = of_ranks
    return made.go()


VERB = Verb(
    summary="run a program and say where the time went",
    rank=30,
    arguments=_arguments,
    conflicts=(_unfit, options.text_with_arguments),
    body=profile,
    examples=(("matmul.nasm", "where the time went"),),
    notes="""\
examples:
  neuron-nasm profile matmul.nasm
  neuron-nasm profile matmul.nasm --path      all of the critical path
  neuron-nasm profile matmul.nasm --timeline 2us..5us
  neuron-nasm profile tiled.nasm -D N=1_024 --target trn2 --json
  neuron-nasm profile matmul.nasm --html run.html
  neuron-nasm profile matmul.nasm --tables out --format parquet

Times need no values: nothing is computed, unless addresses or branches of the
program depend on what is. With --no-values such a program is refused.
""",
    document="program",
)
