"""The verb ``explain``: what a diagnostic means."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import OK
from nasm.apps.cli.verb import Verb, preload

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("code", nargs="?", help="a code, like E0501")
    options.json(verb)


def explain(args: argparse.Namespace, screen: Screen) -> int:
    """Show a diagnostic at length, or all of them in short; returns the exit code."""
    preload("nasm.show.explanations")
    from nasm.language import codes
    from nasm.show import explanations
    from nasm.show.documents import plain

    rows = codes.table() if args.code is None else (explanations.find(args.code),)
    if args.json:
        content = [plain(row, explanations.CODE) for row in rows]
        args.answer.give(OK, codes=content)
    elif args.code is None:
        screen.show(explanations.rich_list(rows))
    else:
        screen.show(explanations.rich_code(rows[0]))
    return OK


VERB = Verb(
    summary="explain a diagnostic in full, or list all of them",
    rank=130,
    arguments=_arguments,
    body=explain,
    examples=(("E0501", "what a diagnostic means"),),
    notes="""\
examples:
  neuron-nasm explain
  neuron-nasm explain E0501
""",
)
