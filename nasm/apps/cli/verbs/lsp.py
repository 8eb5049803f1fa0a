"""The verb ``lsp``: the language server, if what it needs is installed."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from typing import TYPE_CHECKING

from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import REFUSED
from nasm.apps.cli.verb import Verb, preload
from nasm.base.problems import Problem

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen

NEEDED = "pygls"


def _arguments(verb: argparse.ArgumentParser) -> None:
    options.common(verb)
    verb.add_argument(
        "--no-cycles",
        dest="cycles",
        action="store_false",
        help="do not offer the cycles of each instruction after its line",
    )


def lsp(args: argparse.Namespace, screen: Screen) -> int:
    """Serve until the editor is done; returns the exit code: 1 if it did not shut down first."""
    preload("nasm.apps.cli.programs")
    from nasm.apps.cli.programs import allowed
    from nasm.isa.timing import Timing

    if find_spec(NEEDED) is None:
        message = f"'lsp' needs {NEEDED}, which is not installed"
        screen.problems([Problem("E0850", message, None, "pip install 'neuron-nasm[lsp]'")])
        return REFUSED
    timing, files = Timing.of(args.timing), allowed(args)
    from nasm.apps.lsp.analysis import AssemblySettings
    from nasm.apps.lsp.server import serve

    options = dict(args.options)
    settings = AssemblySettings(args.target, dict(args.defines), options, files, timing)
    return serve(settings, args.cycles)


VERB = Verb(
    summary="answer an editor: the language server",
    rank=150,
    arguments=_arguments,
    body=lsp,
    examples=(("", "answer an editor"),),
    notes="""\
It speaks the language server protocol on standard input and output: an editor
starts it. docs/editors.md says how. It needs pip install 'neuron-nasm[lsp]'.
""",
)
