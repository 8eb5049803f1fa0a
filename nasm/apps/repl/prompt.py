"""The prompt: history, completion and a toolbar. The only importer of prompt_toolkit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory, ConditionalAutoSuggest
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent, merge_key_bindings
from prompt_toolkit.keys import Keys
from prompt_toolkit.lexers import DynamicLexer, Lexer
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.shortcuts import CompleteStyle

from nasm.apps.repl import command, terminal_app
from nasm.apps.repl.command import Command
from nasm.apps.repl.full_screen import FullScreen
from nasm.apps.repl.input import MORE, PROMPT, goes_on
from nasm.apps.repl.painting import STYLE, pieces
from nasm.apps.repl.panel_window import Above
from nasm.apps.repl.settings import USUAL
from nasm.apps.repl.shell import Quit, Shell
from nasm.apps.repl.suggest import CompletionNames, suggest
from nasm.base import host_files
from nasm.base.problems import columns
from nasm.base.signals import StopSignal
from nasm.debugger.session import NO_PROGRAM, Session
from nasm.machine.records import QueueRecord, Status
from nasm.show import colours, steps
from nasm.show.columns import cut, in_ascii


def coloured(
    line: str, commands: Sequence[Command], mnemonics: Mapping[str, object]
) -> StyleAndTextTuples:
    """A line in pieces, each with what kind of word it is."""
    begun = len(line) - len(line.lstrip())
    if line[begun:].startswith("#"):
        return [("class:comment", line)]
    found: StyleAndTextTuples = [("", line[:begun])]
    first = command.split(line)[0]
    if len(command.match(first, commands)) == 1:
        found.append(("class:command", first))
        begun += len(first)
    return [*found, *pieces(colours.code(line, mnemonics, begun))]


class CommandLexer(Lexer):
    """Colours the commands of a shell, and instructions of its program's target."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """A function that gives a line in pieces."""
        names, lines = self._shell.names, document.lines
        commands = [c for c in names.commands if " " not in c.name]
        mnemonics = names.words.get("mnemonic", {})
        return lambda number: coloured(lines[number], commands, mnemonics)


class NameCompleter(Completer):
    """Passes the text before the cursor to :func:`~nasm.apps.repl.suggest.suggest`.

    What goes wrong there is given to ``failed``: typing continues.
    """

    def __init__(
        self, names: Callable[[], CompletionNames], failed: Callable[[Exception], None]
    ) -> None:
        self._names, self._failed = names, failed

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """The suggestions as prompt_toolkit wants them."""
        try:
            found = suggest(document.text_before_cursor, self._names())
        except Exception as error:
            self._failed(error)
            return
        for s in found:
            yield Completion(s.text, -s.length, display_meta=s.meta)


class KeptHistory(FileHistory):
    """A history in a file, as prompt_toolkit writes it.

    A full disk costs the entry, not the session.
    """

    def load_history_strings(self) -> Iterable[str]:
        """The entries, the latest first."""
        entries: list[list[str]] = [[]]
        with suppress(OSError):
            for line in host_files.read_text(os.fsdecode(self.filename), errors="replace").split(
                "\n"
            ):
                if line.startswith("+"):
                    entries[-1].append(line[1:])
                elif entries[-1]:
                    entries.append([])
        return ["\n".join(lines) for lines in reversed(entries) if lines]

    def store_string(self, string: str) -> None:
        """Append an entry."""
        lines = "".join(f"+{line}\n" for line in string.split("\n"))
        with suppress(OSError), host_files.opened(os.fsdecode(self.filename), "ab") as file:
            file.write(f"\n# {datetime.now()}\n{lines}".encode())


def history() -> History:
    """The history of earlier sessions, in memory alone where no file can be written."""
    path = history_path()
    try:
        host_files.make_folders(path.parent)
        host_files.opened(path, "ab").close()
    except OSError:
        return InMemoryHistory()
    return KeptHistory(str(path))


def history_path() -> Path:
    """Where the history is kept: the XDG data folder."""
    base = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(base):  # as the specification of these folders wants it
        base = os.path.expanduser(os.path.join("~", ".local", "share"))
    return Path(base) / "neuron-nasm" / "history"


def toolbar(shell: Shell, width: int) -> str:
    """Program, time, why it stopped, each engine's pc, and what comes next.

    It is a line of a width; where that is narrow it does without the engines.
    """
    session = shell.loaded
    if session is None:
        return " no program: load FILE"
    found = [q for q in session.queues() if q.length]
    name = os.path.basename(shell.path) or NO_PROGRAM
    hits = [str(hit) for hit in session.hits]
    parts = [name, steps.moment(session), *(hits[:1] or [session.status.value])]
    following = [] if session.over else _following(session, found)
    queues = [f"{session.name(q)} {q.pc}/{q.length}" for q in found]
    line = " " + "  ".join([*parts, *queues, *following])
    if columns(line) > width:
        line = " " + "  ".join([*parts, *following])
    return cut(line, width)


