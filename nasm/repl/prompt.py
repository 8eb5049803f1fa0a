"""The prompt: history, completion and a toolbar. The only importer of prompt_toolkit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.output import ColorDepth, Output

from nasm import stopping
from nasm.repl import text
from nasm.repl.screen import Unwritable, cut
from nasm.repl.shell import Quit, Shell
from nasm.repl.suggest import Names, suggest
from nasm.stopping import Told

PROMPT = "(nasm) "
MENU = 6
"""Lines kept free for the menu of completions."""


class NameCompleter(Completer):
    """Hands the text before the cursor to :func:`~nasm.repl.suggest.suggest`.

    What goes wrong there is given to ``failed``: typing continues.
    """

    def __init__(self, names: Callable[[], Names], failed: Callable[[Exception], None]) -> None:
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
    """A history in a file; a full disk costs the entry, not the session."""

    def store_string(self, string: str) -> None:
        """Append an entry."""
        with suppress(OSError):
            super().store_string(string)


def history() -> History:
    """The history of earlier sessions, in memory alone where no file can be written."""
    path = history_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a"):
            pass
    except OSError:
        return InMemoryHistory()
    return KeptHistory(str(path))


def history_path() -> Path:
    """Where the history is kept: the XDG data folder."""
    base = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(base):  # as the specification of these folders wants it
        base = os.path.expanduser(os.path.join("~", ".local", "share"))
    return Path(base) / "neuron-nasm" / "history"


def toolbar(shell: Shell) -> str:
    """Program, time, status and each engine's pc, in one line."""
    session = shell.loaded
    if session is None:
        return " no program: load FILE"
    queues = "  ".join(f"{session.name(q)} {q.pc}/{q.length}" for q in session.queues() if q.length)
    name = os.path.basename(shell.path) or "program"
    return cut(
        f" {name}  {text.moment(session)}  {session.status.value}  {queues}", shell.screen.width
    )


def interact(shell: Shell, input: Input | None = None, output: Output | None = None) -> None:
    """Read and do commands until the user leaves."""

    def status_line() -> str:
        try:
            return toolbar(shell)
        except Exception as error:
            shell.deferred.append(error)
            return ""

    session: PromptSession[str] = PromptSession(
        PROMPT,
        history=history(),
        completer=NameCompleter(lambda: shell.names, shell.deferred.append),
        auto_suggest=AutoSuggestFromHistory(),
        bottom_toolbar=status_line,
        reserve_space_for_menu=MENU,
        color_depth=None if shell.screen.coloured else ColorDepth.MONOCHROME,
        input=input,
        output=output,
    )
    while True:
        try:
            line = _line(session)
        except KeyboardInterrupt as error:
            if Told.of(error).leaving:
                raise
            continue
        except EOFError:
            return
        if shell.deferred:
            shell.defect(shell.deferred[0])
            shell.deferred.clear()
        try:
            if line.strip():
                shell.execute(line)
            else:
                shell.again()
        except Quit:
            return


def _line(session: PromptSession[str]) -> str:
    """What is typed; a signal that ends the process leaves the terminal as it was."""

    def leave() -> None:
        app = session.app
        if app.is_running and app.loop is not None:
            app.loop.call_soon_threadsafe(out)
        else:
            stop.strike()

    def out() -> None:
        app = session.app
        if app.future is not None and not app.future.done():
            app.exit(exception=EOFError)

    with stopping.heard(), stopping.asking(leave) as stop:
        try:
            return session.prompt()
        except (EOFError, OSError) as problem:
            if stop.asked is not None:
                raise stop.asked from None
            if isinstance(problem, OSError):  # the terminal has gone
                raise Unwritable(problem.strerror or str(problem)) from None
            raise
