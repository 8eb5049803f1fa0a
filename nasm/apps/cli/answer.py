"""The one JSON document that a command prints if it is asked for one."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nasm.apps.cli import streams
from nasm.apps.cli.exit_codes import REFUSED
from nasm.base.problems import Problem
from nasm.show import jsonable

if TYPE_CHECKING:  # a command that shows nothing imports no Rich
    from nasm.apps.cli.screen import Screen

PROGRAM = ("run", "nki", "profile", "sync", "asm", "list")
"""The verbs whose document is about one program."""


class Answer:
    """What a verb answers with ``--json``; ``wanted`` until it was given.

    ``content`` is what its document holds even if the verb does not get to its end.
    """

    def __init__(self, verb: str, wanted: bool) -> None:
        self.verb, self.wanted = verb, wanted
        self.content: dict[str, Any] = {}
        if verb in PROGRAM:
            self.content["program"] = ""
        elif verb == "diff":
            self.content["programs"] = []
        elif verb == "check":
            self.content["files"] = []

    def give(self, code: int, **content: Any) -> int:
        """Print it; returns the exit code."""
        document = jsonable.document(self.verb, code, **content)
        text = json.dumps(document, indent=2, allow_nan=False) + "\n"
        self.wanted = False
        streams.write(sys.stdout, text)
        return code

    def cut(self, code: int, status: str, problems: Sequence[Problem]) -> None:
        """Print what there is of it."""
        content = dict(self.content)
        if self.verb in (*PROGRAM, "diff"):
            content["status"] = status
        self.give(code, **content, problems=jsonable.problems(problems))


def refuse(args: argparse.Namespace, screen: Screen, problems: Sequence[Problem]) -> int:
    """Say what is wrong, as a document where one is wanted; returns the exit code."""
    if args.json:
        args.answer.give(REFUSED, problems=jsonable.problems(problems))
    else:
        screen.problems(problems)
    return REFUSED
