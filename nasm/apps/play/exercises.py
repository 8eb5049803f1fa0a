"""The exercises of the course as the page shows them: their texts, and a solution judged.

Those whose solutions are Python are shown where it may be run.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from rich.markdown import Markdown

from nasm.apps.play.answers import Asked, refused, text_of, width_of
from nasm.apps.play.python_texts import PYTHON
from nasm.base import host_files
from nasm.base.problems import did_you_mean, in_line
from nasm.base.records import dataclass
from nasm.grading.class_report import one
from nasm.grading.course import installed
from nasm.grading.exercise import STARTER, Exercise, described, exercises_of
from nasm.grading.grade import Grade, grade
from nasm.isolation import process
from nasm.isolation.exchange import Perform
from nasm.nki.kernel_argument import SUFFIX
from nasm.show import html


@cache
def _every() -> dict[str, Exercise]:
    """All that begin with something, by name, in order; raises Failure."""
    return {each.name: each for each in exercises_of(installed()) if starter(each)}


def starter(exercise: Exercise) -> str:
    """The path of what an exercise begins with; empty if there is nothing."""
    return next(iter(exercise.submissions(STARTER)), "")


def _in_python(exercise: Exercise) -> bool:
    return starter(exercise).endswith(SUFFIX)


@dataclass(frozen=True, slots=True)
class ShownExercises:
    """The exercises of a page: ``perform`` runs solutions, those in ``python`` too or not.

    ``note`` is shown with these.
    """

    perform: Perform = process.run
    python: bool = False
    note: str = ""

    def known(self) -> dict[str, Exercise]:
        """Those that are shown, by name, in order; raises Failure."""
        return {name: e for name, e in _every().items() if self.python or not _in_python(e)}

    def listed(self) -> dict[str, Any]:
        """The names and titles of all, in order, and how many are not shown."""
        known = self.known()
        titles = [(name, each.wanted.title) for name, each in known.items()]
        return {"exercises": titles, "elsewhere": len(_every()) - len(known)}

    def exercise(self, asked: Asked) -> dict[str, Any]:
        """The text of an exercise and what it begins with; raises Refused."""
        found = self._named(asked)
        shown = html.page([Markdown(found.text, code_theme="default")], width_of(asked))
        hints = sum(map(len, found.wanted.hints.values()))
        return {
            "html": shown,
            "starter": host_files.read_text(starter(found)),
            "language": PYTHON if _in_python(found) else "",
            "asked": described(found.wanted),
            "note": self.note if _in_python(found) else "",
            "hints": hints,
        }

    def judged(self, asked: Asked) -> dict[str, Any]:
        """A solution judged, with so many hints; raises Refused."""
        found, hints = self._named(asked), asked.get("hints", 0)
        if type(hints) is not int or hints < 0:
            raise refused("hints is a number from 0 on")
        text = text_of(asked)
        text = text if text.endswith("\n") else f"{text}\n"
        made = self._kernel(found, text) if _in_python(found) else self._grade(found, text)
        lines = one(made, width_of(asked), hints)
        return {
            "html": html.page(lines, width_of(asked)),
            "passed": made.passed,
            "more": len(made.hints) > hints,
        }

    def _kernel(self, exercise: Exercise, text: str) -> Grade:
        """A kernel judged, which is imported from a file; raises Refused."""
        try:
            with host_files.temporary() as folder:
                path = os.path.join(folder, f"{exercise.name}{SUFFIX}")
                with host_files.opened(path, "wb") as out:
                    out.write(text.encode())
                return self._grade(exercise, path)
        except (OSError, UnicodeEncodeError) as error:
            raise refused(f"it cannot be imported: {in_line(str(error))}") from None

    def _grade(self, exercise: Exercise, submission: str) -> Grade:
        return grade(exercise, submission, perform=self.perform)

    def _named(self, asked: Asked) -> Exercise:
        name = asked.get("exercise")
        known = self.known()
        if not isinstance(name, str) or name not in known:
            meant = did_you_mean(str(name)[:80], known)
            raise refused(f"there is no such exercise{meant and f': {meant}'}")
        return known[name]
