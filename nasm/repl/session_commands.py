"""Commands for the session at the prompt rather than for the machine."""

from __future__ import annotations

import re
from collections.abc import Callable

from nasm.problems import Refused
from nasm.repl import settings
from nasm.repl.command import WRONG, command
from nasm.repl.screen import table
from nasm.repl.settings import SETTINGS
from nasm.repl.shell import Shell

Setter = Callable[[Shell, str], None]

SETTERS: list[tuple[re.Pattern[str], Setter]] = []
"""What `set` does with what is no setting: the first whose pattern the text begins with."""


def sets(pattern: str) -> Callable[[Setter], Setter]:
    """Declare what `set` does with texts that begin so; it gets the text."""

    def declare(setter: Setter) -> Setter:
        SETTERS.append((re.compile(pattern), setter))
        return setter

    return declare


@command("set", usage="set NAME VALUE", takes=("setting",))
def set_(shell: Shell, rest: str) -> None:
    """Change a setting of the debugger.

    'info settings' lists the settings.
    """
    if not rest:
        raise Refused(WRONG, "set what?", "set context off; 'info settings' lists the settings")
    first = rest.split()[0]
    setter = next((s for pattern, s in SETTERS if pattern.match(rest)), None)
    if setter is not None and first not in {name.split()[0] for name in SETTINGS}:
        setter(shell, rest)
        return
    if setter is not None and "=" in rest:  # a tensor may be called as a setting is
        setter(shell, rest)
        return
    name, value = settings.split(rest)
    shell.settings.put(name, value)


@command("info settings", usage="info settings [NAME]", takes=("setting",))
def info_settings(shell: Shell, rest: str) -> None:
    """The settings of the debugger, and what they may be."""
    names = [settings.split(rest)[0]] if rest else list(SETTINGS)
    rows = [
        (name, shell.settings.said(name), SETTINGS[name].kind.legal, SETTINGS[name].summary)
        for name in names
    ]
    shell.screen.say(table(("setting", "value", "may be", "meaning"), rows, shell.screen.width))
