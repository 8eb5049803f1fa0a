"""An application at the terminal, which a signal ends as it does a prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from prompt_toolkit.application import Application

from nasm.apps.repl.screen import ScreenUnwritable
from nasm.base import signals

Typed = TypeVar("Typed")


def attended(app: Application[Any], read: Callable[[], Typed]) -> Typed:
    """What is typed; a signal that ends the process leaves the terminal as it was."""

    def leave() -> None:
        if app.is_running and app.loop is not None:
            app.loop.call_soon_threadsafe(out)
        else:
            stop.strike()

    def out() -> None:
        if app.future is not None and not app.future.done():
            app.exit(exception=EOFError)

    with signals.heard(), signals.on_stop(leave) as stop:
        try:
            return read()
        except (EOFError, OSError) as problem:
            if stop.asked is not None:
                raise stop.asked from None
            if isinstance(problem, OSError):  # the terminal has gone
                raise ScreenUnwritable(problem.strerror or str(problem)) from None
            raise
