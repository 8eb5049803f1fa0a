"""``--html`` and ``--svg``: the page of a run, or of two, and the picture of its timeline."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nasm.apps.cli import results
from nasm.base.problems import Failure, Problem, in_line

if TYPE_CHECKING:
    from nasm.show.run_page.page import Shown

WHAT = {"html": "the page", "svg": "the picture"}
"""What the options write, by their names in a namespace."""


def wanted(args: argparse.Namespace) -> list[tuple[str, str, str]]:
    """What must be written: the name of the option, what that is, and the path."""
    given = ((name, what, getattr(args, name, None)) for name, what in WHAT.items())
    return [(name, what, results.spelled(path)) for name, what, path in given if path]


def paths(args: argparse.Namespace) -> list[tuple[str, str]]:
    """What must be written, and where."""
    return [(what, path) for _, what, path in wanted(args)]


def write(
    args: argparse.Namespace, runs: Sequence[Shown], comparison: tuple[str, str] = ("", "")
) -> tuple[list[str], list[Problem]]:
    """Write what is wanted of some runs; returns notes on it, and why something is not written."""
    from nasm.show.run_page.page import page_of

    notes, problems, page = list[str](), list[Problem](), page_of(runs, comparison)
    for name, what, path in wanted(args):
        try:
            results.put_text(path, getattr(page, name))
            notes.append(f"wrote {what} of the run to {in_line(path)}")
        except Failure as failure:
            problems += failure.problems
    return notes, problems
