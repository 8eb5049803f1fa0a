"""The verb ``help``: what there is to read of the command, a verb, an instruction, a diagnostic."""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING

from nasm.apps.cli import arguments, streams
from nasm.apps.cli.answer import OK, REFUSED
from nasm.apps.cli.verb import Verb, names, preload, verbs
from nasm.apps.cli.verbs.explain import explain
from nasm.apps.cli.verbs.isa import isa, known_targets, meant_by
from nasm.base.problems import Problem, quoted

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen

CODE = re.compile(r"[eEwW]\d{1,4}")


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "topic", nargs="?", help="a command (run), an instruction (Max8) or a code (E0501)"
    )


def help_(args: argparse.Namespace, screen: Screen) -> int:
    """Show the help of the command, a verb, an instruction or a diagnostic; the exit code."""
    topic = args.topic
    if topic is None or topic in names():
        top = arguments.parser(topic or "")
        streams.write(sys.stdout, arguments.of_verb(top, topic).format_help())
        return OK
    if CODE.fullmatch(topic):
        return explain(arguments.read(["explain", topic]), screen)
    preload("nasm.targets", "nasm.show.search")
    targets = known_targets(None)
    if any(topic in target.isa.rows for target in targets):
        return isa(arguments.read(["isa", topic]), screen)
    hint = meant_by(topic, targets, verbs()) or f"commands: {', '.join(verbs())}"
    message = f"no command, instruction or diagnostic '{quoted(topic)}'"
    screen.problems([Problem("E0811", message, None, hint)])
    return REFUSED


VERB = Verb(
    summary="explain a command, an instruction or a diagnostic",
    rank=160,
    arguments=_arguments,
    body=help_,
    notes="""\
examples:
  neuron-nasm help run
  neuron-nasm help TensorTensor
  neuron-nasm help E0501
""",
)