def _following(session: Session, queues: list[QueueRecord]) -> list[str]:
    """An instruction that can continue, else one that waits."""
    left = sorted((q for q in queues if q.text), key=lambda q: bool(q.wait))
    return [f"next {session.name(q)}: {q.text}" for q in left[:1]]


def prompt(shell: Shell) -> str:
    """The prompt; without a bar it shows the time."""
    session = shell.loaded
    if session is None or shell.drawn:
        return PROMPT
    status = "" if session.status is Status.RUNNING else f" {session.status.value}"
    return f"{steps.moment(session)}{status} {PROMPT}"


def interact(shell: Shell, input: Input | None = None, output: Output | None = None) -> None:
    """Read and do commands until the user leaves."""

    def status_line(width: int) -> str:
        try:
            return toolbar(shell, width)
        except Exception as error:
            shell.deferred.append(error)
            return ""

    def below() -> str:
        return status_line(shell.screen.width)

    above = Above(shell)

    def message() -> StyleAndTextTuples:
        asked = in_ascii(prompt(shell)) if shell.screen.ascii_only else prompt(shell)
        return [*above(), ("", asked)]

    drawn = Condition(lambda: shell.drawn)
    completer = NameCompleter(lambda: shell.names, shell.deferred.append)
    lexer = DynamicLexer(lambda: CommandLexer(shell) if shell.screen.coloured else None)
    session: PromptSession[str] = PromptSession(
        message,
        history=history(),
        completer=completer,
        auto_suggest=ConditionalAutoSuggest(AutoSuggestFromHistory(), drawn),
        lexer=lexer,
        style=STYLE,
        include_default_pygments_style=False,
        complete_while_typing=drawn,
        multiline=Condition(_goes_on),
        prompt_continuation=lambda width, line, wrapped: MORE.rjust(width),
        key_bindings=merge_key_bindings([above.keys(), _pasting()]),
        input=input,
        output=output,
    )

    def whole_screen() -> FullScreen:
        return FullScreen(
            shell,
            completer=completer,
            lexer=lexer,
            history=session.history,
            unfinished=Condition(_goes_on),
            pasting=_pasting(),
            bar=status_line,
            input=input,
            output=output,
        )

    while True:
        if shell.full:
            if not _attend(shell, whole_screen()):
                return
            continue
        try:
            depth = None if shell.screen.coloured else ColorDepth.MONOCHROME
            session.color_depth = depth
            session.bottom_toolbar = below if shell.drawn else None
            session.complete_style = (
                CompleteStyle.COLUMN if shell.drawn else CompleteStyle.READLINE_LIKE
            )
            above.renew(session)
            line = terminal_app.attended(session.app, session.prompt)
        except KeyboardInterrupt as error:
            if StopSignal.of(error).leaving:
                raise
            continue
        except EOFError:
            return
        _report_deferred(shell)
        if session.app.erase_when_done:  # with the panels
            shell.echo(line or shell.last)
        try:
            _take(shell, line)
        except Quit:
            return


def _take(shell: Shell, line: str) -> None:
    if line.strip():
        shell.take_all(line)
    else:
        shell.again()


def _report_deferred(shell: Shell) -> None:
    """Report what went wrong while something was drawn."""
    if shell.deferred:
        shell.defect(shell.deferred[0])
        shell.deferred.clear()


def _attend(shell: Shell, full: FullScreen) -> bool:
    """Do what is typed on the whole screen; whether the user wants the prompt after it."""
    screen, before = shell.screen, shell.settings.view
    shell.screen, shell.settings.view = full.printed, before or USUAL
    try:
        while shell.full:
            full.renew()
            try:
                line = terminal_app.attended(full.app, full.app.run)
            except EOFError:
                return False
            except Exception as error:  # in what is drawn: the run is as it was
                shell.deferred.append(error)
                break
            if line is None:
                break
            _report_deferred(shell)
            if line.strip() or shell.last:
                shell.echo(line or shell.last)
            _take(shell, line)
    except Quit:
        return False
    finally:
        full.leave()
        shell.full = False
        screen.mnemonics, shell.screen = shell.screen.mnemonics, screen
        shell.settings.view = before if shell.settings.view else ()
    _report_deferred(shell)
    return True


def _goes_on() -> bool:
    """Whether Enter begins another line: what is typed is not finished, nor its last line empty."""
    lines = get_app().current_buffer.text.split("\n")
    return bool(lines[-1].strip()) and goes_on(lines)


def _pasting() -> KeyBindings:
    """What is pasted with the end of its last line is done at once, unless that is not finished."""
    found = KeyBindings()

    @found.add(Keys.BracketedPaste)
    def _(event: KeyPressEvent) -> None:
        buffer, pasted = event.current_buffer, "\n".join(event.data.splitlines())
        ended = event.data.endswith(("\r", "\n")) and buffer.document.is_cursor_at_the_end
        buffer.insert_text(pasted)
        if ended and goes_on(buffer.text.split("\n")):
            buffer.insert_text("\n")
        elif ended:
            buffer.validate_and_handle()

    return found
