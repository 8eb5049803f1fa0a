"""What is found of the waits of a program: plain frozen records."""

from __future__ import annotations

from nasm.base.problems import counted
from nasm.base.records import dataclass
from nasm.base.source import Span

DROP, WEAKER, LATER, AT_READ, EARLIER = "drop", "weaker", "later", "at_read", "earlier"
"""What can become of a wait or a post: it can go, wait for less, or come at a later instruction; it
can be made when its instruction has read, or by an earlier one."""


@dataclass(frozen=True, slots=True)
class WaitSuggestion:
    """A change to the waits or posts of a line, after which every execution has the same results.

    ``kind`` says which, ``text`` in words, with what the line waits for or posts. It changes
    ``rounds`` instructions, of ``of`` that came from the line; ``other`` is the line that waits or
    posts instead. Alone it saves so many microseconds, below 0 if the run takes longer.
    ``together`` says that it is among those that hold together.
    """

    kind: str
    queue: str
    text: str
    span: Span | None
    other: Span | None
    rounds: int
    of: int
    saved: float
    together: bool


@dataclass(frozen=True, slots=True)
class SharedSemaphore:
    """Semaphores that can be one, the uses of each over before those of the next begin.

    Waits for each are for so much ``more`` then: what was posted to those before it.
    """

    names: tuple[str, ...]
    more: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SemaphoreUse:
    """How many semaphores a core uses, and how many would do if one follows another.

    ``groups`` are those that have to be made one. It is the fewest for semaphores that follow each
    other: of as many no two can. ``apart`` are in no such group, as they are set, or waited for to
    be just so.
    """

    core: int
    used: int
    fewest: int
    groups: tuple[SharedSemaphore, ...]
    apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class WaitReport:
    """What the waits of a program could be instead.

    It has ``waits`` instructions that wait, on ``lines`` lines. ``reason`` says why none was looked
    at; ``untried`` are changes that there was no time to try. With all suggestions that hold
    ``together`` the run takes ``changed`` microseconds in the place of ``microseconds``.
    """

    waits: int = 0
    lines: int = 0
    suggestions: tuple[WaitSuggestion, ...] = ()
    semaphores: tuple[SemaphoreUse, ...] = ()
    microseconds: float = 0.0
    changed: float = 0.0
    untried: int = 0
    reason: str = ""

    @property
    def together(self) -> tuple[WaitSuggestion, ...]:
        """The suggestions that hold all at once."""
        return tuple(one for one in self.suggestions if one.together)

    @property
    def summary(self) -> str:
        """What was found in a sentence."""
        if self.reason:
            return f"waits were not looked at: {self.reason}"
        if not self.suggestions:
            if not self.waits:
                return "nothing waits"
            return f"waits: nothing to change in {counted(self.lines, 'line')} that wait"
        text = f"waits: {counted(len(self.suggestions), 'change')} would do"
        if len(self.together) < len(self.suggestions):
            text += f", {len(self.together)} of them together"
        saved = self.microseconds - self.changed
        less = "less" if saved >= 0 else "more"
        return f"{text}: {abs(saved):,.3f} µs {less} of {self.microseconds:,.3f} µs"

    def __repr__(self) -> str:
        return f"<{self.lines} lines that wait: {len(self.suggestions)} could be otherwise>"
