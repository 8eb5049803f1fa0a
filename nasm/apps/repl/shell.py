"""A REPL without its input: a session, a screen, and a loop that survives its own bugs."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from nasm.apps.repl import command, input
from nasm.apps.repl.displays import Displays
from nasm.apps.repl.known_names import machine, names
from nasm.apps.repl.recording import SessionRecording
from nasm.apps.repl.screen import ReplScreen, ScreenUnwritable
from nasm.apps.repl.settings import ReplSettings
from nasm.apps.repl.suggest import CompletionNames
from nasm.base import gc_pause, host_memory
from nasm.base.files import ANY, Allowed
from nasm.base.problems import Failure, Problem, Refused, counted, did_you_mean, in_line, quoted
from nasm.base.records import replace
from nasm.base.signals import StopSignal
from nasm.base.source_files import Given, program_of, source_of
from nasm.debugger.session import NO_PROGRAM, Session
from nasm.isa.timing import Timing
from nasm.machine.inputs import Inputs
from nasm.machine.records import RunReport, Status
from nasm.program.program import Program
from nasm.runs.settings import RunSettings

Kernel = Callable[[], tuple[Program, Mapping[str, Any]]]
"""Makes the program of a kernel, with its inputs, whenever it is loaded."""

LARGE = 20_000
"""Instructions of a program that Python is not to look through while it is debugged."""

DEEPEST = 16
"""How deep files of commands may call each other."""

FAILED, NOT_ASSEMBLED, DEFECT, INTERRUPTED = 1, 2, 70, 130
"""Exit codes of the shell command, 0 apart."""


class Quit(Exception):
    """The user wants to leave."""


class Shell:
    """The state of a REPL. ``code`` is what it would exit with if unattended.

    Programs are loaded as ``chosen`` says. One ``run`` completes at most ``most`` instructions;
    None is no limit. ``attached`` are the commands of breakpoints that are still to be done;
    ``full`` says that the whole screen is wanted. ``scope`` has the names of what is typed in
    ``python``, if that is allowed. Of a program with several ranks ``rank`` is debugged.
    """

    def __init__(
        self,
        screen: ReplScreen,
        *,
        inputs: Inputs | None = None,
        settings: RunSettings | None = None,
        kernel: Kernel | None = None,
        python: bool = True,
        rank: int = 0,
    ) -> None:
        self.rank = rank
        chosen = settings or RunSettings()
        self.screen, self.inputs, self.kernel = screen, inputs, kernel
        self.chosen = replace(chosen, timing=Timing.of(chosen.timing))
        self.most, self.allowed = chosen.max_instructions, Allowed.of(chosen.files)
        self.given = ""
        self.python = python and chosen.files is not False
        self.path = ""
        self.moving = self.attended = self.full = False
        self.attached: list[str] | None = None
        self.code = self.failures = self._sourced = 0
        self.recording = SessionRecording()
        self.aliases: dict[str, str] = {}
        self.scope: dict[str, Any] = {}
        self.last = ""
        self.torn = False
        self.cut = False
        self.deferred: list[Exception] = []
        self.names = CompletionNames()
        self.displays = Displays()
        self._session: Session | None = None
        self._final: RunReport | None = None

    @property
    def settings(self) -> ReplSettings:
        """What was set of the debugger."""
        return self.screen.settings

    def wanted(self, setting: bool | None) -> bool:
        """Whether to do something that is by default done at a terminal only."""
        return self.attended if setting is None else setting

    @property
    def drawn(self) -> bool:
        """Whether anything but plain lines may be drawn."""
        return not self.settings.plain and not self.screen.dumb

    @property
    def kept(self) -> tuple[str, ...]:
        """The panels that are kept on screen."""
        return self.settings.view if self.attended and self.drawn and self._session else ()

    # -- the program

    @property
    def loaded(self) -> Session | None:
        """The session, if a program is loaded."""
        return self._session

    @property
    def session(self) -> Session:
        """The session; raises Refused if no program is loaded."""
        if self._session is None:
            raise Refused(command.WRONG, "no program is loaded", "load one: load FILE")
        return self._session

    @property
    def program(self) -> Program:
        """The program; raises Refused if none is loaded."""
        return self.session.program

    def load(self, path: str, source: Given | None = None) -> None:
        """Assemble a file and put it on a new machine; raises Failure with every problem.

        Definitions and inputs of the command line belong to the program that came with them. A
        program that it did not name is read from where programs may read.
        """
        self.screen.passing(f"loading {in_line(path)}")
        same = not self.path or path == self.path
        if not self.path:
            self.path = path
        if self.kernel is not None and path == self.given:
            session = self._traced(self.kernel)
        else:
            session = self._assembled(path, source, same)
        if not same:
            self.inputs, self.chosen = None, replace(self.chosen, defines=None)
        self.path = path
        self.adopt(session)
        if len(session.program) > LARGE:
            gc_pause.lasting()
        self.screen.settle()

    def _assembled(self, path: str, source: Given | None, same: bool) -> Session:
        allowed = ANY if path == self.given else self.allowed
        given = source or program_of(Path(os.path.expanduser(path)), allowed)
        if same:
            return Session.load(given, self.inputs, rank=self.rank, settings=self.chosen)
        chosen = replace(self.chosen, defines=None)
        return Session.load(given, rank=self.rank, settings=chosen)

    def _traced(self, kernel: Kernel) -> Session:
        program, inputs = kernel()
        rank = self.rank if program.ranks > 1 else None
        settings = self.chosen.of_assembled(files=True)
        made = Session(program, inputs, rank=rank, settings=settings)
        made.execution.called = self.given
        return made

    def replay(self, path: str) -> None:
        """Take the session of a recording, where that is; raises Failure."""
        session = Session.replayed(os.path.expanduser(path), files=self.chosen.files)
        how = session.execution.assembly
        self.chosen = replace(
            self.chosen, target=how.target, defines=how.defines, options=how.options,
            timing=Timing.of(how.timing), autosync=how.autosync,
        )  # fmt: skip
        self.inputs = session.inputs
        self.path = session.title if session.title != NO_PROGRAM else ""
        self.adopt(session)

    def begin_empty(self) -> None:
        """Take a machine without a program; raises Failure if there is none of the target."""
        self.adopt(Session.empty(settings=self.chosen))

    def adopt(self, session: Session | None) -> None:
        """Take a session with a new machine, and the names for completion."""
        self._session, self._final = session, None
        self.torn = self.cut = False
        self.screen.mnemonics = machine(self)[0].isa.rows if session is not None else ()
        self.names = names(self)

    def renew(self) -> None:
        """The session is at another moment, or has other names: learn them."""
        self._final = None
        self.names = names(self)

    def final(self, found: RunReport | None = None) -> RunReport:
        """The report of a run that is over; made, or given, once."""
        if self._final is None:
            self._final = found or self.session.report(hashes=False)
        return self._final

    # -- commands

    def execute(self, line: str) -> bool:
        """Do what a line says, and print its errors; returns whether there were none.

        Only Quit passes, that the whole process is to end, and that nothing can be printed.
        """
        text, failures = input.bare(line), self.failures
        if text:
            self._execute(text)
        return self.failures == failures

    def take(self, line: str) -> bool:
        """Do a command that was typed, and record it; returns whether it succeeded."""
        path = self.recording.path
        with gc_pause.answering():
            done = self.execute(line)
        if path == self.recording.path:  # else it began or ended the recording
            try:
                self.recording.add(line, done)
            except Refused as refused:
                self.refuse([refused.at(None)], FAILED)
        return done

    def take_all(self, text: str) -> bool:
        """Take the commands of several lines, up to one that fails; returns whether none did."""
        found = input.commands(text.split("\n"))
        for n, (_, line) in enumerate(found):
            if len(found) > 1:
                self.echo(line)
            if not self.take(line):
                left = [input.bare(line) for _, line in found[n + 1 :]]
                if left:
                    self.screen.say(f"not done: {', '.join(map(in_line, left))}", "yellow")
                return False
        return True

    def source(self, path: str, allowed: Allowed | None = None) -> bool:
        """Do the commands of a file, up to one that fails; raises Failure if there is no such file.

        Returns whether none failed.
        """
        if self._sourced == DEEPEST:
            message = f"files of commands call each other more than {DEEPEST} deep"
            raise Refused(command.WRONG, message)
        name = os.path.expanduser(path)
        text = source_of(Path(name), allowed or self.allowed, "").text
        found = input.commands(text.split("\n"))
        self._sourced += 1
        try:
            for n, (number, line) in enumerate(found):
                if self.settings.echo:
                    self.echo(line)
                if not self.execute(line):
                    left = len(found) - n - 1
                    rest = f"; {counted(left, 'command')} after it not done" if left else ""
                    where = f"{in_line(name)}:{number}"
                    self.screen.say(f"{where}: '{quoted(input.bare(line))}' failed{rest}", "yellow")
                    return False
        finally:
            self._sourced -= 1
        return True

    def echo(self, line: str) -> None:
        """Print a command before what it prints."""
        first, *more = line.split("\n")
        self.screen.say([input.PROMPT + first, *(input.MORE + m for m in more)], "bold")

    def _execute(self, text: str) -> None:
        failures = self.failures
        try:
            for meant in command.meant(text, self.aliases):
                chosen, rest = self._called(meant)
                self.last = text if chosen.repeats else ""
                chosen.do(self, rest)
                if self.failures > failures:
                    break
        except (Quit, ScreenUnwritable, BrokenPipeError):
            raise
        except KeyboardInterrupt as error:
            if StopSignal.of(error).leaving:
                raise
            self.interrupted()
        except Failure as failure:
            self.refuse(failure.problems, FAILED)
        except Refused as refused:
            self.refuse([refused.at(None)], FAILED)
        except Exception as error:
            if host_memory.lacking(error):
                self._tear()
                self.refuse([Problem("E0808", host_memory.LACKING)], FAILED)
            else:
                self.defect(error)

    def _called(self, text: str) -> tuple[command.Command, str]:
        """The command that a line calls, and its arguments; raises Refused.

        A line that begins as one of a program does, and no command does, is executed.
        """
        execute = command.COMMANDS.get("execute")
        if execute is None or self._session is None:
            return command.find(text)
        if text[0] in "@.":
            return execute, text
        try:
            return command.find(text)
        except Refused as refused:
            isa, word = self._session.program.target.isa, command.split(text)[0]
            called, bracket, _ = word.partition("(")
            if word in isa.rows or called in self._session.changes.macros:
                return execute, text
            meant = did_you_mean(called, self._session.changes.macros) if bracket else ""
            if meant:
                message = f"no command or macro '{quoted(called)}'"
                raise Refused(command.UNKNOWN, message, meant) from None
            meant = isa.meant(word) if word[:1].isupper() else ""  # as mnemonics are written
            if refused.code != command.UNKNOWN or not meant:
                raise
            message = f"no command or instruction '{quoted(word)}'"
            raise Refused(command.UNKNOWN, message, meant) from None

    def again(self) -> None:
        """An empty line at the prompt: repeat the last step."""
        if self.last:
            self.take(self.last)

    def refuse(self, problems: Iterable[Problem], code: int) -> None:
        """Print what a user did wrong, and remember that something was."""
        for problem in problems:
            self.screen.problem(problem)
        self.fail(code)

    def fail(self, code: int) -> None:
        """Remember an exit code; the highest wins."""
        self.code = max(self.code, code)
        self.failures += 1

    def interrupted(self) -> None:
        """A Ctrl-C that struck while something was half done."""
        self.fail(INTERRUPTED)
        if self._tear():
            self.screen.say(
                "interrupted within an instruction; 'restart' starts over, inspecting still works",
                "yellow",
            )
        else:
            self.screen.say("interrupted", "yellow")

    def _tear(self) -> bool:
        """Whether the machine was moving when something broke in: it is not whole any more."""
        torn, self.moving = self.moving, False
        self.torn = self.torn or torn
        return torn

    def defect(self, error: Exception) -> None:
        """Say that nasm itself is wrong, and where."""
        self.fail(DEFECT)
        self._tear()
        text = str(error) or "no message"
        where = ""
        frames = traceback.extract_tb(error.__traceback__)
        if frames:
            at = frames[-1]
            where = f" (in {at.name}, {Path(at.filename).name}:{at.lineno})"
        self.screen.say(
            f"defect in nasm: {type(error).__name__}: {text}{where}, please report", "bold red"
        )

    # -- the end

    def broken(self) -> bool:
        """Whether the program has broken a promise so far, or was last cut off in a run."""
        session = self._session
        if session is None:
            return False
        if session.status in (Status.DEADLOCK, Status.FAULT) or session.hazards or self.cut:
            return True
        return session.status is Status.FINISHED and not self.final().ok
