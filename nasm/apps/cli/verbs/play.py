"""The verb ``play``: the page to write and run programs on, served by this computer."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from nasm.apps.cli import values
from nasm.apps.cli.answer import OK, REFUSED
from nasm.apps.cli.verb import Verb, preload
from nasm.base.problems import Problem, in_line

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen

HOST, PORT = "127.0.0.1", 8642


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "folder", nargs="?", help="the only folder whose programs are read and written"
    )
    verb.add_argument(
        "--host",
        default=HOST,
        metavar="ADDRESS",
        help=f"the address to listen at: by default {HOST}, which only this computer reaches",
    )
    verb.add_argument(
        "--port",
        type=_port,
        default=PORT,
        metavar="N",
        help=f"the port, by default {PORT}; 0 takes one that is free",
    )
    token = verb.add_mutually_exclusive_group()
    token.add_argument(
        "--token",
        metavar="WORD",
        help="what the address must name; by default a word that is made up for each start",
    )
    token.add_argument(
        "--no-token", dest="token", action="store_const", const="", help="admit every request"
    )
    verb.add_argument("--read-only", action="store_true", help="write no program into the folder")
    verb.add_argument(
        "--jobs",
        type=values.count,
        metavar="N",
        help="runs at once: by default as many as there are processors",
    )
    verb.add_argument(
        "--python",
        action="store_true",
        help="have exercises in Python too: solutions are run in processes with limits",
    )
    verb.add_argument("--open", action="store_true", help="open the page in the browser")


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is no port: a number from 0 to 65535")
    return int(text)


def play(args: argparse.Namespace, screen: Screen) -> int:
    """Serve the page until Ctrl-C; returns the exit code."""
    preload("nasm.apps.play.server")
    import secrets
    from urllib.parse import quote

    from nasm.apps.play.folder import Folder
    from nasm.apps.play.server import PlayServer, Serving
    from nasm.apps.play.workers import Workers

    if args.folder is not None and not os.path.isdir(args.folder):
        problem = Problem("E0801", f"no folder {in_line(args.folder)}")
        screen.problems([problem])
        return REFUSED
    folder = None if args.folder is None else Folder(args.folder, args.read_only)
    token = secrets.token_urlsafe(12) if args.token is None else args.token
    reads = None if folder is None else folder.path
    workers = Workers(args.jobs or os.cpu_count() or 1, reads, args.python)
    lacking = workers.unprotected() if args.python else ""
    if lacking:
        screen.note(f"warning: {lacking}")
    try:
        server = PlayServer((args.host, args.port), Serving(workers, folder, token))
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"cannot listen at {in_line(args.host)}, port {args.port}: {reason}"
        screen.problems([Problem("E0851", message, None, "take another with --port, or --port 0")])
        return REFUSED
    address = server.origin + (f"?token={quote(token)}" if token else "")
    try:
        with server:
            screen.note(f"open {address}   (Ctrl-C ends it)")
            if args.open:
                import webbrowser

                webbrowser.open(address)
            server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        screen.note("ended")
    finally:
        workers.close()
    return OK


VERB = Verb(
    summary="write and run programs on a page of the browser",
    rank=105,
    arguments=_arguments,
    body=play,
    examples=(("", "write and run programs in the browser"),),
    notes="""\
examples:
  neuron-nasm play                       without any file
  neuron-nasm play programs --open       with the programs of a folder
  neuron-nasm play --host 0.0.0.0 --token spring class   for a classroom

The page needs no network but this server. Each run is in a process of its own,
with limits. docs/play.md says more, such as how to serve it through a proxy.
""",
    other_names=("serve", "web", "playground", "browser"),
)
