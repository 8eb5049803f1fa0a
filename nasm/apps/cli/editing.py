"""The verb ``lsp``: the language server, if what it stands on is installed."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from nasm.apps.cli.assembling import allowed
from nasm.apps.cli.exit_codes import REFUSED
from nasm.apps.cli.screen import Screen
from nasm.base.problems import Failure, Problem
from nasm.isa.timing import Timing

NEEDED = "pygls"


def lsp(args: argparse.Namespace, screen: Screen) -> int:
    """Serve until the editor is done; returns the exit code: 1 if it did not shut down first."""
    if find_spec(NEEDED) is None:
        said = f"'lsp' needs {NEEDED}, which is not installed"
        screen.problems([Problem("E0850", said, None, "pip install 'neuron-nasm[lsp]'")])
        return REFUSED
    try:
        timing, files = Timing.of(args.timing), allowed(args)
    except Failure as failure:
        screen.problems(failure.problems)
        return REFUSED
    from nasm.apps.lsp.analysis import Settings
    from nasm.apps.lsp.server import serve

    options = dict(args.options)
    settings = Settings(args.target, dict(args.defines), options, files, timing)
    return serve(settings, args.cycles)
