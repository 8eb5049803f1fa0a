"""The verb ``completion``: what a shell needs to complete the command."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from nasm.apps.cli import completions, streams
from nasm.apps.cli.answer import OK
from nasm.apps.cli.verb import Verb

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("shell", choices=completions.SHELLS, help="the shell that is to complete")


def completion(args: argparse.Namespace, screen: Screen) -> int:
    """Print the file for a shell; returns the exit code."""
    streams.write(sys.stdout, completions.text(args.shell))
    return OK


VERB = Verb(
    summary="print what bash, zsh or fish needs to complete this command",
    rank=165,
    arguments=_arguments,
    body=completion,
    notes="""\
examples:
  neuron-nasm completion bash
  neuron-nasm completion zsh

In ~/.bashrc write: eval "$(neuron-nasm completion bash)". Put what it prints
for zsh into _neuron-nasm in a folder of $fpath, and that for fish into
~/.config/fish/completions/neuron-nasm.fish. Where the package is installed
below a prefix of the system, these files and the manual page are in place.
""",
)
