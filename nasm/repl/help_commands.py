"""``help`` and ``explain``: loops over the commands, the rows and the codes."""

from __future__ import annotations

import re
import textwrap

from nasm.problems import Refused, did_you_mean, quoted
from nasm.repl import command as commands
from nasm.repl import (
    data_commands,
    inspect_commands,
    move_commands,
    run_commands,
    see_commands,
    session_commands,
    stop_commands,
    travel_commands,
    try_commands,
)
from nasm.repl.command import COMMANDS, WRONG, Command, command, last_word
from nasm.repl.screen import table
from nasm.repl.shell import Shell
from nasm.report import explanations, pages
from nasm.spec.instruction import Context, Row
from nasm.spec.program import Program

GROUPS = (
    move_commands.__name__,
    stop_commands.__name__,
    travel_commands.__name__,
    run_commands.__name__,
    see_commands.__name__,
    data_commands.__name__,
    inspect_commands.__name__,
    try_commands.__name__,
    session_commands.__name__,
    __name__,
)
"""The order in which commands are listed."""


MORE = "help COMMAND, help MNEMONIC and help E0501 say more. Enter repeats a step."


@command(
    "help",
    "h",
    "?",
    usage="help [COMMAND | MNEMONIC | CODE]",
    takes=("command", "mnemonic", "code"),
)
def help_(shell: Shell, rest: str) -> None:
    """Explain a command, an instruction or a diagnostic.

    Alone, it lists the commands.
    """
    word = rest.strip()
    if not word:
        shell.screen.say(_overview(commands.siblings(""), shell.screen.width))
        shell.screen.say(_filled(MORE, shell.screen.width))
    elif re.fullmatch(r"[eEwW]\d{1,4}", word):
        explain(shell, word)
    else:
        _about(shell, word)


@command("explain", usage="explain CODE", takes=("code",))
def explain(shell: Shell, rest: str) -> None:
    """Explain a diagnostic by its code, such as E0501."""
    word = rest.strip()
    if not word:
        raise Refused(WRONG, "explain what?", "a code, as in: explain E0501")
    shell.screen.show(explanations.rich_code(explanations.find(word)))


def _overview(listed: list[Command], width: int) -> list[str]:
    ordered = sorted(listed, key=lambda c: GROUPS.index(c.handler.__module__))
    rows = [(last_word(c), ", ".join(c.aliases), c.summary) for c in ordered]
    return table(("command", "short", "what it does"), rows, width)


def _about(shell: Shell, word: str) -> None:
    """Print the page of a command or an instruction; raises Refused with what was meant."""
    chosen = _command(word)
    if chosen is not None:
        shell.screen.say(_command_page(chosen, shell.screen.width))
        return
    target = shell.program.target if shell.loaded else None
    row = target.isa.rows.get(word) if target else None
    if target is None or row is None:
        hint = target.isa.meant(word, COMMANDS) if target else did_you_mean(word, COMMANDS)
        if not hint and target is None:
            hint = "instructions belong to a target: load a program first"
        raise Refused(WRONG, f"no command, instruction or code '{quoted(word)}'", hint)
    shell.screen.show(pages.rich_page(pages.page(row, target)))
    here = _time_here(row, shell.program)
    if here:
        shell.screen.say(["", *_filled(here, shell.screen.width)])


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
    below = commands.subcommands(chosen.name)
    return [*lines, "", *_overview(below, width)] if below else lines


def _time_here(row: Row, program: Program) -> str:
    """What an instruction's first use in the program costs; empty if it uses none."""
    for lines in program.queues:
        for number in lines.instructions:
            instruction = program.instructions[number]
            if instruction.row is row:
                cost = row.cost(
                    Context.of(row, instruction.operands, lines.engine, program.generation)
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
