"""Commands for the session at the prompt rather than for the machine."""

from __future__ import annotations

import re
from collections.abc import Callable

from nasm.apps.repl import command as commands
from nasm.apps.repl import settings
from nasm.apps.repl.command import WRONG, command
from nasm.apps.repl.settings import SETTINGS, WIDEST
from nasm.apps.repl.shell import Shell
from nasm.base.problems import Refused, did_you_mean, in_line, quoted
from nasm.debugger.moving.specs import lines
from nasm.show.columns import hanging, table

Setter = Callable[[Shell, str], None]

SETTERS: list[tuple[re.Pattern[str], Setter]] = []
"""What `set` does with what is no setting: the first whose pattern the text begins with."""


def sets(pattern: str) -> Callable[[Setter], Setter]:
    """Declare what `set` does with texts that begin so; it gets the text."""

    def declare(setter: Setter) -> Setter:
        SETTERS.append((re.compile(pattern), setter))
        return setter

    return declare


@command(
    "set",
    usage="set PLACE = VALUE",
    takes=(
        "setting",
        "tensor",
        "part",
        "item",
        "named",
        "semaphore",
        "register",
        "constant",
        "function",
    ),
)
def set_(shell: Shell, rest: str) -> None:
    """Change a value of the program, or a setting.

    A value is an expression as in .expect, or an array file in quotes: set t[0, 0:4] = 1.5,
    set t = "file.npy", set $loaded = 32, set @scalar %r0 = 5. It is broadcast, and rounded as the
    tensor stores it. Parts of a core are set, too, where 'info held' tells of them: set lreg3 = 1.
    set pc @vector 3 sends an engine to an instruction, set pc @vector loop to a
    label, and set pc @vector line 19 to the first of its instructions on a line.

    set NAME VALUE changes a setting of the debugger; 'info settings' lists them.
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


@command("source", usage="source FILE", takes=("file",), examples=("source steps.txt",))
def source(shell: Shell, rest: str) -> None:
    """Do the commands of a file, up to one that fails.

    Such files are what 'record' writes and -x takes: a command in each line, which continues on the
    next while a bracket is open or if it ends with a backslash; lines that start with ; or # are
    comments. Its commands may call others.
    """
    if not rest:
        raise Refused(WRONG, "source what?", "a file of commands: source FILE")
    shell.source(rest)


@command(
    "record",
    usage="record FILE, record >> FILE, or record off",
    takes=("file",),
    examples=("record steps.txt", "record >> steps.txt", "record off"),
)
def record(shell: Shell, rest: str) -> None:
    """Write the commands that follow to a file, for 'source'.

    It overwrites nothing: >> adds to a file that is there. A command that failed is written as a
    comment. Alone, it says what is recorded.
    """
    recording = shell.recording
    if rest == "off":
        text = f"recorded in {in_line(recording.path)}" if recording.path else "nothing is recorded"
        recording.end()
        shell.screen.say(text)
    elif rest:
        path = rest.removeprefix(">>").strip()
        if not path:
            raise Refused(WRONG, "record where?", "record >> FILE")
        if path.endswith(".nrec"):
            message = "'record' writes the commands that follow, not a recording of the run"
            raise Refused(WRONG, message, f"save {in_line(path)}")
        recording.begin(path, rest.startswith(">>"))
        shell.screen.say(f"recording in {in_line(recording.path)}; 'record off' ends it")
    else:
        path = recording.path
        shell.screen.say(f"recording in {in_line(path)}" if path else "nothing is recorded")


_NAME = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)


@command(
    "alias",
    usage="alias NAME = COMMAND[; COMMAND …], or alias",
    takes=("alias",),
    examples=(
        "alias t = step @tensor",
        "alias look = where; info semaphores",
        "alias at = goto $1; print $2",
    ),
)
def alias(shell: Shell, rest: str) -> None:
    """Give a command, or several with semicolons between them, a name of your own.

    Arguments that follow the name take the places of $1, $2 and so on, or of $*, which is all of
    them; where there are none they belong to the last command. A command that fails is the last one
    done. Alone, it lists the aliases. The start-up file is the place for those that are wanted
    always.
    """
    if not rest:
        rows = sorted(shell.aliases.items())
        text = table(("alias", "means"), rows, shell.screen.width)
        shell.screen.say(text if rows else "no aliases")
        return
    name, equals, meaning = (part.strip() for part in rest.partition("="))
    parts = lines(meaning)
    if not equals or not parts:
        raise Refused(WRONG, "an alias is a name and a command", "alias t = step @tensor")
    if not _NAME.fullmatch(name):
        raise Refused(WRONG, f"'{quoted(name)}' is no name", "letters, digits, '_' and '-'")
    if any(name in (c.name, *c.aliases) for c in commands.siblings("")):
        raise Refused(WRONG, f"'{name}' is a command of its own", "choose another name")
    for part in parts:
        if commands.split(part)[0] not in shell.aliases:
            commands.find(part)
    shell.aliases[name] = "; ".join(parts)


@command("unalias", usage="unalias NAME", takes=("alias",))
def unalias(shell: Shell, rest: str) -> None:
    """Forget an alias."""
    if rest not in shell.aliases:
        hint = did_you_mean(rest, shell.aliases) or "'alias' lists them"
        raise Refused(WRONG, f"no alias '{quoted(rest)}'", hint)
    del shell.aliases[rest]


@command("info settings", usage="info settings [NAME]", takes=("setting",))
def info_settings(shell: Shell, rest: str) -> None:
    """The settings of the debugger, and what they may be."""
    names = [settings.split(rest)[0]] if rest else list(SETTINGS)
    rows = [
        (name, shell.settings.written(name), SETTINGS[name].kind.legal, SETTINGS[name].summary)
        for name in names
    ]
    width = shell.screen.width
    lines = table(("setting", "value", "may be", "meaning"), rows, WIDEST)
    if max(map(len, lines)) > width:  # a sentence that is cut says little
        lines = [
            line
            for name, value, legal, meaning in rows
            for line in (
                f"{name} = {value}",
                *hanging(f"  {meaning}", width),
                *hanging(f"  {legal}", width),
            )
        ]
    shell.screen.say(lines)
