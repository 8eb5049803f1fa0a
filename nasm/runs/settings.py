"""The settings of a run: one record that every way to run a program takes, and their keywords.

A function that takes settings has ``settings: RunSettings | None`` and ``**keywords`` of one of the
kinds below, and is marked with :func:`with_settings`. What it passes on is the record.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypedDict, TypeVar

from nasm.base import host_memory
from nasm.base.deadlines import Deadline
from nasm.base.files import Allowed, Files, Folders
from nasm.base.problems import Failure, Problem, did_you_mean, number_of
from nasm.base.records import dataclass, fields, replace
from nasm.base.source import Source
from nasm.base.source_files import Given, Text, program_of
from nasm.isa.target import Loader
from nasm.isa.timing import Timing, TimingGiven
from nasm.language.assemble import Rewrite, assemble
from nasm.language.objects import Loaded, loaded
from nasm.machine.records import MOST_INSTRUCTIONS, Progress
from nasm.program.program import Program
from nasm.targets import TARGETS

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """How a program is assembled, run and judged; each field is a keyword of the functions, too.

    ``nasm.run(program, settings=made, strict=True)`` takes the record ``made`` with one setting
    changed. Each function uses the settings that its signature lists, and ignores the others of a
    record. A keyword that does not exist is a TypeError that names the closest one. Raises Refused
    (E0822) for a number below 0, ValueError for a ``deadline`` that is not above 0.

    How a text is assembled; a Program has been assembled with its own, and a function that gets
    one refuses them (E0810), but for ``files`` and ``include``:

    * ``target``: the name of the target, instead of the one that ``.target`` names;
    * ``defines``: constants by name, instead of the values that ``.const`` gives;
    * ``options``: machine options by name, as in ``{"rounding": "stochastic"}``;
    * ``timing``: figures by name, as in ``{"semaphore_ns": 25, "v4": {"nop_ns": 5}}``, or the path
      of a TOML file that sets some;
    * ``files``: the only folder from which the program may read arrays, while it is assembled and
      while it runs; with False it may read none, with None or True any;
    * ``include``: a folder, or several, in which to look for what ``.include`` names, after that
      of the text;
    * ``ranks``: how many machines run the program, instead of as many as ``.ranks`` says; outputs
      then have an axis of ranks, be it 1;
    * ``autosync``: the text has no waits and updates: they are found from the order of its lines.

    What is computed and kept:

    * ``values``: without, nothing is computed and no tensor is made: ticks and trace are the same,
      inputs are not read, and there are no outputs;
    * ``trace``: keep every record of the run, about 200 bytes for each instruction;
    * ``topology``: where ranks are: the name of a topology, or the path of a file that has one;
    * ``profile``: record what ``Session.profile`` reports;
    * ``hashes``: without, the report has no hashes of trace and memory: that of the memory goes
      over every byte of every tensor;
    * ``reruns``: keep the inputs, for :func:`nasm.schedules` and :func:`nasm.witness`;
    * ``keep``: up to how many bytes of the past are kept, so that going back takes no time; with 0
      a session runs as fast as the command, and goes back by running again, event by event. None is
      256 MiB, but 0 with ``profile`` or ``trace``.

    How it is judged:

    * ``strict``: warnings are errors;
    * ``allow``: codes of hazards and warnings that are ignored, such as ``["E0502"]``, in addition
      to those that comments of the program allow;
    * ``checked``: without, races and unwritten outputs are not looked for;
    * ``python``: expectations may call functions of Python files, which may do anything; without,
      and with ``files=False``, a program that has such an expectation is refused (E0229).

    Its limits; None is no limit:

    * ``max_cycles``: cycles of the base clock after which it is stopped (status LIMIT);
    * ``max_instructions``: completed instructions after which it is stopped (status LIMIT);
    * ``deadline``: seconds that the call may take, in any thread. Where the time is up between two
      events of a run its report has the status TIMEOUT, else it raises a Failure (E0516);
    * ``memory``: bytes that the call may take, as far as that is known in advance (E0808).

    ``progress`` is called about five times a second with a record of how far the run has got.
    """

    target: str | None = None
    defines: Mapping[str, int | float] | None = None
    options: Mapping[str, object] | None = None
    timing: TimingGiven | None = None
    files: Files | None = None
    include: Folders = ()
    ranks: int | None = None
    autosync: bool = False
    trace: bool = False
    values: bool = True
    topology: str | None = None
    profile: bool = False
    hashes: bool = True
    reruns: bool = False
    strict: bool = False
    allow: Iterable[str] = ()
    checked: bool = True
    python: bool = False
    keep: int | None = None
    max_cycles: int | None = None
    max_instructions: int | None = MOST_INSTRUCTIONS
    progress: Callable[[Progress], None] | None = None
    deadline: float | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing, and keep what is given only once, such as iterators."""
        for name, what in _NUMBERS.items():
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, number_of(what, given))
        Deadline(self.deadline)
        with host_memory.limited(self.memory):
            pass
        for name in ("include", "allow"):
            given = getattr(self, name)
            alone = isinstance(given, str | os.PathLike)
            object.__setattr__(self, name, (given,) if alone else tuple(given))

    def refuse_text(self) -> None:
        """Raise Failure if something is set of how to assemble a program that is assembled."""
        if self.target is not None or self.defines or self.options or self.timing or self.autosync:
            raise Failure(Problem("E0810", "the program is already assembled", None, ASSEMBLED))

    def of_assembled(self, files: bool = False) -> RunSettings:
        """The same for a program that was assembled as these say, but for its ``files`` if wanted.

        Without, it may read what it might when it was assembled.
        """
        usual = {name: getattr(_USUAL, name) for name in _Text.__annotations__}
        return replace(self, **(usual | ({"files": self.files} if files else {})))

    def after_loading(self, program: Program | Text) -> RunSettings:
        """The same for what :meth:`loaded` makes of a program as it is given.

        A Program was not assembled as these say: what it may read is theirs to say.
        """
        if isinstance(program, Program):
            return replace(self, ranks=None)
        return self.of_assembled()

    def loaded(self, program: Program | Text) -> Loaded:
        """A program as it is given, or a text or a file assembled as it is set; raises Failure."""
        if isinstance(program, Program):
            self.refuse_text()
            return Loaded(program, None)
        return self.assembled(program_of(program))

    def assembled(
        self,
        given: Given,
        targets: Mapping[str, Loader] = TARGETS,
        rewrite: Rewrite | None = None,
        *,
        rules: bool = True,
    ) -> Loaded:
        """A text assembled as it is set, or an object loaded; raises Failure.

        ``targets`` and ``rewrite`` are as for :func:`~nasm.language.assemble.assemble`;
        ``rules`` is as for :func:`~nasm.language.objects.loaded`.
        """
        allowed, timing = Allowed.of(self.files, self.include), Timing.of(self.timing)
        given_by = (self.target, self.defines, self.options, allowed, timing)
        ranks = self.ranks
        if self.autosync and rewrite is None:
            from nasm.language.editing.synchronised import autosynchronised  # most have waits

            def assembled(source: Source, rewrite: Rewrite | None, _: bool) -> Program:
                return assemble(source, targets, *given_by, rewrite, ranks)

            if isinstance(given, Source):
                made = autosynchronised(given, assembled)
                return Loaded(made, given, os.path.dirname(given.name))
            from nasm.sync.sequential_text import autosync as rewrite  # which is refused
        return loaded(given, targets, *given_by, rewrite, rules=rules, ranks=ranks)


