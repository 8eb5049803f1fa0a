"""A text that is longer than the screen, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import Layout
from prompt_toolkit.layout.containers import HSplit, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.output import ColorDepth

from nasm.apps.repl import scrolling, terminal_app
from nasm.apps.repl.scrolling import ScrollLines
from nasm.apps.repl.shell import Shell
from nasm.show.columns import cut

KEYS = "Space, b: page  arrows, Home, End  q: back to the prompt"
"""The keys, in the last line."""


@contextmanager
def paged(shell: Shell) -> Iterator[None]:
    """What is printed within is shown page by page, if the screen is a terminal and too low."""
    screen = shell.screen
    if not (shell.attended and shell.drawn and shell.settings.pager) or shell.full:
        yield
        return
    with screen.held() as held:
        yield
    text = "".join(held)
    lines = text.splitlines()
    if len(lines) < screen.tall:
        screen.write(text)
    else:
        show(shell, lines)


def show(shell: Shell, lines: list[str]) -> None:
    """Show lines until the user leaves."""
    made = [to_formatted_text(ANSI(line)) for line in lines]
    text = ScrollLines(lambda width: scrolling.of(made), marked=False)
    app: Application[None]

    def below() -> StyleAndTextTuples:
        info = text.window.render_info
        last = info.last_visible_line() + 1 if info is not None else 0
        where = f" lines to {last} of {len(lines)}  " if last else " "
        width = app.output.get_size().columns
        return [("reverse", f"{cut(where + KEYS, width):<{width}}")]

    app = Application(
        Layout(HSplit([text.window, Window(FormattedTextControl(below), height=1)])),
        key_bindings=_keys(text),
        full_screen=True,
        mouse_support=True,
        color_depth=None if shell.screen.coloured else ColorDepth.MONOCHROME,
    )
    terminal_app.attended(app, app.run)


def _keys(text: ScrollLines) -> KeyBindings:
    """Pages, and what leaves; arrows and both ends are those of the lines."""
    found = KeyBindings()

    @found.add("space")
    @found.add("pagedown", eager=True)
    def _(event: KeyPressEvent) -> None:
        text.turn(1)

    @found.add("b")
    @found.add("pageup", eager=True)
    def _(event: KeyPressEvent) -> None:
        text.turn(-1)

    @found.add("down", eager=True)
    def _(event: KeyPressEvent) -> None:
        text.scroll(1)

    @found.add("up", eager=True)
    def _(event: KeyPressEvent) -> None:
        text.scroll(-1)

    @found.add("q")
    @found.add("enter", eager=True)
    @found.add("escape", eager=True)
    @found.add("c-c")
    @found.add("c-d")
    def _(event: KeyPressEvent) -> None:
        event.app.exit()

    return found
