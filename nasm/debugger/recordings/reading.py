"""A recording as a session: its program is made again, and all that was done is done again.

What it says is checked as if it was typed. Nothing in it is code, and no file is read for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from nasm.base import gc_pause
from nasm.base.files import Allowed
from nasm.base.problems import Failure, Problem, Refused, in_line
from nasm.base.source import Source
from nasm.base.source_files import RECORDING, ObjectFile
from nasm.debugger.moving.breakpoint_records import Breakpoint
from nasm.debugger.moving.past import MadeChange
from nasm.debugger.moving.specs import StopRequest
from nasm.debugger.moving.travel import NAME, RESERVED, Mark
from nasm.debugger.recordings import arrays, journal
from nasm.debugger.recordings.writing import DATA, DOCUMENT, PROGRAM, again_assembled, state
from nasm.language.objects import load
from nasm.language.objects.bodies import Fields, read_document
from nasm.language.objects.sections import damaged, parted
from nasm.language.objects.writing import written as object_of
from nasm.machine.records import MOST_INSTRUCTIONS, Moment, Status
from nasm.runs.settings import RunSettings
from nasm.sim.memory import Array
from nasm.targets import TARGETS

if TYPE_CHECKING:
    from nasm.debugger.changing.changes import Type
    from nasm.debugger.moving.breakpoints import Breakpoints
    from nasm.debugger.moving.travel import Travel
    from nasm.debugger.parts.changes import ChangePart
    from nasm.program.program import Program
    from nasm.runs.execution import Execution

UNUSABLE = "E0848"

SLICE = 100_000
"""Events between two looks at how far a replay has got."""

COMPARED = {
    "status": "another end",
    "trace": "another trace",
    "memory": "other values",
    "semaphores": "other semaphores",
}
"""What of the state has to be as it was recorded, and what it means if it is not."""


class RecordedProgram(NamedTuple):
    """What a session is made of, and how."""

    program: Program
    source: Source | None
    inputs: dict[str, Array]
    settings: RunSettings
    assembly: RunSettings
    called: str


class ReadRecording:
    """A recording that was read: ``made`` is for a session, in which :meth:`done` does the rest."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        try:
            with gc_pause.paused():
                self.made = self._read(data)
        except (Refused, Failure) as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Refused | Failure) -> Failure:
        """Errors of a recording, with the name of its file."""
        problem = error.problems[0]
        text = problem.message.removeprefix("it is damaged: ")
        what = "it is damaged: " if text != problem.message else ""
        message = f"cannot use {in_line(self.name)}: {what}{text}"
        hint = problem.hint if problem.code == UNUSABLE and not what else "record the run again"
        return Failure(Problem(UNUSABLE, message, None, hint))

    # -- the program

    def _read(self, data: bytes) -> RecordedProgram:
        parts = parted(data, RECORDING, "a recording")
        for name in (DOCUMENT, PROGRAM, DATA):
            if name not in parts:
                raise damaged(f"it lacks the section '{name}'")
        self.fields = fields = Fields(read_document(parts[DOCUMENT], DOCUMENT), DOCUMENT)
        self.recorded_by = fields.get("nasm", str)
        self.arrays = arrays.read(fields.get("arrays", list), parts[DATA])
        object_file = bytes(parts[PROGRAM])
        loaded = load(ObjectFile(self.name, object_file), TARGETS, files=Allowed(""))
        given = Fields(fields.get("settings", dict), DOCUMENT)
        settings = RunSettings(
            values=given.get("values", bool),
            strict=given.get("strict", bool),
            checked=given.get("checked", bool),
            allow=given.list_of("allow", str),
        )
        inputs = {}
        for row in fields.get("inputs", list):
            name, number = self._pair(row, str, int)
            inputs[name] = self._array(number)
        program, assembly = loaded.program, settings
        if loaded.source is not None and fields.get("text", dict, type(None)) is not None:
            assembly = self._assembly(Fields(fields.get("text", dict), DOCUMENT))
            program = self._assembled(loaded.program, loaded.source, assembly, object_file)
        called = fields.get("called", str)
        return RecordedProgram(program, loaded.source, inputs, settings, assembly, called)

    def _assembly(self, text: Fields) -> RunSettings:
        """How the text was assembled; ``held`` are the texts that it includes."""
        self.included = dict(self._pair(row, str, str) for row in text.get("files", list))
        self.include = tuple(text.list_of("include", str))
        return RunSettings(
            target=text.get("target", str, type(None)),
            defines=text.get("defines", dict),
            options=text.get("options", dict),
            timing=text.get("timing", dict),
            autosync=text.get("autosync", bool),
        )

    def _assembled(
        self, program: Program, source: Source, assembly: RunSettings, object_file: bytes
    ) -> Program:
        """The program of the text, which has to be the recorded one."""
        held = {path: text.encode("utf-8", "replace") for path, text in self.included.items()}
        allowed = Allowed("", include=self.include).holding({**program.files.held, **held})
        made: Program = again_assembled(assembly, source, allowed)
        if object_of(made, source) != object_file:
            text = "this version of nasm assembles its text into another program"
            raise Refused(UNUSABLE, text, f"take the version that recorded it, {self.recorded_by}")
        return made

    def _pair(self, row: object, *kinds: type) -> Any:
        if type(row) is not list or tuple(map(type, row)) != kinds:
            raise damaged("a list in it is not what it should be")
        return row

    def _array(self, number: int) -> Array:
        if not 0 <= number < len(self.arrays):
            raise damaged(f"it has no array {number}")
        return self.arrays[number]

    # -- what was done

    def done(
        self,
        run: Execution,
        travel: Travel,
        stops: Breakpoints,
        changes: ChangePart,
        let: Callable[[str, str], object],
    ) -> None:
        """Do again what was done, and go to where it was; raises Failure."""
        try:
            _Doing(self, run, travel, changes).all()
            for row in self.fields.get("names", list):
                let(*self._pair(row, str, str))
            for row in self.fields.get("breakpoints", list):
                self._breakpoint(stops, Fields(row, DOCUMENT))
        except (Refused, Failure) as error:
            raise self._unusable(error) from None

    def _breakpoint(self, stops: Breakpoints, row: Fields) -> None:
        asked = StopRequest(row.get("what", str), row.get("how", str))
        wanted = Breakpoint(
            0,
            "",
            condition=row.get("condition", str),
            ignore=row.get("ignore", int),
            temporary=row.get("temporary", bool),
            enabled=row.get("enabled", bool),
            hits=row.get("hits", int),
            name=row.get("name", str),
            asked=asked,
        )
        stops.set(wanted, row.get("number", int))


