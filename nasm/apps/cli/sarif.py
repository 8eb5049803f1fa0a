"""``--sarif``: where it goes is checked before anything is read, and it is written at the end."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

from nasm.apps.cli import results
from nasm.base.problems import Failure
from nasm.show.log_lines import ProgramProblems

WHAT = "the SARIF log"


def destination(given: str, programs: Iterable[str], read: Iterable[str], document: bool) -> str:
    """The file that is meant; raises Failure if it cannot be, or is one of those that are read.

    ``document`` says whether standard output is taken.
    """
    path = results.spelled(given)
    others = [("it is the program", "/dev/stdin" if p == "-" else p) for p in programs]
    others += [("it is read", other) for other in read]
    problems = results.clashes([(WHAT, path)], others, document)
    problem = results.unwritable(path)
    if problem is not None:
        problems.append(problem)
    if problems:
        raise Failure(problems)
    return path


def takes_output(path: str) -> bool:
    """Whether a log goes to standard output, so that messages have to go elsewhere."""
    mine = results.of_stream(sys.stdout)
    return mine is not None and mine == results.identity(path)


def write(path: str, found: Iterable[ProgramProblems]) -> None:
    """Write a log whole or not at all; raises Failure."""
    from nasm.show import sarif  # with the long form of every code

    text = json.dumps(sarif.log(found), indent=2, allow_nan=False) + "\n"
    results.put(path, text.encode("ascii"))
