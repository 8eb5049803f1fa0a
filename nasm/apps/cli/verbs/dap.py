"""The verb ``dap``: the debug adapter, with which editors drive the debugger."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from nasm.apps.cli import streams, values
from nasm.apps.cli.verb import Verb, preload

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.apps.dap.state import Load
    from nasm.debugger.session import Session

LOOPBACK = "127.0.0.1"


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--port",
        metavar="N",
        type=values.core,
        help="answer clients on this port of this computer, one after the other, instead of on "
        "standard input and output; 0 takes a free one, and prints which",
    )
    verb.add_argument(
        "--no-python",
        dest="python",
        action="store_false",
        help="refuse kernel.py:name, which is Python",
    )


def dap(args: argparse.Namespace, screen: Screen) -> int:
    """Serve until the client is done; with a port until a signal ends it. Returns the exit code."""
    preload("nasm.apps.cli.programs", "nasm.apps.dap.server", "nasm.apps.repl.help_commands")
    from nasm.apps.dap.server import serve

    def load(words: Sequence[str], folder: str | None) -> Session:
        return session(words, args.python)

    return serve(load) if args.port is None else _on_port(args.port, load)


def session(words: Sequence[str], python: bool) -> Session:
    """The session that a command line of ``repl`` would debug; raises Failure."""
    from nasm.apps.cli import arguments, programs
    from nasm.base.problems import Failure, Problem
    from nasm.debugger.session import Session

    program, *rest = words
    if program.endswith(".nrec"):
        if rest:
            message = "a recording has its program and inputs: no option changes it"
            raise Failure(Problem("E0812", message))
        return Session.replayed(program)
    try:
        refused = "-" if program == "-" or program.startswith("-") else ""
        parsed = arguments.read(
            ["repl", *rest, *([] if python else ["--no-python"]), "--", program]
        )
    except arguments.Wrong as wrong:
        raise Failure(Problem("E0812", f"{wrong}")) from None
    except SystemExit:
        raise Failure(Problem("E0812", "help is for the command line")) from None
    if refused:
        raise Failure(Problem("E0812", f"'{program}' is no file that can be launched"))
    return programs.session(parsed)


def _on_port(port: int, load: Load) -> NoReturn:
    """Serve one client after another."""
    import socket

    from nasm.apps.dap.server import serve
    from nasm.base.problems import Failure, Problem

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((LOOPBACK, port))
        except (OSError, OverflowError) as problem:
            reason = getattr(problem, "strerror", None) or str(problem)
            raise Failure(Problem("E0801", f"cannot listen on port {port}: {reason}")) from None
        listening.listen()
        streams.write(sys.stdout, f"listening on {LOOPBACK}:{listening.getsockname()[1]}\n")
        streams.flush(sys.stdout)
        while True:
            client, _ = listening.accept()
            with client, client.makefile("rb") as given, client.makefile("wb") as sent:
                try:
                    serve(load, (given, sent))
                finally:
                    with suppress(OSError):  # what reads from it is to end
                        client.shutdown(socket.SHUT_RDWR)


VERB = Verb(
    summary="let an editor debug: the debug adapter",
    rank=155,
    arguments=_arguments,
    body=dap,
    examples=(("", "answer an editor that debugs"),),
    notes="""\
examples:
  neuron-nasm dap
  neuron-nasm dap --port 4711

It speaks the Debug Adapter Protocol on standard input and output, or on a port
of this computer: an editor starts it. docs/editors.md says how, and what a
launch configuration may have.
""",
    other_names=("debug-adapter",),
)
