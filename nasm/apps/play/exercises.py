"""The exercises of the course as the page shows them: their texts, and a solution judged."""

from __future__ import annotations

from functools import cache
from typing import Any

from rich.markdown import Markdown

from nasm.apps.play.answers import Asked, refused, text_of, width_of
from nasm.base import host_files
from nasm.base.problems import did_you_mean
from nasm.grading.class_report import one
from nasm.grading.course import installed
from nasm.grading.exercise import STARTER, Exercise, described, exercises_of
from nasm.grading.grade import grade
from nasm.show import html

TEXTS = ".nasm"


@cache
def exercises() -> dict[str, Exercise]:
    """Those whose solutions are texts, by name, in order; raises Failure."""
    found = (each for each in exercises_of(installed()) if starter(each).endswith(TEXTS))
    return {each.name: each for each in found}


def starter(exercise: Exercise) -> str:
    """The path of what an exercise begins with; empty if there is nothing."""
    return next(iter(exercise.submissions(STARTER)), "")


def titles() -> list[tuple[str, str]]:
    """The names and titles of all, in order."""
    return [(name, each.wanted.title) for name, each in exercises().items()]


def exercise(asked: Asked) -> dict[str, Any]:
    """The text of an exercise and what it begins with; raises Refused."""
    found = _named(asked)
    shown = html.page([Markdown(found.text, code_theme="default")], width_of(asked))
    hints = sum(map(len, found.wanted.hints.values()))
    return {
        "html": shown,
        "starter": host_files.read_text(starter(found)),
        "asked": described(found.wanted),
        "hints": hints,
    }


def judged(asked: Asked) -> dict[str, Any]:
    """A text judged, in processes of its own, with so many hints; raises Refused."""
    found, hints = _named(asked), asked.get("hints", 0)
    if type(hints) is not int or hints < 0:
        raise refused("hints is a number from 0 on")
    text = text_of(asked)
    made = grade(found, text if text.endswith("\n") else f"{text}\n")
    lines = one(made, width_of(asked), hints)
    return {
        "html": html.page(lines, width_of(asked)),
        "passed": made.passed,
        "more": len(made.hints) > hints,
    }


def _named(asked: Asked) -> Exercise:
    name = asked.get("exercise")
    known = exercises()
    if not isinstance(name, str) or name not in known:
        meant = did_you_mean(str(name)[:80], known)
        raise refused(f"there is no such exercise{meant and f': {meant}'}")
    return known[name]
