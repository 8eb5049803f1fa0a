"""Expressions that are shown again whenever the run stops."""

from __future__ import annotations

from nasm.base.problems import Failure, Refused
from nasm.base.records import dataclass, field, replace
from nasm.debugger.session import Session

MOST_LINES = 8
"""Lines of one of them; ``print`` shows all of it."""


@dataclass(frozen=True, slots=True)
class Display:
    """One of them: its number, how it is shown, and what was asked for."""

    number: int
    form: str
    text: str


@dataclass(slots=True)
class Displays:
    """What ``display`` was given, in that order; numbers are not used again."""

    items: list[Display] = field(default_factory=list)
    last: int = 0

    def add(self, text: str, form: str) -> Display:
        """Show an expression from now on."""
        self.last += 1
        self.items.append(Display(self.last, form, text))
        return self.items[-1]

    def remove(self, number: int) -> bool:
        """Show one no longer; whether there was one."""
        kept = [item for item in self.items if item.number != number]
        found, self.items = len(kept) < len(self.items), kept
        return found

    def clear(self) -> None:
        """Show none any longer."""
        self.items = []

    def lines(self, session: Session, width: int) -> list[str]:
        """All of them as they are now."""
        return [line for item in self.items for line in shown(item, session, width)]


def shown(item: Display, session: Session, width: int) -> list[str]:
    """One of them as it is now; if it cannot be computed, why."""
    from nasm.show import arrays

    mark = f"{item.number}: "
    try:
        value = session.evaluate(item.text)
    except Failure as failure:
        return [f"{mark}{item.text}: {failure.problems[0].message}"]
    except Refused as refused:
        return [f"{mark}{item.text}: {refused.message}"]
    lines = arrays.shown(value, item.form, width - len(mark))
    if value.shape or value.view is not None:
        lines[0] = arrays.heading(replace(value, text=item.text, view=None), width - len(mark))
    if len(lines) > MOST_LINES:
        hidden = len(lines) - MOST_LINES + 1
        lines = [*lines[: MOST_LINES - 1], f"  … {hidden} more lines: print {item.text}"]
    return [mark + lines[0], *(" " * len(mark) + line for line in lines[1:])]
