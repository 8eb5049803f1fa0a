"""Commands as declarations: one decorator names, documents and registers each of them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from nasm.base.problems import Refused, counted, did_you_mean, listed, quoted
from nasm.base.records import dataclass
from nasm.debugger.moving.specs import lines

Handler = Callable[[Any, str], None]
"""Does a command: it takes the shell, which is nothing to know about here, and the arguments."""

Declared = TypeVar("Declared", bound=Handler)

UNKNOWN = "E0821"
"""The code of a command that does not exist."""

WRONG = "E0822"
"""The code of a command that cannot do what was asked of it, or not now."""

_FIRST = re.compile(r"\s*([^\s/@$%\[]+|\S)\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its names, its usage, and what its arguments are, for completion.

    A name of two words is a subcommand. A usage that is only the name takes no arguments.
    ``repeats`` says that an empty line repeats it. What ``loses`` something is written in full: it
    is not suggested to who mistypes, and no shortened word leads to it.
    """

    name: str
    aliases: tuple[str, ...]
    usage: str
    takes: tuple[str, ...]
    repeats: bool
    handler: Handler
    doc: str
    examples: tuple[str, ...] = ()
    loses: bool = False

    @property
    def summary(self) -> str:
        """The first line of its documentation."""
        return self.doc.splitlines()[0]

    def do(self, shell: Any, rest: str) -> None:
        """Do it; raises Refused if it is given what it does not take."""
        if rest.strip() and self.usage == self.name:
            raise Refused(WRONG, f"'{self.name}' takes nothing, found '{quoted(rest.strip())}'")
        self.handler(shell, rest)


COMMANDS: dict[str, Command] = {}
"""Every command by its name, in the order of declaration."""


def command(
    name: str,
    *aliases: str,
    usage: str = "",
    takes: tuple[str, ...] = (),
    examples: tuple[str, ...] = (),
    repeats: bool = False,
    loses: bool = False,
) -> Callable[[Declared], Declared]:
    """Declare a command; the first line of its docstring is what ``help`` says of it."""

    def declare(handler: Declared) -> Declared:
        doc = inspect.getdoc(handler)
        if not doc:
            raise TypeError(f"the command {name} says nothing of itself")
        taken = {n for c in siblings(name) for n in (c.name, *c.aliases)}
        if taken & {name, *aliases}:
            raise TypeError(f"two commands are called {name} or {', '.join(aliases)}")
        COMMANDS[name] = Command(
            name, aliases, usage or name, takes, repeats, handler, doc, examples, loses
        )
        return handler

    return declare


def siblings(name: str) -> list[Command]:
    """The commands of the same level: subcommands of one command, or all others."""
    parent = name.rpartition(" ")[0]
    return [c for c in COMMANDS.values() if c.name.rpartition(" ")[0] == parent]


ELSEWHERE = {
    **dict.fromkeys(("reload", "file"), "load"),
    **dict.fromkeys(("mem", "memory", "vmmap"), "info memory"),
    **dict.fromkeys(("disassemble", "disas", "dis"), "list"),
    **dict.fromkeys(("condition", "cond"), "break LOCATION if CONDITION"),
    **dict.fromkeys(("jump", "j"), "set pc @ENGINE LINE"),
    **dict.fromkeys(("exit()", "quit()", "bye", ":q"), "quit"),
    **dict.fromkeys(("vars", "locals", "variables"), "info tensors"),
    **dict.fromkeys(("regs", "registers"), "info registers"),
}
"""What other debuggers call commands of this one."""

_ASSIGNED = re.compile(r"[$%@A-Za-z_][\w.%]*(?:\s*\[[^\]]*\])?\s*=(?![=]).*")


def subcommands(name: str) -> list[Command]:
    """The subcommands of a command."""
    return [c for c in COMMANDS.values() if c.name.startswith(f"{name} ")]


def split(line: str) -> tuple[str, str]:
    """The first word of a line and the rest; in ``print/x`` and ``step@e`` it ends early."""
    found = _FIRST.match(line)
    return (found[1], found[2].rstrip()) if found else ("", "")


