"""What became of a program or a kernel that was run in processes of its own."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from nasm.analysis.profile.records import Profile
from nasm.base.page import RunPage
from nasm.base.problems import Problem, counted, render
from nasm.base.records import dataclass, field
from nasm.isolation.limits import Protection
from nasm.isolation.work import DryRun
from nasm.machine.records import RunReport
from nasm.show.documents import Key, Shape, each, part, plain
from nasm.show.jsonable import RUN, problem_list

How = Literal["ran", "refused", "exited", "signal", "cpu", "memory", "deadline", "output"]
"""``ran``: there is a report. ``refused``: it does not assemble, or the kernel raised something.
``exited``: a process ended without an answer. ``signal``: one ended it. ``cpu``, ``memory``,
``deadline`` and ``output`` are the limits that it met, ``output`` that of its answer."""


@dataclass(frozen=True, slots=True)
class Printed:
    """The first bytes that were printed, as text, and how many more there were."""

    text: str = ""
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended. It can be pickled, and :meth:`document` is it as JSON.

    ``report`` and ``outputs`` are those of :func:`nasm.run` if the program ``ran``, else None.
    ``problems`` are the errors if it did not. ``profile`` is there with ``profile=True``, ``page``
    with ``page=True``, and ``dry`` with ``dry=True``, unless the run depends on values.
    ``exit_code`` or ``signal`` says how the last process ended, ``seconds`` how long all took.
    ``protections`` are those of the process that ran the kernel, or without one of the process that
    ran the program: a limit that is not ``active`` was not kept.
    """

    program: str
    how: How
    problems: tuple[Problem, ...] = ()
    report: RunReport | None = None
    outputs: dict[str, np.ndarray[Any, Any]] | None = None
    profile: Profile | None = None
    page: RunPage | None = None
    dry: DryRun | None = None
    exit_code: int | None = None
    signal: int | None = None
    stdout: Printed = field(default_factory=Printed)
    stderr: Printed = field(default_factory=Printed)
    protections: tuple[Protection, ...] = ()
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the program ran to its end, and all that it promised holds."""
        return self.how == "ran" and self.report is not None and self.report.ok

    def __str__(self) -> str:
        if self.report is not None:
            return str(self.report)
        return "\n\n".join(map(render, self.problems))

    def document(self) -> dict[str, Any]:
        """What JSON can hold of it: all but the outputs."""
        return plain(self, OUTCOME)

    @property
    def unprotected(self) -> str:
        """A sentence about what the system could not forbid; empty if there is nothing."""
        names = [p.name for p in self.protections if not p.active]
        if not names:
            return ""
        return f"{counted(len(names), 'protection')} not available here: {', '.join(names)}"


_PRINTED: Shape = (
    Key("text", "the first 64 KiB that it printed"),
    Key("left_out", "how many bytes came after these"),
)
_PROTECTION: Shape = (
    Key("name", "what the process was kept from"),
    Key("active", "whether it was"),
    Key("by", "what keeps it from that"),
)
_HOW: Shape = (
    Key(
        "how",
        "`ran`, `refused`, `exited`, `signal`, `cpu`, `memory`, `deadline` or `output`: see "
        "[security.md](security.md#child-processes). Unless it is `ran`, `status` is `refused`, "
        "`timeout` or `fault`",
    ),
)
_ENDED: Shape = (
    Key("exit_code", "with what the last process exited; null if it was ended"),
    Key("signal", "the signal that ended it, or null"),
    Key("seconds", "how long all took"),
    part("stdout", _PRINTED),
    part("stderr", _PRINTED),
    each("protections", _PROTECTION),
)
ISOLATION: Shape = (*_HOW, *_ENDED)
"""What the document of a run has of it besides."""
OUTCOME: Shape = (
    Key("program"),
    *_HOW,
    Key("ok"),
    *_ENDED,
    problem_list("problems", "why it did not run"),
    Key("report", "the document of a run, or null", shape=RUN, elsewhere=True),
)