class _Doing:
    """Does typed texts and changes again, each at its moment."""

    def __init__(
        self, replay: ReadRecording, run: Execution, travel: Travel, changes: ChangePart
    ) -> None:
        self.run, self.travel, self.changes = run, travel, changes
        self.replay, fields = replay, replay.fields
        self.typed = [Fields(row, DOCUMENT) for row in fields.get("typed", list)]
        self.rows = [Fields(row, DOCUMENT) for row in fields.get("changes", list)]
        self.texts: list[Type] = []
        self.made: list[MadeChange] = []

    def all(self) -> None:
        """All of them, the names of moments, and where the run was."""
        fields = self.replay.fields
        for row in self.typed:
            self._go(row)
            self.texts.append(self.changes.take(row.get("text", str), row.get("declares", bool)))
        self._change(len(self.rows) - 1)
        for row in fields.get("marks", list):
            self._mark(Fields(row, DOCUMENT))
        self._to(_moment(fields.get("at", list)), self._branch(fields.list_of("branch", int)))
        self._same(Fields(fields.get("state", dict), DOCUMENT))

    def _change(self, last: int) -> None:
        """Make the changes up to this one that are not made yet."""
        while len(self.made) <= last:
            row = self.rows[len(self.made)]
            moment = self._go(row, len(self.made))
            change = self._what(row)
            self.changes.change(change)
            self.made.append(MadeChange(moment, change))
            self.travel.past.changes[-1] = self.made[-1]

    def _what(self, row: Fields) -> Any:
        if row.get("do", str) != "type":
            return journal.read(self.run, row, self.replay.arrays)
        number = row.get("typed", int)
        if not 0 <= number < len(self.texts):
            raise damaged("a typed line in it comes before it was typed")
        return self.texts[number]

    def _go(self, row: Fields, known: int | None = None) -> Moment:
        """Go to the moment of a row."""
        moment, after = _moment(row.get("at", list)), row.list_of("after", int)
        _exact(moment, after)
        self._to(moment, self._branch(after, known))
        return moment

    def _branch(self, numbers: Sequence[int], known: int | None = None) -> list[MadeChange]:
        """Changes by their numbers, each made after those before it; only ``known`` ones if any."""
        most = len(self.rows) if known is None else known
        for place, n in enumerate(numbers):
            before = list(numbers[max(0, place - 1) : place])
            own = self.rows[n].list_of("after", int) if 0 <= n < most else [n]
            if len(own) != place or own[-1:] != before:
                raise damaged("changes in it are in no order")
        self._change(max(numbers, default=-1))
        return [self.made[n] for n in numbers]

    def _to(self, moment: Moment, branch: Sequence[MadeChange]) -> None:
        """Go to a moment that some changes lead to; raises Refused if there is none like it."""
        past, run = self.travel.past, self.run
        if moment.changes > len(branch):
            raise damaged("a moment in it has more changes before it than there are")
        scheduler = run.machine.scheduler
        self.travel.breakpoints.hits = ()
        past.leave()
        past.follow(branch)
        if moment.position - scheduler.position > SLICE:
            for position in range(scheduler.position + SLICE, moment.position, SLICE):
                reached = past.to_position(position)
                if not reached or scheduler.retired > MOST_INSTRUCTIONS:
                    break
        past.goto(moment)
        if run.moment != moment:
            if run.asked:
                raise Refused(UNUSABLE, "the replay was interrupted")
            found, wanted = run.units.moment(run.now), run.units.moment(moment.tick)
            self._other(f"event {moment.position:,} at {wanted}, where it has {found}")

    def _mark(self, row: Fields) -> None:
        name = row.get("name", str)
        if not NAME.fullmatch(name) or name in RESERVED:
            raise damaged("a moment in it has no name")
        moment, after = _moment(row.get("at", list)), row.list_of("after", int)
        _exact(moment, after)
        branch = self._branch(after)
        self.travel.marks[name] = Mark(name, moment, tuple(branch))

    def _same(self, wanted: Fields) -> None:
        """Refuse another state than the recorded one."""
        run = self.run
        if wanted.get("status", str) == Status.FAULT.name and run.status is not Status.FAULT:
            self.travel.past.advance(1)
        found = state(run)
        for key, what in COMPARED.items():
            if wanted.get(key, str, list) != found[key]:
                self._other(what)

    def _other(self, what: str) -> None:
        by = self.replay.recorded_by
        raise Refused(
            UNUSABLE,
            f"this version of nasm computes another run: {what}",
            f"it was recorded by version {by}",
        )


def _exact(moment: Moment, after: Sequence[int]) -> None:
    """Refuse a moment that has not as many changes before it as are listed; raises Refused."""
    if moment.changes != len(after):
        raise damaged("a moment in it has other changes before it than it lists")


def _moment(value: list[Any]) -> Moment:
    """A moment as a document says it; raises Refused."""
    if tuple(map(type, value)) != (int, int, int, bool) or min(value[:3]) < 0:
        raise damaged("a moment in it is none")
    return Moment(*value)
