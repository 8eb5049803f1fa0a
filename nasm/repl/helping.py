"""``help`` and ``explain``: loops over the commands, the rows and the codes."""

from __future__ import annotations

import re
import textwrap

from nasm import codes
from nasm.problems import Refused, did_you_mean
from nasm.repl import command as commands
from nasm.repl import looking, running
from nasm.repl.command import COMMANDS, WRONG, Command, command, last_word
from nasm.repl.screen import WIDTH, table
from nasm.repl.shell import Shell
from nasm.spec.instruction import REQUIRED, Instruction, Operand, Site
from nasm.spec.program import Program

GROUPS = (running.__name__, looking.__name__, __name__)
"""The order in which commands are listed."""


MORE = "help COMMAND, help MNEMONIC and help E0501 say more. Enter repeats a step."


@command("help", "h", "?", usage="help [COMMAND | MNEMONIC | CODE]",
         takes=("command", "mnemonic", "code"))  # fmt: skip
def help_(shell: Shell, rest: str) -> None:
    """Explain a command, an instruction or a diagnostic.

    Alone, it lists the commands.
    """
    word = rest.strip()
    if not word:
        shell.screen.say(_overview(commands.siblings("")))
        shell.screen.say(MORE)
    elif re.fullmatch(r"[eE]\d{1,4}", word):
        explain(shell, word)
    else:
        shell.screen.say(_about(shell, word))


@command("explain", usage="explain CODE", takes=("code",))
def explain(shell: Shell, rest: str) -> None:
    """Explain a diagnostic by its code, such as E0501."""
    word = rest.strip()
    if not word:
        raise Refused(WRONG, "explain what?", "a code, as in: explain E0501")
    row = codes.find(word)
    if row is None:
        close = did_you_mean(word.upper(), [r.code for r in codes.table()])
        raise Refused("E0807", f"no diagnostic '{word}'", close or "codes look like E0501")
    lines = _filled(f"{row.code}: {row.title}", "")
    for paragraph in row.text.split("\n\n"):
        lines += ["", *_filled(paragraph, "")]
    for head, example in (("wrong:", row.wrong), ("right:", row.right)):
        if example:
            lines += ["", head, *(f"    {x}" for x in example.splitlines())]
    shell.screen.say(lines)


def _overview(listed: list[Command]) -> list[str]:
    ordered = sorted(listed, key=lambda c: GROUPS.index(c.handler.__module__))
    rows = [(last_word(c), ", ".join(c.aliases), c.summary) for c in ordered]
    return table(("command", "short", "what it does"), rows)


def _about(shell: Shell, word: str) -> list[str]:
    """The page of a command or an instruction; raises Refused with what was meant."""
    chosen = _command(word)
    if chosen is not None:
        return _command_page(chosen)
    rows = shell.program.target.isa.rows if shell.loaded else {}
    if word in rows:
        return page(rows[word], shell.program)
    hint = did_you_mean(word, [*rows, *COMMANDS])
    for row in rows.values():
        if word in row.vendor.values():
            hint = f"did you mean '{row.name}'?"
    if not hint and not rows:
        hint = "instructions belong to a target: load a program first"
    raise Refused(WRONG, f"no command, instruction or code '{word}'", hint)


def _command(words: str) -> Command | None:
    first, rest = commands.split(words)
    found = commands.match(first, commands.siblings(""))
    if len(found) == 1 and rest:
        found = commands.match(rest, commands.subcommands(found[0].name))
    return found[0] if len(found) == 1 else None


def _command_page(chosen: Command) -> list[str]:
    lines = [f"usage: {chosen.usage}"]
    if chosen.aliases:
        lines.append(f"short: {', '.join(chosen.aliases)}")
    for paragraph in chosen.doc.split("\n\n"):
        lines += ["", *_filled(paragraph, "")]
    below = commands.subcommands(chosen.name)
    return [*lines, "", *_overview(below)] if below else lines


def page(row: Instruction, program: Program) -> list[str]:
    """What there is to know of an instruction, from its row."""
    lines = _filled(f"{row.name}: {row.summary}", "")
    if row.formula:
        lines += ["", f"    {row.formula}"]
    for paragraph in row.doc.strip().split("\n\n")[1:]:
        lines += ["", *_filled(paragraph, "")]
    lines += ["", "example", *(f"    {e}" for e in (row.setup, row.example) if e)]
    if row.written:
        lines += ["", "operands", *(x for o in row.written for x in _operand(o))]
    if row.rules:
        lines += ["", "rules"]
        for rule in row.rules:
            lines += _filled(f"{rule.code} {rule.sentence} ({rule.source})", "  ")
    lines += ["", *_filled(f"engines: {', '.join(row.engines)}", "")]
    return [*lines, *_cost(row, program), *_filled(f"source: {row.source}", "")]


def _operand(operand: Operand) -> list[str]:
    said = operand.kind.describe()
    if operand.doc:
        said += f"; {operand.doc}"
    if operand.default is not REQUIRED:
        value = operand.default
        said += f". Default: {'none' if value is None else operand.kind.format(value)}"
    name = f"  {operand.name}  "
    return textwrap.wrap(said, WIDTH, initial_indent=name, subsequent_indent=" " * 6)


def _cost(row: Instruction, program: Program) -> list[str]:
    """How its time is known, and what its first use in the program costs."""
    said = (row.cost.__doc__ or "").strip().partition("\n")[0]
    lines = _filled(f"time: {said}", "") if said else []
    for lines_of in program.queues:
        for number in lines_of.forms:
            form = program.forms[number]
            if form.row is row:
                site = Site.of(row, form.operands, lines_of.engine, program.generation)
                cost = row.cost(site)
                here = (
                    f"time here: busy {cost.interval}, results after {cost.latency} cycles of "
                    f"{lines_of.engine} ({cost.evidence.value}: {cost.source})"
                )
                return [*lines, *_filled(here, "")]
    return lines


def _filled(text: str, indent: str) -> list[str]:
    """A paragraph in lines; behind an indent, those after the first go two further in."""
    return textwrap.wrap(
        " ".join(text.split()), WIDTH, initial_indent=indent,
        subsequent_indent=f"{indent}  " if indent else "", break_on_hyphens=False,
    )  # fmt: skip
