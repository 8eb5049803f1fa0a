"""How a command answers: its exit code, and the one JSON document if it is asked for one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from nasm.apps.cli import streams
from nasm.apps.cli.verb import named
from nasm.base.problems import Problem

if TYPE_CHECKING:  # a command that shows nothing imports no Rich
    from nasm.apps.cli.screen import Screen

OK: Final = 0
BROKEN: Final = 1
"""The text was read, and what it promises does not hold; or it is not formatted."""
REFUSED: Final = 2
"""The text, the command line or a file is wrong."""
RAISED: Final = "E0655"
"""The code of what a kernel raises of its own: it is called, and its run fails (1)."""
DEFECT: Final = 70
"""nasm has a defect. What else ends the command has codes of its own (`nasm/base/signals.py`)."""


class Answer:
    """What a verb answers with ``--json``; ``wanted`` until it was given.

    ``content`` is what its document holds even if the verb does not get to its end.
    """

    def __init__(self, verb: str, wanted: bool) -> None:
        self.verb, self.wanted = verb, wanted
        self.about = named(verb).document if verb else ""
        self.content: dict[str, Any] = {}
        if self.about:
            self.content[self.about] = "" if self.about == "program" else []

    def give(self, code: int, **content: Any) -> int:
        """Print it; returns the exit code."""
        import json

        from nasm.show import jsonable

        document = jsonable.document(self.verb, code, **content)
        text = json.dumps(document, indent=2, allow_nan=False) + "\n"
        self.wanted = False
        streams.write(sys.stdout, text)
        return code

    def cut(self, code: int, status: str, problems: Sequence[Problem]) -> None:
        """Print what there is of it."""
        from nasm.show import jsonable

        content = dict(self.content)
        if self.about in ("program", "programs"):
            content["status"] = status
        self.give(code, **content, problems=jsonable.problems(problems))


def refuse(
    args: argparse.Namespace, screen: Screen, problems: Sequence[Problem], **content: Any
) -> int:
    """Print the problems, as a document where one is wanted; returns the exit code."""
    if getattr(args, "json", False):
        from nasm.show import jsonable

        args.answer.give(REFUSED, **content, problems=jsonable.problems(problems))
    else:
        screen.problems(problems)
    return REFUSED