def find(line: str) -> tuple[Command, str]:
    """The command a line calls and its arguments; raises Refused with what was meant."""
    word, rest = split(line)
    known = any(c.name == word or word in c.aliases for c in siblings(""))
    if not known and _ASSIGNED.fullmatch(line.strip()):
        hint = f"a value is changed by 'set {line.strip()}'"
        raise Refused(UNKNOWN, f"no command '{word}'", hint)
    if word in ELSEWHERE and not match(word, siblings("")):
        raise Refused(UNKNOWN, f"no command '{word}'", f"write '{ELSEWHERE[word]}'")
    found = _resolve(word, siblings(""), "command", "'help' lists them")
    if rest and subcommands(found.name):
        second, after = split(rest)
        below = match(second, subcommands(found.name))
        if len(below) == 1:
            return below[0], after
    return found, rest


def subcommand(parent: str, word: str) -> Command:
    """A subcommand by name, alias or unambiguous beginning; raises Refused."""
    below = subcommands(parent)
    names = listed(last_word(c) for c in below)
    return _resolve(word, below, f"{parent} command", f"it has {names}")


def match(word: str, commands: Iterable[Command]) -> list[Command]:
    """The commands a word may mean: by name or alias, else by how their names begin."""
    commands = list(commands)
    exact = [c for c in commands if word == last_word(c) or word in c.aliases]
    return exact or [c for c in _shortened(word, commands) if not c.loses]


def _shortened(word: str, commands: Iterable[Command]) -> list[Command]:
    return [c for c in commands if word and last_word(c).startswith(word)]


def last_word(command: Command) -> str:
    """The name of a command below its parent."""
    return command.name.rpartition(" ")[2]


def _resolve(word: str, commands: list[Command], what: str, otherwise: str) -> Command:
    found = match(word, commands)
    if len(found) == 1:
        return found[0]
    if found:
        raise Refused(UNKNOWN, f"'{word}' could be {listed(last_word(c) for c in found)}")
    lost = _shortened(word, commands)
    if lost:
        raise Refused(UNKNOWN, f"no {what} '{word}'", f"'{lost[0].name}' is written in full")
    names = [n for c in commands if not c.loses for n in (last_word(c), *c.aliases) if len(n) > 1]
    # For the name of a subcommand alone the command is named that it belongs to.
    below = [c.name for c in COMMANDS.values() if " " in c.name and word == last_word(c)]
    if below:
        raise Refused(UNKNOWN, f"no {what} '{word}'", f"did you mean '{below[0]}'?")
    raise Refused(UNKNOWN, f"no {what} '{word}'", did_you_mean(word, names) or otherwise)


def meant(text: str, aliases: Mapping[str, str], met: tuple[str, ...] = ()) -> Iterator[str]:
    """The commands that a line means: one, unless it begins with an alias of several.

    What follows the alias takes the places of $1, $2 and so on, or of $*, which is all of it; where
    there are none it belongs to the last command. Raises Refused.
    """
    word, rest = split(text)
    if word not in aliases:
        yield text
        return
    if word in met:
        raise Refused(WRONG, f"the alias '{word}' leads to itself")
    for part in _filled(word, lines(aliases[word]), rest):
        yield from meant(part, aliases, (*met, word))


_GIVEN = re.compile(r"\$([1-9]|\*)(?!\w)")
_ARGUMENT = re.compile(r'(?:"[^"]*"|\[[^\]]*\]|\([^)]*\)|\S)+')
"""The place of an argument of an alias, and an argument: a blank in brackets or quotes is of it."""


def _filled(name: str, parts: tuple[str, ...], rest: str) -> Iterator[str]:
    """The commands of an alias with what it was given; raises Refused."""
    places = {found for part in parts for found in _GIVEN.findall(part)}
    if not places:
        *first, last = parts
        yield from (*first, f"{last} {rest}".rstrip())
        return
    given = _ARGUMENT.findall(rest)
    wanted = max((int(place) for place in places - {"*"}), default=0)
    if len(given) < wanted or (len(given) > wanted and "*" not in places):
        message = f"the alias '{name}' takes {counted(wanted, 'argument')}, found {len(given)}"
        raise Refused(WRONG, message, f"it means: {'; '.join(parts)}")
    for part in parts:
        yield _GIVEN.sub(lambda place: rest if place[1] == "*" else given[int(place[1]) - 1], part)