ASSEMBLED = "give target, defines, options and timing to nasm.assemble"
"""What to do with a program that is assembled already."""

_NUMBERS = {"max_cycles": "cycles", "max_instructions": "instructions", "keep": "bytes"}
_USUAL = RunSettings()
_TYPES: dict[str, str] = RunSettings.__annotations__


# ---------------------------------------------------------------- keywords


class _Text(TypedDict, total=False):
    target: str | None
    defines: Mapping[str, int | float] | None
    options: Mapping[str, object] | None
    timing: TimingGiven | None
    files: Files | None
    include: Folders
    ranks: int | None
    autosync: bool


class _Judging(TypedDict, total=False):
    strict: bool
    allow: Iterable[str]
    checked: bool


class _Host(TypedDict, total=False):
    deadline: float | None
    memory: int | None


class _Stops(TypedDict, total=False):
    max_cycles: int | None
    max_instructions: int | None


class AssembleKeywords(_Text, _Host, total=False):
    """What :func:`nasm.assemble` takes."""


class CheckKeywords(_Text, _Host, total=False):
    """What :func:`nasm.check` takes, in addition to a limit of its own."""

    topology: str | None
    strict: bool
    allow: Iterable[str]


class EmptyKeywords(_Judging, total=False):
    """What a machine without a program takes."""

    options: Mapping[str, object] | None
    timing: TimingGiven | None
    files: Files | None
    trace: bool
    values: bool
    keep: int | None


