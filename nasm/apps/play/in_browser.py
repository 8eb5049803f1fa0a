"""Questions of the page answered by Python in a browser: no process, no thread, no file."""

from __future__ import annotations

import json
from typing import Any

from nasm import __version__
from nasm.apps.play import answers, program_runs
from nasm.apps.play.exercises import ShownExercises
from nasm.base.problems import Failure, Refused
from nasm.isolation import here

NOTE = "Check runs this Python in your browser, with no limit of time: Stop ends it."
EXERCISES = ShownExercises(perform=here.run, python=True, note=NOTE)
"""All of the course: what Python may do here, the browser limits."""


def answer(what: str, asked: str) -> str:
    """The answer to a question, both JSON: an object with its ``content``, or with an ``error``."""
    try:
        given = json.loads(asked)
        if what == "about":
            content: dict[str, Any] = {"nasm": __version__, "folder": None, **EXERCISES.listed()}
        elif what == "run":
            content = program_runs.run_here(given)
        elif what == "exercise":
            content = EXERCISES.exercise(given)
        elif what == "judge":
            content = EXERCISES.judged(given)
        else:
            content = answers.answer(what, given)
    except Refused as reason:
        return json.dumps({"error": reason.at(None).message})
    except Failure as failure:
        return json.dumps({"error": failure.problems[0].message})
    return json.dumps({"content": content})
