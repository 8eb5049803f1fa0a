"""The verb ``sweep``: a program with every choice of some values."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from nasm.apps.cli import many_runs
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.verb import Verb, preload

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen


def sweep(args: argparse.Namespace, screen: Screen) -> int:
    """Make all runs; returns the exit code: 1 if none is ok."""
    preload("nasm.sweeps.sweep")
    from nasm.sweeps.sweep import sweep

    return many_runs.done(args, screen, sweep)


VERB = Verb(
    summary="run a program with every choice of some values, and compare",
    rank=35,
    arguments=many_runs.arguments,
    conflicts=(options.kernel_with_autosync, options.text_with_arguments),
    body=sweep,
    examples=(("matmul.nasm -D F=128,256 --target trn1,trn2", "every choice, compared"),),
    notes="""\
examples:
  neuron-nasm sweep tiled.nasm -D TN=128,256,512 --target trn1,trn2
  neuron-nasm sweep tiled.nasm -D TN=64..512x2 -D TK=32..128:32 --svg map.svg
  neuron-nasm sweep kernel.py:matmul --in a=a.npy --arg tile=128,256
  neuron-nasm sweep tiled.nasm -D TN=128..512:128 --by mfu --csv all.csv
  neuron-nasm sweep tiled.nasm -D TN=64..4096x2 --scheduler tcp://host:8786

Each run has values and time, and is the same on every machine. Rows are kept
in a file as they come: a sweep that was stopped continues, and a run
is made again only if the program, a file that it reads, or nasm has changed.
A run that fails is a row with its reason. Exit code 1 says that none is ok, or
that one could not be made: its worker died, or it was late.
""",
    document="program",
    undone="all runs had been made",
    other_names=("bench", "explore", "grid"),
)
