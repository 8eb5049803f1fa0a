"""A program run for the page: its report as HTML, and the page of its timeline.

In a browser a run is made in the process that answers, which has nothing to protect there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nasm.api import run
from nasm.apps.play.answers import Asked, text_of, width_of
from nasm.base.page import RunPage
from nasm.base.problems import Failure, Problem
from nasm.machine.records import RunReport
from nasm.show import html, tables
from nasm.show.diagnostics import diagnostic

MOST_INSTRUCTIONS = 300_000
"""Instructions after which a run is stopped: its page keeps each of them."""


def run_here(asked: Asked) -> dict[str, Any]:
    """Run a text in this process; raises Refused for what is no text."""
    try:
        result = run(program(asked), files=False, profile=True, max_instructions=MOST_INSTRUCTIONS)
    except Failure as failure:
        return shown(asked, None, None, failure.problems)
    return shown(asked, result.report, result.session.page(), ())


def program(asked: Asked) -> str:
    """The text of a program, which is never taken for a path; raises Refused."""
    text = text_of(asked)
    return text if text.endswith("\n") else f"{text}\n"


def shown(
    asked: Asked, report: RunReport | None, page: RunPage | None, problems: Iterable[Problem]
) -> dict[str, Any]:
    """What the page shows of a run: of one with a report, or of what does not assemble."""
    width = width_of(asked)
    if report is None:
        lines = html.page([diagnostic(problem, width) for problem in problems], width)
        return {"status": "refused", "ok": False, "report": lines, "page": None, "time": None}
    return {
        "status": report.status.value,
        "ok": report.ok,
        "report": html.page(tables.run_report(report, width=width), width),
        "page": page and page.html,
        "time": report.microseconds,
    }
