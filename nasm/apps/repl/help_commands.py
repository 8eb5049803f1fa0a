"""Commands that explain."""

from __future__ import annotations

import re
import sys
import textwrap

from nasm.apps.repl import command as commands
from nasm.apps.repl import (
    data_commands,
    inspect_commands,
    let_commands,
    move_commands,
    python_commands,
    run_commands,
    see_commands,
    session_commands,
    stop_commands,
    topics,
    travel_commands,
    try_commands,
    view_commands,
)
from nasm.apps.repl.command import COMMANDS, WRONG, Command, command, last_word
from nasm.apps.repl.known_names import machine
from nasm.apps.repl.shell import Shell
from nasm.base.problems import Refused, did_you_mean, listed, quoted
from nasm.isa.instruction import InstructionContext, Row
from nasm.program.program import Program

GROUPS = (
    move_commands.__name__,
    stop_commands.__name__,
    travel_commands.__name__,
    run_commands.__name__,
    see_commands.__name__,
    data_commands.__name__,
    let_commands.__name__,
    inspect_commands.__name__,
    view_commands.__name__,
    try_commands.__name__,
    python_commands.__name__,
    session_commands.__name__,
    __name__,
)
"""The order in which commands are listed."""


MORE = "help COMMAND, help MNEMONIC, help E0501, help hazard and help keys say more."


@command(
    "help",
    "h",
    "?",
    usage="help [COMMAND | MNEMONIC | CODE | WORD]",
    takes=("command", "mnemonic", "code", "topic"),
    examples=("help step", "help E0501", "help psum", "help hazard", "help keys"),
)
def help_(shell: Shell, rest: str) -> None:
    """Explain a command, an instruction, a code or a word.

    Alone, it lists the commands. Words are directives, engines, memories, dtypes, operators,
    functions, settings, and those that have a meaning of their own here, such as queue and hazard,
    in any case. 'help keys' says what keys do at the prompt.
    """
    from nasm.apps.repl.pager import paged  # prompt_toolkit, which scripts do not need

    with paged(shell):
        _help(shell, rest.strip())


def _help(shell: Shell, word: str) -> None:
    if not word:
        shell.screen.say(_overview(commands.siblings(""), shell.screen.width))
        shell.screen.say(_filled(MORE, shell.screen.width))
    elif re.fullmatch(r"[eEwW]\d{1,4}", word):
        _explain(shell, word)
    else:
        _about(shell, word)


@command("explain", usage="explain CODE", takes=("code",))
def explain(shell: Shell, rest: str) -> None:
    """Explain a diagnostic by its code: 'help E0501' does the same."""
    word = rest.strip()
    if not word:
        raise Refused(WRONG, "explain what?", "a code, as in: explain E0501")
    from nasm.apps.repl.pager import paged  # prompt_toolkit, which scripts do not need

    with paged(shell):
        _explain(shell, word)


def _explain(shell: Shell, word: str) -> None:
    from nasm.show import explanations

    shell.screen.show(explanations.rich_code(explanations.find(word)))


def grouped(listed: list[Command]) -> list[tuple[str, list[Command]]]:
    """Commands by the file that declares them, under what that says of itself."""
    return [
        ((sys.modules[module].__doc__ or "").splitlines()[0].removesuffix("."), found)
        for module in GROUPS
        if (found := [c for c in listed if c.handler.__module__ == module])
    ]


def _overview(listed: list[Command], width: int) -> list[str]:
    groups = grouped(listed) if listed == commands.siblings("") else [("", listed)]
    lines: list[str] = []
    for title, found in groups:
        heads = [", ".join((last_word(c), *_short(c))) for c in found]
        margin = max(map(len, heads)) + 2
        lines += ["", *_filled(title, width)] if title else []
        for head, c in zip(heads, found, strict=True):
            first, *more = textwrap.wrap(c.summary, width - margin, break_on_hyphens=False)
            lines += [head.ljust(margin) + first, *(" " * margin + line for line in more)]
    return lines[1:] if groups[0][0] else lines


def _short(chosen: Command) -> list[str]:
    """The aliases that save typing."""
    return [a for a in chosen.aliases if len(a) < len(last_word(chosen))]


def _about(shell: Shell, word: str) -> None:
    """Print all that a word means; raises Refused with what was meant."""
    from nasm.show import pages

    target, generation = machine(shell)
    width = shell.screen.width
    known = list(topics.topics(target, generation))
    exact = commands.match(commands.split(word)[0], commands.siblings(""))
    found = topics.find(word, known)
    rows = [r for name, r in target.isa.rows.items() if name.casefold() == word.casefold()]
    chosen = _command(word)
    if chosen is not None and (rows or found) and word not in (last_word(chosen), *chosen.aliases):
        chosen = None  # a shortened word gives way to a whole one
    if chosen is not None:
        shell.screen.say(_command_page(chosen, width))
    for row in rows:
        shell.screen.show(pages.rich_page(pages.page(row, target)))
        here = _time_here(row, shell.program) if shell.loaded else ""
        if here:
            shell.screen.say(["", *_filled(here, width)])
    for n, topic in enumerate(found):
        lines = [f"{topic.word}  ({topic.kind})"]
        lines += [
            f"  {line}"
            for text in (topic.summary, *topic.more())
            for line in _filled(text, width - 2)
        ]
        shell.screen.say(["", *lines] if n or chosen or rows else lines)
    if chosen is None and not rows and not found:
        words = [*COMMANDS, *(t.word for t in known)]
        hint = target.isa.meant(word, words) or did_you_mean(word, words)
        if len(exact) > 1:
            hint = f"it could be {listed(last_word(c) for c in exact)}"
        raise Refused(WRONG, f"no command, instruction, code or word '{quoted(word)}'", hint)


def _command(words: str) -> Command | None:
    first, rest = commands.split(words)
    found = commands.match(first, commands.siblings(""))
    if len(found) == 1 and rest:
        found = commands.match(rest, commands.subcommands(found[0].name))
    return found[0] if len(found) == 1 else None


def _command_page(chosen: Command, width: int) -> list[str]:
    lines = [f"usage: {chosen.usage}"]
    if chosen.aliases:
        lines.append(f"short: {', '.join(chosen.aliases)}")
    for paragraph in chosen.doc.split("\n\n"):
        lines += ["", *_filled(paragraph, width)]
    if chosen.examples:
        lines += ["", "examples:", *(f"  {example}" for example in chosen.examples)]
    below = commands.subcommands(chosen.name)
    return [*lines, "", *_overview(below, width)] if below else lines


def _time_here(row: Row, program: Program) -> str:
    """What an instruction's first use in the program costs; empty if it uses none."""
    for lines in program.queues:
        for number in lines.instructions:
            instruction = program.instructions[number]
            if instruction.row is row:
                cost = row.cost(
                    InstructionContext.of(
                        row, instruction.operands, lines.engine, program.generation
                    )
                )
                return (
                    f"The first in this program: busy {cost.interval}, results after "
                    f"{cost.latency} cycles of {lines.engine} ({cost.evidence.value}: "
                    f"{cost.source})"
                )
    return ""


def _filled(text: str, width: int) -> list[str]:
    """A paragraph in lines."""
    return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)
