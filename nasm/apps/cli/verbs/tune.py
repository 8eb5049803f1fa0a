"""The verb ``tune``: a search for the best values of a program."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from nasm.apps.cli import many_runs, values
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.verb import Verb, preload

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen


def _arguments(verb: argparse.ArgumentParser) -> None:
    many_runs.arguments(verb)
    verb.add_argument(
        "--runs", metavar="N", type=values.count, default=100, help="make so many runs, or 100"
    )
    verb.add_argument(
        "--seconds", metavar="S", type=values.seconds, help="begin no more runs after so many"
    )
    verb.add_argument(
        "--seed",
        metavar="N",
        type=values.seed,
        default=1,
        help="the seed of the search, by default 1: one seed, one search",
    )


def tune(args: argparse.Namespace, screen: Screen) -> int:
    """Search; returns the exit code: 1 if no run is ok."""
    preload("nasm.sweeps.tuning")
    from nasm.sweeps.tuning import tune

    budget = {"runs": args.runs, "seconds": args.seconds, "seed": args.seed}
    return many_runs.done(args, screen, tune, **budget)


VERB = Verb(
    summary="search for the best values of a program",
    rank=37,
    arguments=_arguments,
    conflicts=(options.kernel_with_autosync, options.text_with_arguments),
    body=tune,
    examples=(("matmul.nasm -D F=64..4096:64 --runs 50", "the best F in 50 runs"),),
    notes="""\
examples:
  neuron-nasm tune tiled.nasm -D TN=64..512:64 -D TK=32..128:32 --runs 60
  neuron-nasm tune tiled.nasm -D TN=64..512:64 --by mfu --seconds 120
  neuron-nasm tune kernel.py:matmul --in a=a.npy --arg tile=64..512:64

Which values are run next is chosen by Optuna (pip install 'neuron-nasm[tune]')
from what is known of those before. A run that breaks a rule, has a hazard or is
wrong is no candidate. The report says what each value decides, and the command
that makes the best run again.
""",
    document="program",
    undone="the search had ended",
    other_names=("optimize", "optimise", "search", "autotune"),
)