class SessionKeywords(_Text, _Judging, total=False):
    """What :class:`nasm.Session` takes."""

    topology: str | None
    python: bool
    trace: bool
    values: bool
    profile: bool
    reruns: bool
    keep: int | None


class RunKeywords(_Text, _Judging, _Stops, _Host, total=False):
    """What :func:`nasm.run` takes."""

    python: bool
    values: bool
    topology: str | None
    profile: bool
    hashes: bool
    progress: Callable[[Progress], None] | None


class IsolatedKeywords(_Text, _Judging, _Stops, total=False):
    """What :func:`nasm.isolated` takes."""

    values: bool
    profile: bool


class KernelKeywords(_Judging, _Stops, _Host, total=False):
    """What :func:`nasm.nki.run` takes, in addition to the keywords of the kernel."""

    target: str | None
    options: Mapping[str, object] | None
    timing: TimingGiven | None
    ranks: int | None
    topology: str | None
    values: bool
    profile: bool
    hashes: bool


def with_keywords(settings: object, keywords: Mapping[str, Any]) -> RunSettings:
    """A record, or the usual one if there is none, with what keywords change."""
    if settings is None:
        settings = _USUAL
    elif not isinstance(settings, RunSettings):
        found = type(settings).__name__
        raise TypeError(f"settings= takes a nasm.RunSettings, found {found}")
    return replace(settings, **keywords) if keywords else settings


def with_settings(
    keywords: type[Any], *, record: type[Any] | None = None, others: bool = False
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Mark a function that takes these as ``**keywords``: its signature lists each of them.

    Their defaults are those of a ``record``, which is RunSettings if no other is given. A keyword
    that does not exist is refused with a TypeError that names the closest one, unless the function
    takes ``others`` as well.
    """

    def marked(function: Callable[P, T]) -> Callable[P, T]:
        own = inspect.signature(function)
        plain = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        last = [p for p in own.parameters.values() if others and p not in plain]
        made = own.replace(parameters=[*plain, *_listed(keywords, record or RunSettings), *last])
        known = list(made.parameters)
        function.__signature__ = made  # type: ignore[attr-defined]
        if others:
            return function

        @wraps(function)
        def call(*args: P.args, **given: P.kwargs) -> T:
            for name in given:
                if name not in known:
                    hint = did_you_mean(name, known) or f"it takes {', '.join(known)}"
                    called = function.__qualname__.removesuffix(".__init__")
                    raise TypeError(f"{called} has no setting '{name}': {hint}")
            return function(*args, **given)

        return call

    return marked


def _listed(keywords: type[Any], record: type[Any]) -> list[inspect.Parameter]:
    """A parameter for each of some keywords, in the order of the record."""
    accepted = keywords.__annotations__
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=_TYPES.get(field.name, accepted[field.name]),
        )
        for field in fields(record)
        if field.name in accepted
    ]
